#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver of the Edison: its U-Boot is a script, its DFU mode on umockdev, and what was sent there
# is then booted: `zboot` becomes a QEMU with those very files.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
run=build/fakes/umock-dfu-run
for need in "$run" build/initramfs/x86_64.cpio; do
	[ -e "$need" ] && continue
	skip edison "no $need"
	exit 0
done
if ! command -v qemu-system-x86_64 >/dev/null; then
	skip edison "no qemu-system-x86_64"
	exit 0
fi
entry=$(rig kernel build --board virt-host stock:plain 2>/dev/null) || {
	not_ok "kernel stock:plain" "rig kernel build --board virt-host stock:plain"
	exit 1
}

store=$work/store
python3 rig/tests/vm/gpt-disk.py "$work/disk"
mkdir "$store"
# "off" is the end of the process that the console's program has become.
cat >"$work/supply" <<END
#!/bin/sh
echo \$1 >>$work/power
[ \$1 = on ] || [ ! -e $store/pid ] || kill \$(cat $store/pid)
[ \$1 = on ] || rm -f $store/pid
END
chmod +x "$work/supply"
cat >"$work/lab.yaml" <<END
boards:
  - name: edison-1
    type: merrifield
    boot_timeout_s: 300
    usb: "1-4"
    kernel_alt: boot
    initrd_alt: rootfs
    console:
      program: python3
      args: [$root/rig/tests/fakes/edison.py, $store, boot, rootfs, qemu-system-x86_64, -M, q35,
        -cpu, max, -m, 512M, -nodefaults, -display, none, -monitor, none, -serial, stdio,
        -device, qemu-xhci, -blockdev, "driver=file,node-name=d,filename=$work/disk",
        -device, "usb-storage,drive=d"]
    power: {by: external, program: $work/supply, off_ms: 0}
END
# A disk on USB: this machine has no UFS.
sed -e 's/ufs:0/part:0/' -e 's/series: ufs-irq/series: stock/' "$tiny" >"$work/suite.yaml"

try "$run" 1-4 "$store" build/bin/rig run "$work/suite.yaml" --quick --lab "$work/lab.yaml" \
	--board edison-1 --baseline "id:$(basename "$entry")" --pairs 1
expect "a session from power-on to safe-off" 0 "randread/1"
dir=$(newest_run)
check "zboot, and the kernel" grep -aq 'Linux version' "$dir"/visits/*/console.log
check "the agent spoke, one fio step ran" grep -q '"iops"' "$dir"/visits/*/steps/*randread*/fio.json

# same FILE SENT: the store's file begins with it; a transfer's last block may be padded.
same() { cmp -n "$(stat -c %s "$2")" "$1" "$2"; }
check "the kernel that was booted is the one that was built" same "$store/boot" "$entry/bzImage"
check "and so is the initramfs" same "$store/rootfs" build/initramfs/x86_64.cpio
grep -o 'loaded [^"]*' "$dir/events.jsonl" | sed 's/^loaded .*boards/  /'
check "the supply is off" [ "$(tail -n 1 "$work/power")" = off ]
check "no process is left" [ -z "$(ours)" ]
finish
