/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "history/answer.h"

#include <errno.h>
#include <stdlib.h>

#include "common/printable.h"
#include "common/text_stream.h"

int mpg_answer_open(struct mpg_answer *a, const char *path, bool text, bool remembered, struct mpg_error *err)
{
    *a = (struct mpg_answer){.out = mpg_output_open(path, err), .text = text};
    if (!a->out)
        return -1;
    if ((!remembered && !text) || (a->memory = open_memstream(&a->bytes, &a->size)))
        return 0;
    mpg_output_discard(a->out);
    a->out = NULL;
    return mpg_error_errno(err, errno, "%s", path);
}

FILE *mpg_answer_stream(const struct mpg_answer *a)
{
    return a->memory ? a->memory : mpg_output_stream(a->out);
}

/* Makes the kept bytes printable (common/printable.h). Returns false: out of memory. */
static bool make_printable(struct mpg_answer *a)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&bytes, &size);
    if (memory)
        mpg_printable_put_lines(memory, a->bytes, a->size);
    if (!memory || !mpg_text_end(memory, &bytes))
        return false;
    free(a->bytes);
    a->bytes = bytes;
    a->size = size;
    return true;
}

int mpg_answer_commit(struct mpg_answer *a, struct mpg_error *err)
{
    struct mpg_output *out = a->out;
    a->out = NULL;
    if (a->memory) {
        if (!mpg_text_end(a->memory, &a->bytes) || (a->text && !make_printable(a))) {
            a->memory = NULL;
            mpg_output_discard(out);
            return mpg_error_set(err, "out of memory");
        }
        a->memory = NULL;
        fwrite(a->bytes, 1, a->size, mpg_output_stream(out)); /* mpg_output_commit() reports a write error */
    }
    return mpg_output_commit(out, err);
}

void mpg_answer_discard(struct mpg_answer *a)
{
    if (a->memory)
        fclose(a->memory);
    a->memory = NULL;
    mpg_output_discard(a->out);
    a->out = NULL;
}

void mpg_answer_clear(struct mpg_answer *a)
{
    free(a->bytes);
    *a = (struct mpg_answer){.out = NULL};
}
