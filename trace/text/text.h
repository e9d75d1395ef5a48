/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of traces, exact both ways: mpgtext(5). */
#ifndef MPG_TEXT_H
#define MPG_TEXT_H

#include <stdio.h>

#include "common/error.h"
#include "trace/reader.h"

/* Imports the text form, as trace/format.h says; errors give the line. */
int mpg_text_import(FILE *text, const char *name, const char *target, int fd,
                    struct mpg_error *err);

/* Writes the text form of TRACE, rank after rank, to STREAM; write errors are
 * left for the caller's close of STREAM to report. */
int mpg_text_print(struct mpg_trace *trace, FILE *stream, struct mpg_error *err);

#endif
