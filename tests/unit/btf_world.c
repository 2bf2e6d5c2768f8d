// SPDX-License-Identifier: GPL-2.0-only
/* See btf_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "btf_world.h"

/* Numbers of the types that others are made of. */
static struct {
	int int_, uint, long_, ulong, llong, ushort, char_, uchar, bool_, double_;
	int text, void_ptr, list, qstr, dentry, path, file, file_ptr, how, task;
} id;

/* libbpf gives the number of a type, or an error. */
static int added(int number)
{
	assert_true(number > 0);
	return number;
}

static void field(struct btf *btf, const char *name, int type, int byte)
{
	assert_int_equal(btf__add_field(btf, name, type, (__u32)byte * 8, 0), 0);
}

static void bit_field(struct btf *btf, const char *name, int type, int bit,
		      int bits)
{
	assert_int_equal(btf__add_field(btf, name, type, (__u32)bit,
					(__u32)bits), 0);
}

static int pointer(struct btf *btf, int type)
{
	return added(btf__add_ptr(btf, type));
}

static int array(struct btf *btf, int type, int count)
{
	return added(btf__add_array(btf, id.int_, type, (__u32)count));
}

static void add_numbers(struct btf *btf)
{
	id.int_ = added(btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	id.uint = added(btf__add_int(btf, "unsigned int", 4, 0));
	id.long_ = added(btf__add_int(btf, "long int", 8, BTF_INT_SIGNED));
	id.ulong = added(btf__add_int(btf, "long unsigned int", 8, 0));
	id.llong = added(btf__add_typedef(btf, "loff_t", id.long_));
	id.ushort = added(btf__add_int(btf, "short unsigned int", 2, 0));
	id.char_ = added(btf__add_int(btf, "char", 1, BTF_INT_SIGNED));
	id.uchar = added(btf__add_int(btf, "unsigned char", 1, 0));
	id.bool_ = added(btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL));
	id.double_ = added(btf__add_float(btf, "double", 8));
	id.text = pointer(btf, added(btf__add_const(btf, id.char_)));
	id.void_ptr = pointer(btf, 0);
}

static void add_names(struct btf *btf)
{
	int inner, both;

	inner = added(btf__add_struct(btf, NULL, 8));
	field(btf, "hash", id.uint, 0);
	field(btf, "len", id.uint, QSTR_LEN);
	both = added(btf__add_union(btf, NULL, 8));
	field(btf, NULL, inner, 0);
	field(btf, "hash_len", id.ulong, 0);
	id.qstr = added(btf__add_struct(btf, "qstr", 16));
	field(btf, NULL, both, 0);
	field(btf, "name", id.text, QSTR_NAME);
	id.dentry = added(btf__add_struct(btf, "dentry", 24));
	field(btf, "d_parent", id.void_ptr, 0);
	field(btf, "d_name", id.qstr, DENTRY_NAME);
	inner = pointer(btf, id.dentry);
	id.path = added(btf__add_struct(btf, "path", 16));
	field(btf, "mnt", id.void_ptr, 0);
	field(btf, "dentry", inner, PATH_DENTRY);
}

static void add_file(struct btf *btf)
{
	int inner, tag, numbers;

	inner = added(btf__add_union(btf, NULL, 8));
	field(btf, "f_inode", id.void_ptr, 0);
	tag = array(btf, id.char_, 8);
	numbers = array(btf, id.int_, 4);
	/* to the struct that comes next */
	id.file_ptr = pointer(btf, (int)btf__type_cnt(btf) + 1);
	id.file = added(btf__add_struct(btf, "file", FILE_BYTES));
	field(btf, "f_op", id.void_ptr, FILE_OP);
	field(btf, NULL, inner, FILE_INODE);
	field(btf, "f_flags", id.uint, FILE_FLAGS);
	bit_field(btf, "f_a", id.uint, FILE_BITS * 8, 3);
	bit_field(btf, "f_b", id.int_, FILE_BITS * 8 + 3, 5);
	bit_field(btf, "f_c", id.uint, FILE_BITS * 8 + 9, 4);
	field(btf, "f_path", id.path, FILE_PATH);
	field(btf, "f_pos", id.llong, FILE_POS);
	field(btf, "f_name", id.text, FILE_NAME);
	field(btf, "f_tag", tag, FILE_TAG);
	field(btf, "f_nums", numbers, FILE_NUMS);
	field(btf, "f_next", id.file_ptr, FILE_NEXT);
	bit_field(btf, "f_packed", id.uint, FILE_PACKED * 8 + 3, 31);
	bit_field(btf, "f_far", id.ushort, FILE_PACKED * 8 + 38, 9);
	assert_int_equal(btf__type_by_id(btf, (__u32)id.file_ptr)->type,
			 id.file);
}

static void add_task(struct btf *btf)
{
	int comm = array(btf, id.char_, 16);

	id.list = added(btf__add_struct(btf, "list_head", 16));
	field(btf, "next", id.void_ptr, 0);
	field(btf, "prev", id.void_ptr, 8);
	id.task = added(btf__add_struct(btf, "task_struct", 48));
	field(btf, "state", id.long_, 0);
	field(btf, "tasks", id.list, TASK_TASKS);
	field(btf, "pid", id.int_, TASK_PID);
	field(btf, "comm", comm, TASK_COMM);
	id.how = added(btf__add_struct(btf, "open_how", 24));
	field(btf, "flags", id.ulong, HOW_FLAGS);
	field(btf, "mode", id.ulong, 8);
}

/* A function; its parameters end with a name of NULL. */
struct params {
	const char *name;
	int type;
};

static void add_function(struct btf *btf, const char *name, int result,
			 const struct params *params)
{
	int proto = added(btf__add_func_proto(btf, result));

	for (; params->name; params++)
		assert_int_equal(btf__add_func_param(btf, params->name,
						     params->type), 0);
	added(btf__add_func(btf, name, BTF_FUNC_STATIC, proto));
}

static void add_calls(struct btf *btf)
{
	const int buf = pointer(btf, id.char_);
	const int count = added(btf__add_typedef(btf, "size_t", id.ulong));
	const int pos = pointer(btf, id.llong);
	const int how = pointer(btf, id.how);

	add_function(btf, "vfs_read", id.long_, (const struct params[]){
		{ "file", id.file_ptr }, { "buf", buf }, { "count", count },
		{ "pos", pos }, { NULL, 0 } });
	add_function(btf, "do_sys_openat2", id.long_, (const struct params[]){
		{ "dfd", id.int_ }, { "filename", id.text }, { "how", how },
		{ NULL, 0 } });
	add_function(btf, "vfs_inlined", id.long_, (const struct params[]){
		{ "file", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "schedule", 0, (const struct params[]){
		{ NULL, 0 } });
}

static void add_odd_calls(struct btf *btf)
{
	int kind, uid, pair;

	kind = added(btf__add_enum(btf, "kind", 4));
	assert_int_equal(btf__add_enum_value(btf, "KIND_NONE", 0), 0);
	uid = added(btf__add_struct(btf, "kuid", 4));
	field(btf, "val", id.uint, 0);
	uid = added(btf__add_typedef(btf, "kuid_t", uid));
	pair = added(btf__add_struct(btf, "pair", 16));
	field(btf, "first", id.long_, 0);
	add_function(btf, "vfs_readx", id.long_, (const struct params[]){
		{ "flag", id.bool_ }, { "letter", id.char_ },
		{ "word", id.ushort }, { "kind", kind }, { "uid", uid },
		{ "", id.ulong }, { "any", id.void_ptr }, { "", 0 },
		{ NULL, 0 } });
	add_function(btf, "vfs_readv", id.file_ptr, (const struct params[]){
		{ "before", id.int_ }, { "pair", pair }, { "after", id.int_ },
		{ NULL, 0 } });
}

/* Functions of one name: they differ, or only their parameters' names do. */
static void add_several_calls(struct btf *btf)
{
	const int other = pointer(btf, id.task);
	const int regs = pointer(btf, id.how);
	const struct params unused[] = { { "__unused", regs }, { NULL, 0 } };

	add_function(btf, "icmp_reply", id.int_, (const struct params[]){
		{ "s", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "icmp_reply", id.int_, (const struct params[]){
		{ "s", other }, { NULL, 0 } });
	add_function(btf, "name_show", id.int_, (const struct params[]){
		{ "s", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "name_show", id.long_, (const struct params[]){
		{ "s", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "bonding_show", id.int_, (const struct params[]){
		{ "file", id.file_ptr }, { "a", id.int_ }, { NULL, 0 } });
	add_function(btf, "bonding_show", id.int_, (const struct params[]){
		{ "file", pointer(btf, id.file) }, { "b", id.int_ },
		{ NULL, 0 } });
	add_function(btf, "__x64_sys_openat", id.long_, unused);
	add_function(btf, "__x64_sys_openat", id.long_, (const struct params[]){
		{ "regs", pointer(btf, id.how) }, { NULL, 0 } });
	add_function(btf, "__x64_sys_openat", id.long_, unused);
	/* no symbol has this name */
	add_function(btf, "vfs_twice", id.int_, unused);
	add_function(btf, "vfs_twice", id.long_, unused);
}

static void add_twin(struct btf *btf, const char *name, const char *first,
		     int type, const char *second)
{
	added(btf__add_struct(btf, name, 16));
	field(btf, first, type, 0);
	field(btf, second, type, 8);
}

/* Structs of one name: "twin" differ, "same" do not, "late" is declared first. */
static void add_several_structs(struct btf *btf)
{
	const int declared = added(btf__add_fwd(btf, "late", BTF_FWD_STRUCT));
	const int late = pointer(btf, declared);
	const int twin = pointer(btf, added(btf__add_fwd(btf, "twin",
							 BTF_FWD_STRUCT)));

	add_twin(btf, "twin", "left", id.int_, "both");
	add_twin(btf, "twin", "both", id.int_, "right");
	add_twin(btf, "same", "one", id.file_ptr, "two");
	add_twin(btf, "same", "one", pointer(btf, id.file), "two");
	add_twin(btf, "late", "early", id.long_, "later");
	added(btf__add_struct(btf, "holder", 16));
	field(btf, "late", late, 0);
	field(btf, "twin", twin, 8);
}

/* The type of the probes of a tracepoint: its arguments have no names. */
static void add_trace_type(struct btf *btf, const char *name, const int *params)
{
	const int proto = added(btf__add_func_proto(btf, 0));

	for (; *params; params++)
		assert_int_equal(btf__add_func_param(btf, "", *params), 0);
	added(btf__add_typedef(btf, name, pointer(btf, proto)));
}

/* With names where the kernel has a function of it. */
static void add_tracepoints(struct btf *btf)
{
	const int task = pointer(btf, id.task);
	const struct params switches[] = {
		{ "__data", id.void_ptr }, { "preempt", id.bool_ },
		{ "prev", task }, { "next", task }, { "prev_state", id.uint },
		{ NULL, 0 } };
	const struct params wakes[] = {
		{ "__data", id.void_ptr }, { "p", task }, { NULL, 0 } };

	add_function(btf, "__traceiter_sched_switch", id.int_, switches);
	add_function(btf, "__probestub_sched_switch", 0, switches);
	add_function(btf, "__traceiter_sched_wakeup", id.int_, wakes);
	add_function(btf, "__traceiter_sched_waking", id.int_, wakes);
	add_trace_type(btf, "btf_trace_sched_switch",
		       (const int[]){ id.void_ptr, id.bool_, task, task,
				      id.uint, 0 });
	add_trace_type(btf, "btf_trace_sys_enter",
		       (const int[]){ id.void_ptr, id.file_ptr, id.long_, 0 });
	/* no pointer to a function, and one without parameters */
	added(btf__add_typedef(btf, "btf_trace_no_types", id.long_));
	add_function(btf, "__traceiter_odd", id.int_,
		     (const struct params[]){ { NULL, 0 } });
}

static void add_kernel(struct btf *btf)
{
	add_numbers(btf);
	add_names(btf);
	add_file(btf);
	add_task(btf);
	add_calls(btf);
	add_odd_calls(btf);
	add_several_calls(btf);
	add_several_structs(btf);
	add_tracepoints(btf);
}

static void add_module(struct btf *btf)
{
	int names = array(btf, id.text, 2);
	int info;

	info = added(btf__add_struct(btf, "ext4_info", 40));
	field(btf, "i_size", id.llong, 0);
	field(btf, "i_file", id.file_ptr, INFO_FILE);
	field(btf, "i_names", names, INFO_NAMES);
	info = pointer(btf, info);
	add_function(btf, "ext4_file_open", id.int_, (const struct params[]){
		{ "info", info }, { "filp", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "ext4_file_read", id.int_, (const struct params[]){
		{ "none", added(btf__add_struct(btf, "empty", 0)) },
		{ "filp", id.file_ptr }, { NULL, 0 } });
	add_function(btf, "__traceiter_ext4_begin", id.int_,
		     (const struct params[]){ { "__data", id.void_ptr },
		{ "info", info }, { "blocks", id.int_ }, { NULL, 0 } });
}

/* ---- files ------------------------------------------------------------ */

void write_types(const char *folder, const char *name, const void *bytes,
		 size_t size)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wbe");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void write_btf(const char *folder, const char *name,
		      const struct btf *btf)
{
	__u32 size;
	const void *bytes = btf__raw_data(btf, &size);

	assert_non_null(bytes);
	write_types(folder, name, bytes, size);
}

static void remove_types(const char *folder, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

int load_symbols_with_types(void **state)
{
	char folder[] = "/tmp/trapline-btf.XXXXXX";
	const char *missing = "";
	struct btf *kernel, *module;

	if (load_symbols(state) || !mkdtemp(folder))
		return -1;
	kernel = btf__new_empty();
	assert_non_null(kernel);
	add_kernel(kernel);
	module = btf__new_empty_split(kernel);
	assert_non_null(module);
	add_module(module);
	write_btf(folder, "vmlinux", kernel);
	write_btf(folder, "ext4", module);
	btf__free(module);
	btf__free(kernel);
	/* it is read when it is needed: now, so that nothing is left behind */
	assert_int_equal(symbols_set_types(symbols, folder), 0);
	assert_int_equal(types_load(symbols_types(symbols), "ext4", &missing),
			 0);
	assert_null(missing);
	remove_types(folder, "ext4");
	remove_types(folder, "vmlinux");
	return rmdir(folder);
}
