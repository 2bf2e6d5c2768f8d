// SPDX-License-Identifier: GPL-2.0-only
/* See place_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "place_world.h"

enum trapline_place_state state_of(const struct trapline_event *event,
				   unsigned int index)
{
	struct trapline_place place = { .size = sizeof(place) };

	assert_int_equal(trapline_event_place(event, index, &place), 0);
	assert_int_equal(place.reason != NULL,
			 place.state == TRAPLINE_PLACE_REFUSED);
	return place.state;
}
