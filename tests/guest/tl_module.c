// SPDX-License-Identifier: GPL-2.0-only
/* See tl_module.h. */
#include <sys/resource.h>

#include "tl_module.h"

#define SESSIONS_MAX 4000

void module_reload(const char *parameters)
{
	int err = module_unload();

	if (err)
		die("unloading the module: %d", err);
	err = module_insert(module_path(), parameters);
	if (err)
		die("loading the module with \"%s\": %d", parameters, err);
}

int module_references(void)
{
	FILE *file = fopen("/sys/module/trapline/refcnt", "r");
	int count = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &count) != 1)
		die("/sys/module/trapline/refcnt");
	fclose(file);
	return count;
}

bool module_references_wait(int count)
{
	uint64_t end = now_ms() + 1000;

	while (module_references() != count) {
		if (now_ms() > end)
			return false;
		sleep_ms(5);
	}
	return true;
}

unsigned int module_capacity(void)
{
	static int devs[SESSIONS_MAX];
	const struct rlimit files = { SESSIONS_MAX + 100, SESSIONS_MAX + 100 };
	struct tl_session_setup setup = { .size = sizeof(setup),
					  .packet_bytes = 4096,
					  .packet_count = 2 };
	unsigned int count, i;

	setrlimit(RLIMIT_NOFILE, &files);
	for (count = 0; count < SESSIONS_MAX; count++) {
		devs[count] = dev_open();
		if (dev_ioctl(devs[count], TL_SESSION_SETUP, &setup))
			break;
	}
	if (count == SESSIONS_MAX || setup.error.code != TL_ERR_MEMORY_LIMIT)
		die("%u sessions, reason %u", count, setup.error.code);
	for (i = 0; i <= count; i++)
		close(devs[i]);
	return count;
}

bool module_check_works(uint64_t address, unsigned int calls)
{
	static struct rings rings;
	int dev = dev_ready(4096, 8);
	uint32_t id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di,
			      ARRAY_SIZE(prog_di));
	bool good;

	memset(&rings, 0, sizeof(rings));
	rings.payload_bytes[id] = 8;
	rings_open(dev, &rings);
	dev_enable(dev, id);
	dev_start(dev);
	call_getppid(calls);
	dev_stop(dev);
	good = CHECK(rings_drain(&rings));
	good &= CHECK_EQ(rings.errors, 0);
	good &= CHECK_EQ(rings.records[id], calls);
	good &= CHECK_EQ(dev_stats(dev, id).recorded, calls);
	rings_close(&rings);
	close(dev);
	return good;
}
