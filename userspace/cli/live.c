// SPDX-License-Identifier: GPL-2.0-only
/* One run of `trapline live`: prepare, trace, stop, drain, sum up. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cli.h"
#include "live.h"
#include "places.h"
#include "report.h"
#include "signals.h"
#include "summary.h"

#define POLL_MS 100
/* after a signal, how long the command may take to end as well */
#define COMMAND_GRACE_MS 2000
#define COMMAND_STEP_MS 20

/* Places that the kernel refuses are no reason not to trace the others. */
static bool can_go_on(const struct live *live, size_t wrong, size_t refused)
{
	return !wrong || (wrong == refused && !live->opts.all_or_nothing);
}

static int parse(struct live *live)
{
	const size_t wrong = definitions_parse(&live->defs, live->symbols);

	if (!can_go_on(live, wrong, definitions_refused(&live->defs)))
		return -1;
	if (definitions_events(&live->defs))
		return 0;
	if (!wrong)
		report("no events: all lines are empty, comments, or deleted again");
	return -1;
}

static int add_events(struct live *live)
{
	size_t i, wrong = 0, refused = 0;
	struct trapline_error err = { 0 };

	for (i = 0; i < live->defs.count; i++) {
		struct definition *item = &live->defs.items[i];

		if (!item->event)
			continue;
		if (trapline_session_add(live->session, item->event, &err)) {
			definitions_error(item, &err);
			wrong++;
			refused += item->refusal != NULL;
		} else {
			item->is_taken = true;
		}
	}
	if (!trapline_session_event_count(live->session))
		return -1;
	return can_go_on(live, wrong, refused) ? 0 : -1;
}

/* The lines of events that the kernel has refused; false: there is none. */
static bool show_refused(struct live *live)
{
	struct trapline_error err = { 0 };
	bool is_shown = false;
	size_t i;

	for (i = 0; i < live->defs.count; i++) {
		struct definition *item = &live->defs.items[i];

		if (!item->is_taken ||
		    !trapline_session_refused(live->session, item->event, &err))
			continue;
		definitions_error(item, &err);
		is_shown = true;
	}
	return is_shown;
}

/* The line whose event has ended it all, if that is known. */
static void show_failed(const struct live *live,
			const struct trapline_error *err)
{
	const struct trapline_event *failed =
		trapline_session_failed(live->session);
	size_t i;

	for (i = 0; failed && i < live->defs.count; i++) {
		const struct definition *item = &live->defs.items[i];

		if (item->event != failed)
			continue;
		report_line_error(item->file, item->number, item->text, err);
		return;
	}
	report_error(err);
}

/* Arms all that can be, and shows what cannot. */
static int enable(struct live *live)
{
	struct trapline_error err = { 0 };
	const int rc = trapline_session_enable(live->session, &err);
	const bool is_refused = show_refused(live);

	if (!rc)
		definitions_note_refused(&live->defs);
	else if (!is_refused || !trapline_error_is_place(&err))
		show_failed(live, &err);
	return rc;
}

/* Where the events are, and where they should be and cannot. */
static void tell_places(const struct live *live)
{
	const struct trapline_event *event;
	unsigned int i;

	for (i = 0; (event = trapline_session_event(live->session, i)); i++) {
		if (live->list_places) {
			fprintf(stderr, "%s/%s\n", trapline_event_group(event),
				trapline_event_name(event));
			places_print(stderr, event);
		}
		places_report(event);
	}
}

static int open_names(struct live *live)
{
	struct trapline_error err = { 0 };

	if (trapline_names_open(live->symbols, live->reader, &live->names,
				&err)) {
		report_error(&err);
		return -1;
	}
	if (err.code)
		report("warning: %s", err.text);
	if (trapline_processes_open(&live->format.processes, &err)) {
		report_error(&err);
		return -1;
	}
	return 0;
}

static int open_session(struct live *live, struct trapline_error *err)
{
	struct trapline_sink sink = live_sink(live);

	if (trapline_session_open(&live->session, err) ||
	    trapline_session_setup(live->session, &live->opts, err) ||
	    trapline_reader_open(&live->reader, err) ||
	    trapline_reader_add(live->reader, live->session, &sink, err))
		return -1;
	return 0;
}

/* Events that wait for their module are no error, and no surprise. */
static void note_pending(struct live *live)
{
	unsigned int i, events = trapline_session_event_count(live->session);
	struct trapline_stats stats = { .size = sizeof(stats) };
	const struct trapline_event *event;
	struct trapline_error err;

	for (i = 0; i < events; i++) {
		event = trapline_session_event(live->session, i);
		if (!trapline_session_stats(live->session, event, &stats, &err) &&
		    stats.is_pending)
			places_note_waiting(event, live->symbols);
	}
}

int live_prepare(struct live *live)
{
	struct trapline_error err = { 0 };

	if (trapline_symbols_load(NULL, &live->symbols, &err)) {
		report_error(&err);
		return -1;
	}
	if (parse(live))
		return -1;
	definitions_note(&live->defs);
	if (restrict_events(&live->only, &live->defs))
		return -1;
	if (open_session(live, &err)) {
		report_error(&err);
		return -1;
	}
	if (add_events(live) || open_names(live))
		return -1;
	live->printed = calloc(trapline_session_event_count(live->session) + 1,
			       sizeof(*live->printed));
	if (!live->printed) {
		report("out of memory");
		return -1;
	}
	disarmed_warn(&live->disarmed, live->session);
	if (enable(live))
		return -1;
	note_pending(live);
	tell_places(live);
	return 0;
}

/*
 * Forks early, so that the new task's name is known when it is started, and
 * before signals are caught: the command gets them as we got them.
 */
static int start(struct live *live)
{
	struct trapline_error err = { 0 };
	int rc = live->argv ? child_fork(&live->child, live->argv) : 0;

	if (rc) {
		report("cannot fork: %s", strerror(-rc));
		return -1;
	}
	signals_catch();
	if (trapline_session_start(live->session, &err)) {
		report_error(&err);
		child_cancel(&live->child);
		return -1;
	}
	rc = live->argv ? child_start(&live->child) : 0;
	if (rc) {
		report("cannot execute \"%s\": %s", live->argv[0],
		       strerror(-rc));
		return -1;
	}
	return 0;
}

/* Says why a poll failed, unless it was the output's end. */
static int poll_failed(struct live *live, const struct trapline_error *err)
{
	if (live->output_error == EPIPE)
		return -1;
	if (live->output_error == EINTR)
		report("broken off: not all that was recorded was printed");
	else if (live->output_error)
		report("%s: %s; not all that was recorded is there",
		       live->output_name, strerror(live->output_error));
	else
		report_error(err);
	return -1;
}

/* What a round of the reader gave goes to the output. */
static int finish_round(struct live *live, int rc,
			const struct trapline_error *err)
{
	errno = 0;
	if (rc >= 0 && fflush(live->output)) {
		live->output_error = errno ? errno : EIO;
		rc = -live->output_error;
	}
	return rc < 0 ? poll_failed(live, err) : rc;
}

/* One round. 1: all is drained. */
static int poll_once(struct live *live)
{
	struct trapline_error err = { 0 };
	int rc = trapline_reader_poll(live->reader, POLL_MS, &err);

	return finish_round(live, rc, &err);
}

static int print_snapshot(struct live *live)
{
	struct trapline_error err = { 0 };
	int rc;

	fprintf(live->output, "# snapshot %d\n", ++live->snapshots);
	rc = trapline_reader_snapshot(live->reader, &err);
	return finish_round(live, rc, &err);
}

/* Overwriting rings are left alone until somebody asks for what they have. */
static int wait_once(struct live *live)
{
	const struct timespec wait = { .tv_nsec = POLL_MS * 1000000 };
	const int snapshots = signals_snapshots();

	if (live->asked != snapshots) {
		/* once, however often it was asked for */
		live->asked = snapshots;
		return print_snapshot(live);
	}
	nanosleep(&wait, NULL);
	return 0;
}

static int trace(struct live *live)
{
	while (!signals_asked() && !child_poll(&live->child)) {
		int rc = live->opts.overwrite ? wait_once(live) :
						poll_once(live);

		if (rc < 0)
			return -1;
		disarmed_look(&live->disarmed, live->session);
	}
	disarmed_end(&live->disarmed, live->session);
	return 0;
}

static int stop(struct live *live)
{
	struct trapline_error err = { 0 };

	if (trapline_session_stop(live->session, &err) ||
	    trapline_names_stop(live->names, &err)) {
		report_error(&err);
		return -1;
	}
	return 0;
}

/* Everything that was recorded, unless the user loses patience. */
static int drain(struct live *live)
{
	int signals = signals_asked();
	int rc = 0;

	while (!rc && signals_asked() == signals)
		rc = poll_once(live);
	if (!rc)
		report("broken off: not all that was recorded was printed");
	return rc > 0 ? 0 : -1;
}

static void report_status(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		report("command was ended by signal %d (%s)",
		       WTERMSIG(child->status),
		       strsignal(WTERMSIG(child->status)));
	else if (WEXITSTATUS(child->status))
		report("command ended with status %d",
		       WEXITSTATUS(child->status));
}

/*
 * The command outlives the trace after a signal or a closed output. It gets
 * the signal if the terminal has not sent it, and some time; without a signal
 * it may take the time that it needs.
 */
static void finish_command(struct live *live)
{
	const struct timespec step = { .tv_nsec = COMMAND_STEP_MS * 1000000 };
	struct child *child = &live->child;
	int waited_ms = 0;

	if (!child->pid)
		return;
	if (signals_asked() && signals_is_ours() && !child_poll(child))
		kill(child->pid, signals_last());
	while (!child_poll(child)) {
		if (signals_asked() && waited_ms >= COMMAND_GRACE_MS) {
			report("command still runs, process %d",
			       (int)child->pid);
			return;
		}
		nanosleep(&step, NULL);
		if (signals_asked())
			waited_ms += COMMAND_STEP_MS;
	}
	report_status(child);
}

int live_run(struct live *live)
{
	int status = EXIT_GOOD;
	int failed;

	if (start(live))
		return EXIT_FAILED;
	/* the counters are exact only after the stop, so that comes anyway */
	failed = trace(live);
	if (stop(live) || failed || drain(live))
		status = EXIT_FAILED;
	if (live->output_error == EPIPE) {
		/* whoever read it has seen enough */
		live_close(live);
		status = EXIT_GOOD;
	} else if (summary_print(live->session,
				 status == EXIT_GOOD && live->opts.overwrite ?
					 live->printed : NULL)) {
		status = EXIT_FAILED;
	}
	definitions_list_refused(&live->defs);
	disarmed_sum_up(&live->disarmed);
	finish_command(live);
	return status;
}

/* The session's probes go first, so that nothing runs longer than it must. */
void live_close(struct live *live)
{
	trapline_reader_close(live->reader);
	trapline_names_close(live->names);
	trapline_processes_close(live->format.processes);
	trapline_session_close(live->session);
	trapline_symbols_free(live->symbols);
	definitions_free(&live->defs);
	restrict_free(&live->only);
	if (live->output && live->output != stdout)
		fclose(live->output);
	live->output = NULL;
	free(live->printed);
	free(live->line);
	live->printed = NULL;
	live->reader = NULL;
	live->names = NULL;
	live->format.processes = NULL;
	live->session = NULL;
	live->symbols = NULL;
	live->line = NULL;
}
