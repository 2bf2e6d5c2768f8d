// SPDX-License-Identifier: GPL-2.0-only
/* See disarmed.h. */
#include "disarmed.h"
#include "doctor.h"
#include "report.h"

/* An entry that is left to ftrace does not hang on the switch of kprobes. */
static bool is_off(const struct trapline_session *session)
{
	return trapline_session_uses_kprobes(session) &&
	       kernel_switch_is_off(KPROBES_ENABLED);
}

void disarmed_warn(struct disarmed *disarmed,
		   const struct trapline_session *session)
{
	disarmed->is_off = is_off(session);
	disarmed->was_off = disarmed->is_off;
	clock_gettime(CLOCK_MONOTONIC, &disarmed->looked);
	if (disarmed->is_off)
		report("warning: all kprobes are switched off: echo 1 > %s",
		       KPROBES_ENABLED);
	if (kernel_switch_is_off(FTRACE_ENABLED))
		report("warning: probes at function entries are switched off: echo 1 > %s",
		       FTRACE_ENABLED);
}

void disarmed_end(struct disarmed *disarmed,
		  const struct trapline_session *session)
{
	const bool now = is_off(session);

	if (now && !disarmed->is_off)
		report("warning: somebody has switched off all kprobes: no hits until echo 1 > %s",
		       KPROBES_ENABLED);
	else if (!now && disarmed->is_off)
		report("kprobes are switched on again");
	disarmed->is_off = now;
	disarmed->was_off |= now;
}

void disarmed_look(struct disarmed *disarmed,
		   const struct trapline_session *session)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - disarmed->looked.tv_sec -
	    (now.tv_nsec < disarmed->looked.tv_nsec) < 1)
		return;
	disarmed->looked = now;
	disarmed_end(disarmed, session);
}

void disarmed_sum_up(const struct disarmed *disarmed)
{
	if (disarmed->was_off)
		report("all kprobes were switched off during the trace: hits of that time are in no column");
}
