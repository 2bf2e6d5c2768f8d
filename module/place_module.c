// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places that follow their module. Such a place is a symbol: its event waits
 * until the module comes, is armed before the module's init function runs, and
 * waits again when the module has gone.
 *
 * Locks, outermost first: a session's, tl_watched_lock, that of its places,
 * those of the kernel's probes. The notifier takes no session's lock, because
 * commands hold it while they read user memory, and loading a module must not
 * wait for that.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "place_module.h"

/* The places of all sessions. */
static LIST_HEAD(tl_watched);
static DEFINE_MUTEX(tl_watched_lock);

/* "NAME+0xOFFSET/0xBYTES [MODULE]", which is all that the kernel tells a module */
struct tl_symbol_text {
	char text[KSYM_SYMBOL_LEN];
	const char *name;
	const char *module;
	unsigned long offset;
	unsigned long bytes;
};

/* Cut the text at the last @separator; returns what stood behind it, or NULL. */
static char *tl_symbol_cut(char *text, char separator)
{
	char *at = strrchr(text, separator);

	if (at)
		*at++ = '\0';
	return at;
}

static bool tl_symbol_read(struct tl_symbol_text *symbol, unsigned long address)
{
	char *module, *bytes, *offset;

	sprint_symbol(symbol->text, address);
	module = tl_symbol_cut(symbol->text, '[');
	if (!module || !tl_symbol_cut(module, ']') ||
	    !tl_symbol_cut(symbol->text, ' '))
		return false;
	/* newer kernels may add the build id of the module */
	module[strcspn(module, " ")] = '\0';
	bytes = tl_symbol_cut(symbol->text, '/');
	offset = tl_symbol_cut(symbol->text, '+');
	if (!bytes || !offset || kstrtoul(bytes, 0, &symbol->bytes) ||
	    kstrtoul(offset, 0, &symbol->offset))
		return false;
	symbol->name = symbol->text;
	symbol->module = module;
	return true;
}

/* Is the symbol where the place says, so that it need not be looked for? */
static bool tl_place_is_right(struct tl_place *place, struct tl_symbol_text *symbol)
{
	if (!place->address || !tl_symbol_read(symbol, place->address))
		return false;
	return tl_place_is_of(place, symbol->module) &&
	       !strcmp(place->symbol + strlen(symbol->module) + 1, symbol->name) &&
	       symbol->offset == place->offset;
}

/*
 * Where the symbol is: the kernel says so to whoever registers a probe on it,
 * which is a disabled one here. It may skip a landing instruction at the start.
 *
 * There is no other way that is open to modules: the look-up of symbols is not
 * exported, and user space, which does it for what is loaded (/proc/kallsyms),
 * cannot do it between the coming of a module and its init function. So the name
 * goes to register_kprobe(), which takes one from anybody, refuses what may not be
 * probed, and looks into the named module alone. The address that comes back is
 * used for the probe itself, and to ask what stands there: it is never called,
 * read or written, and goes to nobody but the session's owner.
 */
static int tl_place_look(struct tl_place *place, struct tl_symbol_text *symbol)
{
	struct kprobe kp = {
		.symbol_name = place->symbol,
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long address;
	int err = register_kprobe(&kp);

	if (err)
		return err;
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	if (!tl_symbol_read(symbol, address))
		return -ENOENT;
	place->address = address - symbol->offset + place->offset;
	return 0;
}

/**
 * tl_place_find() - find the address of a place that is a symbol
 * @place: the place
 *
 * Returns 0, -ENOENT if it is not there, -EDOM if the function ends before the
 * offset, or why the kernel wants no probe on it.
 */
int tl_place_find(struct tl_place *place)
{
	struct tl_symbol_text symbol;
	int err = 0;

	if (place->ops->locate)
		return place->ops->locate(place);
	if (!tl_place_is_right(place, &symbol))
		err = tl_place_look(place, &symbol);
	if (err)
		return err;
	if (place->offset >= symbol.bytes)
		return -EDOM;
	place->symbol_bytes = symbol.bytes;
	return 0;
}

/* The module is there, its init function has not run. */
static void tl_place_come(struct tl_place *place)
{
	if (!place->enabled || place->is_armed)
		return;
	place->address = 0;
	place->is_left = false;
	place->refused = tl_place_arm(place);
	if (place->refused)
		place->waits = TL_EVENT_REFUSED;
}

static void tl_places_follow(struct tl_places *places, const char *module,
			     bool is_coming)
{
	struct tl_place *place;

	mutex_lock(&places->lock);
	if (is_coming) {
		list_for_each_entry(place, &places->list, node)
			if (tl_place_is_of(place, module))
				tl_place_come(place);
	} else {
		tl_place_leave(places, module);
		list_for_each_entry(place, &places->list, node)
			if (place->waits == TL_EVENT_REFUSED &&
			    tl_place_is_of(place, module))
				place->is_left = true;
	}
	mutex_unlock(&places->lock);
}

static int tl_place_module_event(struct notifier_block *block,
				 unsigned long event, void *data)
{
	const struct module *module = data;
	struct tl_places *places;

	if (event != MODULE_STATE_COMING && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&tl_watched_lock);
	list_for_each_entry(places, &tl_watched, node)
		tl_places_follow(places, module->name,
				 event == MODULE_STATE_COMING);
	mutex_unlock(&tl_watched_lock);
	return NOTIFY_DONE;
}

/* After the kernel's own, which learn of the module's functions. */
static struct notifier_block tl_place_module_block = {
	.notifier_call = tl_place_module_event,
	.priority = -1,
};

/**
 * tl_places_open() - places of a session, none yet
 * @places: the session's
 */
void tl_places_open(struct tl_places *places)
{
	mutex_init(&places->lock);
	INIT_LIST_HEAD(&places->list);
	mutex_lock(&tl_watched_lock);
	list_add_tail(&places->node, &tl_watched);
	mutex_unlock(&tl_watched_lock);
}

/**
 * tl_places_close() - the session ends; it has no places any more
 * @places: the session's
 */
void tl_places_close(struct tl_places *places)
{
	mutex_lock(&tl_watched_lock);
	list_del(&places->node);
	mutex_unlock(&tl_watched_lock);
}

/** tl_place_module_init() - begin to hear of modules; 0 or a negative errno */
int tl_place_module_init(void)
{
	return register_module_notifier(&tl_place_module_block);
}

/** tl_place_module_exit() - no session is left */
void tl_place_module_exit(void)
{
	unregister_module_notifier(&tl_place_module_block);
}
