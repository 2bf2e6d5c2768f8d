// SPDX-License-Identifier: GPL-2.0-only
/* Events of a session: adding, forgetting. */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "memory.h"
#include "place.h"
#include "session.h"

/* A text of user space; @code: it is too long. The caller frees it. */
static int tl_event_read_text(struct tl_error *error, enum tl_error_code code,
			      u64 from, const char **out)
{
	char *text = strndup_user(u64_to_user_ptr(from), TL_SYMBOL_BYTES_MAX);

	if (PTR_ERR(text) == -EINVAL)
		return tl_refuse(error, code, -EINVAL);
	if (IS_ERR(text))
		return tl_refuse_errno(error, PTR_ERR(text));
	*out = text;
	return 0;
}

/* Is it "MODULE:SYMBOL"? */
static bool tl_event_is_symbol(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon != text && colon[1];
}

/*
 * A place that the backend knows by its name: one of the kernel's own, or
 * "MODULE:NAME", which may not be there.
 */
static int tl_event_find_place(const struct tl_event_place *place,
			       const struct tl_probe_ops *ops,
			       struct tl_place_key *key, struct tl_error *error)
{
	const char *name;
	int err;

	if (place->flags != TL_PLACE_SYMBOL || place->address || place->offset)
		return tl_refuse(error, TL_ERR_PLACE_NAME, -EINVAL);
	err = tl_event_read_text(error, TL_ERR_PLACE_NAME, place->symbol, &name);
	if (err)
		return err;
	if (tl_event_is_symbol(name)) {
		key->symbol = name;
		return 0;
	}
	key->address = ops->find(name);
	kfree(name);
	return key->address ? 0 : tl_refuse(error, TL_ERR_TRACEPOINT, -ENOENT);
}

/*
 * A place in a module that may not be there: "MODULE:SYMBOL", from user space.
 * The caller frees it.
 */
static int tl_event_read_symbol(struct tl_error *error, u64 from,
				const char **out)
{
	const char *symbol;
	int err = tl_event_read_text(error, TL_ERR_PLACE_SYMBOL, from, &symbol);

	if (err)
		return err;
	if (!tl_event_is_symbol(symbol)) {
		kfree(symbol);
		return tl_refuse(error, TL_ERR_PLACE_SYMBOL, -EINVAL);
	}
	*out = symbol;
	return 0;
}

/*
 * Read the one place of an event. What is code, and may be probed, is the
 * kernel's to say when the place is armed; but kernels look for an ENDBR there
 * before they ask whether it is code, and older ones do so without minding a
 * fault. Hence the one byte.
 */
static int tl_event_read_place(struct tl_event_add *add,
			       const struct tl_probe_ops *ops,
			       struct tl_place_key *key)
{
	struct tl_event_place place = {};
	struct tl_error *error = &add->error;
	u32 size;
	u8 byte;
	int err;

	if (add->place_count != 1)
		return tl_refuse(error, TL_ERR_PLACES, -EINVAL);
	if (get_user(size, (const u32 __user *)u64_to_user_ptr(add->places)))
		return -EFAULT;
	if (size < sizeof(place) || size > PAGE_SIZE)
		return tl_refuse(error, TL_ERR_SIZE, -EINVAL);
	err = copy_struct_from_user(&place, sizeof(place),
				    u64_to_user_ptr(add->places), size);
	if (err)
		return tl_refuse(error,
				 err == -E2BIG ? TL_ERR_SIZE : TL_ERR_NONE, err);
	if (place.flags & ~(u32)TL_PLACE_SYMBOL)
		return tl_refuse(error, TL_ERR_FLAGS, -EINVAL);
	key->maxactive = add->maxactive;
	if (ops->find)
		return tl_event_find_place(&place, ops, key, error);
	key->address = (unsigned long)place.address;
	key->offset = (unsigned long)place.offset;
	if (place.flags & TL_PLACE_SYMBOL)
		return tl_event_read_symbol(error, place.symbol, &key->symbol);
	if (place.symbol || place.offset)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	if (!tl_memory_read_kernel(&byte, key->address, 1))
		return tl_refuse(error, TL_ERR_PLACE_ADDRESS, -EINVAL);
	return 0;
}

static int tl_event_check(struct tl_session *session, struct tl_event_add *add,
			  const struct tl_probe_ops *ops)
{
	struct tl_error *error = &add->error;

	if (session->state != TL_SESSION_READY &&
	    session->state != TL_SESSION_RUNNING)
		return tl_refuse(error, TL_ERR_STATE, -EBUSY);
	if (add->reserved)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	if (!ops)
		return tl_refuse(error, TL_ERR_BACKEND, -EINVAL);
	if (add->maxactive > (ops->is_return ? TL_MAXACTIVE_MAX : 0))
		return tl_refuse(error, TL_ERR_MAXACTIVE, -EINVAL);
	if (!add->insn_count || add->insn_count > TL_PROG_INSNS_MAX)
		return tl_refuse(error, TL_ERR_PROG_LENGTH, -EINVAL);
	if (session->next_id >= TL_EVENTS_MAX)
		return tl_refuse(error, TL_ERR_EVENTS, -ENOSPC);
	return 0;
}

static int tl_event_load(struct tl_event *event, struct tl_event_add *add,
			 const struct tl_probe_ops *ops)
{
	const struct tl_prog_limits limits = {
		.regs_bytes = ops->arg_count ? ops->arg_count * sizeof(u64) :
					       sizeof(struct pt_regs),
		.is_return = ops->is_return,
		.args_only = ops->arg_count,
	};
	enum tl_error_code code;
	u32 bad_insn;

	if (copy_from_user(event->prog.insns, u64_to_user_ptr(add->insns),
			   array_size(add->insn_count, sizeof(struct tl_insn))))
		return -EFAULT;
	code = tl_prog_verify(&event->prog, add->insn_count, &limits, &bad_insn);
	if (code) {
		add->error.insn = bad_insn;
		return tl_refuse(&add->error, code, -EINVAL);
	}
	tl_event_ready(event);
	return 0;
}

/* The session has the event from here on. */
static int tl_event_insert(struct tl_session *session, struct tl_event *event,
			   const struct tl_probe_ops *ops,
			   const struct tl_place_key *key)
{
	int err = xa_err(xa_store(&session->events, event->id, event,
				  GFP_KERNEL_ACCOUNT));

	if (err)
		return err;
	mutex_lock(&session->places.lock);
	event->place = tl_place_get(&session->places, ops, key);
	if (event->place && event->prog.needs_entry)
		WRITE_ONCE(event->place->wants_entry, true);
	mutex_unlock(&session->places.lock);
	if (event->place)
		return 0;
	xa_erase(&session->events, event->id);
	return -ENOMEM;
}

/**
 * tl_session_event_add() - TL_EVENT_ADD
 * @session: locked
 * @add: the command
 */
int tl_session_event_add(struct tl_session *session, struct tl_event_add *add)
{
	const struct tl_probe_ops *ops = tl_probe_backend(add->backend);
	struct tl_place_key key = {};
	struct tl_event *event;
	int err;

	err = tl_event_check(session, add, ops);
	if (!err)
		err = tl_event_read_place(add, ops, &key);
	if (err)
		return err;
	event = tl_event_alloc(session->gate, add->insn_count);
	if (!event) {
		err = tl_refuse(&add->error, TL_ERR_MEMORY, -ENOMEM);
		goto out;
	}
	event->id = session->next_id;
	err = tl_event_load(event, add, ops);
	if (!err && tl_event_insert(session, event, ops, &key))
		err = tl_refuse(&add->error, TL_ERR_MEMORY, -ENOMEM);
	if (err) {
		tl_event_free(event);
		goto out;
	}
	add->instances = ops->instances ? ops->instances(event->place) : 0;
	add->reserved2 = 0;
	add->id = session->next_id++;
out:
	kfree(key.symbol);
	return err;
}

/**
 * tl_session_disable_all() - disarm every event; needs no memory
 * @session: locked
 *
 * When it returns, no handler of the session runs.
 */
void tl_session_disable_all(struct tl_session *session)
{
	struct tl_event *event;
	unsigned long id;

	mutex_lock(&session->places.lock);
	tl_place_disarm_all(&session->places);
	xa_for_each(&session->events, id, event) {
		if (event->is_enabled)
			tl_place_take_entries(event);
		event->is_enabled = false;
	}
	mutex_unlock(&session->places.lock);
}

/**
 * tl_session_free_events() - forget all events, which are disabled
 * @session: locked
 */
void tl_session_free_events(struct tl_session *session)
{
	struct tl_event *event;
	unsigned long id;

	mutex_lock(&session->places.lock);
	xa_for_each(&session->events, id, event) {
		tl_place_put(event->place);
		tl_event_free(event);
	}
	mutex_unlock(&session->places.lock);
	xa_destroy(&session->events);
}
