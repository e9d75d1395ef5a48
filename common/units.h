/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times, sizes and rank lists as people write them, and back. Thread-safe. */
#ifndef MPG_UNITS_H
#define MPG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* "100ns", "2.5us", "10ms", "1s", "-3us": nanoseconds, within +-1e18 (31 years), so
 * that sums and squares stay finite. A number without a unit is an error that says
 * how to write it, for people mean seconds as often as nanoseconds; 0 needs none. */
int mpg_units_parse_time(const char *text, double *time_ns, struct mpg_error *err);

/* "4096", "64KiB", "64K" (binary), "1MB" (decimal), "2GiB": bytes. -1 is
 * accepted where the caller's range allows it. */
int mpg_units_parse_size(const char *text, int64_t *size_bytes, struct mpg_error *err);

/* Whole-string decimal integer and finite real. */
int mpg_units_parse_int(const char *text, int64_t *value, struct mpg_error *err);
int mpg_units_parse_real(const char *text, double *value, struct mpg_error *err);

/* "3-17", or "3" for 3-3: whole numbers from 0 on, FIRST <= LAST. WHAT names them for ERR: "calls". */
int mpg_units_parse_range(const char *text, const char *what, uint64_t *first, uint64_t *last,
                          struct mpg_error *err);

/* The unit in which a time of TIME_NS, or a table whose largest is that, is readable: its nanoseconds, and NAME ("us"). */
double mpg_units_of_time(double time_ns, const char **name);
/* Readable time ("12.3 us") and size ("64 KiB") into BUF of SIZE bytes; returns BUF. */
char *mpg_units_format_time(char *buf, size_t size, double time_ns);
char *mpg_units_format_size(char *buf, size_t size, int64_t size_bytes);

/* VALUE with DIGITS after its point, as facts of traces have it, into BUF of SIZE bytes; returns BUF. No number of this header
 * depends on the locale. */
char *mpg_units_format_fact(char *buf, size_t size, double value, int digits);
/* The number that TEXT is, from 0 to 10^9; OTHERWISE if it is none, or NULL. A comma is taken for a point: tracers before 0.2
 * wrote what the program's locale has. */
double mpg_units_parse_fact(const char *text, double otherwise);

/* Which of two words goes with N things. */
static inline const char *mpg_units_word(uint64_t n, const char *of_one, const char *of_several)
{
    return n == 1 ? of_one : of_several;
}

/* A set of ranks as the user wrote it, "0,4-7". */
struct mpg_rank_set {
    size_t count;                      /* number of ranges; 0 means every rank */
    struct { int32_t first, last; } *ranges;
};

/* Parses TEXT into SET, which the caller clears with mpg_rank_set_clear(). */
int mpg_rank_set_parse(const char *text, struct mpg_rank_set *set, struct mpg_error *err);
bool mpg_rank_set_contains(const struct mpg_rank_set *set, int32_t rank);
void mpg_rank_set_clear(struct mpg_rank_set *set);

#endif
