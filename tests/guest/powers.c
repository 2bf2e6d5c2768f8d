// SPDX-License-Identifier: GPL-2.0-only
/*
 * powers CAPABILITY[,CAPABILITY...] COMMAND...: runs a command as the user
 * nobody, with these capabilities (their numbers) and no others; "none": none.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static uint64_t read_mask(char *text)
{
	uint64_t mask = 0;
	char *word;

	if (!strcmp(text, "none"))
		return 0;
	for (word = strtok(text, ","); word; word = strtok(NULL, ","))
		mask |= 1ull << atoi(word);
	return mask;
}

static int set_caps(uint64_t mask)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		data[i].effective = (uint32_t)(mask >> 32 * i);
		data[i].permitted = data[i].effective;
		data[i].inheritable = data[i].effective;
	}
	return (int)syscall(SYS_capset, &header, data);
}

int main(int argc, char **argv)
{
	uint64_t mask;
	unsigned int cap;

	if (argc < 3)
		return 2;
	mask = read_mask(argv[1]);
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || set_caps(mask)) {
		perror("powers");
		return 125;
	}
	/* what is ambient outlives the exec */
	for (cap = 0; cap < 64; cap++)
		if (mask >> cap & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0)) {
			perror("powers");
			return 125;
		}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
