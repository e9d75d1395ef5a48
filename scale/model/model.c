/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts each row's metric to a value per rank, and fits a growth model to the values. */
#include "scale/model/model.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>

enum { DRAW_MODEL = 1 }; /* last word of the counters of random numbers for models; intervals of r_s use 0 */

/* Selects the random numbers of a model: gives the key and a word of the counter. */
struct address {
    uint64_t seed;
    uint32_t site; /* hash of the site's name */
};

static uint32_t of_name(const char *name)
{
    uint32_t h = 0x811c9dc5u; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 0x01000193u;
    return h;
}

static double draw(void *context, uint32_t replica, uint32_t index)
{
    const struct address *a = context;
    const philox4x32_ctr_t counter = {{replica, index, a->site, DRAW_MODEL}};
    const philox4x32_key_t key = {{(uint32_t)a->seed, (uint32_t)(a->seed >> 32)}};
    const philox4x32_ctr_t word = philox4x32(counter, key);
    return ((double)(((uint64_t)word.v[1] << 32 | word.v[0]) >> 12) + 0.5) * 0x1p-52;
}

static bool is_time(enum scale_metric metric)
{
    return metric == SCALE_SHARE || metric == SCALE_TIME || metric == SCALE_TIME_OF_APP || metric == SCALE_MEAN;
}

/* Returns the metric of SITE in RUN as a value per rank. */
static double of_rank(const struct scale_set *set, const struct scale_options *options, size_t site, size_t run)
{
    const double n = set->runs[run].ranks;
    switch (options->metric) {
    case SCALE_SHARE:
    case SCALE_TIME:
    case SCALE_TIME_OF_APP:
        return scale_cell_of(set, site, run)->time_ns / n;
    case SCALE_MEAN:
    case SCALE_IMBALANCE:
        return mpg_scale_value(set, options, site, run);
    default:
        return mpg_scale_value(set, options, site, run) / n;
    }
}

static int model_row(struct scale_analysis *a, struct scale_row *row, struct mpg_error *err)
{
    const struct scale_series *s = &row->series;
    struct scale_model *m = calloc(1, sizeof *m);
    double *value = malloc((s->n + 1) * sizeof *value);
    int status = -1;
    if (!m || !value) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    for (size_t i = 0; i < s->n; i++)
        value[i] = of_rank(a->set, a->options, row->site, s->run[i]);
    m->is_time = is_time(a->options->metric);
    struct address address = {a->options->seed, of_name(a->set->sites[row->site].name)};
    status = mpg_growth_analyse(s->x, value, s->n, SCALE_MODEL_RESAMPLES, draw, &address, &m->growth, &m->why, err);
    if (status == 1 && a->options->project > 0) {
        m->project = (double)a->options->project;
        m->projected = mpg_growth_predict(&m->growth, m->project);
    }
out:
    free(value);
    if (status < 0) {
        free(m);
        return mpg_error_prefix(err, "%s", a->set->sites[row->site].name);
    }
    row->model = m;
    return 0;
}

/* Returns whether ROW's time per rank certainly grows, although the row's share of T_comm does not. */
static bool grows_unseen(const struct scale_row *row)
{
    const struct scale_model *m = row->model;
    return row->grows != SCALE_GROWS && !m->why && m->growth.verdict == MPG_GROWTH_RISES && m->growth.order.low > 0;
}

enum { MAX_DOMINATING = 3 };
static const double MIN_DOMINATING = 1.0 / 6; /* minimum share of T_comm of a row that dominates */

/* Sets scale_row.dominates: finds the fewest rows (at most MAX_DOMINATING) that together have more than half of T_comm at the
 * largest N. When the times of these rows grow, T_comm grows likewise, and the rows' shares can hardly rise. */
static void find_dominating(struct scale_analysis *a)
{
    const bool of_a_part = a->options->metric == SCALE_SHARE || a->options->metric == SCALE_TIME_OF_APP;
    struct scale_row *max[MAX_DOMINATING];
    double together = 0;
    size_t n = 0;
    while (of_a_part && together <= 0.5 && n < MAX_DOMINATING) {
        struct scale_row *next = NULL;
        for (size_t i = 0; i < a->row_number; i++) {
            struct scale_row *row = &a->rows[i];
            const struct scale_series *s = &row->series;
            bool taken = s->n == 0 || s->x[s->n - 1] < a->set->runs[a->set->run_number - 1].ranks;
            for (size_t k = 0; k < n; k++)
                taken |= max[k] == row;
            if (!taken && (!next || row->share_last > next->share_last))
                next = row;
        }
        if (!next || next->share_last < MIN_DOMINATING)
            return;
        together += next->share_last;
        max[n++] = next;
    }
    for (size_t k = 0; k < n && together > 0.5; k++) {
        max[k]->dominates = grows_unseen(max[k]);
        a->dominating += max[k]->dominates;
    }
}

static void clear_model(struct scale_row *row)
{
    if (row->model)
        mpg_growth_free(&row->model->growth);
    free(row->model);
    row->model = NULL;
}

static void drop_constant_models(struct scale_analysis *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->row_number; i++)
        if (a->rows[i].grows == SCALE_GROWS || a->rows[i].dominates) {
            a->rows[kept++] = a->rows[i];
        } else {
            mpg_scale_series_clear(&a->rows[i].series);
            clear_model(&a->rows[i]);
        }
    a->dropped = a->row_number - kept;
    a->row_number = kept;
}

int mpg_scale_model_rows(struct scale_analysis *a, struct mpg_error *err)
{
    for (size_t i = 0; i < a->row_number; i++)
        if (model_row(a, &a->rows[i], err) < 0)
            return -1;
    find_dominating(a);
    if (a->options->grows)
        drop_constant_models(a);
    return 0;
}

void mpg_scale_model_clear(struct scale_analysis *a)
{
    for (size_t i = 0; i < a->row_number; i++)
        clear_model(&a->rows[i]);
}
