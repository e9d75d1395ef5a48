/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes of an answer: warnings, which stand at the top, and assumptions.
 *
 * A warning states why the numbers can be wrong: failed checks of measurements, unknown communication functions, missing parts,
 * options without effect. */
#ifndef MPG_WARNINGS_H
#define MPG_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct mpg_report;

/* The topic of warnings about failed quality checks of signatures. */
#define MPG_TOPIC_QUALITY "quality"

struct mpg_note {
    const char *topic; /* one or two words, at most 12 characters, not freed */
    char *text;        /* one sentence: the fact, its effect and, if known, a remedy */
};

struct mpg_notes {
    size_t n;
    struct mpg_note *line;
    struct mpg_error *err; /* receives errors of functions that add notes; or NULL */
    bool failed;           /* a note is missing, because memory ran out or because of the error in ERR */
};

/* Appends a note to LIST. FORMAT is a printf format of the text. Out of memory sets LIST's `failed`. */
void mpg_notes_add(struct mpg_notes *list, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns 0, or -1 with ERR if a note is missing in LIST. */
int mpg_notes_end(struct mpg_notes *list, struct mpg_error *err);
void mpg_notes_clear(struct mpg_notes *list);

/* Fills LIST, which is empty, with the warnings of REPORT. The caller clears LIST, also after an error: out of memory, the trace
 * cannot be read. A new kind of warning is a function in the table of warnings.c. */
int mpg_warnings_gather(const struct mpg_report *report, struct mpg_notes *list, struct mpg_error *err);
/* Fills WARNINGS and ASSUMED, which are empty, with the warnings and assumptions of REPORT, and makes REPORT point to both.
 * The caller clears both. Errors as of mpg_warnings_gather(). */
int mpg_report_take_notes(struct mpg_report *report, struct mpg_notes *warnings, struct mpg_notes *assumed,
                          struct mpg_error *err);

/* Describes in TEXT, of SIZE bytes, how sends are simulated if neither the target nor an option gives an eager limit. */
void mpg_warnings_describe_no_limit(const struct mpg_report *r, char *text, size_t size);

#endif
