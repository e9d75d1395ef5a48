/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of traces, exact in both directions: mpgtext(5). */
#ifndef MPG_TEXT_H
#define MPG_TEXT_H

#include <stdio.h>

#include "common/error.h"
#include "trace/reader.h"

/* Imports the text form: see `import` in trace/format.h. Errors name the line. */
int mpg_text_import(FILE *text, const char *name, const char *target, int fd,
                    struct mpg_error *err);

/* Prints the text form of TRACE to STREAM, rank after rank. The caller checks for write errors on closing STREAM. */
int mpg_text_print(struct mpg_trace *trace, FILE *stream, struct mpg_error *err);

#endif
