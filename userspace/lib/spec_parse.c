// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A probe definition, part by part:
 *
 *	LETTER[MAXACTIVE][:[GROUP/][EVENT]]  PLACE  [[NAME=]FETCH[:TYPE]...]
 *		[if FILTER]
 *
 * Only the form is looked at. What is wrong in any version gets its own
 * reason; what is right but beyond this version is "unsupported".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

/* ---- letter, group and event ------------------------------------------ */

static const struct {
	char letter;
	const char *what;
	const char *hint;
} later_letters[] = {
	{ 'u', "the USDT probe", "only probes in the kernel are supported" },
	{ 'e', "the event probe", "it is made of another event of ftrace; "
	  "use a p event on a function" },
};

static int refuse_letter(const struct spec_slice *word,
			 struct trapline_error *err)
{
	const char next = word->length > 1 ? word->text[1] : ':';
	size_t i;

	if (word->text[0] == '-') {
		if (word->length < 3 || next != ':')
			return spec_refuse(err, ERR_DELETE_FORM, word);
		spec_unsupported(err, "the deletion", word);
		error_hint(err, "it stands among definitions, and removes "
			   "those above it: trapline_events_delete()");
		return -EINVAL;
	}
	for (i = 0; i < sizeof(later_letters) / sizeof(later_letters[0]); i++) {
		if (word->text[0] != later_letters[i].letter ||
		    (next != ':' && !spec_is_digit(next)))
			continue;
		spec_unsupported(err, later_letters[i].what, word);
		err->length = 1;
		error_hint(err, "%s", later_letters[i].hint);
		return -EINVAL;
	}
	return spec_refuse(err, ERR_LETTER, word);
}

/* In the kernel's language "f8 vfs_read%return" is what is "r8 vfs_read" here. */
static int refuse_number(const struct spec_slice *head,
			 const struct spec_slice *number,
			 struct trapline_error *err)
{
	static const char blanks[] = " \t\v\f\r", suffix[] = "%return";
	const char *behind = head->text + head->length;
	const char *place = behind + strcspn(behind, blanks);
	const char *end;

	spec_refuse(err, ERR_MAXACTIVE_ENTRY, number);
	place += strspn(place, blanks);
	end = strstr(place, suffix);
	if (end && end < place + strcspn(place, blanks))
		error_hint(err, "did you mean `r%.*s%.*s %.*s`?",
			   spec_shown(number), number->text,
			   (int)strcspn(behind, blanks), behind,
			   (int)(end - place), place);
	return -EINVAL;
}

/* What stands between the letter and ":". */
static int parse_maxactive(struct spec *spec, const struct spec_slice *head,
			   struct trapline_error *err)
{
	const struct spec_slice number = spec_cut(head, 1, head->length);
	enum error_code code;
	uint64_t value;
	int ret;

	if (!number.length)
		return 0;
	if (spec->kind == SPEC_TRACEPOINT && spec_is_digit(number.text[0]))
		return spec_refuse(err, ERR_TRACEPOINT_MAXACTIVE, &number);
	if (spec->kind != SPEC_RETURN && spec_is_digit(number.text[0]))
		return refuse_number(head, &number, err);
	if (spec->kind != SPEC_RETURN) {
		spec_refuse(err, ERR_LETTER, head);
		err->column = number.column;
		err->length = number.length;
		return -EINVAL;
	}
	ret = spec_number(&number, &value);
	if (!ret && value && value <= SPEC_MAXACTIVE_MAX) {
		spec->maxactive = (unsigned int)value;
		return 0;
	}
	code = ret == -EINVAL || !value ? ERR_MAXACTIVE_NUMBER :
					  ERR_MAXACTIVE_BIG;
	error_set(err, code, number.column, number.length, spec_shown(&number),
		  number.text, SPEC_MAXACTIVE_MAX);
	return -EINVAL;
}

/* Groups may have "-" in their names, as the kernel's own have. */
static bool is_group(const struct spec_slice *name)
{
	int i;

	if (!name->length || spec_is_digit(name->text[0]) ||
	    name->text[0] == '-')
		return false;
	for (i = 0; i < name->length; i++)
		if (!spec_is_alnum(name->text[i]) && name->text[i] != '-')
			return false;
	return true;
}

static int parse_group(const struct spec_slice *group, char separator,
		       struct trapline_error *err)
{
	if (!group->length) {
		error_set(err, ERR_GROUP_EMPTY, group->column, 1, separator);
		return -EINVAL;
	}
	if (group->length > SPEC_NAME_MAX) {
		error_set(err, ERR_GROUP_LONG, group->column, group->length,
			  group->length, SPEC_NAME_MAX);
		return -EINVAL;
	}
	if (!is_group(group))
		return spec_refuse(err, ERR_GROUP_NAME, group);
	return 0;
}

/* "[GROUP/][EVENT]"; the kernel takes "." for "/" if there is no "/" */
int spec_parse_names(struct spec *spec, const struct spec_slice *names,
		     struct trapline_error *err)
{
	int slash = spec_find(names, "/");
	int ret;

	if (slash == names->length)
		slash = spec_find(names, ".");
	if (slash < names->length) {
		spec->group = spec_cut(names, 0, slash);
		ret = parse_group(&spec->group, names->text[slash], err);
		if (ret)
			return ret;
		spec->event = spec_cut(names, slash + 1, names->length);
		if (!spec->event.length)
			return 0;
	} else {
		spec->event = *names;
	}
	if (!spec->event.length)
		return spec_refuse(err, ERR_EVENT_EMPTY, &spec->event);
	if (spec->event.length > SPEC_NAME_MAX) {
		error_set(err, ERR_EVENT_LONG, spec->event.column,
			  spec->event.length, spec->event.length,
			  SPEC_NAME_MAX);
		return -EINVAL;
	}
	if (!spec_is_name(&spec->event))
		return spec_refuse(err, ERR_EVENT_NAME, &spec->event);
	return 0;
}

static int parse_head(struct spec *spec, const struct spec_slice *word,
		      struct trapline_error *err)
{
	const int colon = spec_find(word, ":");
	const struct spec_slice head = spec_cut(word, 0, colon);
	struct spec_slice names;
	int ret;

	spec->is_call = word->text[0] == 'c';
	if (word->text[0] == 'r' || spec->is_call)
		spec->kind = SPEC_RETURN;
	else if (word->text[0] == 't')
		spec->kind = SPEC_TRACEPOINT;
	else if (word->text[0] != 'p' && word->text[0] != 'f')
		return refuse_letter(word, err);
	ret = parse_maxactive(spec, &head, err);
	if (ret || colon == word->length)
		return ret;
	names = spec_cut(word, colon + 1, word->length);
	return spec_parse_names(spec, &names, err);
}

/* ---- arguments -------------------------------------------------------- */

/* Names that the kernel gives to what it adds to each record. */
static const char *const reserved_names[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid",
	"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func",
	"__probe_type",
};

/* What names an argument: "NAME" of "NAME=", or all of it. */
static struct spec_slice name_where(const struct spec_arg *arg)
{
	const int named = arg->body.column - arg->where.column;

	return named ? spec_cut(&arg->where, 0, named - 1) : arg->where;
}

static int check_name(const struct spec *spec, unsigned int number,
		      struct trapline_error *err)
{
	const struct spec_arg *arg = &spec->args[number];
	const struct spec_slice where = name_where(arg);
	enum error_code code = ERR_ARG_NAME_RESERVED;
	const size_t count = sizeof(reserved_names) /
			     sizeof(reserved_names[0]);
	bool used = false;
	size_t i;

	for (i = 0; i < count && !used; i++)
		used = !strcmp(arg->name, reserved_names[i]);
	for (i = 0; i < number && !used; i++) {
		used = !strcmp(arg->name, spec->args[i].name);
		code = ERR_ARG_NAME_USED;
	}
	if (!used)
		return 0;
	error_set(err, code, where.column, where.length, arg->name);
	return -EINVAL;
}

int spec_check_names(const struct spec *spec, struct trapline_error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < spec->arg_count; i++)
		ret = check_name(spec, i, err);
	return ret;
}

/* "NAME=", or no name; the rest is the body */
static int parse_arg_name(const struct spec *spec, struct spec_arg *arg,
			  struct trapline_error *err)
{
	const struct spec_slice *where = &arg->where;
	const int equals = spec_find(where, "=\"");
	struct spec_slice name = spec_cut(where, 0, equals);

	if (equals == where->length || where->text[equals] == '"') {
		arg->body = *where;
		snprintf(arg->name, sizeof(arg->name), "arg%u",
			 spec->arg_count);
		return 0;
	}
	arg->body = spec_cut(where, equals + 1, where->length);
	if (!name.length)
		return spec_refuse(err, ERR_ARG_NAME_EMPTY, &name);
	if (name.length > SPEC_ARG_NAME_MAX) {
		error_set(err, ERR_ARG_NAME_LONG, name.column, name.length,
			  name.length, SPEC_ARG_NAME_MAX);
		return -EINVAL;
	}
	if (!spec_is_name(&name))
		return spec_refuse(err, ERR_ARG_NAME, &name);
	memcpy(arg->name, name.text, (size_t)name.length);
	if (arg->body.length)
		return 0;
	error_set(err, ERR_ARG_EMPTY, arg->body.column, 1, spec_shown(&name),
		  name.text);
	return -EINVAL;
}

static struct spec_arg *new_arg(struct spec *spec, struct trapline_error *err)
{
	const unsigned int count = spec->arg_count;
	struct spec_arg *args = spec->args;

	/* full at each power of two */
	if (!(count & (count - 1))) {
		args = realloc(args, (count ? count * 2 : 1) * sizeof(*args));
		if (!args) {
			spec_no_memory(err);
			return NULL;
		}
		spec->args = args;
	}
	memset(&args[count], 0, sizeof(args[count]));
	spec->arg_count++;
	return &args[count];
}

static int parse_arg(struct spec *spec, const struct spec_slice *word,
		     struct trapline_error *err)
{
	struct spec_arg *arg;
	int ret;

	if (spec->arg_count == SPEC_ARGS_MAX) {
		error_set(err, ERR_ARGS_MANY, word->column, word->length,
			  SPEC_ARGS_MAX);
		return -EINVAL;
	}
	arg = new_arg(spec, err);
	if (!arg)
		return -ENOMEM;
	arg->where = *word;
	ret = parse_arg_name(spec, arg, err);
	return ret ? ret : spec_parse_fetch(arg, err);
}

/* ---- the line --------------------------------------------------------- */

/* A copy of the line without its end, if it is one line. */
static char *copy_line(const char *line, struct trapline_error *err)
{
	size_t length = strnlen(line, SPEC_LINE_MAX + 1);
	const char *newline;
	char *copy;

	if (length > SPEC_LINE_MAX) {
		error_set(err, ERR_LINE_LONG, SPEC_LINE_MAX, 1, SPEC_LINE_MAX);
		return NULL;
	}
	while (length && strchr("\r\n", line[length - 1]))
		length--;
	newline = memchr(line, '\n', length);
	if (newline) {
		error_set(err, ERR_LINE_MANY, (int)(newline - line), 1);
		return NULL;
	}
	copy = strndup(line, length);
	if (!copy)
		spec_no_memory(err);
	return copy;
}

/* Does an argument already have that name, or begin with that fetch? */
static bool has_arg(const struct spec *spec, const char *name,
		    enum spec_fetch_kind kind)
{
	const struct spec_fetch *fetch;
	unsigned int i;

	for (i = 0; i < spec->arg_count; i++) {
		fetch = spec->args[i].fetch;
		while (fetch->inner)
			fetch = fetch->inner;
		if (fetch->kind == kind || !strcmp(spec->args[i].name, name))
			return true;
	}
	return false;
}

/* What each record of a call has, if the line does not say so itself. */
static int add_call_args(struct spec *spec, struct trapline_error *err)
{
	static const struct {
		const char *name;
		const char *text;
		enum spec_fetch_kind kind;
	} added[] = {
		{ "retval", "retval=$retval", SPEC_RETVAL },
		{ "duration", "duration=$duration", SPEC_DURATION },
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(added) / sizeof(added[0]); i++) {
		const struct spec_slice word = {
			.text = added[i].text,
			.length = (int)strlen(added[i].text),
			.column = spec->place.where.column,
		};

		if (has_arg(spec, added[i].name, added[i].kind))
			continue;
		ret = parse_arg(spec, &word, err);
		if (!ret)
			spec->args[spec->arg_count - 1].is_added = true;
	}
	return ret;
}

static int parse_words(struct spec *spec, struct spec_lexer *lexer,
		       struct spec_slice *word, struct trapline_error *err)
{
	int ret = parse_head(spec, word, err);

	if (ret)
		return ret;
	if (!spec_lex_word(lexer, word))
		return spec->kind == SPEC_TRACEPOINT ?
		       spec_missing_tracepoint(spec, word, err) :
		       spec_refuse(err, ERR_PLACE_MISSING, word);
	ret = spec_parse_place(spec, word, err);
	while (!ret && spec_lex_word(lexer, word)) {
		if (spec_is(word, "if")) {
			ret = filter_parse(spec->line, lexer->at,
					   &spec->filter, err);
			break;
		}
		ret = parse_arg(spec, word, err);
	}
	if (!ret && spec->is_call)
		ret = add_call_args(spec, err);
	return ret;
}

int spec_parse(const char *line, struct spec **out, struct trapline_error *err)
{
	struct spec *spec = calloc(1, sizeof(*spec));
	struct spec_lexer lexer = { 0 };
	struct spec_slice word;
	int ret = 0;

	*out = NULL;
	if (!spec)
		return spec_no_memory(err);
	spec->line = copy_line(line, err);
	if (!spec->line) {
		spec_free(spec);
		return err->code == ERR_NO_MEMORY ? -ENOMEM : -EINVAL;
	}
	lexer.line = spec->line;
	lexer.at = spec->line;
	if (!spec_lex_word(&lexer, &word)) {
		spec_free(spec);
		return 0;
	}
	ret = parse_words(spec, &lexer, &word, err);
	if (ret)
		spec_free(spec);
	else
		*out = spec;
	return ret;
}

void spec_free_fetch(struct spec_fetch *fetch)
{
	struct spec_fetch *inner;

	for (; fetch; fetch = inner) {
		inner = fetch->inner;
		if (fetch->path)
			free(fetch->path->steps);
		free(fetch->path);
		free(fetch);
	}
}

void spec_free(struct spec *spec)
{
	unsigned int i;

	if (!spec)
		return;
	for (i = 0; i < spec->arg_count; i++) {
		spec_free_fetch(spec->args[i].fetch);
		free(spec->args[i].listed);
	}
	free(spec->args);
	filter_free(spec->filter);
	free(spec->line);
	free(spec);
}
