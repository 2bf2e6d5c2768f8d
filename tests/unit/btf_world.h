/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbols of symbols_world.h with types: a small BTF that is made here. It
 * has these functions,
 *
 *	ssize_t vfs_read(struct file *file, char *buf, size_t count,
 *			 loff_t *pos)
 *	long do_sys_openat2(int dfd, const char *filename,
 *			    struct open_how *how)
 *	long vfs_readx(_Bool flag, char letter, unsigned short word,
 *		       enum kind kind, kuid_t uid, unsigned long, void *any, ...)
 *	struct file *vfs_readv(int before, struct pair pair, int after)
 *	void schedule(void)
 *	int ext4_file_open(struct ext4_info *info, struct file *filp)
 *	int ext4_file_read(struct empty none, struct file *filp)
 *
 * of which the last two are in the module ext4; the module tgt has no BTF. Of
 * icmp_reply, name_show, bonding_show and __x64_sys_openat there are several,
 * see add_several_calls(), as there are of some structs.
 */
#ifndef TRAPLINE_BTF_WORLD_H
#define TRAPLINE_BTF_WORLD_H

#include "symbols_world.h"

/* offsets in the structs, see btf_world.c */
enum {
	FILE_OP = 0,
	FILE_INODE = 8,		/* in an anonymous union in a struct */
	FILE_FLAGS = 16,
	FILE_BITS = 20,		/* f_a:3, f_b:5, one bit, f_c:4 */
	FILE_PATH = 24,
	FILE_POS = 40,
	FILE_NAME = 48,
	FILE_TAG = 56,
	FILE_NUMS = 64,
	FILE_NEXT = 80,
	FILE_PACKED = 88,	/* f_packed:31 from bit 3 on, f_far:9 */
	FILE_BYTES = 96,
	PATH_DENTRY = 8,
	DENTRY_NAME = 8,
	QSTR_LEN = 4,		/* in an anonymous struct in a union */
	QSTR_NAME = 8,
	TASK_TASKS = 8,
	TASK_PID = 24,
	TASK_COMM = 28,
	HOW_FLAGS = 0,
	INFO_FILE = 16,
	INFO_NAMES = 24,
};

/* Fixtures of a group of tests; free with free_symbols(). */
int load_symbols_with_types(void **state);

/* Write @bytes to "@folder/@name", for what there is to read besides. */
void write_types(const char *folder, const char *name, const void *bytes,
		 size_t size);

#endif
