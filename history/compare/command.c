/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpghistory compare: the change of the predicted run time between kept answers, and conditions on the change. */
#include "history/compare/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/table/json.h"
#include "common/units.h"
#include "history/compare/compare.h"
#include "history/request.h"

struct request {
    const char *history, *junit;
    bool json, tap, strict;
    struct mpg_option_list fail_if;
    struct mpg_condition condition[MPG_OPTION_LIST_MAX]; /* of each element of fail_if */
};

static const char *const side_names[ANSWERS_SIDES] = {"before", "after"};

/* ---- outputs ---- */

/* Prints the change X with the interval. */
static void print_change(const struct mpg_condition_result *x)
{
    printf("change  predicted run time %+.2f %%", 100 * x->change);
    if (!x->why)
        printf("  (%.4g %% interval %+.2f %% to %+.2f %%)", 100 * x->confidence, 100 * x->low, 100 * x->high);
    putchar('\n');
}

/* Prints a line for each answer, the change X, and the results. */
static void print_text(const struct answers side[ANSWERS_SIDES], const struct mpg_condition_result *x,
                       const struct mpg_condition_result *result, size_t n)
{
    for (int s = 0; s < ANSWERS_SIDES; s++)
        for (size_t i = 0; i < side[s].n; i++) {
            const struct answer *a = &side[s].answer[i];
            char time[32];
            printf("%-6s  run %-5" PRId64 "  predicted run time %s  ", side_names[s], a->id,
                   mpg_units_format_time(time, sizeof time, a->run_ns));
            mpg_printable_put(stdout, a->trace);
            putchar('\n');
        }
    print_change(x);
    mpg_condition_print_text(result, n, stdout);
}

static void print_json(const struct answers side[ANSWERS_SIDES], const struct mpg_condition_result *x,
                       const struct mpg_condition_result *result, size_t n)
{
    struct mpg_json j = mpg_json_to(stdout, MPG_JSON_ROWS);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpghistory-compare");
    mpg_json_integer(&j, "version", 1);
    for (int s = 0; s < ANSWERS_SIDES; s++) {
        mpg_json_array(&j, side_names[s]);
        for (size_t i = 0; i < side[s].n; i++) {
            const struct answer *a = &side[s].answer[i];
            mpg_json_object(&j, NULL);
            mpg_json_integer(&j, "id", a->id);
            mpg_json_string(&j, "trace", a->trace);
            mpg_json_integer(&j, "ranks", a->ranks);
            mpg_json_number(&j, "run_ns", a->run_ns);
            mpg_json_close(&j);
        }
        mpg_json_close(&j);
    }
    mpg_json_number(&j, "change", x->change);
    mpg_json_number(&j, "change_low", x->low);
    mpg_json_number(&j, "change_high", x->high);
    mpg_condition_put_json(&j, result, n);
    mpg_json_close(&j);
    putchar('\n');
}

/* ---- the command ---- */

/* Decides the conditions and writes the outputs. Returns the exit status, or -1 with ERR. */
static int judge(const struct request *q, const struct answers side[ANSWERS_SIDES], struct mpg_error *err)
{
    struct mpg_condition_result result[MPG_OPTION_LIST_MAX], ratio;
    const size_t n = q->fail_if.n;
    if (mpg_answers_check(side, err) < 0 || mpg_answers_change(&ratio, side, MPG_CONDITION_RATIO, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (mpg_answers_change(&result[i], side, q->condition[i].unit, err) < 0)
            return -1;
        result[i].condition = &q->condition[i];
        mpg_condition_decide(&result[i]);
    }
    mpg_condition_print_errors("mpghistory compare", result, n);
    if (q->junit && mpg_condition_write_junit(q->junit, "mpghistory compare", result, n, q->strict, err) < 0)
        return -1;
    if (q->tap)
        mpg_condition_print_tap(result, n, q->strict, stdout);
    else
        (q->json ? print_json : print_text)(side, &ratio, result, n);
    return mpg_condition_status(result, n, q->strict);
}

/* Parses the conditions. */
static int check_options(void *request, char **arguments, size_t n, struct mpg_error *err)
{
    struct request *q = request;
    (void)arguments, (void)n;
    if (mpg_condition_parse_all(q->condition, &q->fail_if, mpg_answers_fit_condition, err) < 0)
        return -1;
    return q->junit && strcmp(q->junit, "-") == 0
               ? mpg_error_set(err, "--junit and the output are one file: give another --junit")
               : 0;
}

/* Reads the N answers ID, the first BEFORE of which are before the change, and judges. Returns the exit status, or -1 with
 * ERR. */
static int compare(const struct request *q, const int64_t *id, size_t before, size_t n, struct mpg_error *err)
{
    struct answers side[ANSWERS_SIDES] = {{.n = 0}, {.n = 0}};
    int status = mpg_answers_read(&side[ANSWERS_BEFORE], q->history, id, before, err);
    if (status == 0)
        status = mpg_answers_read(&side[ANSWERS_AFTER], q->history, id + before, n - before, err);
    if (status == 0)
        status = judge(q, side, err);
    mpg_answers_clear(&side[ANSWERS_BEFORE]);
    mpg_answers_clear(&side[ANSWERS_AFTER]);
    return status;
}

int mpg_history_compare_main(int argc, char **argv)
{
    enum { MAX_ANSWERS = 200 };
    struct request q = {.history = NULL};
    static const struct mpg_option_rule rules[] = {{"tap", MPG_OPTION_NEEDS, "fail-if", NULL},
                                                   {"junit", MPG_OPTION_NEEDS, "fail-if", NULL},
                                                   {"strict", MPG_OPTION_NEEDS, "fail-if", NULL},
                                                   {"tap", MPG_OPTION_EXCLUDES, "json", NULL},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        MPG_ROW_OF_HISTORY(&q.history),
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &q.json, .help = "print JSON"},
        MPG_ROWS_OF_CONDITIONS(&q.fail_if, &q.strict, &q.tap, &q.junit),
        {0}};
    const struct mpg_program program = {
        .name = "mpghistory compare", .arguments = "BEFORE... -- AFTER...",
        .summary = "Compare the predicted run times of kept answers of mpgsim --json, by their\n"
                   "numbers, before and after a change.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = MAX_ANSWERS,
        .resolve = check_options, .context = &q};
    const int after = mpg_option_after_dashes(argc, argv), first = mpg_option_parse(&program, argc, argv), n = argc - first;
    struct mpg_error err;
    int64_t id[MAX_ANSWERS];
    if (after < 0 && n != 2)
        mpg_option_usage_error(&program, "give two numbers, or the numbers before, --, and the numbers after the change");
    if (after == 0 || after == n)
        mpg_option_usage_error(&program, "no number %s --", after == 0 ? "after" : "before");
    for (int i = 0; i < n; i++)
        if (mpg_units_parse_int(argv[first + i], &id[i], &err) < 0 || id[i] < 1)
            mpg_option_usage_error(&program, "'%s' is not a run number", argv[first + i]);
    mpg_need_history(&program, &q.history);
    if (q.junit && mpg_output_differs_from_input("junit", q.junit, q.history, &err) < 0)
        mpg_option_usage_error(&program, "--junit would overwrite the history");
    int status = compare(&q, id, (size_t)(after < 0 ? 1 : n - after), (size_t)n, &err);
    for (size_t i = 0; i < q.fail_if.n; i++)
        mpg_condition_clear(&q.condition[i]);
    if (status >= 0 && mpg_stdout_close(&err) < 0)
        status = -1;
    if (status >= 0)
        return status;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
