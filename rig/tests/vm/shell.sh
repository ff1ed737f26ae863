#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board with a system of its own: the agent logs in on the serial console, is typed there as text,
# and runs a session. The system is busybox with a login, and without the agent.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original

mkdir "$work/system"
(cd "$work/system" && cpio -idm --quiet <"$root/build/initramfs/aarch64.cpio")
cat >"$work/system/init" <<'END2'
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm && mount -t tmpfs tmpfs /dev/shm
exec </dev/ttyAMA0 >/dev/ttyAMA0 2>&1
while :; do
	printf '\nvirtual login: '; read -r name
	printf 'Password: '; stty -echo; read -r word; stty echo
	[ "$name/$word" = root/rig ] && (cd / && exec sh -i)
	echo 'Login incorrect'
done
END2
chmod 755 "$work/system/init"
(cd "$work/system" && find . -mindepth 1 -print0 | cpio --null -o --format=newc --quiet) >"$work/system.cpio"

# lab NAME KEYS: a lab file with what the agent's row says.
lab() {
	printf 'boards:\n  - {name: virt-ufs, type: virt-ufs, boot_timeout_s: 120, agent: {start: shell,\n' >"$work/$1.yaml"
	printf '     initramfs: "%s", dir: /dev/shm, %s}}\n' "$work/system.cpio" "$2" >>"$work/$1.yaml"
}
run() { try rig run "$tiny" --lab "$work/$1.yaml" -b virt-ufs --baseline original --pairs 1; }

lab good 'login: root, password: rig'
run good
expect "a session on a foreign system" 0 "randread/1"
dir=$(newest_run)
check "its login is on the console" grep -aq 'virtual login:' "$dir"/visits/*/console.log
check "the agent was no init" grep -q '"ev":"agent-hello"' "$dir/events.jsonl"
check "fio ran" grep -q '"iops"' "$dir"/visits/*/steps/*randread*/fio.json
sed -n 's/.*"ev":"agent-hello".*"boot_ms":\([0-9]*\).*/  hello \1 ms after power-on/p' "$dir/events.jsonl"

lab wrong 'login: root, password: guess'
run wrong
expect "a wrong password" 3 "BOARD" "again and again"
lab none 'login: root'
run none
expect "no password in the lab file" 3 "BOARD" "Password:"
lab adb 'login: root, password: rig, by: adb'
run adb
expect "a board that adb cannot reach" 3 "files go there by the console only"
check "no process is left" [ -z "$(ours)" ]
finish
