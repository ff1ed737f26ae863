// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step play: silence to a USB sound card for some seconds: isochronous OUT transfers, for observer
 * isoc. Keys: arg seconds= rate=. The first card on USB that is not a gadget of this machine.
 *
 *	rate	1/s	frames that were taken, over the time it took
 *	xruns	count	how often the card ran out of frames
 *	stalls	count	how often it took none for half a second, and was started again
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <sound/asound.h>

#define CHANNELS      2
#define PERIOD_FRAMES 1024
#define PERIODS	      4
#define STALL_MS      500
#define STALLS_MAX    20

static struct play {
	uint64_t seconds, rate;
	char dev[64];
	int fd;
	uint64_t xruns, stalls;
} play;

static bool find_card(void)
{
	struct strv cards = { 0 };
	char path[PATH_MAX];

	sysfs_glob("", "/sys/class/sound/pcmC*D0p", &cards);
	for (size_t i = 0; i < cards.count && !*play.dev; i++)
		if (realpath(cards.v[i], path) && strstr(path, "/usb") &&
		    !strstr(path, "/dummy_hcd"))
			snprintf(play.dev, sizeof(play.dev), "/dev/snd/%.48s",
				 strrchr(cards.v[i], '/') + 1);
	strv_release(&cards);
	return *play.dev;
}

static void set_mask(struct snd_pcm_hw_params *p, int what, unsigned int value)
{
	struct snd_mask *mask = &p->masks[what - SNDRV_PCM_HW_PARAM_FIRST_MASK];

	memset(mask, 0, sizeof(*mask));
	mask->bits[value / 32] = 1u << value % 32;
}

static void set_interval(struct snd_pcm_hw_params *p, int what, unsigned int value)
{
	struct snd_interval *i = &p->intervals[what - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];

	*i = (struct snd_interval){ .min = value, .max = value, .integer = 1 };
}

/* All is allowed, but for what is set. */
static int set_params(void)
{
	struct snd_pcm_hw_params p;

	memset(&p, 0, sizeof(p));
	memset(p.masks, 0xff, sizeof(p.masks));
	for (size_t i = 0; i < sizeof(p.intervals) / sizeof(p.intervals[0]); i++)
		p.intervals[i].max = UINT_MAX;
	p.rmask = UINT_MAX;
	p.info = UINT_MAX;
	set_mask(&p, SNDRV_PCM_HW_PARAM_ACCESS, SNDRV_PCM_ACCESS_RW_INTERLEAVED);
	set_mask(&p, SNDRV_PCM_HW_PARAM_FORMAT, SNDRV_PCM_FORMAT_S16_LE);
	set_mask(&p, SNDRV_PCM_HW_PARAM_SUBFORMAT, SNDRV_PCM_SUBFORMAT_STD);
	set_interval(&p, SNDRV_PCM_HW_PARAM_CHANNELS, CHANNELS);
	set_interval(&p, SNDRV_PCM_HW_PARAM_RATE, (unsigned int)play.rate);
	set_interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, PERIOD_FRAMES);
	set_interval(&p, SNDRV_PCM_HW_PARAM_PERIODS, PERIODS);
	if (ioctl(play.fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p) ||
	    ioctl(play.fd, SNDRV_PCM_IOCTL_PREPARE))
		return work_fail("%s refuses %llu frames/s of 16 bit stereo: %s", play.dev,
				 (unsigned long long)play.rate, strerror(errno));
	return 0;
}

/* How far the card got says whether it ever moved. */
static int write_failed(int error)
{
	struct snd_pcm_status status = { 0 };

	if (ioctl(play.fd, SNDRV_PCM_IOCTL_STATUS, &status))
		return work_fail("%s: %s", play.dev, strerror(error));
	return work_fail("%s: %s, in state %d after %lu of %lu frames", play.dev, strerror(error),
			 (int)status.state, (unsigned long)status.hw_ptr,
			 (unsigned long)status.appl_ptr);
}

/* From the beginning again; what was on its way is lost. */
static int restart(uint64_t *count)
{
	++*count;
	ioctl(play.fd, SNDRV_PCM_IOCTL_DROP);
	return ioctl(play.fd, SNDRV_PCM_IOCTL_PREPARE) ? write_failed(errno) : 0;
}

/* A card that takes nothing for so long stands still: the kernel would wait 10 s to say so. */
static int await_room(void)
{
	struct pollfd pfd = { .fd = play.fd, .events = POLLOUT };

	if (poll(&pfd, 1, STALL_MS) > 0)
		return 0;
	if (play.stalls == STALLS_MAX)
		return write_failed(ETIMEDOUT);
	return restart(&play.stalls);
}

static int write_period(void)
{
	static short silence[PERIOD_FRAMES * CHANNELS];
	struct snd_xferi x = { .buf = silence, .frames = PERIOD_FRAMES };
	int rc = 0;

	while (!rc && x.frames) {
		if (!ioctl(play.fd, SNDRV_PCM_IOCTL_WRITEI_FRAMES, &x))
			x.frames -= (snd_pcm_uframes_t)x.result;
		else if (errno == EPIPE)
			rc = restart(&play.xruns);
		else
			rc = errno == EAGAIN ? await_room() : write_failed(errno);
	}
	return rc;
}

static int stream(void)
{
	uint64_t periods = play.seconds * play.rate / PERIOD_FRAMES, start_ns = 0;
	int rc = 0;

	/* The buffer is filled at once; what it drains at is what counts. */
	for (uint64_t i = 0; i < periods + PERIODS && !rc; i++) {
		if (i == PERIODS)
			start_ns = agent_now_ns();
		rc = write_period();
	}
	if (rc)
		return rc;
	work_metric("rate",
		    (double)(periods * PERIOD_FRAMES) * 1e9 / (double)(agent_now_ns() - start_ns),
		    "1/s");
	work_metric("xruns", (double)play.xruns, "count");
	work_metric("stalls", (double)play.stalls, "count");
	return 0;
}

static int work(void *step)
{
	int rc;

	(void)step;
	if (!find_card())
		return work_unsupported("no sound card on USB");
	play.fd = open(play.dev, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (play.fd < 0)
		return work_fail("%s: %s", play.dev, strerror(errno));
	rc = set_params();
	if (!rc)
		rc = stream();
	close(play.fd);
	return rc;
}

void step_play(struct step *s)
{
	memset(&play, 0, sizeof(play));
	if (args_number(s, "seconds", 10, 1, 3600, &play.seconds) &&
	    args_number(s, "rate", 48000, 8000, 384000, &play.rate))
		work_run(s, work);
}
