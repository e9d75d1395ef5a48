/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command line parsing: one option table per program drives both parsing and --help.
 *
 * --completion as the only argument prints the table for a shell (completion/mpgkit.bash), one line per option name: "=" follows
 * the name of an option with an argument ("[=]" if the argument is optional); after a tab follow the argument's name in --help
 * and the keys ("map="). Programs with commands print the commands first, and "FILE..." if a file can replace the command.
 *
 * Every program answers -h, --help, --help=all and -V, --version on standard output and exits with 0. If the table has brief
 * texts, --help prints only options with a brief text, and --help=all prints all options. A wrong command line prints one line on
 * standard error, naming the nearest option or word (common/nearest.h), and exits with 2. An abbreviation of a long option's name
 * is understood if no other name begins with the abbreviation; old names have no abbreviations. Except for lists, an option with
 * an argument can be given only once, because the first value would have no effect. A flag may be repeated.
 *
 * The table defines the words and the range of numbers of each option. A list of rules defines which options exclude, need or
 * imply each other. An option with keys accepts KEY=VALUE after a comma or separately: --source=FILE,latency=1us equals
 * --source=FILE --source=latency=1us. */
#ifndef MPG_OPTION_H
#define MPG_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum mpg_option_kind {
    MPG_OPTION_FLAG,   /* value: bool *, set to true */
    MPG_OPTION_STRING, /* value: const char **, points into argv; not empty */
    MPG_OPTION_LIST,   /* value: struct mpg_option_list *; each use of the option adds an item; not empty */
    MPG_OPTION_INT,    /* value: int64_t *, within minimum..maximum; a word of `words` stores its index */
    MPG_OPTION_REAL,   /* value: double *, within minimum..maximum */
    MPG_OPTION_RATIO,  /* value: double *, from 0 to less than 1; "5%" or "0.05" */
    MPG_OPTION_SIZE,   /* value: int64_t *, bytes ("64KiB"), within minimum..maximum */
    MPG_OPTION_TIME,   /* value: double *, ns ("10ms"), within minimum..maximum */
    MPG_OPTION_WORD,   /* value: int * or pointer to an enum; stores the index in `words` */
    MPG_OPTION_WORDS,  /* value: struct mpg_option_words *; words separated by commas, each at most once, also if the option
                          is repeated */
    MPG_OPTION_KEYS,   /* value: NULL; the option has only keys */
};

/* The arguments of a list option, in the order given. */
enum { MPG_OPTION_LIST_MAX = 64 };
struct mpg_option_list {
    size_t n;
    const char *item[MPG_OPTION_LIST_MAX]; /* point into argv */
};

/* The indices in `words` of the words given, in the order given. */
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
    const char *argument; /* the argument's name in --help, "TIME"; NULL for a flag and for words, which --help lists */
    const char *help;     /* one or more lines, separated by '\n' */
    const char *brief;    /* one line for --help if the option is among the most used; NULL: only in --help=all */
    double minimum, maximum; /* both 0: no limit */
    bool *given;          /* set to true if the option is given; may be NULL */
    const char *group;    /* heading in --help above this option; NULL: same group as the previous option */
    const char *const *words; /* words of WORD and WORDS in the order of their enum, or words that INT accepts beside numbers;
                               * ended by NULL */
    const char *alone;    /* the value if the option is given without argument; NULL: the argument is required */
    const struct mpg_option *keys; /* table of the keys in --NAME=KEY=VALUE, at most MPG_OPTION_KEYS_MAX; NULL: none */
};
enum { MPG_OPTION_KEYS_MAX = 8 };

/* A rule names options ("map"), keys of options ("source=map"), words of options or keys ("polling=work", "target=engine=graph"),
 * or conditions defined by the program ("several scenarios"). */
enum mpg_option_relation {
    MPG_OPTION_EXCLUDES,
    MPG_OPTION_NEEDS,   /* at least one alternative of `other`, separated by |, must hold; a word also counts if it is the
                         * default */
    MPG_OPTION_IMPLIES, /* `other` is a flag */
};
struct mpg_option_rule {
    const char *option; /* NULL ends the list */
    enum mpg_option_relation relation;
    const char *other;
    const char *why;    /* ends the message; may be NULL */
};

/* A former option or word, still accepted, with a warning on standard error. "floors=" replaced by "cache=" keeps the argument;
 * "ideal" without argument becomes "target=ideal"; "carried=none", with exactly this argument, becomes "without=weak-progress".
 * An entry of one option ("without=carried", "without=weak-progress") replaces a word of this option, in a list of words, too.
 * NOW is NULL if the option has no effect any more. Neither --help nor --completion shows old names. */
struct mpg_option_renamed {
    const char *old, *now; /* OLD NULL: end of the list */
};
/* Returns TEXT ("--OPTION=ARGUMENT") with an old name replaced according to the list RENAMED, to be freed by the caller: a
 * copy of TEXT if TEXT has no old name, "" if the option has no effect any more. Returns NULL if out of memory. */
char *mpg_option_rename(const struct mpg_option_renamed *renamed, const char *text);

struct mpg_program {
    const char *name;      /* "mpgsim", "mpgtrace print" */
    const char *arguments; /* the usage line after the options, "TRACE" */
    const char *summary;   /* one sentence */
    const struct mpg_option *options;
    int min_arguments, max_arguments; /* number of positional arguments; max -1: any number */
    bool stop_at_argument; /* options end at the first positional argument */
    /* Called for each option given, in order, with its argument TEXT; may be NULL. */
    void (*note)(void *context, const struct mpg_option *option, const char *text);
    void *context;
    bool silent;           /* suppresses all output, because another process of the same run prints */
    const struct mpg_option_renamed *renamed; /* NULL: no old names */
    const struct mpg_option_rule *rules;      /* NULL: none */
    /* Called after implied options are set and before other rules are checked. Evaluates combinations of options and the N
     * positional ARGUMENTS. May be NULL. */
    int (*resolve)(void *context, char **arguments, size_t n, struct mpg_error *err);
    /* Returns true if the CONDITION of a rule holds. NULL: the rules have no conditions, and an unknown option in a rule
     * counts as not given. */
    bool (*holds)(void *context, const char *condition);
};

/* Parses ARGV against PROGRAM. Returns the index in ARGV (permuted by getopt) of the first positional argument. For --help
 * and --version prints and exits with 0; for a wrong command line prints and exits with 2. For main() only. */
int mpg_option_parse(const struct mpg_program *program, int argc, char **argv);

/* Returns the number of arguments after "--"; -1: there is no "--". To be called before mpg_option_parse(), which removes
 * "--". */
int mpg_option_after_dashes(int argc, char **argv);
/* Prints "NAME: message" and a hint to --help, then exits with 2. For main() only. */
void mpg_option_usage_error(const struct mpg_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
