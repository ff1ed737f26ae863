#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole session on an Edison that loads by TFTP: its Ethernet is a gadget on the board's own plug,
# which comes and goes with each file; a udev rule gives it the address that the lab file names.
# shellcheck source=../bedlib.sh
. "$(dirname "$0")/../bedlib.sh"
need_kernel stock:plain x86_64 merrifield
suite=$root/rig/tests/guest/session-usb.yaml
rules=/run/udev/rules.d/70-edison.rules

edison_up dummy_udc.1
lab_tftp() {
	lab_edison <<-END
		    load: tftp
		    server: 192.168.7.1
		    client: 192.168.7.2
	END
}
lab_tftp
cat >$rules <<-END
	SUBSYSTEM=="net", ACTION=="add", DRIVERS=="cdc_eem", RUN+="$(command -v ip) link set %k up"
	SUBSYSTEM=="net", ACTION=="add", DRIVERS=="cdc_eem", RUN+="$(command -v ip) address add 192.168.7.1/24 dev %k"
END
udevadm control --reload

edison_works
check "by TFTP" grep -aq "Bytes transferred = " "$run"/visits/*/console.log
check "and not by DFU" not grep -aq "dfu 0 ram 0" "$run"/visits/*/console.log
check "its Ethernet was there for each file" [ "$(grep -c '^net on' "$work/edison.out")" -ge 2 ]
check "with the address that U-Boot was told" grep -aq "usbnet_hostaddr 02:" "$run"/visits/*/console.log
check "it is off" is_off
check "no TFTP server is left" [ -z "$(grep -lx dnsmasq /proc/[0-9]*/comm 2>/dev/null)" ]

# Nobody gives the interface its address.
rm $rules
udevadm control --reload
knob net-tries=1
session edison
expect "a host without the address" 3 INVALID "no interface of this host had 192.168.7.1"
check "it is off" is_off

edison_down
finish
