// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: the control protocol, from the bytes of a client to its answer, against a
 * daemon with a store, two boards and a kernel, but without jobs. Whatever comes in, an answer is
 * one line that its own client can read, no board changes but by an arrow of the table, and a
 * client that is nobody does not end what is somebody else's.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "board/lab-types.h"
#include "results/store.h"
#include "rigd/control.h"
#include "rigd/daemon.h"
#include "rigd/loop.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct daemon d;
static char home[64];

static void put(const char *name, const char *text)
{
	char *path = path_in_home("%s", name);

	if (path_write(path, text, strlen(text)))
		abort();
	free(path);
}

static void make_dir(const char *name)
{
	char *path = path_in_home("%s", name);

	if (path_mkdirs(path))
		abort();
	free(path);
}

static void clean_up(void)
{
	path_remove(home);
}

static void start(void)
{
	struct err err = ERR_INIT;

	snprintf(home, sizeof(home), "/tmp/rig-fuzz-control.XXXXXX");
	if (!mkdtemp(home))
		abort();
	atexit(clean_up);
	setenv("RIG_HOME", home, 1);
	make_dir("boards");
	make_dir("kernels/0123456789abcdef");
	put("kernels/0123456789abcdef/manifest",
	    "image=Image\nrelease=6.12\nboard=virt-ufs\narch=arm64\n");
	put("kernels/0123456789abcdef/Image", "x");
	put("lab.yaml", "boards:\n- {name: b1, type: virt-ufs}\n- {name: b2, type: virt-ufs}\n");
	d.loop = loop_new();
	d.soon = loop_timer(d.loop, NULL, NULL);
	d.lab = lab_open(NULL, &err);
	d.memory = store_open_home(true, &err);
	d.results = d.memory;
	space_open(&d);
	if (!d.lab || !d.memory || rack_open(&d, &err))
		abort();
	for (size_t i = 0; i < d.n_places; i++)
		d.places[i]->state = BOARD_SAFE;
}

static void check_answer(json_t *answer)
{
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	json_t *back = NULL;

	control_put(&out, answer);
	if (control_take(&out, &back, &err) != 1 || out.size)
		abort();
	if (control_error(back, &err) && err.blame == BLAME_NONE)
		abort();
	json_decref(back);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct client_id nobody = { 65534, "nobody", false };
	struct buf in = BUF_INIT;
	struct err err = ERR_INIT;
	json_t *request;
	int64_t watch = 0;

	if (!d.loop)
		start();
	buf_append(&in, data, size);
	while (control_take(&in, &request, &err) == 1) {
		check_answer(ops_answer(&d, &nobody, request, &watch));
		json_decref(request);
	}
	if (d.n_places != 2)
		abort();
	/* made safe by a program, which is not run here */
	for (size_t i = 0; i < d.n_places; i++)
		if (d.places[i]->state == BOARD_UNKNOWN && !d.places[i]->lease)
			d.places[i]->state = BOARD_SAFE;
	buf_release(&in);
	return 0;
}
