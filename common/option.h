/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table a program drives both its parsing and its --help.
 *
 * --completion alone prints the table for a shell (completion/mpgkit.bash): a line for each name, in which "=" follows
 * those that take an argument ("[=]" those that may), and after a tab what --help calls it, and the keys, "map=". Programs
 * with commands put these in front, and "FILE..." if a file can be in a command's place.
 *
 * Every program answers -h, --help and -V, --version on standard output with exit 0;
 * a wrong command line is one line on standard error and exit 2. An option that takes
 * an argument and is no list can be given once only: of two one would be without
 * effect. A flag given twice is a flag.
 *
 * The table is the one place that says which words and which numbers an option takes; a list of rules beside it says which
 * options exclude, need or imply each other. An option with keys takes them as KEY=VALUE, after a comma or by itself:
 * --source=FILE,latency=1us is --source=FILE --source=latency=1us. */
#ifndef MPG_OPTION_H
#define MPG_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum mpg_option_kind {
    MPG_OPTION_FLAG,   /* value: bool *, set to true */
    MPG_OPTION_STRING, /* value: const char **, points into argv; not empty */
    MPG_OPTION_LIST,   /* value: struct mpg_option_list *; each time given adds one, not empty */
    MPG_OPTION_INT,    /* value: int64_t *, within minimum..maximum; each of `words`, if there are any, is its place */
    MPG_OPTION_REAL,   /* value: double *, within minimum..maximum */
    MPG_OPTION_RATIO,  /* value: double *, from 0 to less than 1; "5%" or "0.05" */
    MPG_OPTION_SIZE,   /* value: int64_t *, bytes ("64KiB"), within minimum..maximum */
    MPG_OPTION_TIME,   /* value: double *, ns ("10ms"), within minimum..maximum */
    MPG_OPTION_WORD,   /* value: int *, or an enum's: the place in `words` of the one that is given */
    MPG_OPTION_WORDS,  /* value: struct mpg_option_words *; words with commas between them, each once, also where it is
                          given several times */
    MPG_OPTION_KEYS,   /* value: NULL; keys alone */
};

/* What an option was given that may be given several times, in that order. */
enum { MPG_OPTION_LIST_MAX = 64 };
struct mpg_option_list {
    size_t n;
    const char *item[MPG_OPTION_LIST_MAX]; /* point into argv */
};

/* The places in `words` of those that an option was given, in that order. */
enum { MPG_OPTION_WORDS_MAX = 32 };
struct mpg_option_words {
    size_t n;
    int word[MPG_OPTION_WORDS_MAX];
};
bool mpg_option_has_word(const struct mpg_option_words *words, int word);

struct mpg_option {
    const char *name;     /* long name without dashes; NULL ends the table */
    char letter;          /* short name, or 0 */
    enum mpg_option_kind kind;
    void *value;
    const char *argument; /* what --help calls the argument, "TIME"; NULL for a flag, and for words, which --help lists */
    const char *help;     /* one or more lines, '\n' between them */
    double minimum, maximum; /* both 0: no limit */
    bool *given;          /* set to true when the option was given; may be NULL */
    const char *group;    /* heading of --help, above this option; NULL: it is under the one before */
    const char *const *words; /* of WORD and WORDS in the order of their enum, of INT beside its numbers; ended by NULL */
    const char *alone;    /* the argument of an option that is given without one; NULL: it needs one */
    const struct mpg_option *keys; /* NAME=KEY=VALUE, a table like this one; at most MPG_OPTION_KEYS_MAX; NULL: none */
};
enum { MPG_OPTION_KEYS_MAX = 8 };

/* A rule is about options by name, "map"; a key of one, "source=map"; a word of either, "polling=work",
 * "target=engine=lanes"; or a condition, which the program calls by words of its own, "several scenarios". */
enum mpg_option_relation {
    MPG_OPTION_EXCLUDES,
    MPG_OPTION_NEEDS,   /* `other` has | between several of which one is enough; a word is enough as the default, too */
    MPG_OPTION_IMPLIES, /* `other` is a flag */
};
struct mpg_option_rule {
    const char *option; /* NULL ends the list */
    enum mpg_option_relation relation;
    const char *other;
    const char *why;    /* ends the message; may be NULL */
};

/* A word of the version before, which is still understood, with a line on standard error: "floors=" and an argument are "cache="
 * and that argument; "ideal", which takes none, is "target=ideal"; "carried=none", with this argument, is "without=carried".
 * NOW is NULL where that says nothing. Neither --help nor --completion has it. */
struct mpg_option_renamed {
    const char *old, *now; /* OLD is NULL: the end of the list */
};
/* What "--OPTION=ARGUMENT", TEXT, is by the list RENAMED, in storage that the caller frees: TEXT where it is not old, "" where
 * it says nothing any more. NULL: out of memory. */
char *mpg_option_rename(const struct mpg_option_renamed *renamed, const char *text);

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
    const struct mpg_option_renamed *renamed; /* NULL: no words are old */
    const struct mpg_option_rule *rules;      /* NULL: none */
    /* Before rules are checked, and after what they imply: takes what options, and N positional ARGUMENTS, say together. May
     * be NULL. */
    int (*resolve)(void *whom, char **arguments, size_t n, struct mpg_error *err);
    /* Whether the CONDITION of a rule holds; NULL: rules have none, and what is no option was not given. */
    bool (*holds)(void *whom, const char *condition);
};

/* Parses ARGV against PROGRAM. Returns the index in ARGV (permuted by getopt)
 * of the first positional argument. Prints and exits the process itself for
 * --help and --version (0) and for a wrong command line (2). For main() only. */
int mpg_option_parse(const struct mpg_program *program, int argc, char **argv);

/* Prints "NAME: message" and the hint to --help, then exits 2. For main() only. */
void mpg_option_usage_error(const struct mpg_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
