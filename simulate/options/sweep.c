/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words into grids. */
#include "simulate/options/sweep.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static const struct {
    const char *name;
    enum mpg_sweep_unit unit; /* times may be factors */
} swepts[MPG_SWEPTS] = {{"noise", MPG_SWEEP_TIME},        {"call-noise", MPG_SWEEP_TIME},
                        {"latency", MPG_SWEEP_TIME},      {"byte", MPG_SWEEP_TIME},
                        {"compute-ratio", MPG_SWEEP_RATIO}, {"eager-limit", MPG_SWEEP_SIZE},
                        {"absorb", MPG_SWEEP_WORD},       {"map", MPG_SWEEP_WORD}};

const char *mpg_swept_name(enum mpg_swept what)
{
    return swepts[what].name;
}

const char *mpg_sweep_unit_name(enum mpg_sweep_unit unit)
{
    static const char *const units[] = {[MPG_SWEEP_TIME] = "ns",
                                        [MPG_SWEEP_FACTOR] = "factor",
                                        [MPG_SWEEP_RATIO] = "ratio",
                                        [MPG_SWEEP_SIZE] = "bytes",
                                        [MPG_SWEEP_WORD] = NULL};
    return units[unit];
}

const struct mpg_axis *mpg_sweep_find(const struct mpg_sweep *s, enum mpg_swept what)
{
    for (size_t i = 0; i < s->axes; i++)
        if (s->axis[i].what == what)
            return &s->axis[i];
    return NULL;
}

size_t mpg_sweep_place(const struct mpg_sweep *s, size_t i, size_t point)
{
    for (size_t k = s->axes - 1; k > i; k--)
        point /= s->axis[k].n;
    return point % s->axis[i].n;
}

static void clear_axis(struct mpg_axis *x)
{
    for (size_t i = 0; x->word && i < x->n; i++)
        free(x->word[i]);
    free(x->word);
    free(x->value);
    *x = (struct mpg_axis){0};
}

void mpg_sweep_clear(struct mpg_sweep *s)
{
    for (size_t i = 0; i < s->axes; i++)
        clear_axis(&s->axis[i]);
    *s = (struct mpg_sweep){0};
}

/* --- values --- */

/* A plain number, as factors are; of times 0 is both. */
static bool is_plain(const char *text)
{
    double value;
    struct mpg_error ignored;
    return mpg_units_parse_real(text, &value, &ignored) == 0;
}

static int parse_value(const char *text, enum mpg_sweep_unit unit, double *value, struct mpg_error *err)
{
    int64_t bytes = 0;
    int status;
    switch (unit) {
    case MPG_SWEEP_TIME:
        return mpg_units_parse_time(text, value, err);
    case MPG_SWEEP_SIZE:
        status = mpg_units_parse_size(text, &bytes, err);
        *value = (double)bytes;
        return status == 0 && bytes < -1 ? mpg_error_set(err, "'%s' is less than -1", text) : status;
    default:
        if (mpg_units_parse_real(text, value, err) < 0)
            return -1;
        if (unit == MPG_SWEEP_RATIO && !(*value >= 1e-9 && *value <= 1e9))
            return mpg_error_set(err, "'%s' is not from 1e-9 to 1e9", text);
        return *value < 0 ? mpg_error_set(err, "'%s': a factor is not below 0", text) : 0;
    }
}

size_t mpg_sweep_cut(char *text, char separator, char **word, size_t most)
{
    size_t n = 0;
    for (char *at = text; at; n++) {
        char *end = strchr(at, separator);
        if (n < most)
            word[n] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    return n;
}

/* Of times: whether all N words are plain numbers, and some is not 0. */
static bool are_factors(char *const *word, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!is_plain(word[i]))
            return false;
        any = any || strtod(word[i], NULL) != 0;
    }
    return any;
}

int mpg_sweep_check_range(double low, double high, int64_t n, bool is_log, const char *option, struct mpg_error *err)
{
    if (!(low < high))
        return mpg_error_set(err, low > high ? "LO is more than HI" : "LO and HI are the same");
    if (n < 2)
        return mpg_error_set(err, n == 1 ? "one value is no sweep: --%s says it" : "N is not 2 or more", option);
    if (n > MPG_SWEEP_MOST)
        return mpg_error_set(err, "more than %d values", MPG_SWEEP_MOST);
    return is_log && !(low > 0) ? mpg_error_set(err, "log steps begin above 0") : 0;
}

double mpg_sweep_step(double low, double high, size_t i, size_t n, bool is_log)
{
    const double part = (double)i / (double)(n - 1);
    if (i == 0 || i + 1 == n)
        return i == 0 ? low : high;
    return is_log ? low * pow(high / low, part) : low + (high - low) * part;
}

/* LO:HI:N[:log] of X, cut into WORDS. */
static int parse_range(struct mpg_axis *x, char **word, size_t words, struct mpg_error *err)
{
    const bool is_log = words == 4 && strcmp(word[3], "log") == 0;
    double low, high;
    int64_t n;
    if (words < 3 || words > 4 || (words == 4 && !is_log))
        return mpg_error_set(err, "is neither LO:HI:N, LO:HI:N:log nor a list V,V...");
    if (x->unit == MPG_SWEEP_TIME && are_factors(word, 2))
        x->unit = MPG_SWEEP_FACTOR;
    if (parse_value(word[0], x->unit, &low, err) < 0 || parse_value(word[1], x->unit, &high, err) < 0 ||
        mpg_units_parse_int(word[2], &n, err) < 0 || mpg_sweep_check_range(low, high, n, is_log, mpg_swept_name(x->what), err) < 0)
        return -1;
    if (!(x->value = calloc((size_t)n, sizeof *x->value)))
        return mpg_error_set(err, "out of memory");
    for (; x->n < (size_t)n; x->n++) {
        const double value = mpg_sweep_step(low, high, x->n, (size_t)n, is_log);
        x->value[x->n] = x->unit == MPG_SWEEP_SIZE ? round(value) : value;
        if (x->n > 0 && !(x->value[x->n] > x->value[x->n - 1]))
            return mpg_error_set(err, "so many values between these are not all different");
    }
    return 0;
}

/* Whether value I of X was there before. */
static bool is_there(const struct mpg_axis *x, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (x->word ? strcmp(x->word[k], x->word[i]) == 0 : x->value[k] == x->value[i])
            return true;
    return false;
}

static bool is_mode(const char *word)
{
    return strcmp(word, "none") == 0 || strcmp(word, "wait") == 0 || strcmp(word, "clock") == 0;
}

/* V,V... of X, cut into WORDS. */
static int parse_list(struct mpg_axis *x, char **word, size_t words, struct mpg_error *err)
{
    const bool of_words = x->unit == MPG_SWEEP_WORD;
    if (words < 2)
        return mpg_error_set(err, "one value is no sweep: --%s says it", mpg_swept_name(x->what));
    if (x->unit == MPG_SWEEP_TIME && are_factors(word, words))
        x->unit = MPG_SWEEP_FACTOR;
    if (!(of_words ? (void *)(x->word = calloc(words, sizeof *x->word))
                   : (void *)(x->value = calloc(words, sizeof *x->value))))
        return mpg_error_set(err, "out of memory");
    for (; x->n < words; x->n++) {
        if (!*word[x->n])
            return mpg_error_set(err, "a value is missing");
        if (x->what == MPG_SWEPT_ABSORB && !is_mode(word[x->n]))
            return mpg_error_set(err, "'%s' is not none, wait or clock", word[x->n]);
        if (of_words && !(x->word[x->n] = strdup(word[x->n])))
            return mpg_error_set(err, "out of memory");
        if (!of_words && parse_value(word[x->n], x->unit, &x->value[x->n], err) < 0)
            return -1;
        if (is_there(x, x->n)) {
            const char *twice = word[x->n];
            x->n++;
            return mpg_error_set(err, "'%s' is there twice", twice);
        }
    }
    return 0;
}

/* The values of X, of which TEXT may be cut. */
static int parse_values(struct mpg_axis *x, char *text, struct mpg_error *err)
{
    char *part[5];
    if (!strchr(text, ',') && x->unit != MPG_SWEEP_WORD)
        return parse_range(x, part, mpg_sweep_cut(text, ':', part, 5), err);
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    char **word = calloc(most, sizeof *word);
    if (!word)
        return mpg_error_set(err, "out of memory");
    int status = most > MPG_SWEEP_MOST ? mpg_error_set(err, "more than %d values", MPG_SWEEP_MOST)
                                       : parse_list(x, word, mpg_sweep_cut(text, ',', word, most), err);
    free(word);
    return status;
}

static int find_param(const char *text, enum mpg_swept *what, const char **values, struct mpg_error *err)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    for (int i = 0; i < MPG_SWEPTS; i++)
        if (length > 0 && strlen(swepts[i].name) == length &&
            strncmp(swepts[i].name, text, length) == 0) {
            *what = (enum mpg_swept)i;
            *values = equals + 1;
            return 0;
        }
    return mpg_error_set(err, "is not PARAM=LO:HI:N, with noise, call-noise, latency, byte, compute-ratio, "
                              "eager-limit, absorb or map as PARAM");
}

static int add(struct mpg_sweep *s, const char *text, struct mpg_error *err)
{
    enum mpg_swept what = MPG_SWEPTS;
    const char *values = NULL;
    if (find_param(text, &what, &values, err) < 0)
        return -1;
    if (mpg_sweep_find(s, what))
        return mpg_error_set(err, "%s is swept twice", mpg_swept_name(what));
    struct mpg_axis *x = &s->axis[s->axes++];
    *x = (struct mpg_axis){.what = what, .unit = swepts[what].unit, .text = text, .option = "--sweep"};
    char *copy = strdup(values);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    int status = parse_values(x, copy, err);
    free(copy);
    if (status == 0 && x->n > MPG_SWEEP_MOST / s->points)
        return mpg_error_set(err, "makes a grid of more than %d points", MPG_SWEEP_MOST);
    s->points *= x->n;
    return status;
}

int mpg_sweep_parse(struct mpg_sweep *s, const struct mpg_option_list *given, struct mpg_error *err)
{
    *s = (struct mpg_sweep){.points = 1};
    for (size_t i = 0; i < given->n; i++)
        if (add(s, given->item[i], err) < 0)
            return mpg_error_prefix(err, "--sweep: '%s'", given->item[i]);
    return 0;
}

/* --- one that is looked for --- */

static bool is_limit(const struct mpg_limits *limits, double limit)
{
    for (size_t i = 0; i < limits->n; i++)
        if (limits->limit[i] == limit)
            return true;
    return false;
}

/* PARAM: what follows the limits. */
static int parse_limits(const char *text, struct mpg_limits *limits, const char **param, struct mpg_error *err)
{
    *limits = (struct mpg_limits){.n = 0};
    for (bool more = true; more;) {
        char *end;
        const double percent = strtod(text, &end), limit = percent / 100;
        if (end == text || *end != '%' || !strchr(":, ", end[1]) || !end[1] || !(percent > 0 && percent <= 1e9))
            return mpg_error_set(err, "is not LIMIT%%:PARAM, as in 5%%:noise, or LIMIT%%,LIMIT%%...:PARAM");
        if (is_limit(limits, limit))
            return mpg_error_set(err, "%g%% is there twice", percent);
        if (limits->n == sizeof limits->limit / sizeof *limits->limit)
            return mpg_error_set(err, "more than %zu limits", limits->n);
        limits->limit[limits->n++] = limit;
        more = end[1] == ',';
        text = end + 2;
    }
    *param = text;
    return 0;
}

int mpg_sweep_tolerate(struct mpg_sweep *s, const char *text, struct mpg_limits *limits,
                       bool (*given)(void *context, enum mpg_swept what), void *context,
                       struct mpg_error *err)
{
    const char *param = NULL;
    int what = 0;
    *s = (struct mpg_sweep){.points = 2};
    if (parse_limits(text, limits, &param, err) < 0)
        return mpg_error_prefix(err, "--tolerate: '%s'", text);
    while (what < MPG_SWEPT_EAGER_LIMIT && strcmp(swepts[what].name, param) != 0)
        what++;
    if (what == MPG_SWEPT_EAGER_LIMIT)
        return mpg_error_set(err, "--tolerate: '%s': '%s' is not noise, call-noise, latency, byte or "
                                  "compute-ratio", text, param);
    struct mpg_axis *x = &s->axis[s->axes++];
    *x = (struct mpg_axis){
        .what = (enum mpg_swept)what, .unit = swepts[what].unit, .text = text, .option = "--tolerate", .n = 2};
    if (x->unit == MPG_SWEEP_TIME && given(context, x->what))
        x->unit = MPG_SWEEP_FACTOR;
    if (!(x->value = calloc(x->n, sizeof *x->value)))
        return mpg_error_set(err, "out of memory");
    x->value[0] = x->unit == MPG_SWEEP_RATIO ? 1 : 0;
    x->value[1] = x->value[0] + 1;
    return 0;
}
