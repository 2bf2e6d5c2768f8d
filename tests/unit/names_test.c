// SPDX-License-Identifier: GPL-2.0-only
/* Names of tasks: the table, the records that change it, lines of /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/event.h"
#include "../../userspace/lib/names.h"
#include "packet_build.h"

static struct field new_fields[] = {
	{ .name = (char *)"name", .format = FIELD_STRING },
};

static struct field name_fields[] = {
	{ .name = (char *)"tid", .format = FIELD_SIGNED, .bytes = 4 },
	{ .name = (char *)"name", .format = FIELD_STRING },
};

static struct trapline_event task_new = {
	.name = (char *)"task_new", .fields = new_fields, .field_count = 1,
};

static struct trapline_event task_name = {
	.name = (char *)"task_name", .fields = name_fields, .field_count = 2,
};

static struct build payload;

static void give(struct trapline_names *names,
		 const struct trapline_event *event, unsigned int tid,
		 const char *status)
{
	struct trapline_record record = {
		.event = event,
		.tid = tid,
		.payload = payload.bytes,
		.payload_bytes = payload.at,
		.status = (const unsigned char *)status,
	};

	assert_int_equal(names_record(&record, names), 0);
	payload.at = 0;
}

static void give_new(struct trapline_names *names, unsigned int tid,
		     const char *name)
{
	build_string(&payload, name);
	give(names, &task_new, tid, NULL);
}

static void give_name(struct trapline_names *names, unsigned int by,
		      unsigned int tid, const char *name, const char *status)
{
	build_number(&payload, tid, 4);
	build_string(&payload, name);
	give(names, &task_name, by, status);
}

static void table_keeps_many_names(void **state)
{
	struct name_table table = { 0 };
	char name[NAME_BYTES];
	unsigned int tid;

	(void)state;
	assert_null(name_table_get(&table, 1));
	for (tid = 1; tid < 20000; tid++) {
		snprintf(name, sizeof(name), "task-%u", tid);
		assert_int_equal(name_table_set(&table, tid * 3, name,
						strlen(name)), 0);
	}
	for (tid = 1; tid < 20000; tid++) {
		snprintf(name, sizeof(name), "task-%u", tid);
		assert_string_equal(name_table_get(&table, tid * 3), name);
		assert_null(name_table_get(&table, tid * 3 + 1));
	}
	name_table_free(&table);
	assert_null(name_table_get(&table, 3));
}

static void names_are_replaced_and_cut(void **state)
{
	struct name_table table = { 0 };

	(void)state;
	name_table_set(&table, 5, "a-long-first-name", 17);
	assert_string_equal(name_table_get(&table, 5), "a-long-first-na");
	name_table_set(&table, 5, "b", 1);
	assert_string_equal(name_table_get(&table, 5), "b");
	name_table_set(&table, 5, "c\0d", 3);
	assert_string_equal(name_table_get(&table, 5), "c");
	name_table_set(&table, 5, "", 0);
	assert_string_equal(name_table_get(&table, 5), "");
	name_table_set(&table, 0, "idle", 4);
	assert_null(name_table_get(&table, 0));
	name_table_free(&table);
}

static void records_change_names_in_their_order(void **state)
{
	struct trapline_names names = {
		.task_new = &task_new,
		.task_name = &task_name,
	};

	(void)state;
	/* what the walk over /proc saw is older than each record */
	name_table_set(&names.table, 100, "after-exec", 10);
	give_new(&names, 100, "shell");
	assert_string_equal(trapline_names_get(&names, 100), "shell");
	give_name(&names, 100, 100, "after-exec", NULL);
	assert_string_equal(trapline_names_get(&names, 100), "after-exec");
	/* a name given by another task */
	give_name(&names, 7, 100, "kworker/3:1", NULL);
	assert_string_equal(trapline_names_get(&names, 100), "kworker/3:1");
	assert_string_equal(trapline_names_get(&names, 7), "?");
	/* the number is used again */
	give_new(&names, 100, "other");
	assert_string_equal(trapline_names_get(&names, 100), "other");
	name_table_free(&names.table);
}

static void faults_change_nothing(void **state)
{
	struct trapline_names names = {
		.task_new = &task_new,
		.task_name = &task_name,
	};

	(void)state;
	give_new(&names, 100, "shell");
	give_name(&names, 7, 100, "", "\0\1");
	give_name(&names, 100, 0, "wrong", "\1\0");
	assert_string_equal(trapline_names_get(&names, 100), "shell");
	/* a long name is cut, as the kernel does */
	give_name(&names, 7, 100, "a-very-long-name", "\0\2");
	assert_string_equal(trapline_names_get(&names, 100),
			    "a-very-long-nam");
	name_table_free(&names.table);
}

static void idle_and_unknown(void **state)
{
	struct trapline_names names = { 0 };

	(void)state;
	assert_string_equal(trapline_names_get(&names, 0), "<idle>");
	assert_string_equal(trapline_names_get(&names, 99), "?");
}

/* Where names are not followed, /proc is asked at first sight. */
static void unknown_is_looked_up_in_proc(void **state)
{
	struct trapline_names names = { .proc_is_ours = true };
	char before[NAME_BYTES] = "";

	(void)state;
	prctl(PR_GET_NAME, before);
	prctl(PR_SET_NAME, "names\ntest");
	assert_string_equal(trapline_names_get(&names,
					       (unsigned int)getpid()),
			    "names\ntest");
	prctl(PR_SET_NAME, before);
	assert_string_equal(trapline_names_get(&names, 4194304), "?");
	name_table_free(&names.table);
}

static void lines_of_proc(void **state)
{
	static const struct {
		const char *line;
		const char *name;
	} cases[] = {
		{ "bash", "bash" },
		{ "a-b+c", "a-b+c" },
		{ "kworker", "kworker" },
		{ "kworker/0:1", "kworker/0:1" },
		{ "kworker/0:1-events", "kworker/0:1" },
		{ "kworker/0:1H+kblockd", "kworker/0:1H" },
		{ "kworker/u4:2-events_unbound", "kworker/u4:2" },
		{ "kworker/R-md", "kworker/R-md" },
		{ "kworker/R-md-md", "kworker/R-md" },
		{ "kworker/R-a-b-a-b", "kworker/R-a-b" },
		{ "kworker/R-rcu_g-rcu_gp", "kworker/R-rcu_g" },
		{ "kworker/R-slub_-slub_flushwq", "kworker/R-slub_" },
		{ "migration-of-everything", "migration-of-ev" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(names_comm_length(cases[i].line,
						   strlen(cases[i].line)),
				 strlen(cases[i].name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_keeps_many_names),
		cmocka_unit_test(names_are_replaced_and_cut),
		cmocka_unit_test(records_change_names_in_their_order),
		cmocka_unit_test(faults_change_nothing),
		cmocka_unit_test(idle_and_unknown),
		cmocka_unit_test(unknown_is_looked_up_in_proc),
		cmocka_unit_test(lines_of_proc),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
