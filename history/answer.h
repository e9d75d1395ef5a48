/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An output that also keeps its text in memory on request. */
#ifndef MPG_HISTORY_ANSWER_H
#define MPG_HISTORY_ANSWER_H

#include <stdbool.h>

#include "common/output.h"

struct mpg_answer {
    struct mpg_output *out;
    FILE *memory; /* NULL: written directly to the output */
    bool text;
    char *bytes;  /* after a commit; with a trailing NUL */
    size_t size;
};

/* Opens PATH as mpg_output_open() does. REMEMBERED: keep the bytes in memory. TEXT: output for people, in which unprintable
 * bytes of foreign names are escaped (common/printable.h). End with mpg_answer_commit() or mpg_answer_discard(), then
 * mpg_answer_clear(). */
int mpg_answer_open(struct mpg_answer *answer, const char *path, bool text, bool remembered, struct mpg_error *err);
FILE *mpg_answer_stream(const struct mpg_answer *answer);
/* See mpg_output_commit() and mpg_output_discard(). */
int mpg_answer_commit(struct mpg_answer *answer, struct mpg_error *err);
void mpg_answer_discard(struct mpg_answer *answer);
void mpg_answer_clear(struct mpg_answer *answer);

#endif
