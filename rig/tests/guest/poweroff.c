// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Powers the guest off. Static and one page: the 9p root may answer no more once the kernel shuts
 * devices down.
 */
#include <sys/reboot.h>
#include <unistd.h>

int main(void)
{
	sync();
	return reboot(RB_POWER_OFF) < 0;
}
