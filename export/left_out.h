/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of the properties of a trace that a format cannot hold. Reported after the export, a line for each property. */
#ifndef MPG_EXPORT_LEFT_OUT_H
#define MPG_EXPORT_LEFT_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MPG_LEFT_OUT_MAX = 32 };

/* Zero-initialised is empty. */
struct mpg_left_out {
    size_t n;
    struct {
        const char *text; /* text after the count: "probes: only their times are written" */
        uint64_t count;
    } item[MPG_LEFT_OUT_MAX];
};

/* Adds N to the count of TEXT, a constant string; equal texts share a count. N may be 0. */
void mpg_left_out_add(struct mpg_left_out *left, const char *text, uint64_t n);
/* Writes a line "PROGRAM: attention: COUNT TEXT" for each text to OUT. */
void mpg_left_out_print(const struct mpg_left_out *left, const char *program, FILE *out);

#endif
