// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig/io/fastboot one call at a time, for the cases of the guest, and a bare loop of libusb to
 * measure it by. Prints "rc=0" or "rc=ENODEV", the device's words, and the time it took.
 *
 *	fastboot-tool PORT DEADLINE-MS VERB [ARG [ARG]]
 */
#include <errno.h>
#include <fcntl.h>
#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "io/fastboot.h"

static struct fastboot *f;
static struct deadline d;

static int do_getvar(char **a)
{
	char value[FASTBOOT_ANSWER_MAX];
	int rc = fastboot_getvar(f, a[0], value, sizeof(value), d);

	printf("value=%s\n", value);
	return rc;
}

static struct fastboot_image image_of(const char *path)
{
	return (struct fastboot_image){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
}

static int do_flash(char **a)
{
	struct fastboot_image image = image_of(a[1]);

	return fastboot_flash(f, a[0], &image, d);
}

static int do_download(char **a)
{
	struct fastboot_image image = image_of(a[0]);

	return fastboot_download(f, &image, d);
}

static int do_boot(char **a)
{
	struct fastboot_image image = image_of(a[0]);

	return fastboot_boot(f, &image, d);
}

static int do_set_active(char **a)
{
	return fastboot_set_active(f, a[0], d);
}

static int do_reboot(char **a)
{
	return fastboot_reboot(f, strcmp(a[0], "system") != 0 ? a[0] : NULL, d);
}

/* Something that fails at first: the same client tries again until it works. */
static int do_again(char **a)
{
	char value[FASTBOOT_ANSWER_MAX];
	int rc = fastboot_getvar(f, a[0], value, sizeof(value), d);

	printf("first=%s\n", rc ? strerrorname_np(-rc) : "0");
	fflush(stdout);
	d = deadline_in(30000);
	rc = fastboot_getvar(f, a[1], value, sizeof(value), d);
	printf("value=%s\n", value);
	return rc;
}

/* A flash that is cut short by its deadline, and, after a line on stdin, the same again. */
static int do_reflash(char **a)
{
	int rc = do_flash(a);
	char line[16];

	printf("first=%s %s\n", rc ? strerrorname_np(-rc) : "0", fastboot_reason(f));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return -EPIPE;
	d = deadline_in(120000);
	return do_flash(a);
}

static const struct {
	const char *name;
	int n_args;
	int (*run)(char **args);
} verbs[] = {
	{ "getvar", 1, do_getvar },	    { "flash", 2, do_flash },
	{ "download", 1, do_download },	    { "boot", 1, do_boot },
	{ "set-active", 1, do_set_active }, { "reboot", 1, do_reboot },
	{ "again", 2, do_again },	    { "reflash", 2, do_reflash },
};

/* ---- the bare loop ---- */

#define RAW_CHUNK (1 << 20)

/* A download as an example program of libusb would do it: one synchronous MiB after the other. */
static int raw_loop(const char *port, const char *path)
{
	libusb_device_handle *h;
	struct usb_match m = { .port = port, .class = 0xff, .subclass = 0x42, .protocol = 3 };
	struct usb_dev *dev;
	struct usb_interface itf;
	uint8_t *data;
	struct stat st;
	char text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC), got, rc;
	uint64_t start;

	rc = usb_open(&dev, &m, d);
	if (rc || fd < 0 || fstat(fd, &st) < 0)
		return rc ? rc : -errno;
	itf = *usb_claimed(dev);
	usb_close(dev);
	libusb_init(NULL);
	h = libusb_open_device_with_vid_pid(NULL, 0x18d1, 0x4ee0);
	if (!h || libusb_claim_interface(h, itf.number))
		return -ENODEV;
	data = xmalloc((size_t)st.st_size);
	start = mono_ns();
	snprintf(text, sizeof(text), "download:%08lx", (unsigned long)st.st_size);
	libusb_bulk_transfer(h, itf.out, (uint8_t *)text, 17, &got, 1000);
	libusb_bulk_transfer(h, itf.in, (uint8_t *)text, sizeof(text), &got, 1000);
	if (read(fd, data, (size_t)st.st_size) != st.st_size)
		return -EIO;
	for (long at = 0; at < st.st_size && !rc; at += got) {
		int n = st.st_size - at < RAW_CHUNK ? (int)(st.st_size - at) : RAW_CHUNK;

		rc = libusb_bulk_transfer(h, itf.out, data + at, n, &got, 10000);
	}
	libusb_bulk_transfer(h, itf.in, (uint8_t *)text, sizeof(text), &got, 10000);
	printf("MB/s=%.1f\n", (double)st.st_size * 1e3 / (double)(mono_ns() - start));
	libusb_close(h);
	free(data);
	return rc ? -EIO : 0;
}

static int ours(const char *port, const char *path)
{
	struct usb_match m = { .port = port };
	struct fastboot_image image = image_of(path);
	struct stat st;
	uint64_t start;
	int rc = fastboot_open(&f, &m, d);

	if (rc || fstat(image.fd, &st) < 0)
		return rc ? rc : -errno;
	start = mono_ns();
	rc = fastboot_download(f, &image, d);
	printf("MB/s=%.1f\n", (double)st.st_size * 1e3 / (double)(mono_ns() - start));
	return rc;
}

static int result(int rc)
{
	printf("reason=%s\nrc=%s\n", f ? fastboot_reason(f) : "",
	       rc < 0 ? strerrorname_np(-rc) : "0");
	return rc < 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: fastboot-tool PORT DEADLINE-MS VERB [ARG [ARG]]\n");
	return 64;
}

int main(int argc, char **argv)
{
	struct usb_match m = { .port = argc > 1 ? argv[1] : NULL };
	uint64_t start;
	int rc;

	if (argc < 5)
		return usage();
	d = deadline_in(strtoull(argv[2], NULL, 10));
	if (!strcmp(argv[3], "bench-raw"))
		return result(raw_loop(argv[1], argv[4]));
	if (!strcmp(argv[3], "bench-ours"))
		return result(ours(argv[1], argv[4]));
	start = mono_ms();
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, argv[3]) != 0 || argc != 4 + verbs[i].n_args)
			continue;
		rc = fastboot_open(&f, &m, d);
		if (!rc) {
			printf("address=%u\n", fastboot_where(f)->address);
			rc = verbs[i].run(argv + 4);
		}
		printf("ms=%llu\n", (unsigned long long)(mono_ms() - start));
		rc = result(rc);
		fastboot_close(f);
		return rc;
	}
	return usage();
}
