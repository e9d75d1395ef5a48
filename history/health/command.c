/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpghistory keep, health, signature: signatures kept, judged and written again. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/conditions/conditions.h"
#include "common/error.h"
#include "common/input.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/units.h"
#include "history/health/health.h"
#include "history/request.h"

static int fail(const char *program, const struct mpg_error *err)
{
    mpg_error_print(program, err);
    return MPG_EXIT_FAILURE;
}

/* ---- keep ---- */

/* Fills KEPT from SIG. */
static int describe(struct mpg_history_signature *kept, const struct mpg_signature *sig, const char *path, struct mpg_error *err)
{
    char sum[40];
    const char *host = mpg_fact_find(sig->fact, sig->facts, "host"), *date = mpg_fact_find(sig->fact, sig->facts, "date");
    if (!date)
        return mpg_error_set(err, "%s: no date of the measurement: made by an old sigmake", path);
    mpg_history_checksum(path, sum);
    kept->version = strdup(PACKAGE_VERSION);
    kept->host = strdup(host ? host : "unknown");
    kept->measured = strndup(date, strcspn(date, " "));
    kept->path = strdup(path);
    kept->sum = strdup(sum);
    return kept->version && kept->host && kept->measured && kept->path && kept->sum ? 0 : mpg_error_set(err, "out of memory");
}

static int keep(const char *history, const char *path, struct mpg_error *err)
{
    enum { MAX_MIB = 256 };
    struct mpg_history_signature kept = {.id = 0};
    int64_t id = 0;
    struct mpg_signature *sig = mpg_signature_load(path, err); /* the file's kind is checked, with good errors */
    if (sig)
        kept.text = mpg_input_read(mpg_input_open(path), path, MAX_MIB, &kept.bytes, err);
    int status = kept.text ? describe(&kept, sig, path, err) : -1;
    if (status == 0)
        status = mpg_history_keep(history, &kept, &id, err);
    if (status == 0) {
        printf("signature %" PRId64 ": ", id);
        mpg_printable_put(stdout, kept.host);
        fputs(", ", stdout);
        mpg_printable_put(stdout, kept.measured);
        putchar('\n');
    }
    mpg_signature_free(sig);
    mpg_history_signature_clear(&kept);
    return status;
}

int mpg_health_keep_main(int argc, char **argv)
{
    const char *history = NULL;
    const struct mpg_option options[] = {MPG_ROW_OF_HISTORY(&history), {0}};
    const struct mpg_program program = {.name = "mpghistory keep", .arguments = "SIGNATURE...",
                                        .summary = "Keep signatures, for the health of their machines.", .options = options,
                                        .min_arguments = 1, .max_arguments = -1};
    struct mpg_error err;
    const int first = mpg_option_parse(&program, argc, argv);
    mpg_need_history(&program, &history);
    int code = MPG_EXIT_OK;
    for (int i = first; i < argc; i++) /* a signature that is kept already does not keep the next ones out */
        if (keep(history, argv[i], &err) < 0)
            code = fail(program.name, &err);
    return mpg_stdout_close(&err) == 0 ? code : fail(program.name, &err);
}

/* ---- health ---- */

int mpg_health_main(int argc, char **argv)
{
    struct health_options o = {.baseline = 5, .tolerance = 0.05};
    const char *plot = NULL;
    bool json = false, check = false;
    const struct mpg_option options[] = {
        MPG_ROW_OF_HISTORY(&o.history),
        {.name = "host", .kind = MPG_OPTION_STRING, .value = &o.host, .argument = "NAME", .help = "only this host"},
        {.name = "baseline", .kind = MPG_OPTION_INT, .value = &o.baseline, .argument = "N", .minimum = HEALTH_MIN_BASELINE,
         .maximum = MPG_COMPARE_MAX_REPEATS,
         .help = "the first N signatures measure how much a machine differs\nfrom itself (default: 5)"},
        {.name = "tolerance", .letter = 't', .kind = MPG_OPTION_RATIO, .value = &o.tolerance, .argument = "RATIO",
         .help = "largest difference that counts as equal: 5% or 0.05\n(default: 5%)"},
        {.name = "check", .kind = MPG_OPTION_FLAG, .value = &check,
         .help = "exit with 3 if a machine became slower or noisier"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &json, .help = "print JSON"},
        {.name = "plot", .kind = MPG_OPTION_STRING, .value = &plot, .argument = "DIR",
         .help = "also draw the drift of each host into DIR (needs gnuplot)"},
        {0}};
    const struct mpg_program program = {.name = "mpghistory health", .options = options,
                                        .summary = "Show whether machines became slower or noisier, by their kept signatures."};
    struct mpg_error err;
    struct health h = {.n = 0};
    (void)mpg_option_parse(&program, argc, argv);
    mpg_need_history(&program, &o.history);
    gsl_set_error_handler_off();
    int status = mpg_health_make(&h, &o, &err);
    if (status == 0 && plot)
        status = mpg_health_plot(&h, plot, &err);
    if (status == 0 && json)
        status = mpg_health_print_json(&h, stdout, &err);
    else if (status == 0)
        status = mpg_health_print_text(&h, stdout, &err);
    int code = MPG_EXIT_OK;
    for (size_t i = 0; check && i < h.hosts; i++)
        code = mpg_health_is_worse(&h.host[i]) ? MPG_EXIT_CONDITION_FAILED : code;
    mpg_health_clear(&h);
    if (status < 0 || mpg_stdout_close(&err) < 0)
        return fail(program.name, &err);
    return code;
}

/* ---- signature ---- */

/* A request for the file of signature ID. */
struct request {
    int64_t id;
    const char *output;
    bool found;
};

static int write_if_wanted(void *request, struct mpg_history_signature *kept, struct mpg_error *err)
{
    struct request *r = request;
    if (kept->id != r->id)
        return 0;
    struct mpg_output *out = mpg_output_open(r->output, err);
    if (!out)
        return -1;
    r->found = true;
    fwrite(kept->text, 1, kept->bytes, mpg_output_stream(out));
    return mpg_output_commit(out, err);
}

int mpg_health_signature_main(int argc, char **argv)
{
    const char *history = NULL;
    struct request r = {.output = "-"};
    const struct mpg_option options[] = {
        MPG_ROW_OF_HISTORY(&history),
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &r.output, .argument = "FILE",
         .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {.name = "mpghistory signature", .arguments = "ID", .summary = "Write a kept signature.",
                                        .options = options, .min_arguments = 1, .max_arguments = 1};
    struct mpg_error err;
    const int first = mpg_option_parse(&program, argc, argv);
    if (mpg_units_parse_int(argv[first], &r.id, &err) < 0 || r.id < 1)
        mpg_option_usage_error(&program, "'%s' is not a number of a signature", argv[first]);
    mpg_need_history(&program, &history);
    int status = mpg_output_differs_from_input("output", r.output, history, &err);
    if (status == 0)
        status = mpg_history_each_signature(history, write_if_wanted, &r, &err);
    if (status == 0 && !r.found)
        status = mpg_error_set(&err, "%s: no signature %" PRId64, history, r.id);
    return status == 0 ? MPG_EXIT_OK : fail(program.name, &err);
}
