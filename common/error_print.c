/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a struct mpg_error, which may quote text from a file. */
#include "common/error.h"

#include <stdio.h>

#include "common/printable.h"

void mpg_error_print(const char *program, const struct mpg_error *err)
{
    char text[6 * MPG_ERROR_SIZE]; /* an escaped character has up to six bytes */
    fflush(stdout);
    /* A single fprintf(): all ranks share standard error, and the parts of two messages could alternate. */
    fprintf(stderr, "%s: %s\n", program, mpg_printable(text, sizeof text, err->text));
}
