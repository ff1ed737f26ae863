// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * umock-dfu-run PORT STORE PROGRAM...: the program sees a DFU device on that port (umock-dfu.h),
 * which keeps what it gets in STORE. Exits as the program does.
 */
#include <stdio.h>

#include "base/deadline.h"
#include "base/spawn.h"
#include "umock-dfu.h"

int main(int argc, char **argv)
{
	struct spawn s = SPAWN_INIT;
	struct mock_bed *bed;
	struct mock_dfu *device;
	int rc;

	if (argc < 4)
		return 64;
	mock_reexec(argv);
	bed = mock_bed_new();
	device = mock_dfu_new(bed, argv[1], argv[2]);
	s.argv = (const char *const *)argv + 3;
	s.out = 1;
	s.err = 2;
	rc = spawn_run(&s, NULL, deadline_never());
	mock_dfu_free(device);
	mock_bed_free(bed);
	return rc < 0 ? 3 : rc;
}
