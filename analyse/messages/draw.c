/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages by pair of ranks as heat maps. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/messages/report.h"
#include "common/printable.h"

enum { MAX_CELLS = 512 };

/* Allocates the matrix *CELL and adds all pairs of M to the matrix. A cell is a block of *EACH senders (row) and *EACH receivers
 * (column); *EACH is chosen for at most MAX_CELLS rows. Returns the number of rows, or -1: out of memory. */
static int32_t put_in_cells(const struct mpg_messages *m, bool of_bytes, double **cell, int32_t *each,
                            struct mpg_error *err)
{
    *each = (m->ranks + MAX_CELLS - 1) / MAX_CELLS;
    const int32_t cells = (m->ranks + *each - 1) / *each;
    if (!(*cell = calloc((size_t)cells * (size_t)cells, sizeof **cell)))
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < m->pairs; i++)
        (*cell)[(size_t)(m->pair[i].from / *each) * (size_t)cells + (size_t)(m->pair[i].to / *each)] +=
            of_bytes ? m->pair[i].sum.bytes : (double)m->pair[i].sum.messages;
    return cells;
}

static void put_cells(FILE *data, const double *cell, int32_t cells, double *min, double *max)
{
    *min = *max = 0;
    for (int32_t row = 0; row < cells; row++)
        for (int32_t column = 0; column < cells; column++) {
            const double value = cell[(size_t)row * (size_t)cells + (size_t)column];
            if (value > 0)
                fprintf(data, "%.9g", value);
            else
                putc('?', data);
            putc(column + 1 < cells ? ' ' : '\n', data);
            *min = value > 0 && (*min == 0 || value < *min) ? value : *min;
            *max = value > *max ? value : *max;
        }
}

static void put_map(FILE *script, int32_t cells, int32_t each, double min, double max)
{
    enum { A_DECADE_AND_MORE = 20, MAX_LABELS = 10 };
    const double end = (double)cells * each;
    fprintf(script,
            "set datafile missing '?'\nunset key\nunset grid\nset size square\nset border 15 lc rgb '#444444'\n"
            "set palette defined (0 '#deebf7', 0.5 '#3182bd', 1 '#08204b')\n"
            "set xrange [-0.5:%.10g]\nset yrange [%.10g:-0.5]\nset rmargin at screen 0.8\n",
            end - 0.5, end - 0.5);
    if (cells <= 16 && each == 1)
        fputs("set xtics 1\nset ytics 1\n", script);
    if (max <= MAX_LABELS) /* no labels at fractions */
        fputs("set cbtics 1\n", script);
    if (max > A_DECADE_AND_MORE * min)
        fprintf(script, "set logscale cb 10\nset cbrange [%.10g:%.10g]\n", min, max);
    else
        fprintf(script, "set cbrange [0:%.10g]\n", max);
    fprintf(script, "plot data matrix using ($1*%" PRId32 "+%.10g):($2*%" PRId32 "+%.10g):3 with image pixels\n", each,
            0.5 * (each - 1), each, 0.5 * (each - 1));
}

static int draw_one(struct plot_session *session, const struct mpg_messages_report *r, bool of_bytes,
                    struct mpg_error *err)
{
    char path[512], under[160];
    double *cell = NULL, min, max;
    int32_t each = 1;
    const int32_t cells = put_in_cells(r->messages, of_bytes, &cell, &each, err);
    if (cells < 0 || mpg_plot_start(session, err, of_bytes ? "matrix-bytes" : "matrix-messages") < 0) {
        free(cell);
        return -1;
    }
    put_cells(session->data, cell, cells, &min, &max);
    free(cell);
    snprintf(under, sizeof under, "%s%s", of_bytes ? "bytes from each rank to each" : "messages from each rank to each",
             r->with_collectives ? ", with those of collectives" : "; without those of collectives");
    if (each > 1)
        snprintf(under, sizeof under, "%s, each cell: %" PRId32 " ranks", of_bytes ? "bytes" : "messages", each);
    mpg_plot_title(session->script, mpg_printable(path, sizeof path, mpg_trace_path(r->trace)), under);
    mpg_plot_set(session->script, "xlabel", "to rank");
    mpg_plot_set(session->script, "ylabel", "from rank");
    mpg_plot_set(session->script, "cblabel", of_bytes ? "bytes" : "messages");
    fprintf(session->script, "set format cb '%%.0s %%c%s'\n", of_bytes ? "B" : "");
    put_map(session->script, cells, each, min, max);
    return mpg_plot_finish(session, err);
}

int mpg_matrix_draw(struct plot_session *session, const void *report, struct mpg_error *err)
{
    const struct mpg_messages_report *r = report;
    if (r->messages->pairs == 0)
        return mpg_error_set(err, "%s holds no messages to draw", mpg_trace_path(r->trace));
    if (r->messages->all.bytes > 0 && draw_one(session, r, true, err) < 0)
        return -1;
    return draw_one(session, r, false, err);
}
