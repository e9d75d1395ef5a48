/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as JSON; mpgsim-json(5) is the schema. */
#include <math.h>

#include "simulate/designs/designs.h"
#include "simulate/reports/json_parts.h"

enum { DESIGNS_VERSION = 1 };

static json_t *values_json(const struct mpg_designs *x, size_t design)
{
    json_t *o = json_object();
    for (size_t i = 0; i < x->keys->axes; i++) {
        const struct mpg_key_axis *axis = &x->keys->axis[i];
        const size_t place = mpg_key_sweep_place(x->keys, i, design % x->keys->points);
        json_object_set_new(o, axis->key, isnan(axis->number[place]) ? mpg_answer_text(axis->value[place])
                                                                     : json_real(axis->number[place]));
    }
    return o;
}

static json_t *traces_json(const struct mpg_designs *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->traces; i++) {
        const struct mpg_design_trace *t = &x->trace[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:i, s:I}", "path", mpg_answer_text(t->path), "program",
                                              t->program ? mpg_answer_text(t->program) : json_null(), "ranks", (int)t->ranks,
                                              "calls", (json_int_t)t->calls));
    }
    return list;
}

static json_t *runs_json(const struct mpg_design_row *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->replicas; i++)
        json_array_append_new(list, json_real(r->run_ns[i]));
    return list;
}

static void set_real(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, json_real(value));
}

/* What ranks did. */
static void set_use(json_t *o, const struct mpg_design_row *r)
{
    set_real(o, "work_ns", r->work_ns);
    set_real(o, "noise_ns", r->noise_ns);
    set_real(o, "wait_ns", r->wait_ns);
    set_real(o, "service_ns", r->service_ns);
    set_real(o, "barrier_ns", r->barrier_ns);
    set_real(o, "processor_ns", r->processor_ns);
    set_real(o, "call_ns", r->call_ns);
    set_real(o, "speedup", mpg_design_speedup(r));
    set_real(o, "efficiency", mpg_design_speedup(r) / r->processors);
    set_real(o, "utilisation", mpg_design_utilisation(r));
    if (!(r->against_ns > 0))
        return;
    set_real(o, "against_ns", r->against_ns);
    set_real(o, "speedup_against", mpg_design_speedup_against(r));
    set_real(o, "efficiency_against", mpg_design_speedup_against(r) / r->processors);
}

static json_t *row_json(const struct mpg_designs *x, size_t i)
{
    const struct mpg_design_row *r = &x->row[i];
    const struct mpg_design_row *next = mpg_design_next(x, r);
    json_t *o = json_pack("{s:i, s:o, s:i, s:o, s:i, s:o, s:o, s:i}", "row", (int)i + 1, "trace",
                          mpg_answer_text(x->trace[r->trace].path), "ranks", (int)x->trace[r->trace].ranks, "target",
                          mpg_answer_text(x->target[r->design]), "processors", (int)r->processors, "values",
                          values_json(x, r->design), "run_time_ns", mpg_answer_summary(&r->run), "place", (int)r->place);
    if (!o)
        return NULL;
    if (next)
        set_real(o, "faster_than_next", mpg_design_faster(r, next));
    set_use(o, r);
    json_object_set_new(o, "messages", json_integer((json_int_t)r->messages));
    json_object_set_new(o, "gets", json_integer((json_int_t)r->gets));
    json_object_set_new(o, "puts", json_integer((json_int_t)r->puts));
    json_object_set_new(o, "barriers", json_integer((json_int_t)r->barriers));
    set_real(o, "bytes", r->bytes);
    set_real(o, "events", r->events);
    json_object_set_new(o, "replicas_run_time_ns", runs_json(r));
    json_object_set_new(o, "attention", mpg_answer_lines(&r->attention));
    json_object_set_new(o, "assumptions", mpg_answer_lines(&r->assumed));
    return o;
}

int mpg_designs_json(const struct mpg_designs *x, FILE *out, struct mpg_error *err)
{
    static const char *const units[] = {
        [MPG_KEY_TIME] = "ns", [MPG_KEY_NUMBER] = "number", [MPG_KEY_BYTES] = "bytes", [MPG_KEY_COUNT] = "number"};
    mpg_answer_begin();
    json_t *rows = json_array(), *parameters = json_array();
    for (size_t i = 0; i < x->n; i++)
        json_array_append_new(rows, row_json(x, i));
    for (size_t i = 0; i < x->keys->axes; i++) {
        const struct mpg_key_axis *axis = &x->keys->axis[i];
        json_array_append_new(parameters, json_pack("{s:s, s:s?}", "name", axis->key, "unit",
                                                    axis->unit == MPG_KEY_WORD ? NULL : units[axis->unit]));
    }
    return mpg_answer_write(json_pack("{s:s, s:i, s:I, s:o, s:o, s:o}", "format", "mpgsim-targets", "version",
                                      DESIGNS_VERSION, "seed", (json_int_t)x->seed, "traces", traces_json(x), "parameters",
                                      parameters, "rows", rows),
                            out, err);
}
