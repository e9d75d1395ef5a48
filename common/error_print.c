/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing struct mpg_error, which may quote what stands in a file. */
#include "common/error.h"

#include <stdio.h>

#include "common/printable.h"

void mpg_error_print(const char *program, const struct mpg_error *err)
{
    char text[6 * MPG_ERROR_SIZE]; /* a character takes up to six */
    fflush(stdout);
    /* In one: ranks, and launchers, write to the same standard error. */
    fprintf(stderr, "%s: %s\n", program, mpg_printable(text, sizeof text, err->text));
}
