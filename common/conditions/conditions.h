/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions on changes, for continuous integration: "run > +5 %" holds if the run time has grown by more than 5 %.
 *
 * A condition is decided by the confidence interval of the change: it fails if the whole interval lies beyond the limit, passes
 * if no part does, and is undecided if the interval contains the limit, or is not known. Results are written as text, JSON, TAP
 * (version 13) and JUnit XML (the elements and attributes that Jenkins' junit-10.xsd and GitLab read). Thread-safe. */
#ifndef MPG_CONDITIONS_H
#define MPG_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "common/option.h"
#include "common/table/json.h"

/* Exit statuses of a program with conditions, beside enum MPG_EXIT_... (common/error.h). */
enum { MPG_EXIT_CONDITION_FAILED = 3, MPG_EXIT_CONDITION_UNDECIDED = 4 };

enum mpg_condition_unit {
    MPG_CONDITION_RATIO,  /* change / value before; "+5 %" is 0.05 */
    MPG_CONDITION_TIME,   /* change in ns */
    MPG_CONDITION_NUMBER, /* change of a fraction, such as an efficiency */
};

struct mpg_condition {
    const char *text; /* the whole condition, as given */
    char *name;       /* the quantity, "run" or "region sweep": the text before > or < without blanks around */
    bool above;       /* the condition is about changes above LIMIT (>), not below (<) */
    enum mpg_condition_unit unit;
    double limit;
};

/* Parses TEXT, "NAME > LIMIT" or "NAME < LIMIT"; the last > or < counts. LIMIT has a sign, or is 0: "+5 %", "-10ms", "-0.02",
 * "0". C points to TEXT. The caller clears C, also on failure. Returns 0, or -1 with ERR. */
int mpg_condition_parse(struct mpg_condition *c, const char *text, struct mpg_error *err);
void mpg_condition_clear(struct mpg_condition *c);
/* Checks that the program can decide the condition C, and completes C's unit. Returns 0, or -1 with ERR. */
typedef int mpg_condition_fit(struct mpg_condition *c, struct mpg_error *err);
/* Parses the texts of FAIL_IF, the value of --fail-if, into the same number of conditions C, and checks each by FIT. The caller
 * clears all conditions, also on failure. Returns 0, or -1 with ERR, which names the option. */
int mpg_condition_parse_all(struct mpg_condition *c, const struct mpg_option_list *fail_if, mpg_condition_fit *fit,
                            struct mpg_error *err);

enum mpg_condition_verdict { MPG_CONDITION_PASSED, MPG_CONDITION_FAILED, MPG_CONDITION_UNDECIDED };

/* Rows of an option table: --fail-if (struct mpg_option_list *), --strict and --tap (bool *), --junit (const char **). */
#define MPG_ROWS_OF_CONDITIONS(FAIL_IF, STRICT, TAP, JUNIT) \
    {.name = "fail-if", .kind = MPG_OPTION_LIST, .value = (FAIL_IF), .argument = "CONDITION", \
     .help = "exit with 3 if a change is certainly beyond a limit: 'run > +5 %'"}, \
        {.name = "strict", .kind = MPG_OPTION_FLAG, .value = (STRICT), .help = "exit with 4 if a condition is undecided"}, \
        {.name = "tap", .kind = MPG_OPTION_FLAG, .value = (TAP), .help = "write TAP lines of the conditions instead"}, \
    { \
        .name = "junit", .kind = MPG_OPTION_STRING, .value = (JUNIT), .argument = "FILE", \
        .help = "also write the conditions to FILE as JUnit XML" \
    }

/* The result of a condition. */
struct mpg_condition_result {
    const struct mpg_condition *condition;
    enum mpg_condition_verdict verdict;
    double change, low, high;  /* the change and its interval, in the condition's unit; NAN: not known */
    double confidence;         /* of the interval: 0.95 for a single condition */
    size_t before, after;      /* numbers of recordings or measurements */
    const char *about;         /* the part that decided, owned by the caller; NULL: the quantity of the condition */
    const char *why;           /* reason for an undecided condition, beside the interval: a constant; NULL: the interval */
};

/* Returns the confidence of the interval of each of N >= 1 conditions (or parameters of conditions) such that with no change any
 * of these fails with a probability of at most 5 % (Bonferroni). */
double mpg_condition_confidence(size_t n);
/* Sets R's verdict from R's condition and interval. */
void mpg_condition_decide(struct mpg_condition_result *r);
/* Returns the exit status for N results: a failed condition counts more than an undecided one. STRICT: an undecided condition is
 * no success. */
int mpg_condition_status(const struct mpg_condition_result *r, size_t n, bool strict);

/* Write N results. STRICT: an undecided condition is not ok. The stream's error flag reports write errors. */
void mpg_condition_print_text(const struct mpg_condition_result *r, size_t n, FILE *out);
void mpg_condition_print_tap(const struct mpg_condition_result *r, size_t n, bool strict, FILE *out);
/* Adds the array "conditions". */
void mpg_condition_put_json(struct mpg_json *j, const struct mpg_condition_result *r, size_t n);
/* Prints a line of PROGRAM ("mpgtrace compare") on standard error for each condition that failed or is undecided. */
void mpg_condition_print_errors(const char *program, const struct mpg_condition_result *r, size_t n);

/* Writes the results of PROGRAM as a JUnit file at PATH ("-": standard output). STRICT: an undecided condition is an error, else
 * it is skipped. Returns 0, or -1 with ERR. */
int mpg_condition_write_junit(const char *path, const char *program, const struct mpg_condition_result *r, size_t n, bool strict,
                              struct mpg_error *err);

#endif
