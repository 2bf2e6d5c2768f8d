// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module is loaded with the first allocation on the way failing, then with
 * the second one, and so on: it is not there then, and nothing of it, and it can
 * be loaded again. Most of the chances are the kernel's own, before it calls the
 * module.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>

#include "tl_module.h"
#include "tl_nth.h"

/* at the end, where the module's own are; all of them in a long run */
#define TRIED 90
#define FAILED_MIN 10

/* One failure while the module is loaded; at the end some do no harm. */
static void load_nth(int file, unsigned int nth, unsigned int *failed)
{
	bool happened;
	int rc;

	nth_set(nth);
	rc = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
	happened = nth_happened();
	if (rc) {
		CHECK(happened);
		CHECK(access("/dev/trapline", F_OK));
		CHECK_EQ(module_references(), -1);
		(*failed)++;
		module_load();
	}
	CHECK(!access("/dev/trapline", F_OK));
	CHECK_EQ(module_unload(), 0);
}

/* How many chances there are. */
static unsigned int count_chances(int file)
{
	unsigned int chances;

	nth_set(NTH_MAX);
	if (syscall(SYS_finit_module, file, "", 0))
		die("loading the module");
	chances = nth_chances(NTH_MAX);
	CHECK_EQ(module_unload(), 0);
	CHECK(chances > TRIED && chances < NTH_MAX);
	return chances;
}

int main(void)
{
	int file = open(module_path(), O_RDONLY | O_CLOEXEC);
	unsigned int chances, first = 1, nth, failed = 0;

	nth_start();
	tap_case("loading fails at each point of the module's own and leaves nothing");
	CHECK_EQ(module_unload(), 0);
	chances = count_chances(file);
	if (!is_long())
		first = chances - TRIED;
	for (nth = first; nth <= chances; nth++) {
		load_nth(file, nth, &failed);
		nth_check_log();
	}
	CHECK(failed >= FAILED_MIN);
	tap_note("%u chances, failed at %u of the last %u", chances, failed,
		 chances - first + 1);
	close(file);
	module_load();
	tap_case("and all works as ever");
	module_check_works(symbol("__x64_sys_getppid"), 20);
	return tap_done();
}
