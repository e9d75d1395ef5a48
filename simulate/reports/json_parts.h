/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of answers as JSON, which mpgsim-json(5) describes. Private to simulate/reports/. */
#ifndef MPG_JSON_PARTS_H
#define MPG_JSON_PARTS_H

#include <jansson.h>

#include "simulate/reports/report.h"

/* From here on it is noticed where there is no memory for a part of an object. */
void mpg_answer_begin(void);
/* Writes ROOT, which is given away, and ends what mpg_answer_begin() began. Errors: out of memory, here or
 * since; a text that is not UTF-8. */
int mpg_answer_write(json_t *root, FILE *out, struct mpg_error *err);

/* Ends it where nothing is written; false: there was no memory for a part, or (jansson's reader of texts does not notice) a
 * byte of a string. */
bool mpg_answer_end(void);

/* As if there had been no memory. */
void mpg_answer_run_out(void);
/* TEXT, made fit (common/printable.h). */
json_t *mpg_answer_text(const char *text);
json_t *mpg_answer_summary(const struct mpg_summary *summary);
json_t *mpg_answer_trace(const struct mpg_report *report);
json_t *mpg_answer_options(const struct mpg_report *report);
json_t *mpg_answer_lines(const struct mpg_attention *lines);

#endif
