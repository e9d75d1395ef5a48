/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the texts of --sweep and --tolerate into axes and grids of points. */
#include "simulate/options/sweep.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "common/units.h"
#include "simulate/target/parameters.h"

static const struct {
    const char *name;
    enum mpg_sweep_unit unit; /* unit; find_factors() can change times to factors */
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
                                        [MPG_SWEEP_SCALE] = "factor",
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
    free(x->key);
    *x = (struct mpg_axis){0};
}

void mpg_sweep_clear(struct mpg_sweep *s)
{
    for (size_t i = 0; i < s->axes; i++)
        clear_axis(&s->axis[i]);
    *s = (struct mpg_sweep){0};
}

/* --- values --- */

/* Returns the name of X's option, for errors. */
static const char *name_of(const struct mpg_axis *x)
{
    return x->key ? "target" : mpg_swept_name(x->what);
}

/* Returns whether TEXT is a number without unit: a factor (0 may also be a time). */
static bool is_plain(const char *text)
{
    double value;
    struct mpg_error ignored;
    return mpg_units_parse_real(text, &value, &ignored) == 0;
}

bool mpg_sweep_is_factor(const char *text)
{
    return text[0] == 'x' && strchr("+-.0123456789", text[1]);
}

int mpg_sweep_parse_factor(const char *text, double *value, struct mpg_error *err)
{
    struct mpg_error ignored;
    if (text[0] != 'x' || mpg_units_parse_real(text + 1, value, &ignored) < 0)
        return mpg_error_set(err, "'%s' is not x and a factor, like x2", text);
    return *value >= 0 ? 0 : mpg_error_set(err, "'%s': a factor is not below 0", text);
}

/* Returns TEXT, a time, without a leading "const:". */
static const char *time_of(const char *text)
{
    static const char family[] = "const:";
    return strncmp(text, family, sizeof family - 1) == 0 ? text + sizeof family - 1 : text;
}

static int check_value(const struct mpg_axis *x, const char *text, double value, struct mpg_error *err)
{
    if (x->key || x->unit == MPG_SWEEP_TIME)
        return 0;
    if (x->unit == MPG_SWEEP_SIZE)
        return value < -1 ? mpg_error_set(err, "'%s' is less than -1", text) : 0;
    if (x->unit == MPG_SWEEP_RATIO && !(value >= 1e-9 && value <= 1e9))
        return mpg_error_set(err, "'%s' is not from 1e-9 to 1e9", text);
    return value < 0 ? mpg_error_set(err, "'%s': a factor is not below 0", text) : 0;
}

/* Parses TEXT as a numeric value of X. */
static int parse_number(const struct mpg_axis *x, const char *text, double *value, struct mpg_error *err)
{
    const bool is_whole = x->unit == MPG_SWEEP_SIZE || x->unit == MPG_SWEEP_COUNT;
    int64_t whole = 0;
    const int status = x->unit == MPG_SWEEP_TIME    ? mpg_units_parse_time(x->key ? text : time_of(text), value, err)
                       : x->unit == MPG_SWEEP_SCALE ? mpg_sweep_parse_factor(text, value, err)
                       : x->unit == MPG_SWEEP_SIZE  ? mpg_units_parse_size(text, &whole, err)
                       : x->unit == MPG_SWEEP_COUNT ? mpg_units_parse_int(text, &whole, err)
                       : x->unit == MPG_SWEEP_WORD  ? mpg_error_set(err, "'%s' is no number", text)
                                                    : mpg_units_parse_real(text, value, err);
    if (status < 0)
        return -1;
    *value = is_whole ? (double)whole : *value;
    return check_value(x, text, *value, err);
}

/* Parses TEXT as a value in a list of values of X. */
static int parse_value(const struct mpg_axis *x, const char *text, double *value, struct mpg_error *err)
{
    static const char *const modes[] = {"none", "wait", "clock"}; /* words in the order of enum mpg_absorb */
    struct mpg_error no_number;
    if (!*text)
        return mpg_error_set(err, "a value is missing");
    if (x->what == MPG_SWEPT_ABSORB) {
        for (int i = 0; i < 3; i++)
            if (strcmp(text, modes[i]) == 0)
                return *value = i, 0;
        return mpg_error_set(err, "'%s' is not none, wait or clock", text);
    }
    *value = NAN;
    if (x->what == MPG_SWEPT_MAP)
        return 0;
    if (x->key && parse_number(x, text, value, &no_number) < 0)
        *value = NAN;
    return x->key ? 0 : parse_number(x, text, value, err);
}

/* Cuts TEXT at each SEPARATOR, and stores the first MAX words in WORD. Returns the total number of words. */
static size_t cut(char *text, char separator, char **word, size_t max)
{
    size_t n = 0;
    for (char *at = text; at; n++) {
        char *end = strchr(at, separator);
        if (n < max)
            word[n] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    return n;
}

/* If X's unit is a time, changes the unit: to factors of the signature's values, if any of the N words has the form xF; or to
 * factors of the given values, if all words are plain numbers and not all are 0. */
static void find_factors(struct mpg_axis *x, char *const *word, size_t n)
{
    bool any = false;
    if (x->key || x->unit != MPG_SWEEP_TIME)
        return;
    for (size_t i = 0; i < n; i++)
        if (mpg_sweep_is_factor(word[i])) {
            x->unit = MPG_SWEEP_SCALE;
            return;
        }
    for (size_t i = 0; i < n; i++) {
        if (!is_plain(word[i]))
            return;
        any = any || strtod(word[i], NULL) != 0;
    }
    x->unit = any ? MPG_SWEEP_FACTOR : x->unit;
}

static int reserve(struct mpg_axis *x, size_t n, struct mpg_error *err)
{
    const bool has_words = x->key || x->unit == MPG_SWEEP_WORD;
    x->value = calloc(n, sizeof *x->value);
    x->word = has_words ? calloc(n, sizeof *x->word) : NULL;
    return x->value && (x->word || !has_words) ? 0 : mpg_error_set(err, "out of memory");
}

/* Appends VALUE to the values of X and, if X has words, TEXT to the words. */
static int add_value(struct mpg_axis *x, const char *text, double value, struct mpg_error *err)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->word ? strcmp(x->word[i], text) == 0 : x->value[i] == value)
            return mpg_error_set(err, "'%s' is given twice", text);
    if (x->word && !(x->word[x->n] = strdup(text)))
        return mpg_error_set(err, "out of memory");
    x->value[x->n++] = value;
    return 0;
}

static int check_range(const struct mpg_axis *x, double low, double high, int64_t n, bool is_log, struct mpg_error *err)
{
    if (!(low < high))
        return mpg_error_set(err, low > high ? "LO is more than HI" : "LO and HI are the same");
    if (n < 2)
        return mpg_error_set(err, n == 1 ? "a sweep needs several values: for one, use --%s" : "N is not 2 or more", name_of(x));
    if (n > MPG_SWEEP_MAX_POINTS)
        return mpg_error_set(err, "more than %d values", MPG_SWEEP_MAX_POINTS);
    return is_log && !(low > 0) ? mpg_error_set(err, "logarithmic steps need LO above 0") : 0;
}

/* Returns value I of N, from LOW to HIGH; the first is exactly LOW, the last exactly HIGH. */
static double step(double low, double high, size_t i, size_t n, bool is_log)
{
    const double part = (double)i / (double)(n - 1);
    if (i == 0 || i + 1 == n)
        return i == 0 ? low : high;
    return is_log ? low * pow(high / low, part) : low + (high - low) * part;
}

/* Parses the range LO:HI:N[:log] of X, split into WORDS words. */
static int parse_range(struct mpg_axis *x, char **word, size_t words, struct mpg_error *err)
{
    const bool is_log = words == 4 && strcmp(word[3], "log") == 0;
    double low, high;
    int64_t n;
    if (words < 3 || words > 4 || (words == 4 && !is_log))
        return mpg_error_set(err, "is neither LO:HI:N, LO:HI:N:log nor a list V,V...");
    find_factors(x, word, 2);
    const bool is_whole = x->unit == MPG_SWEEP_SIZE || x->unit == MPG_SWEEP_COUNT;
    if (parse_number(x, word[0], &low, err) < 0 || parse_number(x, word[1], &high, err) < 0 ||
        mpg_units_parse_int(word[2], &n, err) < 0 || check_range(x, low, high, n, is_log, err) < 0 ||
        reserve(x, (size_t)n, err) < 0)
        return -1;
    for (size_t i = 0; i < (size_t)n; i++) {
        char text[40];
        const double exact = step(low, high, i, (size_t)n, is_log), value = is_whole ? round(exact) : exact;
        snprintf(text, sizeof text, "%.17g%s", value, x->unit == MPG_SWEEP_TIME ? "ns" : "");
        if (i > 0 && !(value > x->value[i - 1]))
            return mpg_error_set(err, "N values between LO and HI would not all be different");
        if (add_value(x, text, value, err) < 0)
            return -1;
    }
    return 0;
}

/* Parses the list V,V... of X, split into WORDS words. */
static int parse_list(struct mpg_axis *x, char **word, size_t words, struct mpg_error *err)
{
    if (words < 2)
        return mpg_error_set(err, "a sweep needs several values: for one, use --%s", name_of(x));
    find_factors(x, word, words);
    if (reserve(x, words, err) < 0)
        return -1;
    for (size_t i = 0; i < words; i++) {
        double value;
        if (parse_value(x, word[i], &value, err) < 0 || add_value(x, word[i], value, err) < 0)
            return -1;
    }
    return 0;
}

/* Parses the values of X in TEXT, which is modified. */
static int parse_values(struct mpg_axis *x, char *text, struct mpg_error *err)
{
    char *part[5];
    if (!strchr(text, ',') && x->unit != MPG_SWEEP_WORD)
        return parse_range(x, part, cut(text, ':', part, 5), err);
    size_t max = 1;
    for (const char *c = text; *c; c++)
        max += *c == ',';
    if (max > MPG_SWEEP_MAX_POINTS)
        return mpg_error_set(err, "more than %d values", MPG_SWEEP_MAX_POINTS);
    char **word = calloc(max, sizeof *word);
    const int status = word ? parse_list(x, word, cut(text, ',', word, max), err) : mpg_error_set(err, "out of memory");
    free(word);
    return status;
}

/* --- parameters --- */

/* Sets X to the parameter called NAME. */
static int find_param(struct mpg_axis *x, const char *name, struct mpg_error *err)
{
    struct mpg_nearest nearest = {name, strlen(name), NULL, 0};
    for (int i = 0; i < MPG_SWEPTS; i++) {
        mpg_nearest_try(&nearest, swepts[i].name);
        if (strcmp(swepts[i].name, name) == 0) {
            x->what = (enum mpg_swept)i;
            x->unit = swepts[i].unit;
            return 0;
        }
    }
    return mpg_error_set(err, "is not PARAM=LO:HI:N, with noise, call-noise, latency, byte, compute-ratio, "
                              "eager-limit, absorb or map as PARAM%s%s%s", nearest.word ? "; did you mean " : "",
                         nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

/* Sets X to the target's key called NAME. */
static int find_key(struct mpg_axis *x, const char *name, struct mpg_error *err)
{
    static const enum mpg_sweep_unit units[] = {[MPG_KEY_TIME] = MPG_SWEEP_TIME,   [MPG_KEY_NUMBER] = MPG_SWEEP_NUMBER,
                                                [MPG_KEY_BYTES] = MPG_SWEEP_SIZE,  [MPG_KEY_COUNT] = MPG_SWEEP_COUNT,
                                                [MPG_KEY_WORD] = MPG_SWEEP_WORD};
    const enum mpg_key_unit unit = mpg_parameters_unit(name);
    if (unit == MPG_KEY_UNKNOWN)
        return mpg_error_set(err, "with --target a key of mpgtarget(5) is swept, as in CommStartupTime=1us,10us");
    x->unit = units[unit];
    return (x->key = strdup(name)) ? 0 : mpg_error_set(err, "out of memory");
}

/* Adds the axis GIVEN; modifies COPY, a copy of GIVEN. */
static int add(struct mpg_sweep *s, const char *given, char *copy, bool of_target, struct mpg_error *err)
{
    struct mpg_axis found = {.what = MPG_SWEPTS, .text = given, .option = "--sweep"};
    char *values = strchr(copy, '=');
    if (values)
        *values++ = '\0';
    if ((of_target ? find_key : find_param)(&found, values ? copy : "", err) < 0)
        return -1;
    bool is_twice = false;
    for (size_t i = 0; i < s->axes; i++)
        is_twice = is_twice || (of_target ? strcmp(s->axis[i].key, found.key) == 0 : s->axis[i].what == found.what);
    if (is_twice || (of_target && s->axes == MPG_KEY_AXES)) {
        free(found.key);
        return is_twice ? mpg_error_set(err, "%s is swept twice", copy)
                        : mpg_error_set(err, "more than %d keys are swept", MPG_KEY_AXES);
    }
    struct mpg_axis *x = &s->axis[s->axes++];
    *x = found;
    if (parse_values(x, values, err) < 0)
        return -1;
    if (x->n > MPG_SWEEP_MAX_POINTS / s->points)
        return mpg_error_set(err, "makes a grid of more than %d points", MPG_SWEEP_MAX_POINTS);
    s->points *= x->n;
    return 0;
}

int mpg_sweep_parse(struct mpg_sweep *s, const struct mpg_option_list *given, bool of_target, struct mpg_error *err)
{
    *s = (struct mpg_sweep){.points = 1};
    for (size_t i = 0; i < given->n; i++) {
        char *copy = strdup(given->item[i]);
        const int status = copy ? add(s, given->item[i], copy, of_target, err) : mpg_error_set(err, "out of memory");
        free(copy);
        if (status < 0)
            return mpg_error_prefix(err, "--sweep: '%s'", given->item[i]);
    }
    return 0;
}

/* --- --tolerate --- */

static bool is_limit(const struct mpg_limits *limits, double limit)
{
    for (size_t i = 0; i < limits->n; i++)
        if (limits->limit[i] == limit)
            return true;
    return false;
}

/* Parses the limits; sets PARAM to the text after them. */
static int parse_limits(const char *text, struct mpg_limits *limits, const char **param, struct mpg_error *err)
{
    *limits = (struct mpg_limits){.n = 0};
    for (bool more = true; more;) {
        char *end;
        const double percent = strtod(text, &end), limit = percent / 100;
        if (end == text || *end != '%' || !strchr(":, ", end[1]) || !end[1] || !(percent > 0 && percent <= 1e9))
            return mpg_error_set(err, "is not LIMIT%%:PARAM, as in 5%%:noise, or LIMIT%%,LIMIT%%...:PARAM");
        if (is_limit(limits, limit))
            return mpg_error_set(err, "%g%% is given twice", percent);
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
    struct mpg_nearest nearest = {param, strlen(param), NULL, 0};
    while (what < MPG_SWEPT_EAGER_LIMIT && strcmp(swepts[what].name, param) != 0)
        mpg_nearest_try(&nearest, swepts[what++].name);
    if (what == MPG_SWEPT_EAGER_LIMIT)
        return mpg_error_set(err, "--tolerate: '%s': '%s' is not noise, call-noise, latency, byte or "
                                  "compute-ratio%s%s%s", text, param, nearest.word ? "; did you mean " : "",
                             nearest.word ? nearest.word : "", nearest.word ? "?" : "");
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
