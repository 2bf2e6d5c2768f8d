// SPDX-License-Identifier: GPL-2.0-only
/* See events.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit/symbols_world.h"
#include "events.h"

struct trapline_event *events[EVENT_COUNT];

static const char *const lines[] = {
	[EVENT_EMPTY] = "p:empty vfs_read",
	[EVENT_NUMBERS] = "p:numbers vfs_read+4 a=%di:u8 k=\\7 b=%si:s32 "
			  "c=%dx:x64 d=%cx:s16 t=\\\"a text\"",
	[EVENT_STRINGS] = "p:strings ext4:ext4_file_open s=+0(%di):string "
			  "n=%si:u16 u=+u0(%dx):ustring t=$comm",
	[EVENT_RETURN] = "r:ret vfs_write a=$retval:u8 s=+0($retval):string",
	[EVENT_TASK_NEW] = "p:trapline/task_new vfs_write name=$comm",
	[EVENT_TASK_NAME] = "p:trapline/task_name vfs_readv "
			    "tid=+8(%di):s32 name=+0(%si):string",
	[EVENT_STACKS] = "p:stacks vfs_read k=$kstack:5 n=%di:u8 u=$ustack:127",
};

static struct trapline_event *make(struct decode_events *table,
				   const char *line, int id)
{
	struct trapline_event *event;

	assert_int_equal(trapline_event_parse(line, symbols, &event, NULL), 0);
	event->id = id;
	assert_int_equal(decode_events_add(table, event), 0);
	return event;
}

const struct decode_events *events_make(void)
{
	static struct decode_events table;
	int id;

	for (id = 0; !events[EVENT_COUNT - 1] && id < EVENT_COUNT; id++)
		events[id] = make(&table, lines[id], id);
	if (table.count <= EVENT_HIGH)
		make(&table, "r:high vfs_readx $retval:s64", EVENT_HIGH);
	return &table;
}
