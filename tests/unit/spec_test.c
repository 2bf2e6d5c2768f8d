// SPDX-License-Identifier: GPL-2.0-only
/*
 * Definitions as text: words, numbers, the tree, what is refused and where.
 * definitions.txt has the lines and what becomes of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/spec.h"
#include "symbols_world.h"

static struct spec_slice slice(const char *text)
{
	return (struct spec_slice){ text, (int)strlen(text), 0 };
}

/* ---- numbers and words ------------------------------------------------ */

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "10", 0, 10 },
		{ "010", 0, 8 },
		{ "0x10", 0, 16 },
		{ "0XfF", 0, 255 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "-1", 0, UINT64_MAX },
		{ "+5", 0, 5 },
		{ "-0x10", 0, (uint64_t)-16 },
		{ "+9223372036854775807", 0, INT64_MAX },
		{ "+9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775808", 0, (uint64_t)INT64_MIN },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ "--1", -EINVAL, 0 },
		{ "08", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "12a", -EINVAL, 0 },
		{ "99999999999999999999z", -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spec_slice text = slice(cases[i].text);
		uint64_t value = 0;

		assert_int_equal(spec_signed(&text, &value), cases[i].ret);
		if (!cases[i].ret)
			assert_int_equal(value, cases[i].value);
	}
}

/* Each word is followed by "|" in the expectation. */
static void check_words(const char *line, const char *expected)
{
	struct spec_lexer lexer = { .line = line, .at = line };
	struct spec_slice word;
	char words[256] = "";
	size_t used = 0;

	while (spec_lex_word(&lexer, &word)) {
		assert_ptr_equal(line + word.column, word.text);
		used += (size_t)snprintf(words + used, sizeof(words) - used,
					 "%.*s|", word.length, word.text);
	}
	assert_int_equal(word.length, 0);
	assert_string_equal(words, expected);
}

static void test_words(void **state)
{
	(void)state;
	check_words("", "");
	check_words(" \t ", "");
	check_words("# p vfs_read", "");
	check_words("p\tvfs_read\v%di \r", "p|vfs_read|%di|");
	check_words("p f#2 #x", "p|f#2|");
	check_words("p f#all", "p|f#all|");
	check_words("p f#all+4%return", "p|f#all+4%return|");
	check_words("p f#ally", "p|f|");
	check_words("p f#2x", "p|f|");
	check_words("p f %di#2", "p|f|%di|");
	check_words("p#2 f", "p|");
	check_words("p f \\\"a b\" %di", "p|f|\\\"a b\"|%di|");
	check_words("p f \\\"a#b\" %di", "p|f|\\\"a#b\"|%di|");
	check_words("p f \\\"a b c", "p|f|\\\"a|b|c|");
	check_words("p f \\\"a \\\"b\"", "p|f|\\\"a|\\\"b\"|");
	check_words("p f \\\"a\"b\" c\"", "p|f|\\\"a\"b\"|c\"|");
}

static void test_tree(void **state)
{
	const char *line = "p:g/e m:f+8 a=+u8(-16(%di)):s32";
	const struct spec_fetch *fetch;
	struct trapline_error err;
	struct spec *spec;

	(void)state;
	assert_int_equal(spec_parse(line, &spec, &err), 0);
	assert_int_equal(spec->kind, SPEC_ENTRY);
	assert_true(spec_is(&spec->group, "g"));
	assert_true(spec_is(&spec->event, "e"));
	assert_true(spec_is(&spec->place.module, "m"));
	assert_true(spec_is(&spec->place.symbol, "f"));
	assert_int_equal(spec->place.offset, 8);
	assert_int_equal(spec->arg_count, 1);
	assert_string_equal(spec->args[0].name, "a");
	assert_int_equal(spec->args[0].type.bytes, 4);
	assert_int_equal(spec->args[0].type.format, FIELD_SIGNED);
	fetch = spec->args[0].fetch;
	assert_int_equal(fetch->kind, SPEC_DEREF);
	assert_true(fetch->user);
	assert_int_equal(fetch->number, 8);
	assert_true(spec_is(&fetch->where, "+u8(-16(%di))"));
	fetch = fetch->inner;
	assert_int_equal(fetch->kind, SPEC_DEREF);
	assert_false(fetch->user);
	assert_int_equal((int64_t)fetch->number, -16);
	assert_true(spec_is(&fetch->where, "-16(%di)"));
	fetch = fetch->inner;
	assert_int_equal(fetch->kind, SPEC_REGISTER);
	assert_true(spec_is(&fetch->name, "di"));
	assert_null(fetch->inner);
	spec_free(spec);
}

/* ---- accepted and refused --------------------------------------------- */

/* What must be true of each refusal. */
static void check_error(const char *line, const struct trapline_error *err)
{
	assert_string_not_equal(trapline_error_name(err->code), "unknown");
	assert_true(err->text[0]);
	assert_null(strchr(err->text, '\n'));
	assert_null(strchr(err->hint, '\n'));
	assert_true(err->column >= 0);
	assert_true((size_t)err->column <= strlen(line));
	assert_true(err->length >= 1);
}

/* The outcome of a line in the form of definitions.txt. */
static void outcome(const char *line, char *text, size_t size)
{
	struct trapline_event *event;
	struct trapline_error err;
	int ret = trapline_event_parse(line, symbols, &event, &err);

	if (ret) {
		assert_null(event);
		check_error(line, &err);
		snprintf(text, size, "\t! %s %d", trapline_error_name(err.code),
			 err.column);
	} else if (!event) {
		snprintf(text, size, "\t=");
	} else {
		assert_string_equal(trapline_event_line(event), line);
		snprintf(text, size, "\t= ");
		trapline_event_listing(event, text + 3, size - 3);
		trapline_event_free(event);
	}
}

/* The next line of a file without its end and without comments. */
static bool next_line(FILE *file, char *line, int size)
{
	do {
		if (!fgets(line, size, file))
			return false;
	} while (line[0] == ';');
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static void test_definitions(void **state)
{
	FILE *file = fopen(TEST_DATA "/definitions.txt", "r");
	char line[1024], expected[1024], got[1024];
	unsigned int wrong = 0, count = 0;

	(void)state;
	assert_non_null(file);
	for (; next_line(file, line, sizeof(line)); count++) {
		assert_true(next_line(file, expected, sizeof(expected)));
		outcome(line, got, sizeof(got));
		if (!strcmp(expected, got))
			continue;
		print_error("%s\n%s expected\n%s got\n", line, expected, got);
		wrong++;
	}
	fclose(file);
	assert_int_equal(wrong, 0);
	assert_true(count > 300);
}

static void check_outcome(const char *line, const char *expected)
{
	char got[8192];

	outcome(line, got, sizeof(got));
	assert_string_equal(got, expected);
}

/* Ends of a line, blanks, and what is more than a line. */
static void test_line_ends(void **state)
{
	static const char *const same[] = {
		"p:t vfs_read %di\n", "p:t vfs_read %di\r\n",
		"p:t vfs_read %di\n\n", "p:t\tvfs_read\t%di\t",
		"\tp:t vfs_read %di # why\r\n",
	};
	static const char *const none[] = {
		"", "\n", "\r\n", "  ", "#", "# p", "\t# p\r\n",
	};
	struct trapline_event *event;
	struct trapline_error err;
	char listing[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(trapline_event_parse(same[i], symbols,
						      &event, &err), 0);
		trapline_event_listing(event, listing, sizeof(listing));
		assert_string_equal(listing, "p:kprobes/t vfs_read arg1=%di");
		assert_null(strpbrk(trapline_event_line(event), "\r\n"));
		trapline_event_free(event);
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(trapline_event_parse(none[i], symbols,
						      &event, &err), 0);
		assert_null(event);
	}
	check_outcome("p vfs_read\np schedule", "\t! line-many 10");
	assert_int_equal(trapline_event_parse("p +", symbols, &event, NULL),
			 -EINVAL);
}

/* A line of @length characters: a definition, blanks, an argument. */
static char *long_line(size_t length)
{
	char *line = malloc(length + 1);

	assert_non_null(line);
	memset(line, ' ', length);
	memcpy(line, "p vfs_read", 10);
	memcpy(line + length - 3, "%di", 4);
	return line;
}

static void test_line_length(void **state)
{
	const char *listing = "\t= p:kprobes/p_vfs_read_0 vfs_read arg1=%di";
	char *line = long_line(4096);

	(void)state;
	check_outcome(line, listing);
	free(line);
	line = long_line(SPEC_LINE_MAX);
	check_outcome(line, listing);
	free(line);
	line = long_line(SPEC_LINE_MAX + 1);
	check_outcome(line, "\t! line-long 65536");
	free(line);
}

static void test_argument_limit(void **state)
{
	char line[1024] = "p vfs_read";
	struct trapline_event *event;
	struct trapline_error err;
	size_t length = strlen(line);
	int i;

	(void)state;
	for (i = 0; i < SPEC_ARGS_MAX; i++)
		length += (size_t)snprintf(line + length,
					   sizeof(line) - length, " %%di");
	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 0);
	trapline_event_free(event);
	snprintf(line + length, sizeof(line) - length, " %%si");
	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "args-many");
	assert_int_equal(err.column, length + 1);
	assert_non_null(strstr(err.text, "128"));
}

/* "p vfs_read +0(+0(...%di...))" */
static void nested_line(char *line, size_t size, int depth)
{
	size_t length = (size_t)snprintf(line, size, "p vfs_read ");
	int i;

	for (i = 0; i < depth; i++)
		length += (size_t)snprintf(line + length, size - length,
					   "+0(");
	length += (size_t)snprintf(line + length, size - length, "%%di");
	for (i = 0; i < depth; i++)
		length += (size_t)snprintf(line + length, size - length, ")");
}

static void test_depth_limit(void **state)
{
	static char line[20000];
	char listing[1024];

	(void)state;
	nested_line(line, sizeof(line), SPEC_DEREF_MAX);
	outcome(line, listing, sizeof(listing));
	assert_int_equal(listing[1], '=');
	nested_line(line, sizeof(line), SPEC_DEREF_MAX + 1);
	check_outcome(line, "\t! deref-depth 203");
	nested_line(line, sizeof(line), 4000);
	check_outcome(line, "\t! deref-depth 203");
}

/* What a refusal says, in its text or its hint; NULL: it has no hint. */
static const struct {
	const char *line;
	const char *says;
} sayings[] = {
	{ "p:udp_send_skb si=%si",
	  "place \"si=%si\" is not a symbol" },
	{ "p:udp_send_skb si=%si",
	  "did you mean `p udp_send_skb si=%si`?" },
	{ " r5:g/vfs_read\t$retval ",
	  "did you mean `r5:g/ vfs_read $retval`?" },
	{ "p openta", "did you mean openat?" },
	{ "p vfs_read $sysarg1", "`p __x64_sys_openat`" },
	{ "p vfs_read $sysarg1", "but vfs_read is none" },
	{ "p vfs_raed", "did you mean vfs_read" },
	{ "p @", "p FUNCTION ARGUMENT" },
	{ "p icmp_push_reply", "icmp_push_reply.constprop.0" },
	{ "p udp_send_skb", "try udp_send_skb.isra.0" },
	{ "p tcp_slow", "only the part" },
	{ "p rcu_read_lock", "inlined" },
	{ "p early_setup", "memory was freed" },
	{ "p early_setup", "kprobe_event=" },
	{ "p entry_SYSCALL_64", "must not be instrumented" },
	{ "p name_show", "2 symbols" },
	{ "p name_show", "0xffffffff81007000, 0xffffffff81008000" },
	{ "p common_name", "20 symbols" },
	{ "p common_name", "0xffffffff8100a000, " },
	{ "p common_name", ", ..." },
	{ "p vfs_reae", "mean vfs_read, vfs_readv or vfs_readx?" },
	{ "p ext4:ext4_helper", "ext4_helper.isra.0" },
	{ "p ext4:udp_send_skb", "module ext4 has no symbol" },
	{ "p nosuchmod:foo#2", "not loaded" },
	{ "r nosuchmod:foo+4", "p foo+4" },
	{ "p nosuchmod:foo*", "modprobe nosuchmod" },
	{ "p vfs_read+768", "has 768 bytes" },
	{ "p vfs_read+768", "vfs_readv" },
	{ "r vfs_read+4", "p vfs_read+4" },
	{ "p vfs_read+4 $arg1", "vfs_read itself" },
	{ "p vfs_read %edi", "%di" },
	{ "p vfs_read %di:string", "+0(%di):string" },
	{ "p vfs_read 10", "\\NUMBER" },
	{ "p vfs_read @jiffie", "jiffies" },
	{ "p vfs_read @counter", "@0xffffffff82001008" },
	{ "p jiffies", "@jiffies" },
	{ "r4097 vfs_read", "4096" },
	{ "f8 vfs_read%return $retval", "did you mean `r8 vfs_read`?" },
	{ "p10:g/t\text4:ext4_file_open%return",
	  "did you mean `r10:g/t ext4:ext4_file_open`?" },
	{ "p a/b:0x10", "a path begins with /" },
	{ "e:t a.b", "not supported by this version" },
	{ "p vfs_read (struct file)%di->f_flags", "without the word struct" },
	{ "p vfs_read +0((union file)%di->x)", "without the word union" },
	{ "p vfs_read (file", NULL },
	{ "p vfs_read a=%di:u8 if a >= -128", "a signed type: :s8" },
	{ "p vfs_read a=%di:x16 if a > -1", "a signed type: :s16" },
	{ "p vfs_read a=%di:u8 if a >= -129", NULL },
	{ "p vfs_read a=%di:s8 if a >= -129", NULL },
	{ "p vfs_read a=%di:s8 if a & -129", NULL },
	{ "p vfs_read a=%di:u8 if a == 256", NULL },
	{ "p vfs_read a=%di:s8 if a == 128", NULL },
	{ "p vfs_read if tid == -1", NULL },
	{ "p vfs_read +0(%di):%pD[2]", "an array of %pD is not possible" },
};

static void test_says(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++) {
		struct trapline_event *event;
		struct trapline_error err;
		int ret = trapline_event_parse(sayings[i].line, symbols,
					       &event, &err);

		assert_int_equal(ret, -EINVAL);
		if (!sayings[i].says)
			assert_string_equal(err.hint, "");
		else if (!strstr(err.text, sayings[i].says) &&
		    !strstr(err.hint, sayings[i].says))
			fail_msg("%s: \"%s\" is not in \"%s\", \"%s\"",
				 sayings[i].line, sayings[i].says, err.text,
				 err.hint);
	}
}

/* Copies of a function in modules are told from the kernel's own. */
static void test_module_copy(void **state)
{
	static const char lines[] = "ffffffff81000000 T _stext\n"
		"ffffffff81001000 t twice\nffffffff81002000 T _etext\n"
		"ffffffffc0001000 t twice\t[net_x]\n";
	char path[] = "/tmp/trapline-spec.XXXXXX";
	struct trapline_symbols *own;
	struct trapline_event *event;
	struct trapline_error err;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, lines, sizeof(lines) - 1),
			 sizeof(lines) - 1);
	close(fd);
	assert_int_equal(trapline_symbols_load(path, &own, &err), 0);
	unlink(path);
	assert_int_equal(trapline_event_parse("p twice", own, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "symbol-ambiguous");
	assert_non_null(strstr(err.hint, "0xffffffff81001000, "
			       "0xffffffffc0001000 [net_x];"));
	assert_int_equal(trapline_event_parse("p net_x:twice", own, &event,
					      &err), 0);
	trapline_event_free(event);
	trapline_symbols_free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_definitions),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_line_length),
		cmocka_unit_test(test_argument_limit),
		cmocka_unit_test(test_depth_limit),
		cmocka_unit_test(test_says),
		cmocka_unit_test(test_module_copy),
	};

	return cmocka_run_group_tests_name("spec", tests, load_symbols,
					   free_symbols);
}
