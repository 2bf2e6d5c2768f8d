// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * See instructions.h. As the kernel does, a function is decoded from its start
 * on. It looks at its own code through the probes that are in it; what is read
 * here has them: int3 in place of a first byte, or a jump to a copy of several
 * instructions. Where there may be one before the offset, nothing is known.
 * (Calls of ftrace, static calls and jump labels are as long as what they
 * replace.)
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "core_file.h"
#include "instructions.h"
#include "refusal.h"

#define OPCODE_JUMP	0xe9
#define OPCODE_INT3	0xcc
/* More than any function has; what is further in is not looked at. */
#define OFFSET_MAX	(UINT64_C(1) << 20)

/**
 * struct walk - on the way through a function
 * @symbols: the kernel's
 * @start: address of the function
 * @code: its bytes
 * @bytes: how many were read
 * @at: offset of the next instruction
 * @last: the one before it; all zero at the start
 * @no_probes: it was looked up that there are none in @bytes
 * @decoder: for this machine
 */
struct walk {
	const struct trapline_symbols *symbols;
	uint64_t start;
	unsigned char *code;
	size_t bytes;
	size_t at;
	ZydisDecodedInstruction last;
	bool no_probes;
	ZydisDecoder decoder;
};

/* ---- probes in the way ------------------------------------------------ */

/*
 * The kernel's list, "ADDRESS  k  vfs_read+0x5    [DISABLED]", is read anew each
 * time: probes come and go. Those of ftrace leave lengths as they are.
 */
static bool has_no_probes(const char *path, uint64_t start, uint64_t end)
{
	FILE *file = fopen(path, "re");
	bool none = true;
	size_t size = 0;
	char *line = NULL;

	if (!file)
		return false;
	while (none && getline(&line, &size, file) >= 0) {
		uint64_t address;

		/* addresses may be hidden */
		if (sscanf(line, "%" SCNx64, &address) != 1 || !address)
			none = false;
		else if (address >= start && address < end)
			none = strstr(line, "[FTRACE]") != NULL;
	}
	none = none && !ferror(file);
	free(line);
	fclose(file);
	return none;
}

/* Does nothing run from this one to the next? */
static bool ends_run(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_RET ||
	       insn->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       insn->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD2;
}

/*
 * A byte 0xcc is a probe's, or what stands behind a return or a jump to stop
 * the processor from guessing on.
 */
static bool is_filler(struct walk *walk)
{
	const char *list = symbols_code(walk->symbols)->probes;

	if (!ends_run(&walk->last))
		return false;
	if (!walk->no_probes && list)
		walk->no_probes = has_no_probes(list, walk->start,
						walk->start + walk->bytes);
	return walk->no_probes;
}

/* That of an optimised probe goes to code that was made at run time. */
static bool jumps_to_function(const struct walk *walk,
			      const ZydisDecodedInstruction *insn)
{
	const uint64_t target = walk->start + walk->at + insn->length +
				(uint64_t)insn->raw.imm[0].value.s;
	const struct symbol *symbol = symbols_by_address(walk->symbols, target);

	return symbol && symbol_is_code(symbol) &&
	       !symbol_is_made_at_run_time(symbol);
}

static bool is_trusted(struct walk *walk, const ZydisDecodedInstruction *insn)
{
	const unsigned char *code = walk->code + walk->at;

	/* memory that could not be read is zeros in a core */
	if (insn->length == 2 && !code[0] && !code[1])
		return false;
	if (code[0] == OPCODE_INT3)
		return is_filler(walk);
	return code[0] != OPCODE_JUMP || jumps_to_function(walk, insn);
}

/* ---- decoding --------------------------------------------------------- */

/* To the next instruction; false if this one is not known. */
static bool step(struct walk *walk)
{
	ZydisDecodedInstruction insn;

	if (walk->at >= walk->bytes ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&walk->decoder, NULL,
							walk->code + walk->at,
							walk->bytes - walk->at,
							&insn)) ||
	    !is_trusted(walk, &insn))
		return false;
	walk->last = insn;
	walk->at += insn.length;
	return true;
}

/* Is it one that raises an exception? The kernel takes no probe there. */
static bool is_trap(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD0 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD1 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD2;
}

static enum instruction_place find(struct walk *walk, uint64_t offset,
				   struct instruction *around)
{
	around->before = offset;
	do {
		around->behind = walk->at;
		if (!step(walk))
			return around->behind == offset ? INSTRUCTION_BEGINS :
							  INSTRUCTION_UNKNOWN;
		if (around->behind < offset && !is_trap(&walk->last))
			around->before = around->behind;
	} while (walk->at <= offset);
	/* at int3 some kernels say the same as inside, others nothing of use */
	if (around->behind == offset &&
	    walk->last.mnemonic != ZYDIS_MNEMONIC_INT3)
		return INSTRUCTION_BEGINS;
	do
		around->behind = walk->at;
	while (step(walk) && is_trap(&walk->last));
	return INSTRUCTION_INSIDE;
}

enum instruction_place instruction_at(const struct trapline_symbols *symbols,
				      uint64_t start, uint64_t bytes,
				      uint64_t offset,
				      struct instruction *around)
{
	const struct code_files *files = symbols_code(symbols);
	struct walk walk = {
		.symbols = symbols,
		.start = start,
	};
	enum instruction_place place;

	if (!offset)
		return INSTRUCTION_BEGINS;
	if (!files->core || offset >= bytes || offset > OFFSET_MAX)
		return INSTRUCTION_UNKNOWN;
	/* and one behind it */
	walk.bytes = offset + 2 * ZYDIS_MAX_INSTRUCTION_LENGTH;
	if (walk.bytes > bytes)
		walk.bytes = bytes;
	walk.code = malloc(walk.bytes);
	if (!walk.code ||
	    !ZYAN_SUCCESS(ZydisDecoderInit(&walk.decoder,
					   ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64))) {
		free(walk.code);
		return INSTRUCTION_UNKNOWN;
	}
	walk.bytes = core_file_read(files->core, EM_X86_64, start, walk.code,
				    walk.bytes);
	place = find(&walk, offset, around);
	free(walk.code);
	return place;
}

/* ---- events ----------------------------------------------------------- */

/* True if the place is inside an instruction, and marked. */
static bool mark_inside(struct trapline_event *part,
			const struct trapline_symbols *symbols,
			struct instruction *around)
{
	/* a tracepoint is no address, and a module that is away has none */
	if (!part->offset || !part->address ||
	    instruction_at(symbols, part->address - part->offset,
			   part->symbol_bytes, part->offset,
			   around) != INSTRUCTION_INSIDE)
		return false;
	part->state = TRAPLINE_PLACE_REFUSED;
	part->refused.code = TL_ERR_PLACE_BOUNDARY;
	return true;
}

int instructions_check(struct trapline_event *event,
		       const struct trapline_symbols *symbols,
		       struct trapline_error *err)
{
	/* as the kernel itself says it */
	const struct tl_error why = {
		.code = TL_ERR_PLACE_BOUNDARY,
		.kernel_errno = EILSEQ,
	};
	struct instruction around;
	unsigned int i;

	for (i = 0; i < event->more_count; i++)
		mark_inside(event->more[i], symbols, &around);
	if (!mark_inside(event, symbols, &around))
		return 0;
	if (event->more_count)
		return refusal_all(event, err);
	refusal_set(err, EILSEQ, &why, event);
	refusal_hint_instructions(err, event, around.before, around.behind);
	return -EINVAL;
}
