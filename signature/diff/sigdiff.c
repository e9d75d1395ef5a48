/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigdiff: compares two signatures, with tests. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/option.h"
#include "common/output.h"
#include "signature/diff/compare.h"
#include "signature/diff/conditions.h"
#include "signature/diff/report.h"

/* Exit statuses of diff(1): 1 if the inputs differ, so an error is 2. */
enum { EXIT_DIFFERENT = 1, EXIT_ERROR = 2 };

/* Loads the signatures A, B and the signatures of --again, in this order, into SIG; the caller frees all elements except NULL. */
static int load_all(const char *a, const char *b, const struct mpg_option_list *again,
                    struct mpg_signature *sig[], struct mpg_error *err)
{
    for (size_t i = 0; i < again->n + 2; i++) {
        const char *path = i == 0 ? a : i == 1 ? b : again->item[i - 2];
        if (!(sig[i] = mpg_signature_load(path, err)))
            return -1;
    }
    return 0;
}

struct wanted {
    bool all, json, tap, strict;
    const char *junit;
    struct mpg_option_list again, fail_if;
    struct mpg_condition condition[MPG_OPTION_LIST_MAX]; /* of each element of fail_if */
    struct mpg_compare_options compare;
};

static int check_conditions(struct wanted *w, char **arguments, size_t n, struct mpg_error *err)
{
    if (mpg_condition_parse_all(w->condition, &w->fail_if, diff_fit_condition, err) < 0)
        return -1;
    if (w->junit && strcmp(w->junit, "-") == 0)
        return mpg_error_set(err, "--junit: give a file: the comparison is on standard output");
    for (size_t i = 0; w->junit && i < n; i++)
        if (mpg_output_differs_from_input("junit", w->junit, arguments[i], err) < 0)
            return -1;
    return 0;
}

/* Checks that at most one input is standard input, and that --again is given never or at least twice. Parses conditions. */
static int check_options(void *wanted, char **arguments, size_t n, struct mpg_error *err)
{
    struct wanted *w = wanted;
    int inputs = 0;
    for (size_t i = 0; i < n; i++)
        inputs += strcmp(arguments[i], "-") == 0;
    for (size_t i = 0; i < w->again.n; i++)
        inputs += strcmp(w->again.item[i], "-") == 0;
    if (inputs > 1)
        return mpg_error_set(err, "only one input can be standard input");
    if (w->again.n == 1)
        return mpg_error_set(err, "--again: needs at least 2 further measurements");
    return check_conditions(w, arguments, n, err);
}

/* Writes the comparison D of SIG[0] and SIG[1] and the results of conditions. Returns the exit status, or -1 with ERR. */
static int report(const struct wanted *w, struct mpg_signature *const sig[], const struct mpg_difference *d,
                  struct mpg_error *err)
{
    struct mpg_condition_result result[MPG_OPTION_LIST_MAX];
    const struct diff_results results = {result, w->fail_if.n};
    if (diff_judge(d, w->compare.repeats + 1, w->condition, results.n, result, err) < 0)
        return -1;
    mpg_condition_print_errors("sigdiff", result, results.n);
    if (w->junit && mpg_condition_write_junit(w->junit, "sigdiff", result, results.n, w->strict, err) < 0)
        return -1;
    int written = 0;
    if (w->tap) {
        mpg_condition_print_tap(result, results.n, w->strict, stdout);
    } else if (w->json) {
        written = diff_report_json(sig[0], sig[1], d, &w->compare, &results, err);
    } else {
        diff_report_text(sig[0], sig[1], d, &w->compare, w->all);
        mpg_condition_print_text(result, results.n, stdout);
    }
    if (written < 0 || mpg_stdout_close(err) < 0)
        return -1;
    return results.n > 0 ? mpg_condition_status(result, results.n, w->strict)
                         : d->count[MPG_VERDICT_BEYOND] > 0 ? EXIT_DIFFERENT : MPG_EXIT_OK;
}

int main(int argc, char **argv)
{
    struct wanted w = {.compare = {.tolerance = 0.05, .spread = MPG_COMPARE_SPREAD}};
    static const struct mpg_option_rule rules[] = {
        {"tap", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"junit", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"strict", MPG_OPTION_NEEDS, "fail-if", NULL},
        {"tap", MPG_OPTION_EXCLUDES, "json", NULL},
        {"tap", MPG_OPTION_EXCLUDES, "all", "TAP has the conditions only"},
        {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &w.all,
         .help = "show all parameters, including equal ones"},
        {.name = "tolerance", .letter = 't', .kind = MPG_OPTION_RATIO, .value = &w.compare.tolerance,
         .argument = "RATIO",
         .help = "largest difference that counts as equal: 5% or 0.05\n(default: 5%)"},
        {.name = "again", .letter = 'r', .kind = MPG_OPTION_LIST, .value = &w.again,
         .argument = "FILE",
         .help = "another measurement of a's machine, at least twice:\nestimates how much a machine"
                 " differs from itself"},
        {.name = "spread", .letter = 's', .kind = MPG_OPTION_RATIO, .value = &w.compare.spread,
         .argument = "RATIO",
         .help = "assumed spread between measurements of one machine\nwithout --again; noise"
                 " and 99 % three times as much\n(default: 30%)"},
        {.name = "json", .letter = 'j', .kind = MPG_OPTION_FLAG, .value = &w.json,
         .help = "write the comparison as JSON"},
        MPG_ROWS_OF_CONDITIONS(&w.fail_if, &w.strict, &w.tap, &w.junit),
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigdiff",
        .arguments = "A B",
        .summary = "Compares two machines' signatures, with tests of significance.",
        .options = options,
        .rules = rules,
        .min_arguments = 2,
        .max_arguments = 2,
        .resolve = check_options,
        .context = &w,
    };
    struct mpg_error err;
    struct mpg_difference difference;
    struct mpg_signature *sig[MPG_OPTION_LIST_MAX + 2] = {NULL};
    int first = mpg_option_parse(&program, argc, argv);
    w.compare.repeat = sig + 2;
    w.compare.repeats = w.again.n;
    gsl_set_error_handler_off();
    int status = -1;
    if (load_all(argv[first], argv[first + 1], &w.again, sig, &err) == 0 &&
        mpg_compare(sig[0], sig[1], &w.compare, &difference, &err) == 0) {
        status = report(&w, sig, &difference, &err);
        mpg_difference_clear(&difference);
    }
    if (status < 0)
        mpg_error_print(program.name, &err);
    for (size_t i = 0; i < w.again.n + 2; i++)
        mpg_signature_free(sig[i]);
    for (size_t i = 0; i < w.fail_if.n; i++)
        mpg_condition_clear(&w.condition[i]);
    return status < 0 ? EXIT_ERROR : status;
}
