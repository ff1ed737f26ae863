// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A QEMU as a program, for lab files of tests (`qemu:`): rig-job, the virtual board's driver, the
 * wire and the console are real, the machine is a script. A board of it costs a few milliseconds.
 */
#include "tests/unit/fake_qemu.h"

int main(int argc, char **argv)
{
	fake_qemu_main(argc, argv);
	fputs("fake-qemu: takes what rig-job gives to QEMU\n", stderr);
	return 64;
}
