/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and formats times, sizes and rank lists. Thread-safe. */
#ifndef MPG_UNITS_H
#define MPG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Parses a time ("100ns", "2.5us", "10ms", "1s", "-3us") into ns, within +-1e18 (31 years), which keeps sums and squares finite.
 * A nonzero number without unit is an error explaining the format, since people mean seconds as often as nanoseconds. */
int mpg_units_parse_time(const char *text, double *time_ns, struct mpg_error *err);

/* Parses a size ("4096", "64KiB", "64K" (binary), "1MB" (decimal), "2GiB") into bytes. Accepts -1; the caller checks the
 * range. */
int mpg_units_parse_size(const char *text, int64_t *size_bytes, struct mpg_error *err);

/* Parse a decimal integer or a finite real number. TEXT must have no trailing characters. */
int mpg_units_parse_int(const char *text, int64_t *value, struct mpg_error *err);
int mpg_units_parse_real(const char *text, double *value, struct mpg_error *err);

/* Parses a range of whole numbers >= 0 with FIRST <= LAST: "3-17", or "3" for 3-3. WHAT names the items in ERR, for example
 * "calls". */
int mpg_units_parse_range(const char *text, const char *what, uint64_t *first, uint64_t *last,
                          struct mpg_error *err);

/* Returns the readable unit for TIME_NS (for a table: the largest time) in ns and sets NAME ("us"). */
double mpg_units_of_time(double time_ns, const char **name);
/* Format a time ("12.3 us") or size ("64 KiB") into BUF of SIZE bytes. Return BUF. */
char *mpg_units_format_time(char *buf, size_t size, double time_ns);
char *mpg_units_format_size(char *buf, size_t size, int64_t size_bytes);

/* Formats VALUE with DIGITS decimals, in the format of trace facts, into BUF of SIZE bytes. Returns BUF. No function in this
 * header depends on the locale. */
char *mpg_units_format_fact(char *buf, size_t size, double value, int digits);
/* Parses a trace fact as a number from 0 to 1e9. Returns OTHERWISE if TEXT is NULL or no valid number. Accepts a decimal
 * comma, because tracers before 0.2 wrote numbers in the application's locale. */
double mpg_units_parse_fact(const char *text, double otherwise);

/* Returns the singular or the plural word for a count N. */
static inline const char *mpg_units_word(uint64_t n, const char *of_one, const char *of_several)
{
    return n == 1 ? of_one : of_several;
}

/* A set of ranks, parsed from a list like "0,4-7". */
struct mpg_rank_set {
    size_t count;                      /* number of ranges; 0: all ranks */
    struct { int32_t first, last; } *ranges;
};

/* Parses TEXT into SET. The caller frees SET with mpg_rank_set_clear(). */
int mpg_rank_set_parse(const char *text, struct mpg_rank_set *set, struct mpg_error *err);
bool mpg_rank_set_contains(const struct mpg_rank_set *set, int32_t rank);
void mpg_rank_set_clear(struct mpg_rank_set *set);

#endif
