/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brackets the largest tolerated value between the largest tolerated and the smallest rejected value tried. Each round simulates
 * several values together: the crossing of the limit by linear interpolation, values close to the crossing, and equally spaced
 * values. Interpolation works because slowdown is linear over long ranges of values. If each value needs a separate simulation,
 * the first values are tried one after another until a value is rejected, rounds have fewer values, and the search ends at a
 * larger distance of the bounds. */
#include "simulate/scenarios/scenarios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/scenarios/recorded.h"

/* Curves of the slowdown over the values: the median, and both ends of the confidence interval. The upper end exceeds a limit at
 * a smaller value than the median. */
enum { MEDIAN, HIGH, LOW, CURVES };
enum {
    MAX_LIMITS = sizeof ((struct mpg_limits *)0)->limit / sizeof(double),
    MAX_TRIES = 12,
    FIRST_VALUES = 18,
    ROUNDS_ALONE = 4, /* maximum number of rounds before halving, if each value needs a separate simulation */
    FIRST_ALONE = 3, /* number of first values tried in a round, if each value needs a separate simulation */
    MAX_VALUES = 8 * CURVES * MAX_LIMITS,
    RECORDED_SPEED = 1 /* --models=speed=recorded: the search needs only the median and the median's interval */
};

/* Relative distance of the bounds at which the search ends: NEAR; NEAR_ROUGH for predictions with several replicas, whose curves
 * are rough because of noise; NEAR_ALONE, by curve, if each value needs a separate simulation. EQUAL: relative difference of
 * slowdowns that count as equal. */
static const double NEAR = 1e-9, NEAR_ROUGH = 1e-4, NEAR_ALONE[CURVES] = {0.01, 0.03, 0.03}, EQUAL = 1e-12;

/* Bounds, on one curve, of the tolerated value, from the values tried so far. */
struct bounds {
    double low, high;             /* largest tolerated value; smallest rejected value (INFINITY: none) */
    double slow_at_low, slow_at_high;
    bool none;                    /* even the smallest value is rejected */
};

/* The search for one signature, or without a signature. */
struct search {
    const struct mpg_config *config;
    const struct mpg_setting *setting, *given; /* setting with the smallest value of the axis; setting without the axis */
    const struct mpg_files *files;
    double base_ns; /* median run time of the base in ns; 0: the base is the traced run */
    double *base_run_ns; /* on the first process: run time of each replica of the base in ns */
    uint32_t base_replicas;
    double *ratio;  /* working memory: two values for each replica */
    double min;   /* smallest value of the axis, which does not change the run */
    struct bounds curve[MAX_LIMITS][CURVES]; /* [limit][curve] */
    int curves;   /* number of curves; 1 with a single replica */
    bool alone;   /* each value is a simulation of its own */
    int firsts;   /* number of first values tried so far */
};

/* Fills ROWS with the results for N ascending VALUES, complete as rows of the answer if IS_ANSWER. */
static int try(const struct search *s, double *values, size_t n, bool is_answer, struct mpg_result_table *rows,
               struct mpg_error *err)
{
    struct mpg_config one = *s->config;
    one.question.sweep.axis[0].value = values;
    one.question.sweep.axis[0].n = one.question.sweep.points = n;
    one.output.json = one.output.json && is_answer;
    one.model.speed = is_answer ? one.model.speed : RECORDED_SPEED;
    if (mpg_scenarios_run(&one, s->setting, s->files, rows, err) < 0)
        return -1;
    if (is_answer && mpg_processes_first(s->setting->simulation.processes))
        mpg_recorded_refer_rows(&one, s->setting, s->files, rows);
    return 0;
}

/* --- bounds --- */

static double limit_of(const struct search *s, size_t i)
{
    return 1 + s->config->question.tolerated.limit[i];
}

/* Computes the slowdown of each curve. A prediction is compared with the base replica by replica, because equal replicas have
 * equal random draws. */
static void slowdowns(const struct search *s, const struct mpg_result_row *row, double slow[CURVES])
{
    struct mpg_summary run = row->answer.run;
    if (s->base_ns > 0) { /* without randomness only one replica exists */
        const uint32_t n = row->answer.replicas > s->base_replicas ? row->answer.replicas : s->base_replicas;
        for (uint32_t i = 0; i < n; i++)
            s->ratio[i] = row->answer.run_ns[i % row->answer.replicas] / s->base_run_ns[i % s->base_replicas];
        run = mpg_summarise(s->ratio, n, s->ratio + n);
    }
    const double one = s->base_ns > 0 ? 1 : row->traced_ns;
    slow[MEDIAN] = run.median / one;
    slow[HIGH] = run.high / one;
    slow[LOW] = run.low / one;
}

/* Narrows the bounds X by SLOW, the slowdown at VALUE, if VALUE is between the bounds. */
static void learn(const struct search *s, double limit, struct bounds *x, double value, double slow)
{
    if (!(value >= x->low && value < x->high))
        return;
    if (slow > limit * (1 + EQUAL)) {
        x->none = x->none || value == s->min;
        x->high = value;
        x->slow_at_high = slow;
    } else {
        x->low = value;
        x->slow_at_low = slow;
    }
}

/* Narrows all bounds by ROWS, which are in ascending order of values. Values above the first rejected value are ignored. */
static void learn_all(struct search *s, const struct mpg_result_table *rows)
{
    s->curves = rows->replicas > 1 || s->base_replicas > 1 ? CURVES : 1;
    for (size_t i = 0; i < rows->n; i++) {
        double slow[CURVES];
        slowdowns(s, &rows->row[i], slow);
        for (size_t k = 0; k < s->config->question.tolerated.n; k++)
            for (int c = 0; c < s->curves; c++)
                learn(s, limit_of(s, k), &s->curve[k][c], rows->row[i].cell[0].number, slow[c]);
    }
}

static bool is_found(const struct search *s, const struct bounds *x, int curve)
{
    const double near = s->alone ? NEAR_ALONE[curve] : s->base_ns > 0 && s->curves > 1 ? NEAR_ROUGH : NEAR;
    return x->none || isinf(x->high) || x->high - x->low <= near * x->high;
}

/* --- next values --- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts N values and removes duplicates. Returns the new number. */
static size_t sort(double *values, size_t n)
{
    size_t k = 0;
    qsort(values, n, sizeof *values, compare);
    for (size_t i = 0; i < n; i++)
        if (k == 0 || values[i] > values[k - 1])
            values[k++] = values[i];
    return k;
}

/* Adds values between the bounds X for LIMIT on CURVE to VALUES, in round number ROUND, from 0. Returns the number of values
 * added. */
static size_t add_between(const struct search *s, const struct bounds *x, int curve, double limit, int round, double *values)
{
    static const double parts[] = {0.25, 0.5, 0.75};
    const double width = x->high - x->low;
    const double crossing =
        x->low + width * (limit - x->slow_at_low) / (x->slow_at_high - x->slow_at_low);
    const double tried[] = {x->low + parts[0] * width, x->low + parts[1] * width, x->low + parts[2] * width,
                            crossing, crossing - 1e-3 * width, crossing + 1e-3 * width,
                            crossing + 1e-6 * width, crossing + NEAR / 4 * crossing};
    const double beside = 0.4 * NEAR_ALONE[curve];
    const double alone[] = {crossing * (1 - beside), crossing * (1 + beside), x->low + parts[1] * width};
    const double *next = s->alone ? alone : tried;
    /* halving is for curves where interpolation does not find the crossing */
    const size_t max = !s->alone ? sizeof tried / sizeof *tried : round < ROUNDS_ALONE ? 2 : 3;
    size_t n = 0;
    if (is_found(s, x, curve))
        return 0;
    for (size_t i = 0; i < max; i++)
        if (next[i] > x->low && next[i] < x->high)
            values[n++] = next[i];
    return n;
}

static bool has_rejected(const struct search *s)
{
    for (size_t k = 0; k < s->config->question.tolerated.n; k++)
        for (int c = 0; c < s->curves; c++)
            if (isinf(s->curve[k][c].high))
                return false;
    return true;
}

/* Adds the next of the first values to VALUES. First values grow geometrically: times up to 15 minutes, factors and ratios up to
 * the maximum; the first value leaves the run unchanged. Adds all at once or, if each value needs a separate simulation,
 * FIRST_ALONE at a time until a value is rejected. Returns the number of values added. */
static size_t first_values(struct search *s, double *values)
{
    const bool is_time = s->config->question.sweep.axis[0].unit == MPG_SWEEP_TIME;
    const double first = is_time ? 0x1p-9 : 0x1p-12, step = is_time ? 8 : 4;
    size_t n = 0;
    if (s->alone && s->firsts == 0) {
        s->firsts = (int)lround(log(1 / first) / log(step)) + 1;
        values[n++] = s->min;
    } else if (s->firsts == 0) {
        s->firsts = 1;
        values[n++] = s->min;
    }
    for (; s->firsts < FIRST_VALUES && n < (s->alone ? FIRST_ALONE : FIRST_VALUES); s->firsts++)
        values[n++] = s->min + first * pow(step, s->firsts - 1);
    return n;
}

/* Broadcasts the bounds from the first process, which has the rows. */
static int share(struct search *s, int status, struct mpg_error *err)
{
    struct mpg_processes *processes = s->setting->simulation.processes;
    if (mpg_processes_agree(processes, status, 0, err) < 0)
        return -1;
    mpg_processes_broadcast(processes, s->curve, sizeof s->curve);
    mpg_processes_broadcast(processes, &s->curves, sizeof s->curves);
    return 0;
}

/* Simulates N VALUES, and narrows the bounds by the results. */
static int explore(struct search *s, double *values, size_t n, struct mpg_error *err)
{
    struct mpg_result_table rows;
    int status = try(s, values, n, false, &rows, err);
    const bool first = mpg_processes_first(s->setting->simulation.processes);
    if (status == 0 && first && !(rows.row->traced_ns > 0))
        status = mpg_error_set(err, "--tolerate: the recorded run time is 0, so there are no percentages of it");
    if (status == 0 && first)
        learn_all(s, &rows);
    mpg_result_table_clear(&rows);
    return share(s, status, err);
}

static int search(struct search *s, struct mpg_error *err)
{
    double values[MAX_VALUES];
    size_t n = first_values(s, values);
    for (int i = 0; i < MAX_TRIES && n > 0; i++) {
        if (explore(s, values, sort(values, n), err) < 0)
            return -1;
        n = has_rejected(s) ? 0 : first_values(s, values);
        for (size_t k = 0; k < s->config->question.tolerated.n; k++)
            for (int c = 0; c < s->curves; c++)
                n += add_between(s, &s->curve[k][c], c, limit_of(s, k), i, values + n);
    }
    return 0;
}

/* --- results --- */

/* Returns the tolerated value; NAN if no value, or every tried value, is tolerated. */
static double value_of(const struct bounds *x)
{
    return x->none || isinf(x->high) ? NAN : x->low;
}

/* Returns the tolerance for limit number K. */
static struct mpg_tolerance tolerance_of(const struct search *s, size_t k)
{
    /* if each value needs a separate simulation, bounds are up to 3 % apart, and the interval includes both bounds */
    const struct bounds *median = &s->curve[k][MEDIAN], *low = &s->curve[k][LOW];
    return (struct mpg_tolerance){.signature = s->config->target.signatures.n > 0 ? s->config->target.signatures.item[0] : NULL,
                                  .base_ns = s->base_ns,
                                  .slowdown = limit_of(s, k),
                                  .value = value_of(median),
                                  .low = value_of(&s->curve[k][HIGH]),
                                  .high = s->alone && !isnan(value_of(low)) ? low->high : value_of(low),
                                  .tried = median->low,
                                  .interval = s->curves > 1,
                                  .none = median->none};
}

/* --- signatures, one by one --- */

/* Returns CONFIG without the axis. */
static struct mpg_config without_axis(const struct mpg_config *config, bool json)
{
    struct mpg_config x = *config;
    x.question.sweep.axes = 0;
    x.question.sweep.points = 1;
    x.output.json = json;
    return x;
}

/* Finds the base of S for a prediction: the median run time without the axis. */
static int find_base(struct search *s, struct mpg_error *err)
{
    struct mpg_processes *processes = s->setting->simulation.processes;
    struct mpg_result_table rows;
    struct mpg_config as = without_axis(s->config, false);
    as.model.speed = RECORDED_SPEED;
    int status = mpg_scenarios_run(&as, s->given, s->files, &rows, err);
    if (status == 0 && mpg_processes_first(processes)) {
        const uint32_t n = rows.row->answer.replicas;
        const size_t max = (size_t)s->config->replicas > n ? (size_t)s->config->replicas : n;
        s->base_replicas = n;
        s->base_ns = rows.row->answer.run.median;
        s->base_run_ns = malloc(n * sizeof *s->base_run_ns);
        s->ratio = malloc(2 * max * sizeof *s->ratio);
        for (uint32_t i = 0; i < n && s->base_run_ns; i++)
            s->base_run_ns[i] = rows.row->answer.run_ns[i];
        if (!s->base_run_ns || !s->ratio)
            status = mpg_error_set(err, "out of memory");
        else if (!(rows.row->answer.run.min > 0))
            status = mpg_error_set(err, "--tolerate: the run time is 0, so there are no percentages of it");
    }
    mpg_result_table_clear(&rows);
    if (mpg_processes_agree(processes, status, 0, err) < 0)
        return -1;
    mpg_processes_broadcast(processes, &s->base_ns, sizeof s->base_ns);
    return 0;
}

/* Searches with signature I of FILES, which becomes the only signature of ONE and F; or without any signature. */
static int search_one(struct search *s, const struct mpg_config *config, const struct mpg_files *files, size_t i,
                      struct mpg_config *one, struct mpg_files *f, struct mpg_error *err)
{
    *one = *config;
    *f = *files;
    if (config->target.signatures.n > 0) {
        one->target.signatures.n = 1;
        one->target.signatures.item[0] = one->target.signature = config->target.signatures.item[i];
        f->target += i;
        f->targets = 1;
    }
    s->config = one;
    s->files = f;
    for (size_t k = 0; k < config->question.tolerated.n; k++)
        for (int c = 0; c < CURVES; c++)
            s->curve[k][c] = (struct bounds){.low = s->min, .high = INFINITY};
    s->base_ns = 0;
    s->base_replicas = 1;
    s->curves = 1;
    s->firsts = 0;
    s->alone = mpg_axis_changes_setting(config, &config->question.sweep.axis[0]);
    return config->target.predict && find_base(s, err) < 0 ? -1 : search(s, err);
}

/* Returns the value of the axis in the first row: of a factor of a prediction 1, the run as given, with which the tolerance
 * compares; otherwise the smallest value. */
static double first_row_value(const struct search *s)
{
    const enum mpg_sweep_unit unit = s->config->question.sweep.axis[0].unit;
    return s->base_ns > 0 && (unit == MPG_SWEEP_FACTOR || unit == MPG_SWEEP_SCALE) ? 1 : s->min;
}

/* Fills ROWS for the single signature of S: the run to compare with, and the run with each tolerated value. */
static int fill_rows(const struct search *s, struct mpg_result_table *rows, struct mpg_error *err)
{
    double values[1 + MAX_LIMITS] = {first_row_value(s)};
    const size_t n = s->config->question.tolerated.n;
    for (size_t k = 0; k < n; k++)
        values[1 + k] = s->curve[k][MEDIAN].none ? s->curve[k][MEDIAN].high : s->curve[k][MEDIAN].low;
    return try(s, values, sort(values, 1 + n), true, rows, err);
}

int mpg_tolerate(const struct mpg_config *config, const struct mpg_setting *setting, const struct mpg_files *files,
                 struct mpg_setting *given, struct mpg_result_table *rows, struct mpg_error *err)
{
    const bool is_ratio = config->question.sweep.axis[0].unit == MPG_SWEEP_RATIO;
    const size_t settings = files->targets, limits = config->question.tolerated.n;
    struct search s = {.setting = setting, .given = given, .min = is_ratio ? 1 : 0, .curves = 1};
    struct mpg_tolerance *found = calloc(settings * limits, sizeof *found);
    struct mpg_config one;
    struct mpg_files f;
    struct mpg_processes *processes = setting->simulation.processes;
    struct mpg_config all = without_axis(config, config->output.json);
    int status = found ? mpg_setting_make(given, &all, processes, NULL, err) : mpg_error_set(err, "out of memory");
    status = mpg_processes_agree(processes, status < 0 ? -1 : 0, 0, err);
    for (size_t i = 0; i < settings && status == 0; i++) {
        status = search_one(&s, config, files, i, &one, &f, err);
        free(s.base_run_ns);
        free(s.ratio);
        s.base_run_ns = s.ratio = NULL;
        for (size_t k = 0; k < limits && status == 0; k++)
            found[i * limits + k] = tolerance_of(&s, k);
    }
    if (status == 0)
        status = settings > 1 ? mpg_scenarios_run(&all, given, files, rows, err) : fill_rows(&s, rows, err);
    if (status == 0 && settings > 1 && mpg_processes_first(processes))
        mpg_recorded_refer_rows(&all, given, files, rows);
    if (status < 0) {
        free(found);
        return -1;
    }
    const struct mpg_axis *axis = &config->question.sweep.axis[0];
    rows->sought = (struct mpg_result_column){mpg_swept_name(axis->what), mpg_sweep_unit_name(axis->unit)};
    rows->tolerances = settings * limits;
    rows->tolerance = found;
    return 0;
}
