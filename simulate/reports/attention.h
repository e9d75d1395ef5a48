/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What whoever reads an answer must know before its numbers: measurements that failed
 * checks, communication that was not understood, parts that are missing, options without
 * effect. It stands at the top of the answer. */
#ifndef MPG_ATTENTION_H
#define MPG_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct mpg_report;

/* What is done where the target has no eager limit, and no option gives it. */
void mpg_attention_say_no_limit(const struct mpg_report *r, char *text, size_t size);

struct mpg_attention_line {
    const char *topic; /* a word or two of at most 12 characters, not freed */
    char *text;        /* a sentence: what is so, what follows; the remedy if there is one */
};

struct mpg_attention {
    size_t n;
    struct mpg_attention_line *line;
    struct mpg_error *err; /* of who fills it, while it does; or NULL */
    bool failed;           /* something is missing, since there was no memory, or as ERR says */
};

/* Puts a line behind those of LIST; the text is a printf format. */
void mpg_attention_add(struct mpg_attention *list, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* After those: -1 with ERR if a line is missing. */
int mpg_attention_end(struct mpg_attention *list, struct mpg_error *err);
/* Fills LIST, which is empty before and cleared by the caller, with all that applies to
 * REPORT. A new kind of line is a function in the table of attention.c. */
int mpg_attention_gather(const struct mpg_report *report, struct mpg_attention *list,
                         struct mpg_error *err);
void mpg_attention_clear(struct mpg_attention *list);

#endif
