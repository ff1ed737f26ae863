# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For cases that run whole sessions in the guest: a board of ours with its relays, its console and
# its USB plug, and bed.py on the host, which is the board once it has left its bootloader.
# shellcheck source=guestlib.sh
. "$(dirname "${BASH_SOURCE[0]}")/guestlib.sh"
bed_dir=/run/share/bed
suite=$root/rig/tests/guest/session.yaml
sims=/sys/kernel/config/gpio-sim

mkdir -p "$RIG_HOME"
# shellcheck disable=SC2154	# $kernels is of run.sh
ln -sfn "$kernels" "$RIG_HOME/kernels"

# bed ORDER...: what bed.py answers; see there.
bed() {
	local name=$bed_dir/case-$BASHPID-$RANDOM

	printf '%q ' "$@" >"$name.tmp"
	mv "$name.tmp" "$name.req"
	until_true 30 [ -e "$name.reply" ] || return 1
	mv "$name.reply" "$work/answer"
	sed 1d "$work/answer"
	grep -q '^ok' "$work/answer"
}

# relays_new: a chip "relays" with the lines "power" and "key"; pin NAME: its end at the board.
relays_new() {
	mkdir -p "$sims/relays/bank0/line0" "$sims/relays/bank0/line1"
	echo 2 >"$sims/relays/bank0/num_lines"
	echo relays >"$sims/relays/bank0/label"
	echo power >"$sims/relays/bank0/line0/name"
	echo key >"$sims/relays/bank0/line1/name"
	echo 1 >"$sims/relays/live"
	udevadm settle --timeout=10
}
relays_free() {
	echo 0 >"$sims/relays/live" 2>/dev/null
	rmdir "$sims/relays/bank0"/line? "$sims/relays/bank0" "$sims/relays"
}
pin() {
	local n=0

	[ "$1" = power ] || n=1
	echo "/sys/devices/platform/$(cat "$sims/relays/dev_name")/$(cat "$sims/relays/bank0/chip_name")/sim_gpio$n/value"
}
is_off() { [ "$(cat "$(pin power)")" = 0 ] && [ "$(bed state)" = off ]; }

# need_kernel NAME ARCH BOARD: $kernel becomes "id:..." of one in the host's cache: that board's own,
# which runs in QEMU as well, or one of that name; skips without one.
need_kernel() {
	local m wanted

	for wanted in "board=$3" "name=$1"; do
		for m in "$kernels"/*/manifest; do
			[ "$(grep -cx -e "$wanted" -e "arch=$2" "$m")" = 2 ] || continue
			m=${m%/manifest}
			kernel=id:${m##*/}
			echo "  the kernel is $(sed -n 's/^name=//p' "$m/manifest") for $(sed -n 's/^board=//p' "$m/manifest")"
			return
		done
	done
	skip "$(basename "$0" .sh)" "no kernel $1 for $2 in the cache; \`rig kernel build\` makes it"
	exit 0
}

# session NAME [OPTION...]: one visit of that board with the suite $suite and the kernel $kernel;
# sets $code, $out, $msg, $run (its directory).
session() {
	local board=$1

	shift
	echo "-- session on $board $*"
	try timeout -k 5 "${session_s:-500}" "$root/build/bin/rig" run "$suite" --board "$board" \
		--lab "$work/lab.yaml" --baseline "$kernel" --pairs 1 "$@"
	run=$(find "$RIG_HOME/runs" -mindepth 1 -maxdepth 1 -type d | sort | tail -n 1)
	cat "$work/msg"
	timeline
}

# What took how long, in seconds since the session began.
timeline() {
	jq -rs '.[0].mono_ms as $t | map(select(.ev != "console") |
		"\((.mono_ms - $t) / 1000 * 10 | round / 10) \(.ev)") | "  timeline: " + join(", ")' \
		"$run/events.jsonl"
}

# events FILTER: jq over the journal, one JSON text a line.
events() { jq -c "$1" "$run/events.jsonl"; }
# happened FILTER: some event of the journal is so.
happened() { events "select($1)" | grep -q .; }
# in_order EVENT...: they are in the journal, in this order, others between them or not.
in_order() {
	local want=$*

	events .ev | tr -d '"' | awk -v want="$want" '
		BEGIN { n = split(want, w, " "); i = 1 }
		$0 == w[i] { i++ }
		END { exit i <= n }'
}
# fault BLAME CODE: the session ended by it.
fault() { happened ".ev == \"fault\" and .blame == \"$1\" and .code == \"$2\""; }

# hash_of PART FILE: of what QEMU was given last, from the answer to the order that booted it.
hash_of() { sed -n "s/^ *$1 \\([0-9a-f]\\{64\\}\\)\$/\\1/p" "$2" | tail -n 1; }
sha() { sha256sum <"$1" | cut -d' ' -f1; }
# same_hash WHAT BOOTED SENT: prints it, for whoever reads the transcript.
same_hash() {
	echo "  $1: booted $2, sent $3"
	check "$1: what was booted is what was sent" [ -n "$2" -a "$2" = "$3" ]
}

# ---- Android ----

# android_up NAME UDC [battery]: that gadget is the bootloader of a board, with a relay and a key or
# with a battery; $port and $console are where it is plugged in. Ends with android_down.
android_up() {
	local pins=(- -)

	board=$1
	store=/run/share/$1
	mkdir -p "$store"
	relays_new
	[ -n "${3:-}" ] || pins=("$(pin power)" "$(pin key)")
	mkfifo "$work/knobs"
	python3 "$root/rig/tests/guest/phone.py" "$1" "$2" "$store" "${pins[@]}" \
		<"$work/knobs" >"$work/phone.out" 2>&1 &
	phone=$!
	exec 9>"$work/knobs"
	knob plug
	check "the board is there" until_true 30 plugged FAKE0001
	port=$(usb_port FAKE0001)
	console=$(usb_port FTDUT0)
	[ -n "${3:-}" ] || knob unplug
	check "its device tree is made" bed tree board.dtb
	bed line dut
}
knob() { echo "$1" >&9; }
android_down() {
	exec 9>&-
	wait "$phone"
	bed line echo
	relays_free
}

# lab_android TYPE: a lab file with that board; what is special to it comes on stdin.
lab_android() {
	{
		cat <<-END
			boards:
			  - name: $board
			    type: $1
			    usb: "$port"
			    console: {at: "usb:$console"}
			    boot_timeout_s: ${boot_s:-100}
			    dtb: /run/share/board.dtb
		END
		cat
	} >"$work/lab.yaml"
}

manifest() { sed -n "s/^$1=//p" "$kernels/${kernel#id:}/manifest"; }

# android_same: what the rig made of kernel and initramfs is in the flash, and was booted.
android_same() {
	local images=$RIG_HOME/boards/$board.android/images out=$work/phone.out

	same_hash "boot.img" "$(hash_of image "$out")" "$(sha "$images/boot.img")"
	same_hash "kernel" "$(hash_of kernel "$out")" \
		"$(kernel_sha)"
	same_hash "initramfs" "$(hash_of ramdisk "$out")" "$(sha "$root/build/initramfs/aarch64.cpio")"
	same_hash "device tree" "$(hash_of dtb "$out")" "$(sha /run/share/board.dtb)"
}

# The last image that was booted is the last that the rig packed.
android_booted() {
	[ "$(hash_of image "$work/phone.out")" = "$(sha "$RIG_HOME/boards/$board.android/images/boot.img")" ]
}

# session_works: a session on $board that does all that a session of any board does.
session_works() {
	session "$board"
	expect "a session" 0
	check "all of it, in order" in_order session-start visit-start power-on agent-hello \
		step-start step-end power-off visit-end session-end
	check "the workload ran" happened \
		'.ev == "step-end" and .workload == "randread/1" and .status == "ok"'
	check "the kernel says who it is" happened \
		".ev == \"agent-hello\" and .release == \"$(manifest release)\""
}

# android_works: a session that does all there is to do.
android_works() {
	session_works
	check "the slot is in the journal" happened \
		'.ev == "note" and (.message | test("slot a: retry-count 7"))'
	check "the flashed image is in the journal" happened \
		".ev == \"note\" and (.message | test(\"flashed boot_a, sha256 $(sha "$store/boot_a" | cut -c 1-16)\"))"
	android_same
}

# tried_again TEXT [HOW]: a note of the journal says that this was, and that it was tried again.
tried_again() { happened ".ev == \"note\" and (.message | test(\"$1.*trying again ${2:-as it was}\"))"; }

# ---- Edison ----

# edison_up UDC: as android_up, for a board with U-Boot and DFU. Ends with edison_down.
edison_up() {
	board=edison
	store=/run/share/edison
	mkdir -p "$store"
	relays_new
	mkfifo "$work/knobs"
	python3 "$root/rig/tests/guest/edison.py" "$1" "$store" "$(pin power)" \
		<"$work/knobs" >"$work/edison.out" 2>&1 &
	edison=$!
	exec 9>"$work/knobs"
	check "the board is there" until_true 30 plugged E0001
	port=$(usb_port E0001)
	console=$(usb_port FTDUT0)
	knob unplug
	bed line dut
}
edison_down() {
	exec 9>&-
	wait "$edison"
	bed line echo
	relays_free
}

# lab_edison: a lab file with that board; what is special to it comes on stdin.
lab_edison() {
	cat >"$work/lab.yaml" <<-END
		boards:
		  - name: edison
		    type: merrifield
		    usb: "$port"
		    console: {at: "usb:$console"}
		    power: {by: gpio, chip: relays, line: power}
		    boot_timeout_s: ${boot_s:-100}
		    kernel_alt: boot
		    initrd_alt: initrd
	END
	cat >>"$work/lab.yaml"
}

kernel_sha() { sha "$kernels/${kernel#id:}/$(manifest image)"; }

edison_same() {
	same_hash "kernel" "$(hash_of kernel $bed_dir/booted)" "$(kernel_sha)"
	same_hash "initramfs" "$(hash_of ramdisk $bed_dir/booted)" "$(sha "$root/build/initramfs/x86_64.cpio")"
}

# edison_works: a session that does all there is to do.
edison_works() {
	session_works
	check "what was loaded is in the journal" happened \
		".ev == \"note\" and (.message | test(\"loaded .*SHA-256 $(kernel_sha)\"))"
	edison_same
	check "U-Boot is in the console log" grep -q "Hit any key" "$run"/visits/*/console.log
}
