/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the scenarios of a sweep. Points that differ only in values share a setting; settings are run one after the other. */
#include "simulate/scenarios/scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/scenarios/speeds.h"

/* A setting: a signature and all options except values that differ between points. */
struct setting {
    struct mpg_config at;
    struct mpg_setting setting;
};

/* Number of distributions that can differ between points of a setting. */
enum { DISTS = MPG_SWEPT_BYTE + 1 };

struct item {
    struct setting *of;
    size_t point, row;
    char name[160];                   /* name of the point; empty: no sweep */
    struct mpg_specs own[DISTS];
    char text[DISTS][40];             /* texts of the distributions */
    double ratio;                     /* compute ratio; 0: the setting's ratio */
    double noise_factor;              /* factor of the signature's noise; 1: unchanged */
    double call_noise_factor;         /* factor of the signature's noise inside calls; -1: the setting's factor */
    struct mpg_region_ratios regions; /* the region ratios of the setting, with RATIO outside of regions */
    struct mpg_perturbation p;
    struct mpg_simulation_options options;
    struct mpg_result result;
    const struct mpg_files *files;
    struct mpg_result_table *rows;
};

/* Settings and items of the points simulated together. */
struct together {
    const struct mpg_config *c;
    const struct mpg_setting *first_setting;
    const struct mpg_files *files;
    struct mpg_result_table *rows;
    struct setting *setting;
    struct item *item;
    size_t settings, items;
    /* This process's part, and the number of parts. */
    int part, parts;
    size_t before; /* number of items of earlier settings */
};

/* --- columns and cells --- */

static void name_columns(const struct mpg_config *c, struct mpg_result_table *rows)
{
    for (size_t i = 0; i < c->question.sweep.axes; i++)
        rows->column[i] = (struct mpg_result_column){mpg_swept_name(c->question.sweep.axis[i].what),
                                              mpg_sweep_unit_name(c->question.sweep.axis[i].unit)};
    if (rows->compares)
        rows->column[c->question.sweep.axes] = (struct mpg_result_column){"signature", NULL};
}

static void fill_row(const struct mpg_config *c, size_t point, size_t signature, struct mpg_result_row *row)
{
    row->point = point;
    for (size_t i = 0; i < c->question.sweep.axes; i++) {
        const struct mpg_axis *x = &c->question.sweep.axis[i];
        const size_t place = mpg_sweep_place(&c->question.sweep, i, point);
        row->cell[i] = x->word ? (struct mpg_result_cell){.word = x->word[place]}
                               : (struct mpg_result_cell){.number = x->value[place]};
    }
    if (c->target.signatures.n > 1)
        row->cell[c->question.sweep.axes].word = c->target.signatures.item[signature];
}

/* Writes the values of POINT into NAME of SIZE bytes, as prefix of errors: the parameters from FROM on ("noise=2,
 * absorb=wait"), truncated. Empty without a sweep; signatures are named separately. */
static void name_point(const struct mpg_config *c, size_t point, enum mpg_swept from, char *name, size_t size)
{
    size_t used = 0;
    name[0] = '\0';
    for (size_t i = 0; i < c->question.sweep.axes && used < size; i++) {
        const struct mpg_axis *x = &c->question.sweep.axis[i];
        if (x->what < from)
            continue;
        const size_t place = mpg_sweep_place(&c->question.sweep, i, point);
        const char *unit = x->unit == MPG_SWEEP_TIME ? " ns" : x->unit == MPG_SWEEP_SIZE ? " bytes" : "";
        used += (size_t)snprintf(name + used, size - used, "%s%s=", used > 0 ? ", " : "", mpg_swept_name(x->what));
        if (used < size)
            used += x->word ? (size_t)snprintf(name + used, size - used, "%s", x->word[place])
                            : (size_t)snprintf(name + used, size - used, "%g%s", x->value[place], unit);
    }
}

/* Prefixes ERR with the values of POINT that determine the setting. Returns -1. */
static int setting_failed(const struct mpg_config *c, size_t point, struct mpg_error *err)
{
    char name[160];
    name_point(c, point, MPG_SWEPT_EAGER_LIMIT, name, sizeof name);
    return name[0] ? mpg_error_prefix(err, "%s", name) : -1;
}

/* --- points --- */

bool mpg_axis_changes_setting(const struct mpg_config *c, const struct mpg_axis *axis)
{
    const bool scales = axis->unit == MPG_SWEEP_SCALE || (axis->unit == MPG_SWEEP_FACTOR && c->change.factor[axis->what].given);
    return axis->what >= MPG_SWEPT_EAGER_LIMIT ||
           (scales && (axis->what == MPG_SWEPT_LATENCY || axis->what == MPG_SWEPT_BYTE));
}

bool mpg_point_shares_setting(const struct mpg_config *c, size_t leader, size_t point)
{
    const struct mpg_sweep *s = &c->question.sweep;
    for (size_t i = 0; i < s->axes; i++)
        if (mpg_axis_changes_setting(c, &s->axis[i]) &&
            mpg_sweep_place(s, i, point) != mpg_sweep_place(s, i, leader))
            return false;
    return true;
}

bool mpg_point_is_leader(const struct mpg_config *c, size_t point)
{
    const struct mpg_sweep *s = &c->question.sweep;
    for (size_t i = 0; i < s->axes; i++)
        if (!mpg_axis_changes_setting(c, &s->axis[i]) && mpg_sweep_place(s, i, point) > 0)
            return false;
    return true;
}

static size_t count_points(const struct mpg_config *c, size_t leader)
{
    size_t n = 0;
    for (size_t point = leader; point < c->question.sweep.points; point++)
        n += mpg_point_shares_setting(c, leader, point);
    return n;
}

/* --- parts: groups of processes --- */

/* Returns the number of parts into which N processes are divided. The parts simulate different scenarios; the processes of a
 * part divide the replicas. */
static int count_parts(const struct mpg_config *c, const struct mpg_files *files, int n)
{
    const size_t items = c->question.sweep.points * files->targets;
    const uint64_t blocks = ((uint64_t)c->replicas + MPG_REPLICAS_A_BLOCK - 1) / MPG_REPLICAS_A_BLOCK;
    uint64_t min = UINT64_MAX;
    int best = 1;
    for (int parts = 1; parts <= n && (size_t)parts <= items; parts++) {
        const uint64_t each = (uint64_t)(n / parts);
        const uint64_t work = (items + (size_t)parts - 1) / (size_t)parts * ((blocks + each - 1) / each);
        if (work <= min)
            best = parts;
        min = work < min ? work : min;
    }
    return best;
}

/* Returns the number of the part that simulates item K of T. The items of a part are consecutive. */
static int part_of(const struct together *t, size_t k)
{
    return (int)((t->before + k) * (size_t)t->parts / t->rows->n);
}

/* --- items --- */

static const struct mpg_specs *dists_of(const struct mpg_perturbation *p, enum mpg_swept what)
{
    const struct mpg_specs *const dists[DISTS] = {[MPG_SWEPT_NOISE] = &p->noise,
                                                  [MPG_SWEPT_CALL_NOISE] = &p->call_noise,
                                                  [MPG_SWEPT_LATENCY] = &p->latency,
                                                  [MPG_SWEPT_BYTE] = &p->byte};
    return dists[what];
}

/* Sets item X to value number PLACE of AXIS, at the point with the configuration AT. */
static int set_value(struct item *x, const struct mpg_config *at, const struct mpg_axis *axis,
                     size_t place, struct mpg_error *err)
{
    if (axis->unit == MPG_SWEEP_TIME) {
        memcpy(x->text[axis->what], at->swept[axis->what], sizeof *x->text);
        return mpg_specs_add(&x->own[axis->what], x->text[axis->what], err);
    }
    if (axis->unit == MPG_SWEEP_SCALE || axis->unit == MPG_SWEEP_FACTOR) {
        const struct mpg_specs *given = dists_of(&x->of->setting.p, axis->what);
        const struct mpg_factor *factor = &at->change.factor[axis->what];
        const double value = factor->given ? factor->factor : axis->value[place];
        if (axis->what == MPG_SWEPT_NOISE && given->n == 0)
            x->noise_factor = value;
        else if (axis->what == MPG_SWEPT_CALL_NOISE && factor->given)
            x->call_noise_factor = value;
        else if (given->n > 0 && mpg_specs_scale(given, axis->value[place], &x->own[axis->what], err) < 0)
            return mpg_error_prefix(err, "%s: '%s'", axis->option, axis->text);
    }
    if (axis->unit == MPG_SWEEP_RATIO)
        x->ratio = axis->value[place];
    return 0;
}

/* Copies the perturbation and options of the setting to X, and applies the values of X to the copies. */
static void apply(struct item *x)
{
    const struct mpg_setting *setting = &x->of->setting;
    struct mpg_specs *const dists[DISTS] = {[MPG_SWEPT_NOISE] = &x->p.noise,
                                            [MPG_SWEPT_CALL_NOISE] = &x->p.call_noise,
                                            [MPG_SWEPT_LATENCY] = &x->p.latency,
                                            [MPG_SWEPT_BYTE] = &x->p.byte};
    x->p = setting->p;
    x->options = setting->simulation;
    for (int i = 0; i < DISTS; i++)
        if (x->own[i].n > 0)
            *dists[i] = x->own[i];
    x->p.scales_noise = x->noise_factor != 1;
    x->p.noise_factor = x->noise_factor;
    if (x->call_noise_factor >= 0)
        x->p.call_noise_factor = x->call_noise_factor;
    if (x->ratio > 0) {
        x->p.compute_ratio = x->ratio;
        x->regions = *x->options.graph.ratios;
        x->regions.base = x->ratio;
        x->options.graph.ratios = &x->regions;
    }
}

static int done(void *context, struct mpg_error *err)
{
    struct item *x = context;
    struct mpg_report report = mpg_setting_report(&x->of->setting, &x->of->at, x->files, &x->p, &x->options, &x->result);
    report.is_row = true;
    int status = mpg_result_table_take(x->rows, x->row, &report, err);
    mpg_result_clear(&x->result);
    return status;
}

/* Returns P's factor of the signature's noise without a sweep of noise. */
static double noise_factor_of(const struct mpg_perturbation *p)
{
    return p->scales_noise ? p->noise_factor : 1;
}

static int begin_item(struct together *t, size_t k, size_t signature, size_t point, struct mpg_error *err)
{
    const struct mpg_config *c = t->c;
    struct mpg_config at;
    struct item *x = &t->item[k];
    *x = (struct item){.of = &t->setting[signature],
                       .point = point,
                       .row = point * t->settings + signature,
                       .noise_factor = noise_factor_of(&t->setting[signature].setting.p),
                       .call_noise_factor = -1,
                       .files = t->files,
                       .rows = t->rows};
    mpg_config_at(c, NULL, point, &at);
    for (size_t i = 0; i < c->question.sweep.axes; i++)
        if (set_value(x, &at, &c->question.sweep.axis[i], mpg_sweep_place(&c->question.sweep, i, point), err) < 0)
            return -1;
    fill_row(c, point, signature, &t->rows->row[x->row]);
    name_point(c, point, (enum mpg_swept)0, x->name, sizeof x->name);
    t->rows->row[x->row].part = part_of(t, k);
    apply(x);
    return 0;
}

/* --- all scenarios --- */

static int begin_setting(const struct together *t, size_t leader, size_t i, struct mpg_error *err)
{
    struct setting *x = &t->setting[i];
    mpg_config_at(t->c, t->c->target.signatures.n > 0 ? t->c->target.signatures.item[i] : NULL, leader, &x->at);
    return mpg_setting_make(&x->setting, &x->at, t->first_setting->simulation.processes, t->first_setting, err) < 0
               ? -1
               : mpg_setting_open(&x->setting, &x->at, t->files, i, err);
}

/* Returns the number of replicas; if no scenario is random, 1, unless the user gives a number. */
static uint32_t count_replicas(const struct together *t)
{
    for (size_t k = 0; k < t->items; k++)
        if (mpg_setting_is_random(&t->item[k].of->setting, &t->item[k].p))
            return (uint32_t)t->c->replicas;
    return t->c->given.replicas ? (uint32_t)t->c->replicas : 1;
}

/* Simulates N items starting at ITEM. */
static int simulate(const struct together *t, struct item *item, size_t n, struct mpg_error *err)
{
    struct mpg_scenario *scenario = calloc(n, sizeof *scenario);
    if (!scenario)
        return mpg_error_set(err, "out of memory");
    for (size_t k = 0; k < n; k++) {
        struct item *x = &item[k];
        scenario[k] = (struct mpg_scenario){.p = &x->p, .options = &x->options, .result = &x->result,
                                            .family = (uint32_t)(x->of - t->setting), .done = done, .context = x,
                                            .name = x->name[0] ? x->name : NULL};
    }
    const int status = mpg_simulate(t->files->trace, scenario, n, NULL, err);
    free(scenario);
    return status;
}

/* Simulates N items starting at ITEM at other speeds of the machine; the items' rows must be filled. */
static int vary_speed(const struct together *t, const struct item *item, size_t n, struct mpg_error *err)
{
    struct mpg_speed_row *row = calloc(n, sizeof *row);
    if (!row)
        return mpg_error_set(err, "out of memory");
    for (size_t k = 0; k < n; k++) {
        const struct item *x = &item[k];
        struct mpg_row_answer *answer = &t->rows->row[x->row].answer;
        row[k] = (struct mpg_speed_row){.p = &x->p, .options = &x->options, .family = (uint32_t)(x->of - t->setting),
                                        .run_ns = answer->run_ns, .any_speed_90 = answer->any_speed_90};
    }
    const int status = mpg_speed_rows(t->files->trace, row, n, err);
    free(row);
    return status;
}

/* Simulates the items of this part. */
static int simulate_part(const struct together *t, struct mpg_error *err)
{
    size_t first = 0, n = 0;
    while (first < t->items && part_of(t, first) < t->part)
        first++;
    while (first + n < t->items && part_of(t, first + n) == t->part)
        n++;
    if (n == 0)
        return 0;
    return simulate(t, t->item + first, n, err) < 0 ? -1 : vary_speed(t, t->item + first, n, err);
}

/* Reads all settings before drawing benchmark launches, because the draws depend on the number of replicas, which depends on all
 * items. */
static int run(struct together *t, size_t leader, struct mpg_error *err)
{
    const struct mpg_sweep *sweep = &t->c->question.sweep;
    for (size_t i = 0; i < t->settings; i++) {
        if (begin_setting(t, leader, i, err) < 0)
            return setting_failed(t->c, leader, err);
        for (size_t point = leader; point < sweep->points; point++)
            if (mpg_point_shares_setting(t->c, leader, point) && begin_item(t, t->items++, i, point, err) < 0)
                return -1;
    }
    const uint32_t replicas = count_replicas(t);
    for (size_t i = 0; i < t->settings; i++)
        if (mpg_setting_begin(&t->setting[i].setting, &t->setting[i].at, t->files, replicas, err) < 0)
            return -1;
    for (size_t k = 0; k < t->items; k++)
        apply(&t->item[k]);
    return simulate_part(t, err);
}

static int run_together(const struct together *all, size_t leader, struct mpg_error *err)
{
    struct together t = *all;
    t.setting = calloc(t.settings, sizeof *t.setting);
    t.item = calloc(t.rows->n, sizeof *t.item);
    int status = t.setting && t.item ? run(&t, leader, err) : mpg_error_set(err, "out of memory");
    for (size_t k = 0; k < t.items && t.item; k++)
        for (int i = 0; i < DISTS; i++)
            mpg_specs_clear(&t.item[k].own[i]);
    for (size_t i = 0; i < t.settings && t.setting; i++)
        mpg_setting_close(&t.setting[i].setting);
    free(t.item);
    free(t.setting);
    return status;
}

/* Runs the scenarios of T's part. Part 0 also fills the fields common to all rows. */
static int run_part(struct together *t, struct mpg_error *err)
{
    const struct mpg_sweep *sweep = &t->c->question.sweep;
    int status = 0;
    name_columns(t->c, t->rows);
    for (size_t point = 0; point < sweep->points && status == 0; point++) {
        if (!mpg_point_is_leader(t->c, point))
            continue;
        const size_t n = count_points(t->c, point) * t->settings;
        if (t->part == 0 || (part_of(t, 0) <= t->part && part_of(t, n - 1) >= t->part))
            status = run_together(t, point, err);
        t->before += n;
    }
    return status;
}

int mpg_scenarios_run(const struct mpg_config *c, const struct mpg_setting *setting,
                      const struct mpg_files *files, struct mpg_result_table *rows, struct mpg_error *err)
{
    struct mpg_processes *p = setting->simulation.processes;
    const size_t columns = c->question.sweep.axes + (files->targets > 1);
    int status = mpg_result_table_init(rows, c->question.sweep.points * files->targets, columns, c->output.json, err);
    if (mpg_processes_agree(p, status, 0, err) < 0) /* otherwise the other processes would wait for a process that failed */
        return -1;
    rows->compares = files->targets > 1;
    const int parts = count_parts(c, files, p->size);
    struct together t = {.c = c,
                         .first_setting = setting,
                         .files = files,
                         .rows = rows,
                         .settings = files->targets,
                         .part = mpg_processes_divide(p, parts),
                         .parts = parts};
    status = run_part(&t, err);
    if (status < 0)
        mpg_files_explain(files, p, err);
    if (mpg_processes_unite(p, status, status < 0 ? 0 : mpg_result_table_digest(rows), err) < 0 ||
        mpg_result_table_gather(rows, t.part, parts, p, err) < 0)
        return -1;
    if (mpg_processes_first(p))
        mpg_result_table_sort(rows);
    return 0;
}
