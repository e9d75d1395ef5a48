/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer, written to an output file and, if wanted, kept in memory for the history. */
#ifndef MPG_HISTORY_ANSWER_H
#define MPG_HISTORY_ANSWER_H

#include <stdbool.h>

#include "common/output.h"

struct mpg_answer {
    struct mpg_output *out;
    FILE *memory; /* stream to a buffer in memory; NULL: the answer is only written to `out` */
    bool text;
    char *bytes;  /* the kept answer, `size` bytes and a NUL; valid after commit */
    size_t size;
};

/* Opens the output PATH as mpg_output_open() does. REMEMBERED: also keeps the bytes in memory. TEXT: the output is for people:
 * control characters in names become printable (common/printable.h). Returns 0, or -1 with ERR. The caller ends the output by
 * mpg_answer_commit() or mpg_answer_discard(), and then calls mpg_answer_clear(). */
int mpg_answer_open(struct mpg_answer *answer, const char *path, bool text, bool remembered, struct mpg_error *err);
FILE *mpg_answer_stream(const struct mpg_answer *answer);
/* End the output as mpg_output_commit() and mpg_output_discard() do. */
int mpg_answer_commit(struct mpg_answer *answer, struct mpg_error *err);
void mpg_answer_discard(struct mpg_answer *answer);
void mpg_answer_clear(struct mpg_answer *answer);

#endif
