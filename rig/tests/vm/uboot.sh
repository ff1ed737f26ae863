#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver of switches and other boards that load over the network, on a real U-Boot: Debian's
# for QEMU's arm64 machine. Its console is a program's, its power a script's, as a lab may have
# them; the network is a tap in a namespace of this test, with the address that switches expect.
if [ -z "${RIG_UBOOT_NETNS:-}" ]; then
	export RIG_UBOOT_NETNS=1
	unshare -n true 2>/dev/null && exec unshare -n "$0" "$@"
	unshare -rn true 2>/dev/null && exec unshare -rn "$0" "$@"
	echo "skip uboot: no network namespace may be made here"
	exit 0
fi
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
bios=/usr/lib/u-boot/qemu_arm64/u-boot.bin
for need in "$bios" /dev/net/tun "$(command -v dnsmasq)" "$(command -v mkimage)"; do
	[ -e "$need" ] && continue
	skip uboot "no $bios, no /dev/net/tun, no dnsmasq or no mkimage"
	exit 0
done
need_kernels ufs-irq:original

ip link set lo up
ip tuntap add tap0 mode tap || { skip uboot "no tap device may be made here"; exit 0; }
ip address add 192.168.1.2/24 dev tap0
ip link set tap0 up

equipment=$root/rig/tests/vm/uboot-board.py
qemu-system-aarch64 -S -nodefaults -no-user-config -display none \
	-action reboot=reset,shutdown=pause,panic=pause -M virt -cpu cortex-a57 -m 512M -bios "$bios" \
	-qmp unix:"$work/qmp",server=on,wait=off \
	-chardev socket,id=con,path="$work/console",server=on,wait=off -serial chardev:con \
	-netdev tap,id=net,ifname=tap0,script=no,downscript=no \
	-device virtio-net-pci,netdev=net,romfile= \
	-device ufs,id=ufs0,serial=rig-ufs \
	-blockdev driver=null-co,node-name=lu0,size=$((256 << 20)),read-zeroes=on \
	-device ufs-lu,drive=lu0,bus=ufs0,lun=0 &
qemu=$!
trap 'kill $qemu 2>/dev/null; wait $qemu 2>/dev/null; cleanup' EXIT
until_true 30 test -S "$work/qmp"

# lab NAME [KEY...]: a lab file with the board, and more keys of it.
lab() {
	local file=$work/$1.yaml
	shift
	cat >"$file" <<-END
	boards:
	  - name: uboot-1
	    type: virt-uboot
	    model: qemu-arm64
	    boot_timeout_s: 60
	    console: {program: python3, args: [$equipment, console, $work/console]}
	    power: {by: external, program: python3, args: [$equipment, power, $work/qmp], off_ms: 0}
	END
	for key in "$@"; do echo "    $key" >>"$file"; done
}
run() { try rig run "$tiny" --quick --lab "$work/$1.yaml" --board uboot-1 --baseline original --pairs 1; }
is_off() { [ "$(python3 "$equipment" state "$work/qmp")" != running ]; }
journal() { cat "$(newest_run)/events.jsonl"; }
console_log() { cat "$(newest_run)"/visits/*/console.log; }

lab good
try rig boards --lab "$work/good.yaml"
expect "rig boards shows how its loader is met" 0 "qemu-arm64" "stopped by SPACE"

run good
expect "a session from power-on to safe-off" 0 "randread/1"
log=$(console_log | tr -d '\r')
check "U-Boot is on the console that was kept" grep -q '^U-Boot 20' <<<"$log"
check "and the kernel, started by it" grep -q 'Linux version' <<<"$log"
check "the agent spoke, one fio step ran" grep -q '"iops"' "$(newest_run)"/visits/*/steps/*randread*/fio.json
loaded=$(journal | grep -o 'loaded uboot-1-kernel.itb: [^"]*' | head -n 1)
echo "  ($loaded)"
crc=$(sed -n 's/.*CRC-32 \([0-9a-f]*\).*/\1/p' <<<"$loaded")
check "U-Boot's CRC of its memory is that of the image" grep -q "==> $crc\$" <<<"$log"
sha=$(sed -n 's/.*SHA-256 //p' <<<"$loaded")
check "which is the file that was packed" grep -q "^$sha  kernel.itb" \
	"$RIG_HOME/boards/uboot-1.image/SHA256SUMS"
check "the board is off" is_off

# The steps that a virt-ufs cannot do: supplies, a console that speaks by itself, a loader.
hil=(RIG_HIL_BOARD=uboot-1 RIG_HIL_LAB="$work/good.yaml" RIG_HIL_SUITE="$tiny" RIG_HIL_ASK=0
	RIG_HIL_CYCLES=2 RIG_HIL_LISTEN=4)
try env "${hil[@]}" rig/tests/hil/hil.sh
expect "make check-hil passes on it" 0 "10 passed, 0 failed, 2 skipped" "ok 06-loader"
sed -n 's/^ok /  /p' "$work/out"
check "check-hil: the board is off" is_off

lab prompt 'loader: {prompt: "SWITCH>", enter_s: 1}'
run prompt
expect "another prompt than the model's" 3 "BOARD" "it waits at '=>'"
check "another prompt: the board is off" is_off

lab deaf 'loader: {key: ""}'
try rig boards --lab "$work/deaf.yaml"
expect "an empty key is refused" 64 "key"

lab wrong 'server: 192.168.1.77'
run wrong
expect "an address that the host does not have" 3 "RIG" "192.168.1.77" "ip address add"
check "no address: the board is off" is_off

lab large 'loader: {end: "0x48100000"}'
run large
expect "an image that is too large for its place" 3 "USER" "between 0x48000000 and 0x48100000"
check "too large: the board is off" is_off

lab file 'loader: {load: ["tftpboot {addr} {server}:no-such-file -> Bytes transferred"]}'
run file
expect "a TFTP server without the file" 3 "BOARD" "TFTP error" "tried 3 times"
check "no file: the board is off" is_off

lab boot 'loader: {boot: ["bootm 0x40200000"]}'
run boot
expect "an image that bootm does not take" 3 "BOARD" "bootm 0x40200000"
check "no image: the board is off" is_off

lab reset 'loader: {load: ["reset -> never"]}'
run reset
expect "a loader that starts again in the middle" 3 "BOARD" "started again during 'reset'"
check "a reset: the board is off" is_off

# The kernel starts, and panics for want of an init: the board's part was done.
bootargs='console=ttyAMA0,115200 panic=0 rdinit=/none init=/none'
lab panic "loader: {boot: [\"setenv bootargs '$bootargs'\"," \
	"  \"bootm {addr}#conf-1 {addr}#conf-1 \${fdtcontroladdr} -> Starting kernel\"]}"
run panic
expect "a kernel that does not come up" 3 "panic"
check "a panic: it is on the console that was kept" grep -aq "Kernel panic" <(console_log)
check "a panic: the board is off" is_off

# In the middle of a transfer: the loader would ask for ever. The server is started anew.
dnsmasq_pid() {
	local p
	for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm" 2>/dev/null)" = dnsmasq ] || continue
		grep -qzxF "RIG_HOME=$RIG_HOME" "$p/environ" 2>/dev/null && echo "${p#/proc/}"
	done
}
loading() {
	local run
	run=$(newest_run)
	[ "$run" != "$before" ] && grep -aqs 'Loading: ' "$run"/visits/*/console.log
}
before=$(newest_run)
run good &
session=$!
until_true 60 loading
kill "$(dnsmasq_pid)"
wait $session
check "a TFTP server that dies: noted as the rig's" grep -q 'the TFTP server has died' <(journal)
check "a TFTP server that dies: the next attempt ran the session" \
	grep -q '"iops"' "$(newest_run)"/visits/*/steps/*randread*/fio.json
check "a TFTP server that dies: the board is off" is_off

check "no process is left" [ -z "$(ours | grep -v "^$qemu ")" ]
finish
