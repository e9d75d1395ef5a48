/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of mpgtrace compare: the quantities that conditions name, and their changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/compare/conditions.h"
#include "common/nearest.h"
#include "statistics/welch.h"

/* ---- names ---- */

/* Names of quantities of the whole run, in the order of enum compare_quantity. */
static const char *const names[] = {"run", "computation", "mpi", "off-cpu", "polling", "load-balance",
                                    "serialization", "transfer", "noise", "efficiency", NULL};

/* Rows that a condition can name: a word, and the text that follows the word. */
static const struct {
    const char *word;
    enum compare_kind kind;
} parts[] = {{"region ", COMPARE_REGION}, {"call ", COMPARE_CALL}, {"callsite ", COMPARE_CALL},
             {"computation before ", COMPARE_COMPUTATION_BEFORE}};
enum { PART_REGION, PART_CALL, PART_CALLSITE, PART_COMPUTATION, PARTS };

/* Returns the kind of rows that NAME stands for, and sets *REST to the text after the word; PARTS: NAME is no part. */
static int part_of(const char *name, const char **rest)
{
    for (int i = 0; i < PARTS; i++) {
        const size_t length = strlen(parts[i].word);
        if (strncmp(name, parts[i].word, length) == 0) {
            *rest = name + length + strspn(name + length, " ");
            return i;
        }
    }
    return PARTS;
}

/* Returns the quantity of the whole run with NAME; COMPARE_QUANTITIES: none. */
static int quantity_of(const char *name)
{
    int q = 0;
    while (q < COMPARE_QUANTITIES && strcmp(name, names[q]) != 0)
        q++;
    return q;
}

int mpg_compare_fit_condition(struct mpg_condition *c, struct mpg_error *err)
{
    const char *rest;
    const int q = quantity_of(c->name);
    if (q == COMPARE_QUANTITIES && part_of(c->name, &rest) == PARTS) {
        const char *nearest = mpg_nearest_word(names, c->name, strlen(c->name));
        return mpg_error_set(err, "'%s': '%s' is not run, computation, mpi, off-cpu, polling, load-balance, serialization, "
                                  "transfer, noise, efficiency, 'region NAME', 'call MPI_...', 'callsite TEXT' or "
                                  "'computation before TEXT'%s%s%s",
                             c->text, c->name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    }
    const bool is_time = q == COMPARE_QUANTITIES || mpg_compare_is_time((enum compare_quantity)q);
    if (is_time && c->unit == MPG_CONDITION_NUMBER && c->limit == 0)
        c->unit = MPG_CONDITION_TIME;
    if (is_time && c->unit == MPG_CONDITION_NUMBER)
        return mpg_error_set(err, "'%s': the limit of a time has a unit: %%, ns, us, ms or s", c->text);
    if (!is_time && c->unit == MPG_CONDITION_TIME)
        return mpg_error_set(err, "'%s': %s is a fraction: the limit is '-5 %%' or '-0.02'", c->text, c->name);
    return 0;
}

/* ---- values ---- */

/* Values of each side, one for each recording. */
struct values {
    double *side[COMPARE_SIDES];
};

/* Returns whether ROW is a row of PART with the text REST: a region's name, a call, or a part of a callsite's line in the table,
 * such as "MPI_Waitall, exchange". */
static bool is_meant(const struct compare_row *row, int part, const char *rest)
{
    if (row->kind != parts[part].kind)
        return false;
    if (part != PART_REGION) {
        char call[128];
        const int prefix = snprintf(call, sizeof call, "%s", mpg_call_prefix(row->call));
        const int length = prefix + snprintf(call + prefix, sizeof call - (size_t)prefix, "%s", mpg_call_name(row->call));
        if (part == PART_CALL)
            return strcmp(rest, call) == 0 || strcmp(rest, call + prefix) == 0;
        if (strncmp(rest, call, (size_t)length) == 0 && (rest[length] == '\0' || rest[length] == ','))
            rest += length + strspn(rest + length, ", ");
    }
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const char *name = row->name[s];
        if (name && (part == PART_REGION ? strcmp(name, rest) == 0 : strstr(name, rest) != NULL))
            return true;
    }
    return false;
}

/* Sums the rows that the condition F names into V. Returns 0, or -1 with ERR: no recording has such a row. */
static int add_rows(const struct comparison *c, const struct mpg_condition *f, struct values *v, struct mpg_error *err)
{
    const char *rest = "";
    const int part = part_of(f->name, &rest);
    size_t found = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!is_meant(&c->row[i], part, rest))
            continue;
        found++;
        for (int s = 0; s < COMPARE_SIDES; s++)
            for (size_t k = 0; k < c->side[s].n; k++)
                v->side[s][k] += c->row[i].time_ns[s][k];
    }
    return found > 0 ? 0 : mpg_error_set(err, "'%s': no recording has the %s", f->text, f->name);
}

static int find_values(const struct comparison *c, const struct mpg_condition *f, struct values *v, struct mpg_error *err)
{
    const int q = quantity_of(f->name);
    for (int s = 0; s < COMPARE_SIDES; s++)
        if (!(v->side[s] = calloc(c->side[s].n, sizeof *v->side[s])))
            return mpg_error_set(err, "out of memory");
    if (q == COMPARE_QUANTITIES)
        return add_rows(c, f, v, err);
    for (int s = 0; s < COMPARE_SIDES; s++)
        for (size_t k = 0; k < c->side[s].n; k++)
            v->side[s][k] = c->side[s].run[k].quantity[q];
    return 0;
}

/* ---- changes ---- */

/* Returns whether all recordings of SIDE have the same run time to the nanosecond. */
static bool are_copies(const struct compare_runs *side)
{
    for (size_t i = 1; i < side->n; i++)
        if (side->run[i].quantity[COMPARE_RUN] != side->run[0].quantity[COMPARE_RUN])
            return false;
    return true;
}

/* Sets the change of R from V, and its interval or the reason why it is not known. */
static void find_change(struct mpg_condition_result *r, const struct comparison *c, const struct values *v)
{
    const size_t n = r->before, m = r->after;
    const double *a = v->side[COMPARE_BEFORE], *b = v->side[COMPARE_AFTER];
    const double before = mpg_mean(a, n), after = mpg_mean(b, m);
    const bool is_ratio = r->condition->unit == MPG_CONDITION_RATIO;
    r->low = r->high = NAN;
    r->change = !is_ratio ? after - before : before > 0 ? after / before - 1 : after == 0 ? 0 : NAN;
    if (isnan(before) || isnan(after))
        r->why = "not known of a recording";
    else if (n < MPG_WELCH_MIN || m < MPG_WELCH_MIN)
        r->why = "record each version at least three times";
    else if (are_copies(&c->side[COMPARE_BEFORE]) || are_copies(&c->side[COMPARE_AFTER]))
        r->why = "equal run times of all recordings of a version: copies of one recording?";
    else if (before == 0 && after == 0)
        r->low = r->high = 0;
    else if (is_ratio && before <= 0)
        r->why = "0 before the change: give the limit as a time";
    else
        mpg_welch_change(a, n, b, m, is_ratio, r->confidence, &r->low, &r->high);
}

int mpg_compare_judge(const struct comparison *c, const struct mpg_condition *condition, size_t n,
                      struct mpg_condition_result *result, struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < n; i++) {
        struct values v = {{NULL, NULL}};
        struct mpg_condition_result *r = &result[i];
        *r = (struct mpg_condition_result){.condition = &condition[i], .confidence = mpg_condition_confidence(n),
                                           .before = c->side[COMPARE_BEFORE].n, .after = c->side[COMPARE_AFTER].n};
        if ((status = find_values(c, &condition[i], &v, err)) == 0) {
            find_change(r, c, &v);
            mpg_condition_decide(r);
        }
        free(v.side[COMPARE_BEFORE]);
        free(v.side[COMPARE_AFTER]);
    }
    return status;
}
