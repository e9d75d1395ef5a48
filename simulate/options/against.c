/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --against: the run on one processor that a speed-up is against. */
#include "simulate/options/arguments.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "common/input.h"
#include "common/units.h"

/* The answer's, at PATH; 0 with ERR: it is none of one processor. */
static double run_of(const json_t *answer, const char *path, struct mpg_error *err)
{
    const char *format = json_string_value(json_object_get(answer, "format"));
    const char *mode = json_string_value(json_object_get(answer, "mode"));
    const json_t *processors = json_object_get(json_object_get(answer, "extrapolation"), "processors");
    const json_t *ranks = json_object_get(json_object_get(answer, "trace"), "ranks");
    const json_t *run = json_object_get(json_object_get(answer, "run_time_ns"), "mean");
    const json_int_t number = json_integer_value(processors ? processors : ranks);
    const double run_ns = json_number_value(run);
    if (!format || strcmp(format, "mpgsim-result") != 0 || !mode || strcmp(mode, "predict") != 0)
        mpg_error_set(err, "%s: is no answer of mpgsim --predict --json", path);
    else if (number != 1)
        mpg_error_set(err, "%s: is of %lld processors, not of one", path, (long long)number);
    else if (!(run_ns > 0))
        mpg_error_set(err, "%s: has no run time above 0", path);
    else
        return run_ns;
    return 0;
}

int mpg_arguments_parse_against(struct mpg_arguments *a, struct mpg_error *err)
{
    struct mpg_error no_time;
    if (!a->against)
        return 0;
    if (mpg_units_parse_time(a->against, &a->against_ns, &no_time) == 0)
        return a->against_ns > 0 ? 0 : mpg_error_set(err, "--against=%s: a run takes more than 0", a->against);
    a->against_ns = 0;
    return a->against[strspn(a->against, "+-.0123456789")] ? 0 : mpg_error_set(err, "--against: %s", no_time.text);
}

int mpg_arguments_read_against(struct mpg_arguments *a, struct mpg_error *err)
{
    json_error_t why;
    if (!a->against || a->against_ns > 0)
        return 0;
    FILE *stream = mpg_input_open(a->against);
    if (!stream) {
        mpg_error_errno(err, errno, "--against is a time, or an answer of one processor: %s", a->against);
        return MPG_SPEC_UNREADABLE;
    }
    json_t *answer = json_loadf(stream, JSON_REJECT_DUPLICATES, &why);
    fclose(stream);
    if (!answer)
        mpg_error_set(err, "%s:%d: %s", a->against, why.line, why.text);
    else
        a->against_ns = run_of(answer, a->against, err);
    json_decref(answer);
    return a->against_ns > 0 ? 0 : MPG_SPEC_UNREADABLE;
}
