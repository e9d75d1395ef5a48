/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace compare: changes between recordings of two versions of a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/options.h"
#include "common/output.h"
#include "common/units.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

enum { MAX_LINES = 20 };

struct wanted {
    const char *debug_path, *output;
    bool json, csv, all;
    int64_t frames;
    struct mpg_excerpt excerpt;
};

/* Writes the comparison C to the output file, as JSON, CSV or text, according to the options A. Returns 0, or -1 with ERR. */
static int write_report(const struct wanted *a, const struct comparison *c, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    const int status = a->json  ? mpg_compare_print_json(c, stream, err)
                       : a->csv ? mpg_compare_print_csv(c, stream, err)
                                : mpg_compare_print_text(c, a->all ? 0 : MAX_LINES, stream, err);
    if (status == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

/* Reads the N traces PATH into SIDE, which the caller clears, also on failure. Returns 0, or -1 with ERR. */
static int read_side(const struct wanted *a, struct compare_runs *side, char **path, size_t n, struct mpg_error *err)
{
    side->run = calloc(n, sizeof *side->run);
    if (!side->run)
        return mpg_error_set(err, "out of memory");
    for (; side->n < n; side->n++)
        if (mpg_output_differs_from_input("output", a->output, path[side->n], err) < 0 ||
            mpg_compare_read(&side->run[side->n], path[side->n], &a->excerpt, (int)a->frames, a->debug_path, err) < 0) {
            side->n++;
            return -1;
        }
    return 0;
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

static int compare(const struct wanted *a, char **before, size_t before_number, char **after, size_t after_number,
                   struct mpg_error *err)
{
    struct compare_runs side[COMPARE_SIDES] = {{NULL, 0}, {NULL, 0}};
    struct comparison c = {.n = 0};
    int status = read_side(a, &side[COMPARE_BEFORE], before, before_number, err) < 0 ||
                         read_side(a, &side[COMPARE_AFTER], after, after_number, err) < 0
                     ? -1
                     : 0;
    if (status == 0)
        status = check_ranks(side, err) < 0 || mpg_compare_make(&c, side, err) < 0 ? -1 : write_report(a, &c, err);
    mpg_compare_clear(&c);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        for (size_t i = 0; i < side[s].n; i++)
            mpg_compare_run_clear(&side[s].run[i]);
        free(side[s].run);
    }
    return status;
}

/* Returns the number of arguments after "--"; -1: there is no "--". To be called before getopt_long(), which removes "--". */
static int find_after(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return argc - 1 - i;
    return -1;
}

int mpg_compare_main(int argc, char **argv)
{
    enum { MAX_FRAMES = 64 };
    struct wanted a = {.output = "-", .frames = 1};
    static const struct mpg_option_rule rules[] = {
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
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace compare", .arguments = "BEFORE... -- AFTER...",
        .summary = "Compare two versions of a program by recordings of both:\n"
                   "run time, efficiencies, regions, callsites.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = -1};
    const int after = find_after(argc, argv), first = mpg_option_parse(&program, argc, argv), n = argc - first;
    if (after < 0 && n != 2)
        mpg_option_usage_error(&program, "give two traces, or the traces before, --, and the traces after the change");
    if (after == 0 || after == n)
        mpg_option_usage_error(&program, "no trace %s --", after == 0 ? "after" : "before");

    struct mpg_error err;
    char **traces = argv + first;
    const size_t before_number = (size_t)(after < 0 ? 1 : n - after);
    if (compare(&a, traces, before_number, traces + before_number, (size_t)n - before_number, &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
