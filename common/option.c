/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option tables on top of getopt_long. */
#include "config.h"

#include "common/option.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output.h"
#include "common/printable.h"
#include "common/units.h"

enum { MAX_OPTIONS = 128, FIRST_CODE = 256, CODE_HELP = 1000, CODE_VERSION };

static void print_option(const struct mpg_option *o)
{
    char left[80];
    int n = snprintf(left, sizeof left, "  %s%c%s--%s", o->letter ? "-" : " ",
                     o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name);
    if (o->argument && n > 0 && (size_t)n < sizeof left)
        snprintf(left + n, sizeof left - (size_t)n, "=%s", o->argument);
    printf("%-30s", left);
    if (strlen(left) >= 30)
        printf("\n%-30s", "");
    for (const char *p = o->help; *p; p++) {
        putchar(*p);
        if (*p == '\n')
            printf("%-30s", "");
    }
    putchar('\n');
}

static void print_help(const struct mpg_program *program)
{
    printf("Usage: %s [OPTION]...%s%s\n%s\n\nOptions:\n", program->name,
           program->arguments ? " " : "", program->arguments ? program->arguments : "",
           program->summary);
    for (const struct mpg_option *o = program->options; o->name; o++)
        print_option(o);
    print_option(&(struct mpg_option){.name = "help", .letter = 'h', .help = "print this help and exit"});
    print_option(&(struct mpg_option){
        .name = "version", .letter = 'V', .help = "print the version and exit"});
}

/* The table for shells. */
static void print_completion(const struct mpg_program *program)
{
    for (const struct mpg_option *o = program->options; o->name; o++) {
        if (o->argument)
            printf("--%s=\t%s\n", o->name, o->argument);
        else
            printf("--%s\n", o->name);
        if (o->letter)
            printf("-%c%s%s\n", o->letter, o->argument ? "\t" : "", o->argument ? o->argument : "");
    }
    fputs("--help\n-h\n--version\n-V\n", stdout);
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

void mpg_option_usage_error(const struct mpg_program *program, const char *format, ...)
{
    va_list args;
    if (program->silent) {
        sleep(1); /* launchers end all when one fails; the first may have to speak yet */
        exit(MPG_EXIT_USAGE);
    }
    struct mpg_error err;
    char text[6 * MPG_ERROR_SIZE]; /* a character takes up to six */
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s (try '%s --help')\n", program->name, mpg_printable(text, sizeof text, err.text), program->name);
    exit(MPG_EXIT_USAGE);
}

static bool in_range(const struct mpg_option *o, double value)
{
    return (o->minimum == 0 && o->maximum == 0) || (value >= o->minimum && value <= o->maximum);
}

/* A bound in words, as OPTION's argument may be given. */
static const char *format_bound(const struct mpg_option *o, double bound, char *buf, size_t size)
{
    if (o->kind == MPG_OPTION_TIME)
        return mpg_units_format_time(buf, size, bound);
    if (o->kind == MPG_OPTION_SIZE)
        return mpg_units_format_size(buf, size, (int64_t)bound);
    snprintf(buf, size, "%.15g", bound);
    return buf;
}

static int add_to_list(struct mpg_option_list *list, const char *text, struct mpg_error *err)
{
    if (list->n == MPG_OPTION_LIST_MAX)
        return mpg_error_set(err, "given more than %d times", MPG_OPTION_LIST_MAX);
    list->item[list->n++] = text;
    return 0;
}

static int store_value(const struct mpg_option *o, const char *text, struct mpg_error *err)
{
    double number = 0;
    int64_t whole = 0;
    if ((o->kind == MPG_OPTION_STRING || o->kind == MPG_OPTION_LIST) && !*text)
        return mpg_error_set(err, "%s is empty", o->argument);
    switch (o->kind) {
    case MPG_OPTION_FLAG:
        *(bool *)o->value = true;
        break;
    case MPG_OPTION_STRING:
        *(const char **)o->value = text;
        break;
    case MPG_OPTION_LIST:
        if (add_to_list(o->value, text, err) < 0)
            return -1;
        break;
    case MPG_OPTION_INT:
    case MPG_OPTION_SIZE:
        if ((o->kind == MPG_OPTION_INT ? mpg_units_parse_int : mpg_units_parse_size)(
                text, &whole, err) < 0)
            return -1;
        number = (double)whole;
        break;
    case MPG_OPTION_REAL:
        if (mpg_units_parse_real(text, &number, err) < 0)
            return -1;
        break;
    case MPG_OPTION_TIME:
        if (mpg_units_parse_time(text, &number, err) < 0)
            return -1;
        break;
    }
    if (!in_range(o, number)) {
        char low[32], high[32];
        return mpg_error_set(err, "%s is not within %s to %s", text,
                             format_bound(o, o->minimum, low, sizeof low),
                             format_bound(o, o->maximum, high, sizeof high));
    }
    if (o->kind == MPG_OPTION_INT || o->kind == MPG_OPTION_SIZE)
        *(int64_t *)o->value = whole;
    else if (o->kind == MPG_OPTION_REAL || o->kind == MPG_OPTION_TIME)
        *(double *)o->value = number;
    if (o->given)
        *o->given = true;
    return 0;
}

static void check_arguments(const struct mpg_program *program, int count, char **first)
{
    if (count < program->min_arguments)
        mpg_option_usage_error(program, "missing argument: %s", program->arguments);
    if (program->max_arguments >= 0 && count > program->max_arguments)
        mpg_option_usage_error(program, "unexpected argument '%s'", first[program->max_arguments]);
    for (int i = 0; i < count && !program->stop_at_argument; i++)
        if (!*first[i])
            mpg_option_usage_error(program, "an argument is empty: %s", program->arguments);
}

/* Notes in BEFORE what option O is given; of two values one would be without effect. */
static void check_repeated(const struct mpg_program *program, const struct mpg_option *o,
                           const char **before, const char *text)
{
    if (o->kind == MPG_OPTION_FLAG || o->kind == MPG_OPTION_LIST)
        return;
    if (*before)
        mpg_option_usage_error(program, "--%s is given twice, as '%s' and as '%s'", o->name,
                               *before, text);
    *before = text;
}

int mpg_option_parse(const struct mpg_program *program, int argc, char **argv)
{
    struct option longs[MAX_OPTIONS + 3] = {{0}};
    char shorts[2 * MAX_OPTIONS + 5] = "";
    const char *given[MAX_OPTIONS] = {NULL};
    size_t n = 0, s = 0;

    shorts[s++] = program->stop_at_argument ? '+' : ':';
    if (program->stop_at_argument)
        shorts[s++] = ':';
    for (const struct mpg_option *o = program->options; o->name && n < MAX_OPTIONS; o++, n++) {
        int takes = o->kind == MPG_OPTION_FLAG ? no_argument : required_argument;
        longs[n] = (struct option){o->name, takes, NULL, (int)(FIRST_CODE + n)};
        if (o->letter) {
            shorts[s++] = o->letter;
            if (takes == required_argument)
                shorts[s++] = ':';
        }
    }
    longs[n] = (struct option){"help", no_argument, NULL, CODE_HELP};
    longs[n + 1] = (struct option){"version", no_argument, NULL, CODE_VERSION};
    shorts[s++] = 'h';
    shorts[s++] = 'V';

    if (!program->stop_at_argument) /* which would hand it on to a program of somebody's */
        (void)signal(SIGXFSZ, SIG_IGN); /* files that may not grow are errors, which leave no parts */

    if (argc == 2 && strcmp(argv[1], "--completion") == 0) {
        if (program->silent)
            exit(MPG_EXIT_OK);
        print_completion(program);
        exit_after_stdout(program->name);
    }
    optind = 0;
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const struct mpg_option *o = NULL;
        const bool version = code == CODE_VERSION || code == 'V';
        if (program->silent && (version || code == CODE_HELP || code == 'h'))
            exit(MPG_EXIT_OK);
        if (code == CODE_HELP || code == 'h') {
            print_help(program);
            exit_after_stdout(program->name);
        }
        if (version) {
            printf("%s (mpgkit) %s\n", program->name, PACKAGE_VERSION);
            exit_after_stdout(program->name);
        }
        if (code == ':')
            mpg_option_usage_error(program, "option '%s' needs an argument", argv[optind - 1]);
        if (code >= FIRST_CODE)
            o = &program->options[code - FIRST_CODE];
        for (size_t i = 0; !o && i < n; i++)
            if (program->options[i].letter == code)
                o = &program->options[i];
        if (code == '?' || !o)
            mpg_option_usage_error(program, "wrong option '%s'", argv[optind - 1]);
        struct mpg_error err;
        check_repeated(program, o, &given[o - program->options], optarg);
        if (store_value(o, optarg, &err) < 0)
            mpg_option_usage_error(program, "--%s: %s", o->name, err.text);
        if (program->note)
            program->note(program->whom, o, optarg);
    }
    check_arguments(program, argc - optind, argv + optind);
    return optind;
}
