// SPDX-License-Identifier: GPL-2.0-only
/* A session as user space has it: what its commands point at is user memory. */
#include <linux/uaccess.h>

#include "client.h"
#include "user.h"

/* What a test copies itself is not to fail where faults are injected. */
void tl_client_put(struct tl_client *client, u64 to, const void *from,
		   size_t bytes)
{
	u32 fail_nth = tl_fail_nth();
	unsigned long left;

	tl_fail_nth_set(0);
	left = copy_to_user(u64_to_user_ptr(to), from, bytes);
	tl_fail_nth_set(fail_nth);
	KUNIT_ASSERT_EQ(client->test, left, 0);
}

static void tl_client_release(void *data)
{
	struct tl_client *client = data;

	tl_session_end(client->session);
}

struct tl_client *tl_client_new(struct kunit *test)
{
	struct tl_client *client = kunit_kzalloc(test, sizeof(*client),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, client);
	client->test = test;
	client->page = tl_user_map(test, PAGE_SIZE);
	/* so that it has its page, and copies from it do not allocate one */
	KUNIT_ASSERT_EQ(test, 0, put_user(0, (u64 __user *)client->page));
	client->session = tl_session_create();
	KUNIT_ASSERT_NOT_NULL(test, client->session);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test,
							   tl_client_release,
							   client));
	return client;
}

struct tl_client *tl_client_make(struct kunit *test, u32 mode)
{
	struct tl_client *client = tl_client_new(test);
	struct tl_session_setup setup = {
		.mode = mode, .packet_bytes = 4096, .packet_count = 16,
	};

	KUNIT_ASSERT_EQ(test, tl_client_setup(client, &setup), 0);
	return client;
}

void tl_client_end(struct tl_client *client)
{
	kunit_release_action(client->test, tl_client_release, client);
}

int tl_client_setup(struct tl_client *client, struct tl_session_setup *setup)
{
	int err;

	mutex_lock(&client->session->lock);
	err = tl_session_setup(client->session, setup);
	mutex_unlock(&client->session->lock);
	client->error = setup->error;
	return err;
}

int tl_client_try_add(struct tl_client *client, struct tl_event_add *add)
{
	int err;

	mutex_lock(&client->session->lock);
	err = tl_session_event_add(client->session, add);
	mutex_unlock(&client->session->lock);
	client->error = add->error;
	return err ? err : (int)add->id;
}

struct tl_event_add tl_client_event_add(struct tl_client *client, u32 backend,
					unsigned long address,
					const struct tl_insn *insns,
					u32 insn_count)
{
	const struct tl_event_place place = {
		.size = sizeof(place), .address = address,
	};
	const struct tl_event_add add = {
		.backend = backend,
		.places = client->page,
		.place_count = 1,
		.insns = client->page + sizeof(place),
		.insn_count = insn_count,
	};

	tl_client_put(client, add.places, &place, sizeof(place));
	tl_client_put(client, add.insns, insns, insn_count * sizeof(*insns));
	return add;
}

int tl_client_add(struct tl_client *client, u32 backend, unsigned long address,
		  const struct tl_insn *insns, u32 insn_count)
{
	struct tl_event_add add = tl_client_event_add(client, backend, address,
						      insns, insn_count);

	return tl_client_try_add(client, &add);
}

int tl_client_events(struct tl_client *client, u32 command, const u32 *ids,
		     u32 count)
{
	struct tl_event_ctl ctl = {
		.command = command, .id_count = count, .ids = client->page,
	};
	int err;

	tl_client_put(client, ctl.ids, ids, count * sizeof(*ids));
	mutex_lock(&client->session->lock);
	err = tl_session_event_ctl(client->session, &ctl);
	mutex_unlock(&client->session->lock);
	client->error = ctl.error;
	return err;
}

int tl_client_event(struct tl_client *client, u32 command, u32 id)
{
	return tl_client_events(client, command, &id, 1);
}

int tl_client_try_ctl(struct tl_client *client, u32 command)
{
	struct tl_session_ctl ctl = { .command = command };
	int err;

	mutex_lock(&client->session->lock);
	err = tl_session_ctl(client->session, &ctl);
	mutex_unlock(&client->session->lock);
	client->error = ctl.error;
	return err;
}

void tl_client_ctl(struct tl_client *client, u32 command)
{
	KUNIT_ASSERT_EQ(client->test, tl_client_try_ctl(client, command), 0);
}

void tl_client_drain(struct tl_client *client,
		     void (*visit)(struct tl_stream *stream,
				   const struct tl_record *record),
		     void *data)
{
	struct tl_bed *bed = kunit_kzalloc(client->test, sizeof(*bed), GFP_KERNEL);
	struct tl_event *event;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(client->test, bed);
	while (bed->count < TL_BED_EVENTS) {
		event = xa_load(&client->session->events, bed->count);
		if (!event)
			break;
		bed->event[bed->count++] = event;
	}
	for_each_possible_cpu(cpu) {
		struct tl_stream stream = {
			.test = client->test, .bed = bed, .visit = visit,
			.data = data,
		};

		tl_stream_drain(&stream, client->session->rings[cpu]);
	}
}

void tl_client_stats(struct tl_client *client, u32 id, struct tl_stats *stats)
{
	int err;

	*stats = (struct tl_stats){
		.selector = id == TL_CLIENT_ALL ? TL_STATS_SESSION :
						  TL_STATS_EVENT,
		.id = id == TL_CLIENT_ALL ? 0 : id,
		.cpu = TL_CPU_ALL,
	};
	mutex_lock(&client->session->lock);
	err = tl_session_stats(client->session, stats);
	mutex_unlock(&client->session->lock);
	KUNIT_ASSERT_EQ(client->test, err, 0);
}
