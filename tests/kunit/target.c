// SPDX-License-Identifier: GPL-2.0-only
/* Functions to be probed. This file is compiled with the call sites of ftrace. */
#include <linux/compiler.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/linkage.h>
#include <linux/string.h>

#include <asm/ibt.h>

#include "target.h"

noinline __noclone long tl_target_traced(long a, long b)
{
	barrier(); /* or a call without use would not be made */
	return a + 2 * b;
}

noinline __noclone notrace long tl_target_untraced(long a, long b)
{
	barrier();
	return a + 2 * b;
}

noinline __noclone long tl_target_nested(long depth)
{
	long below = 0;

	if (depth > 1)
		below = tl_target_nested(depth - 1);
	barrier(); /* no loop, and no jump in place of the call */
	return below + 1;
}

asm(".pushsection .text, \"ax\"\n"
    "	.p2align 4\n"
    "	.globl tl_target_steps\n"
    "	.type tl_target_steps, @function\n"
    "tl_target_steps:\n"
    "	" ASM_ENDBR
    "	lea (%rdi,%rsi,1), %rax\n"
    ".Ltl_target_middle:\n"
    "	imul $3, %rax, %rax\n"
    "	add $7, %rax\n"
    "	" ASM_RET
    "	.size tl_target_steps, . - tl_target_steps\n"
    "	.p2align 4\n"
    "	.globl tl_target_push\n"
    "	.type tl_target_push, @function\n"
    "tl_target_push:\n"
    "	" ASM_ENDBR
    "	push %rbx\n"
    "	lea (%rdi,%rsi,2), %rax\n"
    "	pop %rbx\n"
    "	" ASM_RET
    "	.size tl_target_push, . - tl_target_push\n"
    ".popsection\n"
    ".pushsection .rodata, \"a\"\n"
    "	.balign 8\n"
    "	.globl tl_target_steps_middle\n"
    "tl_target_steps_middle:\n"
    "	.quad .Ltl_target_middle - tl_target_steps\n"
    ".popsection\n");

enum tl_mechanism tl_target_mechanism(unsigned long address)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const u8 *code = (const u8 *)address;

	if (!memcmp(code, endbr, sizeof(endbr)))
		code += sizeof(endbr);
	switch (READ_ONCE(*code)) {
	case 0xcc:
		return TL_BY_INT3;
	case 0xe9:
		return TL_BY_JUMP;
	case 0xe8:
		return TL_BY_FTRACE;
	}
	return TL_BY_NOTHING;
}

bool tl_target_is_in(u64 address, const char *name)
{
	char text[KSYM_NAME_LEN];

	/* a return address may be the start of the next function */
	snprintf(text, sizeof(text), "%ps", (void *)(unsigned long)(address - 1));
	return !strncmp(text, name, strlen(name));
}
