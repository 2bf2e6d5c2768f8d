// SPDX-License-Identifier: GPL-2.0-only
/* Events in a module that is not there: it comes, goes, and comes back. */
#include "tl.h"

#define CALL "cat /sys/module/target/parameters/call >/dev/null"
#define FAR 0x10000

enum { ENTRY, RETURN, INIT, MISSING, OUTSIDE, EVENTS };

static void shell(const char *command)
{
	if (system(command))
		die("%s", command);
}

static uint32_t add(int dev, uint32_t backend, const char *symbol,
		    uint64_t offset)
{
	struct tl_event_add add;

	if (dev_try_add_symbol(dev, backend, symbol, offset, prog_di, 2, &add))
		die("%s: reason %u", symbol, add.error.code);
	return add.id;
}

static bool check_states(int dev, const uint32_t *ids, uint32_t count,
			 uint32_t state, uint64_t recorded)
{
	bool good = true;
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct tl_stats stats = dev_stats(dev, ids[i]);

		good &= CHECK_EQ(stats.state, state);
		good &= CHECK_EQ(stats.recorded, recorded);
		good &= CHECK_EQ(stats.hits, recorded);
	}
	return good;
}

static void check_refused(int dev)
{
	static const char *const wrong[] = {
		"target", ":target_call", "target:", "", ":",
	};
	static char endless[TL_SYMBOL_BYTES_MAX + 8];
	struct tl_event_add added;
	size_t i;

	memset(endless, 'a', sizeof(endless) - 1);
	endless[6] = ':';
	tap_case("what is no symbol of a module is refused");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(dev_try_add_symbol(dev, TL_BACKEND_KPROBE, wrong[i], 0,
					    prog_di, 2, &added), -EINVAL);
		CHECK_EQ(added.error.code, TL_ERR_PLACE_SYMBOL);
	}
	CHECK_EQ(dev_try_add_symbol(dev, TL_BACKEND_KPROBE, endless, 0, prog_di,
				    2, &added), -EINVAL);
	CHECK_EQ(added.error.code, TL_ERR_PLACE_SYMBOL);
	CHECK_EQ(dev_try_add_symbol(dev, TL_BACKEND_KPROBE, (char *)8, 0,
				    prog_di, 2, &added), -EFAULT);
}

static void check_reason(int dev, uint32_t id, uint32_t code)
{
	struct tl_stats stats = dev_stats(dev, id);

	CHECK_EQ(stats.state, TL_EVENT_REFUSED);
	CHECK_EQ(stats.error.code, code);
	CHECK_EQ(stats.hits, 0);
}

/* While it is loaded what cannot be armed is an error at once. */
static void check_loaded(int dev)
{
	struct tl_error error;
	uint32_t id = add(dev, TL_BACKEND_KPROBE, "target:target_call", FAR);

	tap_case("a module that is loaded: an error, and nothing is armed");
	CHECK(dev_event_ctl(dev, TL_EVENT_ENABLE, &id, 1, &error) < 0);
	CHECK_EQ(error.code, TL_ERR_PLACE_OFFSET);
	CHECK_EQ(dev_stats(dev, id).state, TL_EVENT_OFF);
}

static void check_end(int dev)
{
	tap_case("a session that ends while its events wait");
	shell("rmmod target");
	close(dev);
	shell("insmod target.ko");
	shell(CALL);
	shell("rmmod target");
	CHECK_EQ(kprobes_count(), 0);
}

/* The module goes, just before and after there are more events on what has gone. */
static void go_with_more(int dev, uint32_t *late)
{
	tap_case("one more event on what has gone, and on what was refused, waits");
	late[0] = add(dev, TL_BACKEND_KPROBE, "target:target_init", 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, late, 1, NULL), 0);
	shell("rmmod target");
	late[1] = add(dev, TL_BACKEND_KPROBE, "target:no_such", 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &late[1], 1, NULL), 0);
	check_states(dev, late, 1, TL_EVENT_GONE, 0);
}

int main(void)
{
	int dev = dev_ready(4096, 16);
	uint32_t ids[EVENTS], late[2];

	check_refused(dev);
	ids[ENTRY] = add(dev, TL_BACKEND_KPROBE, "target:target_call", 0);
	ids[RETURN] = add(dev, TL_BACKEND_KRETPROBE, "target:target_call", 0);
	ids[INIT] = add(dev, TL_BACKEND_KPROBE, "target:target_init", 0);
	ids[MISSING] = add(dev, TL_BACKEND_KPROBE, "target:no_such", 0);
	ids[OUTSIDE] = add(dev, TL_BACKEND_KPROBE, "target:target_call", FAR);

	tap_case("enabled, and pending");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, EVENTS, NULL), 0);
	dev_start(dev);
	check_states(dev, ids, EVENTS, TL_EVENT_PENDING, 0);
	CHECK_EQ(dev_stats(dev, ids[ENTRY]).address, 0);

	tap_case("the module comes: its init function is seen to run");
	shell("insmod target.ko");
	check_states(dev, ids, 2, TL_EVENT_ARMED, 1);
	CHECK_EQ(dev_stats(dev, ids[ENTRY]).address, symbol("target_call"));
	CHECK(dev_stats(dev, ids[ENTRY]).symbol_bytes > 0);
	shell(CALL);
	check_states(dev, ids, 2, TL_EVENT_ARMED, 2);

	tap_case("the init function itself is hit, and gone when it has run");
	check_states(dev, &ids[INIT], 1, TL_EVENT_GONE, 1);

	tap_case("what cannot be armed says why");
	check_reason(dev, ids[MISSING], TL_ERR_PLACE_MISSING);
	check_reason(dev, ids[OUTSIDE], TL_ERR_PLACE_OFFSET);
	check_loaded(dev);

	go_with_more(dev, late);

	tap_case("the module goes: counters stay");
	check_states(dev, ids, 2, TL_EVENT_GONE, 2);

	tap_case("it comes back: armed again");
	shell("insmod target.ko");
	shell(CALL);
	check_states(dev, ids, 2, TL_EVENT_ARMED, 4);
	check_states(dev, &ids[INIT], 1, TL_EVENT_GONE, 2);
	check_states(dev, late, 1, TL_EVENT_GONE, 1);
	check_reason(dev, late[1], TL_ERR_PLACE_MISSING);

	tap_case("disabled while it is away, it stays away");
	shell("rmmod target");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, 1, NULL), 0);
	CHECK_EQ(dev_stats(dev, ids[ENTRY]).state, TL_EVENT_OFF);
	shell("insmod target.ko");
	shell(CALL);
	check_states(dev, &ids[ENTRY], 1, TL_EVENT_OFF, 4);
	check_states(dev, &ids[RETURN], 1, TL_EVENT_ARMED, 6);

	check_end(dev);
	return tap_done();
}
