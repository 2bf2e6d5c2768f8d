// SPDX-License-Identifier: LGPL-2.1-or-later
/* Registers of x86-64, see regs.h. */
#include <string.h>

#include "regs.h"

/* Bytes from the start of struct pt_regs: an ABI of the kernel (ptrace). */
enum {
	REG_R15 = 0,
	REG_R14 = 8,
	REG_R13 = 16,
	REG_R12 = 24,
	REG_BP = 32,
	REG_BX = 40,
	REG_R11 = 48,
	REG_R10 = 56,
	REG_R9 = 64,
	REG_R8 = 72,
	REG_AX = 80,
	REG_CX = 88,
	REG_DX = 96,
	REG_SI = 104,
	REG_DI = 112,
	REG_ORIG_AX = 120,
	REG_IP = 128,
	REG_CS = 136,
	REG_FLAGS = 144,
	REG_SP = 152,
	REG_SS = 160,
};

const char regs_names[] = "%ax %bx %cx %dx %si %di %bp %sp %r8 to %r15 %ip "
			  "%flags %cs %ss %orig_ax, all with 64 bits";

/*
 * The kernel's names first; %ax is all 64 bits of rax to it. The names of the
 * processor's manual are accepted too. Those of halves (%eax, %al) are not:
 * the kernel refuses them, and here they would promise a width that they do
 * not have.
 */
static const struct {
	const char *name;
	unsigned int offset;
} regs[] = {
	{ "ax", REG_AX },	{ "bx", REG_BX },
	{ "cx", REG_CX },	{ "dx", REG_DX },
	{ "si", REG_SI },	{ "di", REG_DI },
	{ "bp", REG_BP },	{ "sp", REG_SP },
	{ "r8", REG_R8 },	{ "r9", REG_R9 },
	{ "r10", REG_R10 },	{ "r11", REG_R11 },
	{ "r12", REG_R12 },	{ "r13", REG_R13 },
	{ "r14", REG_R14 },	{ "r15", REG_R15 },
	{ "ip", REG_IP },	{ "flags", REG_FLAGS },
	{ "cs", REG_CS },	{ "ss", REG_SS },
	{ "orig_ax", REG_ORIG_AX },
	{ "rax", REG_AX },	{ "rbx", REG_BX },
	{ "rcx", REG_CX },	{ "rdx", REG_DX },
	{ "rsi", REG_SI },	{ "rdi", REG_DI },
	{ "rbp", REG_BP },	{ "rsp", REG_SP },
	{ "rip", REG_IP },
};

/* The System V ABI's integer arguments. */
static const unsigned int argument_regs[] = {
	REG_DI, REG_SI, REG_DX, REG_CX, REG_R8, REG_R9,
};

const char regs_syscall_prefix[] = "__x64_sys_";

/* The same of a system call: SYSCALL itself takes cx. */
static const unsigned int syscall_regs[] = {
	REG_DI, REG_SI, REG_DX, REG_R10, REG_R8, REG_R9,
};

bool regs_find(const char *name, size_t length, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		if (strlen(regs[i].name) != length ||
		    memcmp(regs[i].name, name, length))
			continue;
		*offset = regs[i].offset;
		return true;
	}
	return false;
}

const char *regs_name(uint64_t offset)
{
	size_t i = 0;

	while (i < sizeof(regs) / sizeof(regs[0]) && regs[i].offset != offset)
		i++;
	return i < sizeof(regs) / sizeof(regs[0]) ? regs[i].name : "";
}

bool regs_is_ip(uint64_t offset)
{
	return offset == REG_IP;
}

bool regs_argument(uint64_t number, uint64_t *word)
{
	const uint64_t count = sizeof(argument_regs) / sizeof(argument_regs[0]);

	if (number <= count) {
		*word = argument_regs[number - 1];
		return true;
	}
	/* word 0 is the return address */
	*word = number - count;
	return false;
}

bool regs_syscall_argument(uint64_t number, uint64_t *offset)
{
	if (!number ||
	    number > sizeof(syscall_regs) / sizeof(syscall_regs[0]))
		return false;
	*offset = syscall_regs[number - 1];
	return true;
}
