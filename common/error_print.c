/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing struct mpg_error, which may quote what stands in a file. */
#include "common/error.h"

#include <stdio.h>

#include "common/printable.h"

void mpg_error_print(const char *program, const struct mpg_error *err)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    mpg_printable_put(stderr, err->text);
    putc('\n', stderr);
}
