/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a format cannot hold, in counts: said after the export, a line each, and never left out in silence. */
#ifndef MPG_EXPORT_LEFT_OUT_H
#define MPG_EXPORT_LEFT_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MPG_LEFT_OUT_MOST = 32 };

/* Empty when zero-initialised. */
struct mpg_left_out {
    size_t n;
    struct {
        const char *text; /* behind the count: "probes: only their times are written" */
        uint64_t count;
    } item[MPG_LEFT_OUT_MOST];
};

/* Adds N to the count of TEXT, a static text; equal texts share a count. */
void mpg_left_out_add(struct mpg_left_out *left, const char *text, uint64_t n);
/* Writes a line "PROGRAM: attention: COUNT TEXT" for each text to OUT. */
void mpg_left_out_print(const struct mpg_left_out *left, const char *program, FILE *out);

#endif
