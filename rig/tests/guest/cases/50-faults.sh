#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rows of rig/tests/faults.table that are shown here: each fault is made on a real kernel
# interface, its errno and blame are compared, it must end by its own deadline (and not by ours, 60 s
# later), and afterwards the driver works again on the same wire.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"
lab_tool=$root/build/fakes/lab-tool
fb=$root/build/fakes/fastboot-tool
dfu=$root/build/fakes/dfu-tool

# ---- one row: a function sets got, blame and safe by these ----

# act COMMAND...: what is to end by the row's limit. ended, got (its rc=), ms.
act() {
	local begin
	begin=$(uptime_ms)
	timeout -k 5 $((limit / 1000 + 60)) "$@" >"$work/act" 2>&1 </dev/null
	settle_act $? "$begin"
}
settle_act() {
	ms=$(($(uptime_ms) - $2))
	ended=yes
	[ "$1" != 124 ] && [ "$1" != 137 ] || ended=NO
	got=$(sed -n 's/^rc=//p' "$work/act" | tail -n 1)
}
# behind COMMAND...: the same in the background, waiting on its stdin; then `go` and `join`.
behind() {
	[ -p "$work/line" ] || mkfifo "$work/line"
	rm -f "$work/act" # what the last one said is not this one's
	timeout -k 5 $((limit / 1000 + 60)) "$@" <"$work/line" >"$work/act" 2>&1 &
	actor=$!
	exec 6>"$work/line"
	until_true 20 [ -s "$work/act" ]
	since=$(uptime_ms)
}
# The one behind may have ended on its own.
trap '' PIPE
go() { echo go >&6; }
join() {
	wait "$actor"
	settle_act $? "$since"
	exec 6>&-
}
# works COMMAND...: the wire is free and good again.
works() { if "$@" >"$work/works" 2>&1 </dev/null; then safe=yes; else safe=NO; fi; }
# blamed LAB-KEYS VERB: what the board layer says of a board with these keys.
blamed() {
	printf 'boards:\n- {name: b, type: wired, %s}\n' "$1" >"$work/lab.yaml"
	"$lab_tool" "$2" "$work/lab.yaml" >"$work/blamed" 2>&1 </dev/null
	blame=$(sed -n 's/^blame=\([^ ]*\).*/\1/p' "$work/blamed")
}
# usb_blamed ERRNO: what the board layer says of that errno of a driver on a board's USB port.
usb_blamed() { [ "$1" = 0 ] || blame=$("$lab_tool" blame "$1"); }
power_off() { HUB_MS=20000 io hub "$1" off >/dev/null; }
power_on() {
	io hub "$1" on >/dev/null
	until_true 20 [ -e "/sys/bus/usb/devices/$1" ]
}
address() { { echo "$(<"/sys/bus/usb/devices/$1/devnum")"; } 2>/dev/null; }

# ---- serial: a gadget's ttyACM in $acm, the FTDI adapter in $ftdi ----

serial_up() {
	gadget_new acm acm.0 RIGFAULT1
	gadget_plug acm dummy_udc.0
	until_true 20 plugged RIGFAULT1
	until_true 20 [ -c /dev/ttyACM0 ]
	udevadm settle --timeout=10
	acm=$(usb_port RIGFAULT1)
	ftdi=$(usb_port FTDUT0)
}
replug() {
	gadget_unplug acm
	gadget_plug acm dummy_udc.0
	until_true 20 [ -d "/sys/bus/usb/devices/$acm:1.0/tty" ]
	udevadm settle --timeout=10
}
serial_works() { works io serial-open "usb:$acm" 115200; }
serial_unplug() {
	behind "$tool" serial-wait "usb:$acm" 115200
	gadget_unplug acm
	join # rc=0: it waited for that, and was told ENODEV
	[ "$got" = 0 ] && got=ENODEV
	blamed "console: {at: 'usb:$acm'}" console
	replug
	serial_works
}
serial_renumber() {
	exec 7<>/dev/ttyACM0
	replug
	act "$tool" serial-open "usb:$acm" 115200
	grep -q ttyACM1 "$work/act" || got="not ttyACM1"
	exec 7>&-
	replug
	serial_works
}
serial_stall() {
	act "$tool" serial-byte "usb:$acm" 115200 "$limit"
	serial_works
}
serial_io_error() {
	behind "$tool" serial-write "usb:$acm" 115200
	gadget_unplug acm
	until_true 20 unplugged RIGFAULT1
	go
	join
	blamed "console: {at: 'usb:$acm'}" console
	replug
	serial_works
}
# More than fits on the way, so that writes are cut short.
serial_short() {
	act "$tool" serial-pair "usb:$acm" 115200 262144 /dev/ttyGS0
	serial_works
}
serial_busy() {
	behind "$tool" serial-wait "usb:$ftdi" 115200
	cp "$work/act" "$work/owner"
	"$tool" serial-open "usb:$ftdi" 115200 >"$work/second" 2>&1
	blamed "console: {at: 'usb:$ftdi'}" console
	kill "$actor"
	join
	got=$(sed -n 's/^rc=//p' "$work/second")
	ended=yes
	works io serial-open "usb:$ftdi" 115200
}
serial_baud() {
	act "$tool" serial-open "usb:$ftdi" 4000000
	blamed "console: {at: 'usb:$ftdi', baud: 4000000}" console
	works io serial-open "usb:$ftdi" 115200
}
serial_twins() {
	gadget_new twin acm.1 RIGFAULT1
	gadget_plug twin dummy_udc.1
	until_true 20 [ -c /dev/ttyACM1 ]
	udevadm settle --timeout=10
	act "$tool" serial-locate "usb:$acm"
	grep -q ttyACM0 "$work/act" || got="the other one"
	gadget_free twin
	serial_works
}
serial_down() { gadget_free acm; }

# ---- usb, fastboot: a FunctionFS device in $phone, sometimes a twin ----

fake_start() { # NAME COMMAND...: its knobs are on fd 9 or 8
	mkfifo "$work/$1.knobs"
	"${@:2}" <"$work/$1.knobs" >"$work/$1.out" 2>&1 &
}
usb_up() {
	fake_start phone "$root/build/fakes/ffs-fastboot" phone dummy_udc.0 "$work/phone"
	fake=$!
	exec 9>"$work/phone.knobs"
	until_true 20 plugged FAKE0001
	phone=$(usb_port FAKE0001)
	head -c 4000000 /dev/urandom >"$work/image"
}
knob() { echo "$1" >&9; }
usb_works() { works "$fb" "$phone" 30000 getvar product; }
usb_unplug() {
	behind "$tool" usb-read "$phone" 5000 "$limit"
	power_off "$phone"
	join
	power_on "$phone"
	usb_works
}
usb_renumber() {
	local before
	before=$(address "$phone")
	power_off "$phone"
	io hub "$phone" on >/dev/null
	act "$tool" usb-arrived "$phone" "$limit"
	[ "$(address "$phone")" != "$before" ] || got="the same address"
	usb_works
}
usb_stall() {
	act "$tool" usb-read "$phone" 5000 "$limit"
	usb_works
}
usb_busy() {
	behind "$tool" usb-hold "$phone" 5000
	"$tool" usb-hold "$phone" 1000 >"$work/second" 2>&1 </dev/null
	exec 6>&-
	join
	got=$(sed -n 's/^rc=//p' "$work/second")
	usb_works
}
usb_twins() {
	fake_start twin "$root/build/fakes/ffs-fastboot" twin dummy_udc.1 "$work/twin"
	exec 8>"$work/twin.knobs"
	until_true 20 twins
	act "$tool" usb-serial FAKE0001 2000
	usb_works
	exec 8>&-
	until_true 20 not twins
}
twins() { [ "$(cat /sys/bus/usb/devices/*/serial 2>/dev/null | grep -c FAKE0001)" = 2 ]; }
usb_stays() {
	act "$tool" usb-left "$phone" "$limit"
	usb_works
}
fastboot_works() {
	works "$fb" "$phone" 60000 flash userdata "$work/image"
	cmp -s "$work/image" "$work/phone/userdata" || safe=NO
}
fastboot_unplug() {
	knob die-at=1000000
	act "$fb" "$phone" "$limit" flash userdata "$work/image"
	knob heal=1
	knob plug
	until_true 20 plugged FAKE0001
	fastboot_works
}
fastboot_renumber() {
	local before
	before=$(address "$phone")
	act "$fb" "$phone" "$limit" reboot bootloader
	[ "$(address "$phone")" != "$before" ] || got="the same address"
	fastboot_works
}
fastboot_stall() {
	kill -STOP "$fake"
	act "$fb" "$phone" "$limit" getvar product
	kill -CONT "$fake"
	fastboot_works
}
fastboot_busy() {
	behind "$tool" usb-hold "$phone" 5000
	"$fb" "$phone" 2000 getvar product >"$work/second" 2>&1
	exec 6>&-
	join
	got=$(sed -n 's/^rc=//p' "$work/second")
	fastboot_works
}
fastboot_down() {
	exec 9>&-
	wait "$fake"
}

# ---- dfu: a raw-gadget device in $edison ----

dfu_up() {
	fake_start edison "$root/build/fakes/raw-dfu" dummy_udc.1 "$work/edison"
	fake=$!
	exec 9>"$work/edison.knobs"
	until_true 20 plugged E0001
	edison=$(usb_port E0001)
	head -c 100000 /dev/urandom >"$work/small"
}
dfu_works() {
	works "$dfu" "$edison" 60000 download boot "$work/small"
	cmp -s "$work/small" "$work/edison/boot" || safe=NO
}
dfu_unplug() {
	knob die=1
	act "$dfu" "$edison" "$limit" download boot "$work/small"
	knob heal=1
	knob plug
	until_true 20 plugged E0001
	dfu_works
}
dfu_renumber() {
	local before
	before=$(address "$edison")
	power_off "$edison"
	power_on "$edison"
	act "$dfu" "$edison" "$limit" list
	[ "$(address "$edison")" != "$before" ] || got="the same address"
	dfu_works
}
dfu_stall() {
	knob stall=1
	act "$dfu" "$edison" "$limit" download boot "$work/small"
	knob heal=1
	dfu_works
}
dfu_error() {
	knob error=3
	act "$dfu" "$edison" "$limit" download boot "$work/small"
	knob heal=1
	dfu_works
}
dfu_busy() {
	behind "$tool" usb-hold "$edison" 5000
	"$dfu" "$edison" 2000 list >"$work/second" 2>&1
	exec 6>&-
	join
	got=$(sed -n 's/^rc=//p' "$work/second")
	dfu_works
}
dfu_down() {
	exec 9>&-
	wait "$fake"
}

# ---- gpio: safe = the line is free, and off ----

level() { cat "$(pin a 1)/value"; }
off() { [ "$(level)" = 0 ] && [ "$(io gpio-consumer relays power | head -n 1)" = consumer= ]; }
relay="console: {program: sh}, power: {by: gpio, chip: relays, line: power, off_ms: 0}"
gpio_up() { chip_new a relays; }
gpio_works() { works io gpio-read relays power && off || safe=NO; }
gpio_unplug() {
	behind "$tool" gpio-hold relays power 1
	chip_free a
	printf 0 >&6
	exec 6>&-
	join
	blamed "$relay" on
	chip_new a relays
	gpio_works
}
gpio_renumber() {
	local before
	before=$(cat $sims/a/bank0/chip_name)
	chip_free a
	chip_new filler other
	chip_new a relays
	act "$tool" gpio-read relays power
	[ "$(cat $sims/a/bank0/chip_name)" != "$before" ] || got="the same number"
	chip_free filler
	gpio_works
}
gpio_busy() {
	behind "$tool" gpio-hold relays power 1
	"$tool" gpio-hold relays power 1 >"$work/second" 2>&1 </dev/null
	blamed "$relay" on
	exec 6>&-
	join
	got=$(sed -n 's/^rc=//p' "$work/second")
	gpio_works
}
gpio_twins() {
	chip_new b relays
	act "$tool" gpio-read relays power
	blamed "$relay" on
	chip_free b
	gpio_works
}
# The session's process is killed while the board is on.
gpio_owner_killed() {
	printf 'boards:\n- {name: b, type: wired, %s}\n' "$relay" >"$work/lab.yaml"
	behind "$lab_tool" on "$work/lab.yaml"
	[ "$(level)" = 1 ] || got="never on"
	pkill -9 -P "$actor"
	join
	until_true 10 off
	act "$tool" gpio-read relays power
	gpio_works
}
gpio_down() { chip_free a; }

# ---- hub: dummy_hcd's root hub with a gadget in its port ----

hub_up() {
	gadget_new hub acm.0 RIGFAULT2
	gadget_plug hub dummy_udc.1
	until_true 20 plugged RIGFAULT2
	port=$(usb_port RIGFAULT2)
}
hub_works() {
	works io hub "$port" cycle
	until_true 20 plugged RIGFAULT2 || safe=NO
}
hub_gone() {
	act "$tool" hub 9-1 off
	blamed "console: {program: sh}, vbus: {by: hub, port: 9-1, off_ms: 0}" on
	hub_works
}
hub_renumber() {
	local before
	before=$(address "$port")
	act "$tool" hub "$port" cycle
	until_true 20 plugged RIGFAULT2
	[ "$(address "$port")" != "$before" ] || got="the same address"
	hub_works
}
# A hub that says yes and cuts nothing: a file in the place of the kernel's switch.
hub_stays() {
	local bus=usb${port%-*} dir
	dir=/sys/bus/usb/devices/$bus/${port%-*}-0:1.0/$bus-port${port#*-}
	mount -t tmpfs none "$dir"
	echo 0 >"$dir/disable"
	HUB_MS=$limit act "$tool" hub "$port" off
	blamed "console: {program: sh}, vbus: {by: hub, port: '$port', off_ms: 0}" off
	umount "$dir"
	hub_works
}
hub_down() { gadget_free hub; }

# ---- tool: an external program switches ----

# It can switch off, and not on.
tool_up() {
	cat >"$work/switch" <<-'END'
	#!/bin/sh
	echo "relay: stuck" >&2
	[ "$1" = off ]
	END
	chmod +x "$work/switch"
}
switched() { # PROGRAM: its errno is in the words of the message
	local begin
	begin=$(uptime_ms)
	blamed "console: {program: sh}, power: {by: external, program: '$1', off_ms: 0}" on
	cp "$work/blamed" "$work/act"
	settle_act 0 "$begin"
	case $(cat "$work/act") in
	*"No such file"*) got=ENOENT ;;
	*"Remote I/O error"*) got=EREMOTEIO ;;
	esac
	blamed "console: {program: sh}, power: {by: external, program: '$work/switch', off_ms: 0}" off
	[ "$blame" = - ] && safe=yes || safe=NO
	blame=$(sed -n 's/^blame=\([^ ]*\).*/\1/p' "$work/act")
}
tool_missing() { switched /nonexistent/switch; }
tool_fails() { switched "$work/switch"; }
tool_down() { :; }

# ---- the table ----

usb_down() { :; }	# the same device serves fastboot
fastboot_up() { :; }
row='  %-10s %-14s %-11s %-11s %-6s %-6s %7s %7s  %s %s\n'
head_line() {
	# shellcheck disable=SC2059	# the format is ours
	printf "$row" driver fault expected got blame "" limit took ended safe
}
one_row() {
	local driver=$1 fault=$2 want=$4 want_blame=$5 name
	limit=$3 got=none blame=- safe=NO ended=NO ms=0
	"$6"
	case $driver in usb | fastboot | dfu) usb_blamed "$got" ;; esac
	name="fault $driver/$fault"
	# shellcheck disable=SC2059
	printf "$row" "$driver" "$fault" "$want" "$got" "$want_blame" "$blame" "$limit" "$ms" $ended $safe
	if [ "$got" = "$want" ] && [ "$blame" = "$want_blame" ] && [ $ended = yes ] && [ $safe = yes ]; then
		ok "$name"
	else
		not_ok "$name" "got $got, blame $blame, ended $ended, safe $safe" "$(cat "$work/act")" \
			"$(cat "$work/blamed" "$work/works" 2>/dev/null)"
	fi
}
current=
head_line
# (no <( ) here: this /dev has no fd)
sed -n 's/[ \t]*|[ \t]*/ /g; /^#/d; / guest /p' rig/tests/faults.table >"$work/table"
while read -r driver fault limit_ms want want_blame _ how <&5; do
	if [ "$driver" != "$current" ]; then
		[ -z "$current" ] || "${current}_down"
		"${driver}_up"
		current=$driver
	fi
	one_row "$driver" "$fault" "$limit_ms" "$want" "$want_blame" "$how"
done 5<"$work/table"
"${current}_down"
finish
