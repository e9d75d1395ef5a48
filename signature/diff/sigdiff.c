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
#include "signature/diff/report.h"

/* Exit statuses of diff(1): 1 if the inputs differ, so an error is 2. */
enum { EXIT_DIFFERENT = 1, EXIT_ERROR = 2 };

static int fail(const char *program, const struct mpg_error *err)
{
    mpg_error_print(program, err);
    return EXIT_ERROR;
}

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

/* Checks that at most one input is standard input, and that --again is given never or at least twice. */
static int check_inputs(void *options, char **arguments, size_t n, struct mpg_error *err)
{
    const struct mpg_option_list *again = options;
    int inputs = 0;
    for (size_t i = 0; i < n; i++)
        inputs += strcmp(arguments[i], "-") == 0;
    for (size_t i = 0; i < again->n; i++)
        inputs += strcmp(again->item[i], "-") == 0;
    if (inputs > 1)
        return mpg_error_set(err, "only one input can be standard input");
    return again->n == 1 ? mpg_error_set(err, "--again: needs at least 2 further"
                                              " measurements")
                         : 0;
}

int main(int argc, char **argv)
{
    bool all = false, json = false;
    struct mpg_option_list again = {0};
    struct mpg_compare_options compare = {.tolerance = 0.05, .spread = MPG_COMPARE_SPREAD};
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &all,
         .help = "show all parameters, including equal ones"},
        {.name = "tolerance", .letter = 't', .kind = MPG_OPTION_RATIO, .value = &compare.tolerance,
         .argument = "RATIO",
         .help = "largest difference that counts as equal: 5% or 0.05\n(default: 5%)"},
        {.name = "again", .letter = 'r', .kind = MPG_OPTION_LIST, .value = &again,
         .argument = "FILE",
         .help = "another measurement of a's machine, at least twice:\nestimates how much a machine"
                 " differs from itself"},
        {.name = "spread", .letter = 's', .kind = MPG_OPTION_RATIO, .value = &compare.spread,
         .argument = "RATIO",
         .help = "assumed spread between measurements of one machine\nwithout --again; noise"
                 " and 99 % three times as much\n(default: 30%)"},
        {.name = "json", .letter = 'j', .kind = MPG_OPTION_FLAG, .value = &json,
         .help = "write the comparison as JSON"},
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigdiff",
        .arguments = "A B",
        .summary = "Compares two machines' signatures, with tests of significance.",
        .options = options,
        .min_arguments = 2,
        .max_arguments = 2,
        .resolve = check_inputs,
        .context = &again,
    };
    struct mpg_error err;
    struct mpg_difference difference;
    struct mpg_signature *sig[MPG_OPTION_LIST_MAX + 2] = {NULL};
    int first = mpg_option_parse(&program, argc, argv);
    compare.repeat = sig + 2;
    compare.repeats = again.n;
    gsl_set_error_handler_off();
    int status = EXIT_ERROR;
    if (load_all(argv[first], argv[first + 1], &again, sig, &err) < 0 ||
        mpg_compare(sig[0], sig[1], &compare, &difference, &err) < 0) {
        (void)fail(program.name, &err);
    } else {
        int written = 0;
        if (json)
            written = diff_report_json(sig[0], sig[1], &difference, &compare, &err);
        else
            diff_report_text(sig[0], sig[1], &difference, &compare, all);
        status = difference.count[MPG_VERDICT_BEYOND] > 0 ? EXIT_DIFFERENT : MPG_EXIT_OK;
        mpg_difference_clear(&difference);
        if (written < 0 || mpg_stdout_close(&err) < 0)
            status = fail(program.name, &err);
    }
    for (size_t i = 0; i < again.n + 2; i++)
        mpg_signature_free(sig[i]);
    return status;
}
