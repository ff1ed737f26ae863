// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step capture: frames streamed from a camera (V4L2, mmap). Keys: arg driver= device= frames=
 * width= height= fps= buffers=.
 *
 *	fps		1/s	by the frames' own time stamps; the first frame is not counted
 *	frames		count	taken
 *	dropped		count	missing in the driver's sequence
 *	errors		count	flagged as broken
 *	interval.mean_ns interval.p99_ns interval.max_ns	ns
 *	jitter_ns	ns	standard deviation of the intervals
 *	bytes		B
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/numbers.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFERS_MAX 32

static struct capture {
	const char *driver, *device; /* "" = any */
	uint64_t frames, width, height, fps, buffers;
	int fd;
	/* what came */
	uint64_t taken, dropped, errors, bytes, last_ns, first_ns;
	uint32_t last_sequence;
	struct numbers intervals;
} cap;

static int retry_ioctl(unsigned long request, void *arg)
{
	int rc;

	do {
		rc = ioctl(cap.fd, request, arg);
	} while (rc < 0 && errno == EINTR);
	return rc;
}

/* ---- which camera ---- */

static bool is_wanted(void)
{
	struct v4l2_capability c = { 0 };
	const unsigned int want = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;

	return !retry_ioctl(VIDIOC_QUERYCAP, &c) && (c.device_caps & want) == want &&
	       (!*cap.driver || !strcmp((const char *)c.driver, cap.driver));
}

static int open_camera(void)
{
	struct strv all = { 0 };

	sysfs_glob("", *cap.device ? cap.device : "/dev/video*", &all);
	cap.fd = -1;
	for (size_t i = 0; i < all.count && cap.fd < 0; i++) {
		cap.fd = open(all.v[i], O_RDWR | O_CLOEXEC);
		if (cap.fd < 0 || is_wanted())
			continue;
		close(cap.fd);
		cap.fd = -1;
	}
	strv_release(&all);
	if (cap.fd >= 0)
		return 0;
	return work_unsupported("no camera%s%s%s%s", *cap.driver ? " of driver " : "", cap.driver,
				*cap.device ? " at " : "", cap.device);
}

/* ---- streaming ---- */

static int set_format(void)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	struct v4l2_streamparm p = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };

	if (retry_ioctl(VIDIOC_G_FMT, &f))
		return work_fail("the camera tells no format: %s", strerror(errno));
	if (cap.width)
		f.fmt.pix.width = (uint32_t)cap.width;
	if (cap.height)
		f.fmt.pix.height = (uint32_t)cap.height;
	if (retry_ioctl(VIDIOC_S_FMT, &f))
		return work_fail("the camera refuses %llux%llu: %s", (unsigned long long)cap.width,
				 (unsigned long long)cap.height, strerror(errno));
	if ((cap.width && f.fmt.pix.width != cap.width) ||
	    (cap.height && f.fmt.pix.height != cap.height))
		return work_fail("the camera makes %ux%u of %llux%llu", f.fmt.pix.width,
				 f.fmt.pix.height, (unsigned long long)cap.width,
				 (unsigned long long)cap.height);
	p.parm.capture.timeperframe = (struct v4l2_fract){ 1, (uint32_t)cap.fps };
	if (cap.fps && retry_ioctl(VIDIOC_S_PARM, &p))
		return work_fail("the camera refuses %llu frames/s: %s",
				 (unsigned long long)cap.fps, strerror(errno));
	return 0;
}

static int queue(uint32_t index)
{
	struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
				 .memory = V4L2_MEMORY_MMAP,
				 .index = index };

	return retry_ioctl(VIDIOC_QBUF, &b);
}

/* Mapped as every user of the frames would; the pages are taken back at exit. */
static int map(uint32_t index)
{
	struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
				 .memory = V4L2_MEMORY_MMAP,
				 .index = index };

	if (retry_ioctl(VIDIOC_QUERYBUF, &b))
		return -1;
	return mmap(NULL, b.length, PROT_READ | PROT_WRITE, MAP_SHARED, cap.fd, b.m.offset) ==
			       MAP_FAILED
		       ? -1
		       : 0;
}

static int start_stream(void)
{
	struct v4l2_requestbuffers r = { .count = (uint32_t)cap.buffers,
					 .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
					 .memory = V4L2_MEMORY_MMAP };
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	if (retry_ioctl(VIDIOC_REQBUFS, &r))
		return work_fail("no buffers: %s", strerror(errno));
	for (uint32_t i = 0; i < r.count; i++)
		if (map(i) || queue(i))
			return work_fail("buffer %u: %s", i, strerror(errno));
	return retry_ioctl(VIDIOC_STREAMON, &type)
		       ? work_fail("the stream does not start: %s", strerror(errno))
		       : 0;
}

/* Frames between the last one and this; a number may also come twice, and wraps around. */
static uint64_t missing(uint32_t sequence)
{
	int32_t step = (int32_t)(sequence - cap.last_sequence);

	return step > 1 ? (uint64_t)step - 1 : 0;
}

static void account(const struct v4l2_buffer *b)
{
	uint64_t ns =
		(uint64_t)b->timestamp.tv_sec * 1000000000 + (uint64_t)b->timestamp.tv_usec * 1000;

	if (cap.taken++) {
		numbers_add(&cap.intervals, (double)(ns - cap.last_ns));
		cap.dropped += missing(b->sequence);
	} else {
		cap.first_ns = ns;
	}
	cap.last_ns = ns;
	cap.last_sequence = b->sequence;
	cap.bytes += b->bytesused;
	cap.errors += b->flags & V4L2_BUF_FLAG_ERROR ? 1 : 0;
}

static int take_frame(void)
{
	struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP };

	if (retry_ioctl(VIDIOC_DQBUF, &b))
		return work_fail("frame %llu: %s", (unsigned long long)cap.taken, strerror(errno));
	account(&b);
	return queue(b.index) ? work_fail("buffer %u: %s", b.index, strerror(errno)) : 0;
}

static void report(void)
{
	double all_ns = (double)(cap.last_ns - cap.first_ns);

	numbers_sort(&cap.intervals);
	if (all_ns > 0)
		work_metric("fps", (double)(cap.taken - 1) * 1e9 / all_ns, "1/s");
	work_metric("frames", (double)cap.taken, "count");
	work_metric("dropped", (double)cap.dropped, "count");
	work_metric("errors", (double)cap.errors, "count");
	work_metric("interval.mean_ns", numbers_mean(&cap.intervals), "ns");
	work_metric("interval.p99_ns", numbers_percentile(&cap.intervals, 99), "ns");
	work_metric("interval.max_ns", numbers_percentile(&cap.intervals, 100), "ns");
	work_metric("jitter_ns", numbers_sd(&cap.intervals), "ns");
	work_metric("bytes", (double)cap.bytes, "B");
}

static int work(void *step)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE, rc = open_camera();

	(void)step;
	if (!rc)
		rc = set_format();
	if (!rc)
		rc = start_stream();
	while (!rc && cap.taken < cap.frames)
		rc = take_frame();
	if (cap.fd >= 0)
		retry_ioctl(VIDIOC_STREAMOFF, &type);
	if (!rc)
		report();
	return rc;
}

void step_capture(struct step *s)
{
	memset(&cap, 0, sizeof(cap));
	cap.driver = args_text(s, "driver", "");
	cap.device = args_text(s, "device", "");
	if (args_number(s, "frames", 1500, 2, 1000000, &cap.frames) &&
	    args_number(s, "width", 0, 0, 16384, &cap.width) &&
	    args_number(s, "height", 0, 0, 16384, &cap.height) &&
	    args_number(s, "fps", 0, 0, 1000, &cap.fps) &&
	    args_number(s, "buffers", 4, 2, BUFFERS_MAX, &cap.buffers))
		work_run(s, work);
}
