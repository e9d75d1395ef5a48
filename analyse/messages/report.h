/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who sends how much to whom, and messages by size, as tables, CSV, JSON and plots. */
#ifndef MPG_MESSAGES_REPORT_H
#define MPG_MESSAGES_REPORT_H

#include "analyse/messages/messages.h"
#include "common/plots/plots.h"
#include "common/table/table.h"

struct mpg_messages_report {
    const struct mpg_trace *trace;
    const struct mpg_messages *messages;
    bool with_collectives; /* they are among the messages */
    bool largest_first;    /* the pairs are in that order: text has a list of them instead of tables */
    size_t top;            /* that many of them in text and CSV; 0: 20 in text, all in CSV */
};

/* So many ranks have tables of pairs that fit a screen. */
enum { MPG_MATRIX_RANKS = 16 };

/* Pairs, as tables for people, a row each in CSV, an object of them and of collectives in JSON; size classes likewise, for people
 * as a histogram. Error: out of memory. */
int mpg_matrix_print(const struct mpg_messages_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
int mpg_sizes_print(const struct mpg_messages_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
/* Draws the two heat maps of REPORT, a struct mpg_messages_report: messages and bytes, of ranks, or, where these
 * are more than 512, of as many blocks of ranks. Errors: nothing to draw; those of plots. */
int mpg_matrix_draw(struct plot_session *session, const void *report, struct mpg_error *err);

#endif
