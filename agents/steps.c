// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of step kinds, and a STEP message from STARTED to END. */
#include "agents/agent.h"
#include "agents/observe.h"

#include <stdio.h>
#include <string.h>

const struct step_kind step_kinds[] = {
	{ "noop", step_noop, NULL },
	{ "fio", step_fio, NULL },
	{ "dd", step_dd, NULL },
	{ "lun", step_lun, NULL },
	{ "capture", step_capture, NULL },
	{ "pktgen", step_pktgen, NULL },
	{ "play", step_play, NULL },
	{ "gadget", step_gadget, NULL },
	{ "iperf3", step_iperf3, NULL },
	{ "usleep", step_usleep, NULL },
	{ "irqrate", step_irqrate, NULL },
	{ "funcgraph", step_funcgraph, NULL },
	{ "ethtool", step_ethtool, NULL },
	{ "serve", step_serve, NULL },
	{ "fingerprint", step_fingerprint, NULL },
	{ "tune", step_tune, NULL },
	{ "untune", step_untune, NULL },
	{ "dmesg", step_dmesg, NULL },
	{ "reboot", step_power, step_reboot_after },
	{ "poweroff", step_power, step_poweroff_after },
	{ NULL, NULL, NULL },
};

static const char *const status_names[] = {
	[STEP_OK] = "ok",
	[STEP_FAILED] = "failed",
	[STEP_TIMEOUT] = "timeout",
	[STEP_UNSUPPORTED] = "unsupported",
};

static void send_started(const struct step *s)
{
	struct kv kv = { 0 };

	kv_add(&kv, "id", s->id);
	if (!kv.err)
		agent_send(s->agent, WIRE_STARTED, kv.data, kv.size);
	kv_release(&kv);
}

static void send_end(const struct step *s)
{
	struct kv kv = { 0 };

	kv_add(&kv, "id", s->id);
	kv_add(&kv, "status", status_names[s->status]);
	kv_add_i64(&kv, "exit", s->run.exit);
	kv_add_i64(&kv, "signal", s->run.signal);
	kv_add_u64(&kv, "duration_ns", s->run.duration_ns);
	kv_add_u64(&kv, "agent_cpu_ns", s->run.agent_cpu_ns);
	kv_add_u64(&kv, "agent_wakeups", s->run.agent_wakeups);
	kv_add(&kv, "message", s->message);
	if (!kv.err && s->session == s->agent->session)
		agent_send(s->agent, WIRE_END, kv.data, kv.size);
	kv_release(&kv);
}

static const struct step_kind *find_kind(const char *name)
{
	const struct step_kind *k = step_kinds;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	return k;
}

void step_execute(struct agent *a, const void *data, size_t size)
{
	struct step s = { .agent = a, .session = a->session };
	const struct step_kind *kind = NULL;
	const char *name;
	uint64_t start_ns;

	if (kv_parse(&s.spec, data, size))
		step_end(&s, STEP_FAILED, "the STEP message is damaged or memory is short");
	s.id = kv_get(&s.spec, "id", "");
	name = kv_get(&s.spec, "kind", "");
	if (kv_get(&s.spec, "timeout_ms", NULL) && kv_get_u64(&s.spec, "timeout_ms", &s.timeout_ms))
		step_end(&s, STEP_FAILED, "timeout_ms: not a number: %s",
			 kv_get(&s.spec, "timeout_ms", ""));
	snprintf(a->present_id, sizeof(a->present_id), "%s", s.id);
	a->cancel = false;
	send_started(&s);
	kind = find_kind(name);
	if (!kind->name)
		step_end(&s, STEP_UNSUPPORTED, "this agent (%s) knows no step '%s'", agent_version,
			 name);
	start_ns = agent_now_ns();
	if (s.status == STEP_OK) {
		struct observers *observers = observe_begin(&s);

		if (s.status == STEP_OK)
			kind->run(&s);
		observe_end(&s, observers);
	}
	/* A step without a child of its own is as long as its work here, and has no exit code to
	 * show. */
	if (!s.run.duration_ns) {
		s.run.duration_ns = agent_now_ns() - start_ns;
		s.run.exit = s.status == STEP_OK ? 0 : -1;
	}
	send_end(&s);
	if (s.status == STEP_OK && kind->after && s.session == a->session) {
		agent_settle(a, 2000);
		kind->after(&s);
	}
	*a->present_id = '\0';
	kv_list_release(&s.spec);
}
