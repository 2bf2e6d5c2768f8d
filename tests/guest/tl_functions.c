// SPDX-License-Identifier: GPL-2.0-only
/* See tl_functions.h. */
#include "tl_functions.h"

#define TRACEFS "/sys/kernel/tracing/"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define NAMES_MAX 20000
#define RANGES_MAX 4000

/* Of the network and of file systems: none of them is busy in the guest. */
static const char *const prefixes[] = {
	"tcp_", "udp_", "ip6_", "ipv6_", "inet6_", "inet_", "xfrm_", "netlink_",
	"bpf_", "igmp", "arp_", "neigh_", "fib_", "dst_", "pci_", "nfs", "ndisc_",
};

static char *names[NAMES_MAX];
static unsigned int name_count;

static struct {
	unsigned long long begin, end;
} forbidden[RANGES_MAX];
static unsigned int forbidden_count;

static FILE *open_list(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		die("%s", path);
	return file;
}

unsigned int functions_traced(void)
{
	FILE *file = open_list(TRACEFS "enabled_functions");
	unsigned int count = 0;
	char line[1024];

	while (fgets(line, sizeof(line), file))
		/* more lines of one function tell who its users are */
		count += line[0] != ' ' && line[0] != '\t';
	fclose(file);
	return count;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_quiet(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return !strchr(name, '.');
	return false;
}

/* Of the kernel itself: a line of a module has a second word. */
static void read_names(void)
{
	FILE *file = open_list(TRACEFS "available_filter_functions");
	char line[512];

	while (fgets(line, sizeof(line), file) && name_count < NAMES_MAX) {
		if (strchr(line, ' ') || strchr(line, '['))
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (is_quiet(line))
			names[name_count++] = strdup(line);
	}
	fclose(file);
	qsort(names, name_count, sizeof(names[0]), by_name);
}

static void read_blacklist(void)
{
	FILE *file = open_list(BLACKLIST);
	unsigned long long begin, end;
	char line[512];

	while (fgets(line, sizeof(line), file) && forbidden_count < RANGES_MAX) {
		if (sscanf(line, "0x%llx-0x%llx", &begin, &end) != 2)
			continue;
		forbidden[forbidden_count].begin = begin;
		forbidden[forbidden_count++].end = end;
	}
	fclose(file);
}

static bool is_forbidden(unsigned long long address)
{
	unsigned int i;

	for (i = 0; i < forbidden_count; i++)
		if (address >= forbidden[i].begin && address < forbidden[i].end)
			return true;
	return false;
}

static bool is_name(const char *name)
{
	return bsearch(&name, names, name_count, sizeof(names[0]), by_name);
}

void functions_find(uint64_t *addresses, unsigned int count)
{
	FILE *file = open_list("/proc/kallsyms");
	unsigned int found = 0;
	unsigned long long address;
	char line[512], name[256], type;

	read_names();
	read_blacklist();
	while (found < count && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %255s", &address, &type, name) != 3 ||
		    (type != 't' && type != 'T') || !is_quiet(name) ||
		    !is_name(name) || is_forbidden(address))
			continue;
		addresses[found++] = address;
	}
	fclose(file);
	if (found < count)
		die("only %u functions", found);
}
