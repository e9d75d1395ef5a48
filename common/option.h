/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table a program drives both its parsing and its --help.
 *
 * --completion alone prints the table for a shell (completion/mpgkit.bash): a line for each name, in which "=" follows
 * those that take an argument, and after a tab what --help calls it. Programs with commands put these in front, and
 * "FILE..." if a file can be in a command's place.
 *
 * Every program answers -h, --help and -V, --version on standard output with exit 0;
 * a wrong command line is one line on standard error and exit 2. An option that takes
 * an argument and is no list can be given once only: of two one would be without
 * effect. A flag given twice is a flag. */
#ifndef MPG_OPTION_H
#define MPG_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum mpg_option_kind {
    MPG_OPTION_FLAG,   /* value: bool *, set to true */
    MPG_OPTION_STRING, /* value: const char **, points into argv; not empty */
    MPG_OPTION_LIST,   /* value: struct mpg_option_list *; each time given adds one, not empty */
    MPG_OPTION_INT,    /* value: int64_t *, within minimum..maximum */
    MPG_OPTION_REAL,   /* value: double *, within minimum..maximum */
    MPG_OPTION_SIZE,   /* value: int64_t *, bytes ("64KiB"), within minimum..maximum */
    MPG_OPTION_TIME,   /* value: double *, ns ("10ms"), within minimum..maximum */
};

/* What an option was given that may be given several times, in that order. */
enum { MPG_OPTION_LIST_MAX = 64 };
struct mpg_option_list {
    size_t n;
    const char *item[MPG_OPTION_LIST_MAX]; /* point into argv */
};

struct mpg_option {
    const char *name;     /* long name without dashes; NULL ends the table */
    char letter;          /* short name, or 0 */
    enum mpg_option_kind kind;
    void *value;
    const char *argument; /* what --help calls the argument, "TIME", or what it can be, "none|wait"; NULL for a flag */
    const char *help;     /* one or more lines, '\n' between them */
    double minimum, maximum; /* both 0: no limit */
    bool *given;          /* set to true when the option was given; may be NULL */
};

struct mpg_program {
    const char *name;      /* "mpgsim", "mpgtrace print" */
    const char *arguments; /* what follows the options in the usage line, "TRACE" */
    const char *summary;   /* one sentence */
    const struct mpg_option *options;
    int min_arguments, max_arguments; /* positional; max -1: any number */
    bool stop_at_argument; /* options end at the first positional argument */
    /* Is told each option that was given, in their order, with its argument's TEXT; NULL: nobody is. */
    void (*note)(void *whom, const struct mpg_option *option, const char *text);
    void *whom;
    bool silent;           /* what would be printed is not: another process of the same run does */
};

/* Parses ARGV against PROGRAM. Returns the index in ARGV (permuted by getopt)
 * of the first positional argument. Prints and exits the process itself for
 * --help and --version (0) and for a wrong command line (2). For main() only. */
int mpg_option_parse(const struct mpg_program *program, int argc, char **argv);

/* Prints "NAME: message" and the hint to --help, then exits 2. For main() only. */
void mpg_option_usage_error(const struct mpg_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
