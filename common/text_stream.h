/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that are written as streams, by open_memstream(). */
#ifndef MPG_TEXT_STREAM_H
#define MPG_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Closes STREAM, whose text *TEXT is then, the caller's to free. False where a part of it is missing: *TEXT is NULL. That its
 * last reallocation fails is told by that alone, with no error of the stream's. */
static inline bool mpg_text_end(FILE *stream, char **text)
{
    const bool whole = !ferror(stream);
    if (fclose(stream) == 0 && whole && *text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

#endif
