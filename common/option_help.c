/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --help and --completion of an option table. */
#include "config.h"

#include "common/option_private.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 30 }; /* characters of the column with the options' names */

static const struct mpg_option help_option = {.name = "help", .letter = 'h', .kind = MPG_OPTION_STRING, .argument = "all",
                                              .alone = "", .help = "print this help and exit"};
static const struct mpg_option version_option = {.name = "version", .letter = 'V', .help = "print the version and exit"};

const char *mpg_option_list_words(const char *const *words, const char *between, const char *last, char *buf, size_t size)
{
    size_t used = 0;
    for (int i = 0; words[i] && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i == 0 ? "" : words[i + 1] ? between : last, words[i]);
    return buf;
}

/* Returns the argument's name in --help; NULL for an option without argument. */
static const char *argument_of(const struct mpg_option *o, char *buf, size_t size)
{
    return o->argument || !o->words ? o->argument : mpg_option_list_words(o->words, "|", "|", buf, size);
}

/* --- --help and --completion --- */

/* Prints option O with TEXT, the option's help of one or more lines. */
static void print_option(const struct mpg_option *o, const char *text)
{
    char left[160], words[120];
    const char *argument = argument_of(o, words, sizeof words);
    int n = snprintf(left, sizeof left, "  %s%c%s--%s", o->letter ? "-" : " ",
                     o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name);
    if (argument && n > 0 && (size_t)n < sizeof left)
        snprintf(left + n, sizeof left - (size_t)n, o->alone ? "[=%s]" : "=%s", argument);
    printf("%-*s", WIDTH, left);
    if (strlen(left) >= WIDTH)
        printf("\n%-*s", WIDTH, "");
    for (const char *p = text; *p; p++) {
        putchar(*p);
        if (*p == '\n')
            printf("%-*s", WIDTH, "");
    }
    putchar('\n');
}

/* Returns true if any option of PROGRAM has a text for the brief --help. */
static bool has_brief(const struct mpg_program *program)
{
    const struct mpg_option *o = program->options;
    while (o->name && !o->brief)
        o++;
    return o->name != NULL;
}

static void print_all(const struct mpg_program *program)
{
    if (!program->options->group)
        printf("\nOptions:\n");
    for (const struct mpg_option *o = program->options; o->name; o++) {
        if (o->group)
            printf("\n%s:\n", o->group);
        print_option(o, o->help);
    }
    print_option(&help_option, has_brief(program) ? "print the most used options, or all, and exit" : help_option.help);
    print_option(&version_option, version_option.help);
}

static void print_brief(const struct mpg_program *program)
{
    printf("\nThe most used options:\n");
    for (const struct mpg_option *o = program->options; o->name; o++)
        if (o->brief)
            print_option(o, o->brief);
    printf("\nAll options: %s --help=all\n", program->name);
}

void mpg_option_print_help(const struct mpg_program *program, bool all)
{
    printf("Usage: %s [OPTION]...%s%s\n%s\n", program->name, program->arguments ? " " : "",
           program->arguments ? program->arguments : "", program->summary);
    (all || !has_brief(program) ? print_all : print_brief)(program);
}

void mpg_option_print_completion(const struct mpg_program *program)
{
    char words[120];
    for (const struct mpg_option *o = program->options; o->name; o++) {
        const char *argument = argument_of(o, words, sizeof words);
        if (argument)
            printf(o->alone ? "--%s[=]\t%s" : "--%s=\t%s", o->name, argument);
        for (const struct mpg_option *key = o->keys; key && key->name; key++)
            printf("|%s=", key->name);
        if (argument)
            putchar('\n');
        if (!argument)
            printf("--%s\n", o->name);
        if (o->letter)
            printf("-%c%s%s\n", o->letter, argument ? "\t" : "", argument ? argument : "");
    }
    fputs("--help[=]\tall\n-h\n--version\n-V\n", stdout);
}
