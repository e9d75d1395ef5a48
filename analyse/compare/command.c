/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace compare: changes between recordings of two versions of a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/compare/conditions.h"
#include "analyse/options.h"
#include "common/machine.h"
#include "common/output.h"
#include "common/units.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

enum { MAX_LINES = 20 };

struct wanted {
    const char *debug_path, *output, *junit;
    bool json, csv, all, tap, strict;
    int64_t frames;
    struct mpg_option_list fail_if;
    struct mpg_condition condition[MPG_OPTION_LIST_MAX]; /* of each element of fail_if */
    struct mpg_excerpt excerpt;
};

/* Writes the comparison C and RESULTS to the output file, as JSON, CSV, TAP or text, according to the options A. Returns 0, or -1
 * with ERR. */
static int write_report(const struct wanted *a, const struct comparison *c, const struct compare_results *results,
                        struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    int status = 0;
    if (a->tap)
        mpg_condition_print_tap(results->result, results->n, a->strict, stream);
    else
        status = a->json  ? mpg_compare_print_json(c, results, stream, err)
                 : a->csv ? mpg_compare_print_csv(c, stream, err)
                          : mpg_compare_print_text(c, results, a->all ? 0 : MAX_LINES, stream, err);
    if (status == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

/* Returns 0; -1 with ERR: the numbers of ranks of the runs differ. */
static int check_ranks(const struct compare_runs side[COMPARE_SIDES], struct mpg_error *err)
{
    const struct compare_run *first = &side[COMPARE_BEFORE].run[0];
    for (int s = 0; s < COMPARE_SIDES; s++)
        for (size_t i = 0; i < side[s].n; i++) {
            const struct compare_run *run = &side[s].run[i];
            if (run->ranks != first->ranks)
                return mpg_error_set(err, "%s has %" PRId32 " %s, %s has %" PRId32 ": versions are compared at equal numbers of "
                                          "ranks ('mpgtrace efficiency' compares numbers of ranks)",
                                     first->path, first->ranks, mpg_units_word((uint64_t)first->ranks, "rank", "ranks"),
                                     run->path, run->ranks);
        }
    return 0;
}

/* Compares both sides, decides the conditions and writes the outputs. Returns the exit status, or -1 with ERR. */
static int compare_sides(const struct wanted *a, const struct compare_runs side[COMPARE_SIDES], struct comparison *c,
                         struct mpg_error *err)
{
    struct mpg_condition_result result[MPG_OPTION_LIST_MAX];
    const struct compare_results results = {result, a->fail_if.n};
    if (check_ranks(side, err) < 0 || mpg_compare_make(c, side, err) < 0 ||
        mpg_compare_judge(c, a->condition, results.n, result, err) < 0)
        return -1;
    mpg_condition_print_errors("mpgtrace compare", result, results.n);
    if (a->junit && mpg_condition_write_junit(a->junit, "mpgtrace compare", result, results.n, a->strict, err) < 0)
        return -1;
    return write_report(a, c, &results, err) < 0 ? -1 : mpg_condition_status(result, results.n, a->strict);
}

/* Reads the N traces PATH, of which BEFORE are from before the change, and compares them. Returns the exit status, or -1 with
 * ERR. */
static int compare(const struct wanted *a, char **path, size_t n, size_t before, struct mpg_error *err)
{
    const struct compare_reading reading = {a->excerpt, (int)a->frames, a->debug_path};
    struct compare_run *run = calloc(n, sizeof *run);
    const struct compare_runs side[COMPARE_SIDES] = {{run, before}, {run ? run + before : NULL, n - before}};
    struct comparison c = {.n = 0};
    int status = run ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++)
        status = mpg_output_differs_from_input("output", a->output, path[i], err);
    if (status == 0)
        status = mpg_compare_read_all(run, path, n, &reading, mpg_machine_threads(), err);
    if (status == 0)
        status = compare_sides(a, side, &c, err);
    mpg_compare_clear(&c);
    for (size_t i = 0; i < n && run; i++)
        mpg_compare_run_clear(&run[i]);
    free(run);
    return status;
}

/* Parses the conditions, and checks that the outputs are different files. */
static int check_options(void *wanted, char **arguments, size_t n, struct mpg_error *err)
{
    struct wanted *a = wanted;
    if (mpg_condition_parse_all(a->condition, &a->fail_if, mpg_compare_fit_condition, err) < 0)
        return -1;
    if (a->junit && (strcmp(a->junit, a->output) == 0 || mpg_output_same(a->junit, a->output)))
        return mpg_error_set(err, "--junit and the output are one file: give --output or another --junit");
    for (size_t i = 0; a->junit && i < n; i++)
        if (mpg_output_differs_from_input("junit", a->junit, arguments[i], err) < 0)
            return -1;
    return 0;
}

int mpg_compare_main(int argc, char **argv)
{
    enum { MAX_FRAMES = 64 };
    struct wanted a = {.output = "-", .frames = 1};
    static const struct mpg_option_rule rules[] = {
        {"tap", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"junit", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"strict", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"tap", MPG_OPTION_EXCLUDES, "json", NULL},
        {"tap", MPG_OPTION_EXCLUDES, "csv", NULL},
        {"tap", MPG_OPTION_EXCLUDES, "all", "TAP has the conditions only"},
        {"json", MPG_OPTION_EXCLUDES, "csv", NULL},
        {"json", MPG_OPTION_EXCLUDES, "all", "JSON has all rows"},
        {"csv", MPG_OPTION_EXCLUDES, "all", "CSV has all rows"},
        {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &a.all,
         .help = "all callsites and regions, not only the first of 20 lines"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &a.frames, .argument = "N",
         .minimum = 1, .maximum = MAX_FRAMES,
         .help = "match callsites by up to N functions each, callees before callers\n(default 1)"},
        MPG_ROW_OF_DEBUG_PATH(&a.debug_path),
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        MPG_ROWS_OF_FORMATS(&a.json, &a.csv, &a.output),
        MPG_ROWS_OF_CONDITIONS(&a.fail_if, &a.strict, &a.tap, &a.junit),
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace compare", .arguments = "BEFORE... -- AFTER...",
        .summary = "Compare two versions of a program by recordings of both:\n"
                   "run time, efficiencies, regions, callsites.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = -1,
        .resolve = check_options, .context = &a};
    const int after = mpg_option_after_dashes(argc, argv), first = mpg_option_parse(&program, argc, argv), n = argc - first;
    if (after < 0 && n != 2)
        mpg_option_usage_error(&program, "give two traces, or the traces before, --, and the traces after the change");
    if (after == 0 || after == n)
        mpg_option_usage_error(&program, "no trace %s --", after == 0 ? "after" : "before");

    struct mpg_error err;
    char **traces = argv + first;
    const size_t before_number = (size_t)(after < 0 ? 1 : n - after);
    const int status = compare(&a, traces, (size_t)n, before_number, &err);
    for (size_t i = 0; i < a.fail_if.n; i++)
        mpg_condition_clear(&a.condition[i]);
    if (status >= 0)
        return status;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
