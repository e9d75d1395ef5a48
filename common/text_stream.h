/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts written with open_memstream(). */
#ifndef MPG_TEXT_STREAM_H
#define MPG_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Closes STREAM and returns true if *TEXT is complete; the caller frees *TEXT. On failure frees and clears *TEXT. A failed
 * last reallocation sets no error flag: only fclose() reports the failure. */
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
