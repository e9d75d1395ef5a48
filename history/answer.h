/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An output that can be remembered: what was written to it is in memory afterwards. */
#ifndef MPG_HISTORY_ANSWER_H
#define MPG_HISTORY_ANSWER_H

#include <stdbool.h>

#include "common/output.h"

struct mpg_answer {
    struct mpg_output *out;
    FILE *memory; /* NULL: it is written as it comes */
    bool text;
    char *bytes;  /* once committed; a NUL follows */
    size_t size;
};

/* As mpg_output_open(); REMEMBERED, if asked. Of a TEXT for people names from outside are made fit for a terminal
 * (common/printable.h), wherever in it they are. To be ended by one of the next two, and cleared. */
int mpg_answer_open(struct mpg_answer *answer, const char *path, bool text, bool remembered, struct mpg_error *err);
FILE *mpg_answer_stream(const struct mpg_answer *answer);
/* As mpg_output_commit() and mpg_output_discard(). */
int mpg_answer_commit(struct mpg_answer *answer, struct mpg_error *err);
void mpg_answer_discard(struct mpg_answer *answer);
void mpg_answer_clear(struct mpg_answer *answer);

#endif
