/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registers of the probed machine: their names, their places in the register
 * frame that the kernel hands to a probe, and which hold a function's
 * arguments. x86-64 only so far.
 */
#ifndef TRAPLINE_REGS_H
#define TRAPLINE_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** regs_names - the registers, as an error lists them */
extern const char regs_names[];

/**
 * regs_find() - where the register frame has a register
 * @name: without "%", not terminated
 * @length: of @name
 * @offset: out: bytes from the start of struct pt_regs
 */
bool regs_find(const char *name, size_t length, uint64_t *offset);

/** regs_name() - the kernel's name of the register at that offset */
const char *regs_name(uint64_t offset);

/** regs_is_ip() - is it the register that says where the CPU is? */
bool regs_is_ip(uint64_t offset);

/**
 * regs_argument() - where a function finds its argument when it starts
 * @number: from 1
 * @word: out: offset in struct pt_regs, or number of the word on the stack
 *
 * Returns true for a register, false for the stack.
 */
bool regs_argument(uint64_t number, uint64_t *word);

/**
 * regs_syscall_prefix - what stands before a system call's name in that of the
 * function that takes it from user space, whose only argument is the address of
 * the caller's registers
 */
extern const char regs_syscall_prefix[];

/**
 * regs_syscall_argument() - where the caller's registers have an argument of a
 * system call
 * @number: from 1
 * @offset: out: bytes from the start of struct pt_regs
 *
 * Returns false where a system call has no such argument.
 */
bool regs_syscall_argument(uint64_t number, uint64_t *offset);

#endif
