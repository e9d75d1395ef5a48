/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow: prints a signature as text, JSON or the machine of another simulator, or draws plots. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/option.h"
#include "common/output.h"
#include "signature/show/plot.h"
#include "signature/show/show.h"
#include "signature/signature.h"
#include "signature/simulators/simulators.h"

enum { DEFAULT_RANKS = 64, VALUE_WIDTH = 64, VERDICT_BYTES = 256, EFFECT_BYTES = 128 };

/* Header lines that the overview shows, in this order. */
static const char *const important[] = {
    "host", "cpu", "kernel", "virtualisation", "scheduling", "clock", "timer_cost_ns",
    "mpi", "ranks", "binding", "left_out", "other_load", "date", "mpgkit",
};
enum { IMPORTANT = sizeof important / sizeof *important };

/* Returns the number of bytes of TEXT that fit into WIDTH bytes without splitting a character. */
static int fitting(const char *text, size_t width)
{
    size_t n = strlen(text);
    if (n <= width)
        return (int)n;
    for (n = width; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    return (int)n;
}

static void show_header(const struct mpg_signature *sig, bool all)
{
    size_t shown = 0;
    for (int k = 0; !all && k < IMPORTANT; k++) {
        const char *value = mpg_fact_find(sig->fact, sig->facts, important[k]);
        if (!value)
            continue;
        int n = fitting(value, VALUE_WIDTH);
        printf("%-16s %.*s%s\n", important[k], n, value, value[n] ? "..." : "");
        shown++;
    }
    for (size_t i = 0; all && i < sig->facts; i++)
        printf("%-22s %s\n", sig->fact[i].key, sig->fact[i].value);
    if (!all)
        show_rest(sig->facts - shown, 0, "header lines");
    printf("%-*s %zu\n", all ? 22 : 16, "results files", sig->sources);
    for (size_t i = 0; all && i < sig->sources; i++)
        printf("  %s: %s\n", sig->source[i].key, sig->source[i].value);
}

/* Prints the number of failed quality checks; if ALL, also each failed check. */
static void show_verdict(const struct mpg_signature *sig, bool all)
{
    char verdict[VERDICT_BYTES];
    printf("%-*s %s\n", all ? 22 : 16, "quality",
           mpg_signature_verdict(sig, verdict, sizeof verdict));
    for (size_t i = 0; all && i < sig->failures; i++) {
        const struct mpg_signature_failure *f = &sig->failure[i];
        char effect[EFFECT_BYTES];
        mpg_signature_effect(f, effect, sizeof effect);
        printf("  %s: %s; %s%s%s\n", f->check, f->found, effect, *effect ? ": " : "", f->remedy);
    }
}

static void show_signature(const struct mpg_signature *sig, bool all)
{
    struct show show = {.all = all};
    show_header(sig, all);
    show_verdict(sig, all);
    show_noise(sig, &show);
    show_network(sig, &show);
    show_collectives(sig, &show);
    show_sharing(sig, &show);
    show_compute(sig, &show);
    if (all)
        show_fits(sig);
    show_all_missing(&show);
}

/* Draws the plots, and prints the drawn files and the missing data on standard error. */
static int plot(const struct mpg_signature *sig, const struct mpg_plot_options *options,
                struct mpg_error *err)
{
    struct mpg_plot_outcome outcome;
    const int status = mpg_plot(sig, options, &outcome, err);
    return mpg_plot_report(options, status, &outcome, err);
}

int main(int argc, char **argv)
{
    bool all = false, keep = false, json = false, summary = false;
    const char *folder = NULL;
    bool exports = false;
    struct mpg_simulated_machine machine = {.ranks = DEFAULT_RANKS};
    const struct mpg_option export_keys[] = {
        {.name = "ranks", .kind = MPG_OPTION_INT, .value = &machine.ranks, .argument = "N", .minimum = 1, .maximum = INT32_MAX,
         .help = "ranks of the largest program (default 64)"},
        {.name = "cores", .kind = MPG_OPTION_INT, .value = &machine.cores, .argument = "N", .minimum = 1, .maximum = INT32_MAX,
         .help = "cores of a node (default: as measured)"},
        {.name = NULL}};
    const struct mpg_option options[] = {
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &all,
         .help = "show every core, size, row, header line and\n"
                 "fitted family (default: the first or an even\n"
                 "choice); with --plot: draw every core and\n"
                 "number of processes"},
        {.name = "summary", .letter = 's', .kind = MPG_OPTION_FLAG, .value = &summary,
         .help = "show at most nine lines, the last of them the\nfailed checks"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &json,
         .help = "show all of that as JSON"},
        {.name = "plot", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &folder,
         .argument = "DIR",
         .help = "draw plots into DIR instead of showing text,\nas SVG and PNG (needs gnuplot)"},
        {.name = "keep", .letter = 'k', .kind = MPG_OPTION_FLAG, .value = &keep,
         .help = "with --plot: keep gnuplot's scripts and data\nbeside the plots"},
        {.name = "export", .kind = MPG_OPTION_WORD, .value = &machine.simulator, .words = mpg_simulator_names,
         .given = &exports, .keys = export_keys,
         .help = "print the machine for another simulator: a\n"
                 "platform of SimGrid, options of LogGOPSim, a\n"
                 "configuration of Dimemas. Keys: ranks=N (default\n"
                 "64); cores=N of a node (default: as measured)"},
        {.name = NULL},
    };
    const struct mpg_program program = {
        .name = "sigshow",
        .arguments = "SIGNATURE",
        .summary = "Shows a machine's signature on one screen, draws it, or exports it for another\nsimulator.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    struct mpg_error err;
    int first = mpg_option_parse(&program, argc, argv);
    if (folder && !*folder)
        mpg_option_usage_error(&program, "the name of the plots' folder is empty");
    if (keep && !folder)
        mpg_option_usage_error(&program, "--keep needs --plot");
    if (json && folder)
        mpg_option_usage_error(&program, "--json and --plot exclude each other");
    if (summary && (all || json || folder))
        mpg_option_usage_error(&program, "--summary excludes --all, --json and --plot");
    if (exports && (all || json || folder || summary))
        mpg_option_usage_error(&program, "--export excludes --all, --json, --plot and --summary");
    gsl_set_error_handler_off();
    struct mpg_signature *sig = mpg_signature_load(argv[first], &err);
    if (!sig || (!json && show_make_printable(sig, &err) < 0)) {
        mpg_signature_free(sig);
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    const struct mpg_plot_options plot_options = {.maker = "sigshow", .folder = folder, .all = all, .keep = keep};
    int status = 0;
    if (folder)
        status = plot(sig, &plot_options, &err);
    else if (exports)
        status = mpg_simulators_print(sig, &machine, stdout, stderr, &err);
    else if (json)
        show_json(sig);
    else if (summary)
        show_short(sig);
    else
        show_signature(sig, all);
    mpg_signature_free(sig);
    if (status < 0 || mpg_stdout_close(&err) < 0) {
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    return MPG_EXIT_OK;
}
