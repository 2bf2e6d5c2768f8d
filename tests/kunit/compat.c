// SPDX-License-Identifier: GPL-2.0-only
/* Functions to be called when a test ends, for a KUnit that has none. */
#include <linux/slab.h>

#include "compat.h"

#ifndef TL_KUNIT_HAS_ACTION
/**
 * struct tl_action - a call to be made
 * @res: on the test's list
 * @fn: the function
 * @ctx: its argument
 */
struct tl_action {
	struct kunit_resource res;
	kunit_action_t *fn;
	void *ctx;
};

static void tl_action_free(struct kunit_resource *res)
{
	struct tl_action *action = container_of(res, struct tl_action, res);

	action->fn(action->ctx);
}

int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *fn, void *ctx)
{
	struct tl_action *action = kzalloc(sizeof(*action), GFP_KERNEL);

	if (!action) {
		fn(ctx);
		return -ENOMEM;
	}
	action->fn = fn;
	action->ctx = ctx;
	/* the resource is the first member: with it the whole is freed */
	static_assert(!offsetof(struct tl_action, res));
	action->res.should_kfree = true;
	return __kunit_add_resource(test, NULL, tl_action_free, &action->res,
				    action);
}

static bool tl_action_is(struct kunit *test, struct kunit_resource *res,
			 void *match)
{
	const struct tl_action *action = container_of(res, struct tl_action, res);
	const struct tl_action *wanted = match;

	return res->free == tl_action_free && action->fn == wanted->fn &&
	       action->ctx == wanted->ctx;
}

void kunit_release_action(struct kunit *test, kunit_action_t *fn, void *ctx)
{
	struct tl_action wanted = { .fn = fn, .ctx = ctx };

	KUNIT_EXPECT_EQ(test, kunit_destroy_resource(test, tl_action_is, &wanted), 0);
}
#endif
