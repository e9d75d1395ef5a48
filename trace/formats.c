/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats. CONTRIBUTING.md says how to add a format. */
#include "trace/format.h"

#include <string.h>

#include "trace/text/text.h"

const struct mpg_trace_format mpg_trace_formats[] = {
    {.name = "text",
     .help = "the mpgtext file to read, - for standard input",
     .begins = "#mpgtext",
     .bytes = 8,
     .kind = MPG_FILE_TRACE_TEXT,
     .import = mpg_text_import},
    {.name = NULL}};

const struct mpg_trace_format *mpg_trace_format_of(const void *first, size_t n)
{
    for (const struct mpg_trace_format *f = mpg_trace_formats; f->name; f++)
        if (n >= f->bytes && memcmp(first, f->begins, f->bytes) == 0)
            return f;
    return NULL;
}
