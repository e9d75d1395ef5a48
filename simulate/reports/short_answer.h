/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The short answer: the predicted run first, then a line each for parts, efficiencies, main cause, critical path and sensitivity.
 * Private to simulate/reports/ and simulate/pages/. */
#ifndef MPG_SHORT_ANSWER_H
#define MPG_SHORT_ANSWER_H

#include "common/table/json.h"
#include "simulate/reports/report.h"

/* Parts of the short answer: the question, important warnings and run times; then causes, sensitivity and the quality of the
 * measurements. */
enum mpg_short_answer_part { MPG_SHORT_ANSWER_WHOLE, MPG_SHORT_ANSWER_RUNS, MPG_SHORT_ANSWER_CAUSES };

/* Writes PART of the short answer of REPORT, which must have companions, with the summary RUN of the run times: at most 20 lines
 * that fit into REPORT's columns. Error: out of memory. */
int mpg_short_answer_text(const struct mpg_report *report, const struct mpg_summary *run, enum mpg_short_answer_part part,
                          FILE *out, struct mpg_error *err);

enum mpg_answer_kind {
    MPG_ANSWER_HEAD,    /* a line about the question: the trace, the target */
    MPG_ANSWER_WARNING, /* a warning, without the word "Warning: " */
    MPG_ANSWER_VALUE,
    MPG_ANSWER_GAP      /* the end of a group of lines */
};

/* A line of the answer. Texts are valid during mpg_take_answer_line() only. */
struct mpg_answer_line {
    enum mpg_answer_kind kind;
    const char *name; /* name of a line with a VALUE, such as "Main cause"; else NULL */
    const char *text;
};
typedef void mpg_take_answer_line(void *whom, const struct mpg_answer_line *line);

/* Calls TAKE with WHOM for each line of the answer, in order and not folded. A REPORT without companions has the lines for a
 * single question. Error: out of memory. */
int mpg_short_answer_lines(const struct mpg_report *report, const struct mpg_summary *run, mpg_take_answer_line *take,
                           void *whom, struct mpg_error *err);

/* Writes the table of efficiencies with intervals; nothing if unknown. */
void mpg_short_answer_efficiency(const struct mpg_report *report, const struct mpg_summary *run, FILE *out);
/* Puts the members of the short answer: "perturbed", "efficiency" and so on (mpgsim-json(5)). */
void mpg_short_answer_json(struct mpg_json *json, const struct mpg_report *report, const struct mpg_summary *run);

#endif
