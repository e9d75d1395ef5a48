/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigdiff: what differs between two signatures, by how much, how surely. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/option.h"
#include "common/output.h"
#include "common/units.h"
#include "signature/diff/compare.h"
#include "signature/diff/report.h"

/* As diff(1) has it: 1 says that they differ, so trouble is 2. */
enum { EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 };

static int fail(const char *program, const struct mpg_error *err)
{
    mpg_error_print(program, err);
    return EXIT_TROUBLE;
}

/* "5%" and "0.05" are the same. */
static void read_tolerance(const struct mpg_program *program, const char *text, double *tolerance)
{
    struct mpg_error err;
    char number[32];
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (length >= sizeof number || mpg_units_parse_real(number, tolerance, &err) < 0)
        mpg_option_usage_error(program, "--tolerance: '%s' is neither a ratio nor a percentage", text);
    *tolerance /= percent ? 100 : 1;
    if (!(*tolerance >= 0 && *tolerance < 1))
        mpg_option_usage_error(program, "--tolerance: '%s' is not from 0 to less than 1 (100%%)", text);
}

int main(int argc, char **argv)
{
    bool all = false, json = false;
    double tolerance;
    const char *text = "5%";
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &all,
         .help = "show every parameter, also those that do not differ"},
        {.name = "tolerance", .letter = 't', .kind = MPG_OPTION_STRING, .value = &text,
         .argument = "RATIO",
         .help = "how far apart is near enough: 5% or 0.05\n(default: 5%)"},
        {.name = "json", .letter = 'j', .kind = MPG_OPTION_FLAG, .value = &json,
         .help = "write the whole comparison as JSON"},
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigdiff",
        .arguments = "A B",
        .summary = "Tells what differs between two machines' signatures, and how surely.",
        .options = options,
        .min_arguments = 2,
        .max_arguments = 2,
    };
    struct mpg_error err;
    struct mpg_difference difference;
    int first = mpg_option_parse(&program, argc, argv);
    read_tolerance(&program, text, &tolerance);
    if (strcmp(argv[first], "-") == 0 && strcmp(argv[first + 1], "-") == 0)
        mpg_option_usage_error(&program, "standard input can be read once only");
    gsl_set_error_handler_off();
    struct mpg_signature *a = mpg_signature_load(argv[first], &err);
    struct mpg_signature *b = a ? mpg_signature_load(argv[first + 1], &err) : NULL;
    int status = EXIT_TROUBLE;
    if (!b || mpg_compare(a, b, tolerance, &difference, &err) < 0) {
        (void)fail(program.name, &err);
    } else {
        int written = 0;
        if (json)
            written = diff_report_json(a, b, &difference, tolerance, &err);
        else
            diff_report_text(a, b, &difference, tolerance, all);
        status = difference.count[MPG_VERDICT_BEYOND] > 0 ? EXIT_DIFFERENT : MPG_EXIT_OK;
        mpg_difference_clear(&difference);
        if (written < 0 || mpg_stdout_close(&err) < 0)
            status = fail(program.name, &err);
    }
    mpg_signature_free(a);
    mpg_signature_free(b);
    return status;
}
