/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command line parsing with option tables, based on getopt_long(). */
#include "config.h"

#include "common/option_private.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/kind.h"
#include "common/nearest.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/units.h"

enum { MAX_OPTIONS = 128, MAX_RENAMED = 128, FIRST_CODE = 256, FIRST_RENAMED = 512, CODE_HELP = 1000, CODE_VERSION };

/* The last argument given to each option and to each key of an option; NULL: not given. */
struct given {
    const char *option[MAX_OPTIONS], *key[MAX_OPTIONS][MPG_OPTION_KEYS_MAX];
};

/* --- words --- */

bool mpg_option_has_word(const struct mpg_option_words *words, int word)
{
    for (size_t i = 0; i < words->n; i++)
        if (words->word[i] == word)
            return true;
    return false;
}

/* Returns the index in WORDS of the first LENGTH characters of TEXT; -1 if not found. */
static int find_word(const char *const *words, const char *text, size_t length)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0)
            return i;
    return -1;
}

static void exit_after_stdout(const char *name)
{
    struct mpg_error err;
    if (mpg_stdout_close(&err) < 0) {
        mpg_error_print(name, &err);
        exit(MPG_EXIT_FAILURE);
    }
    exit(MPG_EXIT_OK);
}

int mpg_option_after_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return argc - 1 - i;
    return -1;
}

void mpg_option_usage_error(const struct mpg_program *program, const char *format, ...)
{
    va_list args;
    if (program->silent) {
        /* Another process prints this error: gives this process time, because launchers end all processes as soon as one
         * exits. */
        sleep(1);
        exit(MPG_EXIT_USAGE);
    }
    struct mpg_error err;
    char text[6 * MPG_ERROR_SIZE]; /* an escaped character has up to six bytes */
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s (try '%s --help')\n", program->name, mpg_printable(text, sizeof text, err.text), program->name);
    exit(MPG_EXIT_USAGE);
}

/* --- values --- */

/* Writes BOUND, a limit of option O's range, to BUF in the unit of O's argument. */
static const char *format_bound(const struct mpg_option *o, double bound, char *buf, size_t size)
{
    if (o->kind == MPG_OPTION_TIME)
        return mpg_units_format_time(buf, size, bound);
    if (o->kind == MPG_OPTION_SIZE)
        return mpg_units_format_size(buf, size, (int64_t)bound);
    snprintf(buf, size, "%.15g", bound);
    return buf;
}

static int check_range(const struct mpg_option *o, const char *text, double value, struct mpg_error *err)
{
    char low[32], high[32];
    if ((o->minimum == 0 && o->maximum == 0) || (value >= o->minimum && value <= o->maximum))
        return 0;
    return mpg_error_set(err, "%s is not within %s to %s", text, format_bound(o, o->minimum, low, sizeof low),
                         format_bound(o, o->maximum, high, sizeof high));
}

/* Stores the index of TEXT among the words of option O, or the number in TEXT. Returns 0, or -1 with ERR, which names
 * both alternatives. */
static int store_word_or_number(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    char words[120], low[32], high[32];
    const int word = find_word(o->words, text, strlen(text));
    struct mpg_error none;
    int64_t value = word;
    if (word < 0 && (mpg_units_parse_int(text, &value, &none) < 0 || check_range(o, text, (double)value, &none) < 0))
        return mpg_error_set(err, "'%s' is neither %s nor a number from %s to %s", text,
                             mpg_option_list_words(o->words, ", ", " or ", words, sizeof words),
                             format_bound(o, o->minimum, low, sizeof low), format_bound(o, o->maximum, high, sizeof high));
    *(int64_t *)o->value = value;
    return 0;
}

static int store_whole(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    int64_t value;
    if (o->words)
        return store_word_or_number(o, text, err);
    if ((o->kind == MPG_OPTION_INT ? mpg_units_parse_int : mpg_units_parse_size)(text, &value, err) < 0 ||
        check_range(o, text, (double)value, err) < 0)
        return -1;
    *(int64_t *)o->value = value;
    return 0;
}

static int store_real(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    double value;
    if ((o->kind == MPG_OPTION_REAL ? mpg_units_parse_real : mpg_units_parse_time)(text, &value, err) < 0 ||
        check_range(o, text, value, err) < 0)
        return -1;
    *(double *)o->value = value;
    return 0;
}

static int store_ratio(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    char number[32];
    double ratio = 0;
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    struct mpg_error none;
    snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (length >= sizeof number || mpg_units_parse_real(number, &ratio, &none) < 0)
        return mpg_error_set(err, "'%s' is neither a ratio nor a percentage", text);
    ratio /= percent ? 100 : 1;
    if (!(ratio >= 0 && ratio < 1))
        return mpg_error_set(err, "'%s' is not from 0 to less than 1 (100%%)", text);
    *(double *)o->value = ratio;
    return 0;
}

static int add_to_list(struct mpg_option_list *list, const char *text, struct mpg_error *err)
{
    if (list->n == MPG_OPTION_LIST_MAX)
        return mpg_error_set(err, "given more than %d times", MPG_OPTION_LIST_MAX);
    list->item[list->n++] = text;
    return 0;
}

/* Returns true if TEXT is the path of a trace. An option takes a trace for its argument if the user omits the argument. */
static bool is_trace(const char *text)
{
    const enum mpg_file_kind kind = mpg_kind_of(text);
    return kind == MPG_FILE_TRACE || kind == MPG_FILE_TRACE_FOLDER || kind == MPG_FILE_TRACE_TEXT;
}

/* Returns the index, among the words of option O, of the first LENGTH characters of TEXT; -1 with ERR. */
static int parse_word(const struct mpg_option *o, const char *text, size_t length, struct mpg_error *err)
{
    char words[400];
    const int word = find_word(o->words, text, length);
    if (word >= 0)
        return word;
    if (is_trace(text))
        return mpg_error_set(err, "'%s' is a trace, not %s: write --%s=%s %s", text,
                             mpg_option_list_words(o->words, ", ", " or ", words, sizeof words), o->name, o->words[0], text);
    const char *near = mpg_nearest_word(o->words, text, length);
    return mpg_error_set(err, "'%.*s' is not %s%s%s%s", (int)length, text,
                         mpg_option_list_words(o->words, ", ", " or ", words, sizeof words), near ? "; did you mean " : "",
                         near ? near : "", near ? "?" : "");
}

static int add_words(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    struct mpg_option_words *words = o->value;
    for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const int word = parse_word(o, p, strcspn(p, ","), err);
        if (word < 0)
            return -1;
        if (mpg_option_has_word(words, word))
            return mpg_error_set(err, "%s appears twice", o->words[word]);
        words->word[words->n++] = word;
    }
    return 0;
}

static int store_value(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    if (text && !*text && (o->kind == MPG_OPTION_STRING || o->kind == MPG_OPTION_LIST))
        return mpg_error_set(err, "%s is empty", o->argument);
    switch (o->kind) {
    case MPG_OPTION_FLAG:
        *(bool *)o->value = true;
        return 0;
    case MPG_OPTION_STRING:
        *(const char **)o->value = text;
        return 0;
    case MPG_OPTION_LIST:
        return add_to_list(o->value, text, err);
    case MPG_OPTION_INT:
    case MPG_OPTION_SIZE:
        return store_whole(o, text, err);
    case MPG_OPTION_REAL:
    case MPG_OPTION_TIME:
        return store_real(o, text, err);
    case MPG_OPTION_RATIO:
        return store_ratio(o, text, err);
    case MPG_OPTION_WORD: {
        const int word = parse_word(o, text, strlen(text), err);
        if (word >= 0)
            *(int *)o->value = word;
        return word < 0 ? -1 : 0;
    }
    case MPG_OPTION_WORDS:
        return add_words(o, text, err);
    case MPG_OPTION_KEYS:
        break;
    }
    return mpg_error_set(err, "'%s' is not %s", text, o->argument);
}

/* --- keys --- */

/* Returns the key of O if TEXT begins with KEY=, and stores the rest in *VALUE; NULL if no key matches. */
static const struct mpg_option *find_key(const struct mpg_option *o, char *text, char **value)
{
    for (const struct mpg_option *key = o->keys; key && key->name; key++) {
        const size_t length = strlen(key->name);
        if (strncmp(text, key->name, length) == 0 && text[length] == '=') {
            *value = text + length + 1;
            return key;
        }
    }
    return NULL;
}

/* TEXT is a key of option O with a value, possibly followed by a comma and further keys. Ends TEXT after the first key's value.
 * Returns the next key, or NULL. */
static char *cut_key(const struct mpg_option *o, char *text)
{
    char *value;
    while ((text = strchr(text, ',')) && !find_key(o, text + 1, &value))
        text++;
    if (text)
        *text++ = '\0';
    return text;
}

/* Stores TEXT as the argument of the option O, or of the key O of the option OF, in *BEFORE. An argument already in *BEFORE is an
 * error unless arguments of O add up: the first would have no effect. */
static void take(const struct mpg_program *program, const struct mpg_option *of, const struct mpg_option *o, const char *text,
                 const char **before)
{
    struct mpg_error err;
    char name[80];
    snprintf(name, sizeof name, "%s%s%s", of ? of->name : "", of ? "=" : "", o->name);
    const bool adds = o->kind == MPG_OPTION_FLAG || o->kind == MPG_OPTION_LIST || o->kind == MPG_OPTION_WORDS;
    if (*before && *before != o->alone && !adds)
        mpg_option_usage_error(program, "--%s is given twice, as '%s' and as '%s'", name, *before, text);
    *before = text ? text : "";
    if (store_value(o, text, &err) < 0)
        mpg_option_usage_error(program, "--%s: %s", name, err.text);
    if (o->given)
        *o->given = true;
}

/* Handles option I of PROGRAM, given without an argument: stores the default. */
static void take_alone(const struct mpg_program *program, size_t i, struct given *given)
{
    const struct mpg_option *o = &program->options[i];
    if (program->note)
        program->note(program->context, o, NULL);
    if (!o->alone || !given->option[i]) /* an argument given earlier on the command line takes precedence over the default */
        take(program, NULL, o, o->alone, &given->option[i]);
}

/* --- old names --- */

/* Returns true if OLD, an entry of a list of old names, matches TEXT ("NAME" or "NAME=ARGUMENT"), and sets *LENGTH to the
 * number of characters to replace. */
static bool is_old(const char *old, const char *text, size_t *length)
{
    *length = strlen(old);
    return strncmp(old, text, *length) == 0 && (old[*length - 1] == '=' || !text[*length]);
}

/* R replaces the word OLD of an option by NEW: R's fields are "NAME=OLD" and "NAME=NEW". Returns a pointer to OLD in TEXT, which
 * is "NAME=WORD,WORD,..."; NULL: TEXT has no such word, or R replaces the option's name. */
static const char *find_old_word(const struct mpg_option_renamed *r, const char *text)
{
    const size_t name = strcspn(r->old, "=") + 1;
    if (!r->now || !r->old[name - 1] || !r->old[name] || strncmp(r->old, r->now, name) != 0 || strncmp(r->old, text, name) != 0)
        return NULL;
    const size_t length = strlen(r->old + name);
    for (const char *word = text + name; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (strcspn(word, ",") == length && strncmp(word, r->old + name, length) == 0)
            return word;
    return NULL;
}

char *mpg_option_rename(const struct mpg_option_renamed *renamed, const char *text)
{
    size_t length = 0;
    const char *word = NULL, *after_dashes = strncmp(text, "--", 2) == 0 ? text + 2 : NULL;
    const struct mpg_option_renamed *r = renamed;
    while (r && r->old && (!after_dashes || !((word = find_old_word(r, after_dashes)) || is_old(r->old, after_dashes, &length))))
        r++;
    if (!r || !r->old || !r->now)
        return strdup(r && r->old ? "" : text);
    const int before = word ? (int)(word - text) : 2;
    const char *now = word ? strchr(r->now, '=') + 1 : r->now, *after = word ? word + strcspn(word, ",") : after_dashes + length;
    const size_t size = (size_t)before + strlen(now) + strlen(after) + 1;
    char *whole = malloc(size);
    if (!whole)
        return NULL;
    snprintf(whole, size, "%.*s%s%s", before, text, now, after);
    char *latest = mpg_option_rename(renamed, whole);
    free(whole);
    return latest;
}

/* An argument, kept until the program ends, because the values of options point into the argument's text. */
struct kept_text {
    struct kept_text *next;
    char text[];
};

/* Replaces the old names in --NAME=ARGUMENT (ARGUMENT NULL: --NAME). Prints a warning if the text changes. Returns the new text,
 * kept until the program ends; "" if the option has no effect any more. */
static char *keep_renamed(const struct mpg_program *program, const char *name, const char *argument)
{
    static struct kept_text *all; /* never freed: options point into the texts */
    const size_t size = strlen(name) + (argument ? strlen(argument) : 0) + 4;
    char *old = malloc(size), *now = NULL;
    if (old) {
        snprintf(old, size, "--%s%s%s", name, argument ? "=" : "", argument ? argument : "");
        now = mpg_option_rename(program->renamed, old);
    }
    struct kept_text *kept = now ? malloc(sizeof *kept + strlen(now) + 1) : NULL;
    if (!kept)
        mpg_option_usage_error(program, "out of memory");
    kept->next = all;
    all = kept;
    strcpy(kept->text, now);
    if (strcmp(old, now) != 0 && !program->silent)
        mpg_printable_print_error(*now ? "%s: %s is now called %s\n" : "%s: %s is obsolete and has no effect\n",
                                  program->name, old, now);
    free(now);
    free(old);
    return kept->text;
}

/* Handles option I of PROGRAM with the argument TEXT, which is a value, keys, or both; NULL: no argument. Modifies TEXT. */
static void take_option(const struct mpg_program *program, size_t i, char *text, struct given *given)
{
    const struct mpg_option *o = &program->options[i];
    if (!text)
        take_alone(program, i, given);
    for (char *part = text, *next; part; part = next) {
        char *value = part;
        next = o->keys ? cut_key(o, part) : NULL;
        if (program->renamed)
            part = value = strchr(keep_renamed(program, o->name, part), '=') + 1;
        if (program->note)
            program->note(program->context, o, part);
        const struct mpg_option *key = find_key(o, part, &value);
        if (key)
            take(program, o, key, value, &given->key[i][key - o->keys]);
        else
            take(program, NULL, o, part, &given->option[i]);
    }
}

/* Handles the old name --NAME with ARGUMENT (NULL: none): prints a warning and handles the new name. */
static void take_old(const struct mpg_program *program, const char *name, const char *argument, struct given *given)
{
    char *now = keep_renamed(program, name, argument);
    size_t i = 0;
    const size_t stem = *now ? strcspn(now + 2, "=") : 0;
    while (program->options[i].name &&
           (strlen(program->options[i].name) != stem || strncmp(program->options[i].name, now + 2, stem) != 0))
        i++;
    if (*now && !program->options[i].name)
        mpg_option_usage_error(program, "%s is not understood", now);
    char *value = strchr(now, '=');
    if (*now)
        take_option(program, i, value ? value + 1 : NULL, given);
}

/* --- rules --- */

static bool has_word(const struct mpg_option *o, const char *word)
{
    const int i = o->words ? find_word(o->words, word, strlen(word)) : -1;
    return i >= 0 && (o->kind == MPG_OPTION_WORD  ? *(const int *)o->value == i
                      : o->kind == MPG_OPTION_INT ? *(const int64_t *)o->value == i
                                                  : mpg_option_has_word(o->value, i));
}

/* Returns true if PROGRAM has an option named by the first LENGTH characters of NAME, and stores the option's index in *I. */
static bool find_option(const struct mpg_program *program, const char *name, size_t length, size_t *i)
{
    for (*i = 0; program->options[*i].name; ++*i)
        if (strlen(program->options[*i].name) == length && strncmp(program->options[*i].name, name, length) == 0)
            return true;
    return false;
}

/* Returns true if the command line fulfils NAME, an operand of a rule: "OPTION" or "OPTION=WORD". BY_DEFAULT: a default word of
 * the option counts as given. Writes the operand, as shown in messages, into TEXT. */
static bool holds(const struct mpg_program *program, const struct given *given, const char *name, bool by_default, char *text,
                  size_t size)
{
    size_t i;
    const size_t length = strcspn(name, "=");
    const char *part = name[length] ? name + length + 1 : NULL;
    const bool is_option = find_option(program, name, length, &i);
    snprintf(text, size, "%s%s", is_option ? "--" : "", name);
    if (!is_option)
        return program->holds && program->holds(program->context, name);
    const struct mpg_option *o = &program->options[i];
    for (const struct mpg_option *key = o->keys; part && key && key->name; key++) {
        const size_t stem = strlen(key->name);
        if (strncmp(key->name, part, stem) == 0 && (!part[stem] || part[stem] == '='))
            return part[stem] ? (by_default || given->key[i][key - o->keys]) && has_word(key, part + stem + 1)
                              : given->key[i][key - o->keys] != NULL;
    }
    return part ? (by_default || given->option[i]) && has_word(o, part) : given->option[i] != NULL;
}

/* Returns true if the command line fulfils any of NAMES, operands separated by |. Writes all operands, as shown in messages, into
 * TEXT. */
static bool holds_any(const struct mpg_program *program, const struct given *given, const char *names, bool by_default,
                      char *text, size_t size)
{
    bool any = false;
    size_t used = 0;
    for (const char *p = names; p && used < size; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL) {
        char name[120], one[124];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "|"), p);
        any = holds(program, given, name, by_default, one, sizeof one) || any;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "", one);
    }
    return any;
}

static void check_rule(const struct mpg_program *program, const struct mpg_option_rule *r, const struct given *given)
{
    char one[124], other[400];
    if (!holds(program, given, r->option, false, one, sizeof one))
        return;
    const bool both = holds_any(program, given, r->other, r->relation == MPG_OPTION_NEEDS, other, sizeof other);
    if (r->relation == (both ? MPG_OPTION_EXCLUDES : MPG_OPTION_NEEDS))
        mpg_option_usage_error(program, both ? "%s and %s exclude each other%s%s" : "%s needs %s%s%s", one, other,
                               r->why ? ": " : "", r->why ? r->why : "");
}

static void imply(const struct mpg_program *program, const struct mpg_option_rule *r, struct given *given)
{
    char text[124];
    size_t i;
    if (!holds(program, given, r->option, false, text, sizeof text) || !find_option(program, r->other, strlen(r->other), &i))
        return;
    given->option[i] = "";
    *(bool *)program->options[i].value = true;
}

/* Applies and checks the rules, and calls the program's resolve() with the N ARGUMENTS. */
static void check_together(const struct mpg_program *program, struct given *given, char **arguments, size_t n)
{
    struct mpg_error err;
    for (const struct mpg_option_rule *r = program->rules; r && r->option; r++)
        if (r->relation == MPG_OPTION_IMPLIES)
            imply(program, r, given);
    if (program->resolve && program->resolve(program->context, arguments, n, &err) < 0)
        mpg_option_usage_error(program, "%s", err.text);
    for (const struct mpg_option_rule *r = program->rules; r && r->option; r++)
        if (r->relation != MPG_OPTION_IMPLIES)
            check_rule(program, r, given);
}

/* --- the command line --- */

/* Refuses a command line with too few arguments. The error tells if an option took a trace for an argument. */
static _Noreturn void refuse_missing(const struct mpg_program *program, const struct given *given)
{
    for (size_t i = 0; program->options[i].name; i++)
        if (given->option[i] && is_trace(given->option[i]))
            mpg_option_usage_error(program, "missing argument: %s; --%s took '%s', a trace, for its argument", program->arguments,
                                   program->options[i].name, given->option[i]);
    mpg_option_usage_error(program, "missing argument: %s", program->arguments);
}

static void check_arguments(const struct mpg_program *program, const struct given *given, int count, char **first)
{
    if (count < program->min_arguments)
        refuse_missing(program, given);
    if (program->max_arguments >= 0 && count > program->max_arguments)
        mpg_option_usage_error(program, "unexpected argument '%s'", first[program->max_arguments]);
    for (int i = 0; i < count && !program->stop_at_argument; i++)
        if (!*first[i])
            mpg_option_usage_error(program, "an argument is the empty string: %s", program->arguments);
}

/* The tables for getopt_long(): the options, and the old names on this command line. */
struct tables {
    struct option longs[MAX_OPTIONS + MAX_RENAMED + 3];
    char shorts[2 * MAX_OPTIONS + 5];
    char old[MAX_RENAMED][40];
};

/* Returns true if an argument of ARGV is the long option NAME in full. Other names stay out of getopt's table, where they would
 * make abbreviations ambiguous. */
static bool is_used(const char *name, int argc, char **argv)
{
    const size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0 &&
            (!argv[i][2 + length] || argv[i][2 + length] == '='))
            return true;
    return false;
}

static bool is_option(const struct mpg_program *program, const char *name)
{
    const struct mpg_option *o = program->options;
    while (o->name && strcmp(o->name, name) != 0)
        o++;
    return o->name;
}

static void fill_tables(const struct mpg_program *program, int argc, char **argv, struct tables *t)
{
    size_t n = 0, s = 0;
    t->shorts[s++] = program->stop_at_argument ? '+' : ':';
    if (program->stop_at_argument)
        t->shorts[s++] = ':';
    for (const struct mpg_option *o = program->options; o->name && n < MAX_OPTIONS; o++, n++) {
        int takes = o->kind == MPG_OPTION_FLAG ? no_argument : o->alone ? optional_argument : required_argument;
        t->longs[n] = (struct option){o->name, takes, NULL, (int)(FIRST_CODE + n)};
        if (o->letter) {
            t->shorts[s++] = o->letter;
            if (takes == required_argument)
                t->shorts[s++] = ':';
        }
    }
    t->shorts[s++] = 'h';
    t->shorts[s++] = 'V';
    for (size_t i = 0; program->renamed && program->renamed[i].old && i < MAX_RENAMED; i++) {
        const char *old = program->renamed[i].old;
        snprintf(t->old[i], sizeof t->old[i], "%.*s", (int)strcspn(old, "="), old);
        /* Entries with the same old name follow each other: the first is enough. */
        if ((i == 0 || strcmp(t->old[i], t->old[i - 1]) != 0)
            && !is_option(program, t->old[i]) /* otherwise the entry only replaces a word; the option keeps its name */
            && is_used(t->old[i], argc, argv))
            t->longs[n++] = (struct option){t->old[i], strchr(old, '=') ? required_argument : no_argument, NULL,
                                            (int)(FIRST_RENAMED + i)};
    }
    t->longs[n] = (struct option){"help", optional_argument, NULL, CODE_HELP};
    t->longs[n + 1] = (struct option){"version", no_argument, NULL, CODE_VERSION};
}

/* Handles CODE with ARGUMENT if it is --help or --version: prints and exits. */
static void answer_itself(const struct mpg_program *program, int code, const char *argument)
{
    const bool version = code == CODE_VERSION || code == 'V', help = code == CODE_HELP || code == 'h';
    if (!version && !help)
        return;
    const bool all = code == CODE_HELP && argument;
    if (all && strcmp(argument, "all") != 0)
        mpg_option_usage_error(program, "--help=%s: only --help and --help=all exist", argument);
    if (program->silent)
        exit(MPG_EXIT_OK);
    if (help)
        mpg_option_print_help(program, all);
    else
        printf("%s (mpgkit) %s\n", program->name, PACKAGE_VERSION);
    exit_after_stdout(program->name);
}

/* Returns the number of names in T beginning with the LENGTH characters of NAME, and writes these names into LIST. */
static int list_beginning(const struct tables *t, const char *name, size_t length, char *list, size_t size)
{
    int n = 0;
    size_t used = 0;
    for (const struct option *o = t->longs; o->name; o++)
        if (strncmp(o->name, name, length) == 0 && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s--%s", n++ > 0 ? ", " : "", o->name);
    return n;
}

/* Refuses OPTION, an argument unknown to getopt: an ambiguous or unknown long option, a long option with a superfluous argument,
 * or short options. */
static _Noreturn void refuse(const struct mpg_program *program, const struct tables *t, const char *option)
{
    char list[1000];
    const bool is_long = strncmp(option, "--", 2) == 0;
    if (is_long && optopt >= FIRST_CODE)
        mpg_option_usage_error(program, "option '%.*s' takes no argument", (int)strcspn(option, "="), option);
    if (!is_long)
        mpg_option_usage_error(program, "wrong option '%s'", option);
    const char *name = option + 2;
    struct mpg_nearest nearest = {name, strcspn(name, "="), NULL, 0};
    if (nearest.length > 0 && list_beginning(t, name, nearest.length, list, sizeof list) > 1)
        mpg_option_usage_error(program, "option '%s' is ambiguous: %s", option, list);
    for (const struct option *o = t->longs; o->name; o++)
        mpg_nearest_try(&nearest, o->name);
    mpg_option_usage_error(program, "wrong option '%s'%s%s%s", option, nearest.word ? "; did you mean --" : "",
                           nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

/* Refuses OPTION, which ends the command line and needs an argument. */
static _Noreturn void refuse_lack(const struct mpg_program *program, const char *option)
{
    char words[400];
    const struct mpg_option *o = program->options;
    while (o->name && (strncmp(option, "--", 2) != 0 || strcmp(o->name, option + 2) != 0))
        o++;
    mpg_option_usage_error(program, "option '%s' needs an argument%s%s", option, o->name && o->words ? ": " : "",
                           o->name && o->words ? mpg_option_list_words(o->words, ", ", " or ", words, sizeof words) : "");
}

int mpg_option_parse(const struct mpg_program *program, int argc, char **argv)
{
    struct tables t = {.shorts = ""};
    struct given given = {.option = {NULL}};
    fill_tables(program, argc, argv, &t);
    if (!program->stop_at_argument) /* not in a program starting a further program, which would inherit this setting */
        /* A write beyond the file size limit then fails with EFBIG, and the program can remove its temporary files. */
        (void)signal(SIGXFSZ, SIG_IGN);

    if (argc == 2 && strcmp(argv[1], "--completion") == 0) {
        if (program->silent)
            exit(MPG_EXIT_OK);
        mpg_option_print_completion(program);
        exit_after_stdout(program->name);
    }
    optind = 0;
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1;) {
        answer_itself(program, code, optarg);
        if (code == ':')
            refuse_lack(program, argv[optind - 1]);
        if (code >= FIRST_RENAMED) {
            take_old(program, t.old[code - FIRST_RENAMED], optarg, &given);
            continue;
        }
        size_t i = code >= FIRST_CODE ? (size_t)(code - FIRST_CODE) : 0;
        while (code < FIRST_CODE && program->options[i].name && program->options[i].letter != code)
            i++;
        if (code == '?' || !program->options[i].name)
            refuse(program, &t, argv[optind - 1]);
        take_option(program, i, optarg, &given);
    }
    check_arguments(program, &given, argc - optind, argv + optind);
    check_together(program, &given, argv + optind, (size_t)(argc - optind));
    return optind;
}
