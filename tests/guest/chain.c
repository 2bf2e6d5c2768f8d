// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls whose stack is known, for t_stack.sh:
 *
 *	chain call	main() -> stack_a() -> stack_b() -> stack_c() -> getppid()
 *	chain deep N	main() -> stack_deep() N times -> stack_c() -> getppid()
 *	chain 32 FILE	getppid() as a 32-bit program would, on frames that are
 *			made up; what must be printed of them goes to FILE
 *	chain open	open("/dev/null")
 *
 * Where the user's stack is asked for it stays for a while, so that its mappings
 * can be looked at.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define KNOWN __attribute__((noinline, noclone))

/* Where in the page of a 32-bit program its parts are. */
enum { CODE64 = 0x80, TARGET = 0xd00, FRAME_1 = 0xe40, FRAME_2 = 0xe60,
       SAVED = 0xf00 };

long stack_a(void);
long stack_b(void);
long stack_c(void);
long stack_deep(int depth);
void enter_32(uintptr_t page);

/*
 * The system call itself: the C library's function would have no frame. This one
 * has, since it asks for its address, although it calls nothing.
 */
KNOWN long stack_c(void)
{
	long result;

	asm volatile("syscall" : "=a"(result) :
		     "0"(110L), "b"(__builtin_frame_address(0)) :
		     "rcx", "r11", "memory");
	return result;
}

KNOWN long stack_b(void)
{
	long result = stack_c();

	asm volatile("" : "+r"(result));
	return result;
}

KNOWN long stack_a(void)
{
	long result = stack_b();

	asm volatile("" : "+r"(result));
	return result;
}

KNOWN long stack_deep(int depth)
{
	long result = depth > 1 ? stack_deep(depth - 1) : stack_c();

	asm volatile("" : "+r"(result));
	return result;
}

/*
 * To the 32-bit code at the start of @page, on the stack and the frames that are
 * in it. That comes back by the code at CODE64. (A far return would do, but QEMU
 * reads its stack with the rights of the kernel.)
 */
asm(".pushsection .text\n"
    ".globl enter_32\n"
    "enter_32:\n"
    "	push %rbx\n"
    "	push %rbp\n"
    "	push %r12\n"
    "	push %r13\n"
    "	push %r14\n"
    "	push %r15\n"
    "	mov %rsp, 0xf00(%rdi)\n"
    "	lea 0xe00(%rdi), %rsp\n"
    "	lea 0xe40(%rdi), %rbp\n"
    "	ljmpl *0xd00(%rdi)\n"
    ".popsection\n");

static void put32(unsigned char *to, uint32_t value)
{
	memcpy(to, &value, sizeof(value));
}

static void call_32(const char *file)
{
	/* mov $64, %eax; int $0x80; ljmp $0x33, $CODE64 */
	static const unsigned char code_32[] = {
		0xb8, 64, 0, 0, 0, 0xcd, 0x80, 0xea, 0, 0, 0, 0, 0x33, 0,
	};
	/* mov SAVED, %rsp; pop %r15, %r14, %r13, %r12, %rbp, %rbx; ret */
	static const unsigned char code_64[] = {
		0x48, 0x8b, 0x24, 0x25, 0, 0, 0, 0, 0x41, 0x5f, 0x41, 0x5e,
		0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3,
	};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uint32_t at = (uint32_t)(uintptr_t)page;
	FILE *out = fopen(file, "w");

	if (page == MAP_FAILED || !out)
		exit(1);
	memcpy(page, code_32, sizeof(code_32));
	put32(page + 8, at + CODE64);
	memcpy(page + CODE64, code_64, sizeof(code_64));
	put32(page + CODE64 + 4, at + SAVED);
	put32(page + TARGET, at);
	put32(page + TARGET + 4, 0x23);
	put32(page + FRAME_1, at + FRAME_2);
	put32(page + FRAME_1 + 4, 0x1111);
	put32(page + FRAME_2, 0);
	put32(page + FRAME_2 + 4, 0x2222);
	/* behind the int $0x80 */
	fprintf(out, "u s=[0x%x [anon] <- 0x1111 <- 0x2222]\n", at + 7);
	fclose(out);
	enter_32((uintptr_t)page);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long result = 0;

	if (!strcmp(what, "call"))
		result = stack_a();
	else if (!strcmp(what, "deep") && argc > 2)
		result = stack_deep(atoi(argv[2]));
	else if (!strcmp(what, "32") && argc > 2)
		call_32(argv[2]);
	else if (!strcmp(what, "open"))
		return open("/dev/null", O_RDONLY | O_CLOEXEC) < 0;
	else
		return 2;
	usleep(700000);
	return result < 0;
}
