/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages by pair of ranks and by size, as tables, CSV, JSON and plots. */
#ifndef MPG_MESSAGES_REPORT_H
#define MPG_MESSAGES_REPORT_H

#include "analyse/messages/messages.h"
#include "common/plots/plots.h"
#include "common/table/table.h"

struct mpg_messages_report {
    const struct mpg_trace *trace;
    const struct mpg_messages *messages;
    bool with_collectives; /* messages of collectives are included */
    bool largest_first;    /* sort pairs by bytes, and list them in text instead of tables */
    size_t top;            /* maximum number of pairs printed as text and CSV; 0: 20 in text, all in CSV */
};

/* Maximum number of ranks for which the matrices fit on a screen. */
enum { MPG_MATRIX_RANKS = 16 };

/* mpg_matrix_print() prints pairs: as tables in text, a row each in CSV, an object of pairs and collectives in JSON.
 * mpg_sizes_print() prints size classes: as a histogram in text, a row each in CSV, an object in JSON. Both return 0, or -1 with
 * ERR: no memory. */
int mpg_matrix_print(const struct mpg_messages_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
int mpg_sizes_print(const struct mpg_messages_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
/* Draws the heat maps of messages and of bytes of REPORT, a struct mpg_messages_report, by ranks; more than 512 ranks are joined
 * to at most 512 blocks of ranks. Returns 0, or -1 with ERR: nothing to draw; an error of plots. */
int mpg_matrix_draw(struct plot_session *session, const void *report, struct mpg_error *err);

#endif
