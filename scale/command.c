/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of mpgscale: parses the command line, reads and compares the runs, and prints the result. */
#include <string.h>

#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "scale/commands.h"
#include "scale/model/model.h"
#include "scale/plot/plot.h"
#include "scale/report/report.h"

struct wanted {
    struct mpg_option_list labels, manifests, only, select;
    const char *plot, *metric /* NULL: share, or time with --table=aggregate */, *output;
    double threshold_percent;
    int64_t seed, frames;
    int by, absent, representative; /* indices in bys (-1: --by is not given), absents and representatives */
    bool no_waits, json, csv;
    struct scale_reading how;
    struct scale_options options;
    enum scale_table of_table;
    enum scale_export of_export;
    struct scale_label only_label[MPG_OPTION_LIST_MAX];
    bool misused; /* the error is in the command line: exit status 2 */
};

/* ---- words ---- */

/* Words of the options; each list is in the order of the corresponding enum. */
static const char *const units[] = {"callsite", "call", "region", NULL};
static const char *const tables[] = {"correlation", "callsites", "aggregate", "runs", "efficiency", NULL};
static const char *const exports[] = {"none", "extrap", "jsonl", "csv", NULL};
static const char *const metrics[] = {"share", "time", "time/T_app", "mean", "count", "bytes", "imbalance", NULL};
/* Words whose index is stored in struct wanted. SCALE_BY_ADDRESS + index in `bys` is the enum scale_by. */
static const char *const bys[] = {"address", "line", NULL}, *const absents[] = {"omit", "zero", NULL};
static const char *const representatives[] = {"median", "fastest", NULL};
enum { ABSENT_ZERO = 1, REPRESENTATIVE_FASTEST = 1 };
static const char *const frames_words[] = {[SCALE_FRAMES_AUTO] = "auto", NULL};

#define IMBALANCE "--metric=imbalance"
#define OF_CALLS "imbalance is about computation, the other option about calls"
#define EXPORT "--export"
static const struct mpg_option_rule rules[] = {
    {IMBALANCE, MPG_OPTION_EXCLUDES, "unit=call", OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, "frames", OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, "by", OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, "table=callsites", OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, EXPORT, OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, "plot", OF_CALLS},
    {IMBALANCE, MPG_OPTION_EXCLUDES, "project", OF_CALLS},
    {"frames", MPG_OPTION_NEEDS, "unit=callsite", NULL},
    {"by", MPG_OPTION_NEEDS, "unit=callsite", NULL},
    {"json", MPG_OPTION_EXCLUDES, "csv", NULL},
    {"json", MPG_OPTION_EXCLUDES, EXPORT, NULL},
    {"csv", MPG_OPTION_EXCLUDES, EXPORT, NULL},
    {"table=callsites", MPG_OPTION_EXCLUDES, "frames=auto", "the table is of one run, auto compares several"},
    {"representative", MPG_OPTION_NEEDS, "table=aggregate|table=runs|table=efficiency", NULL},
    {"plot", MPG_OPTION_NEEDS, "table=correlation", NULL},
    {"plot", MPG_OPTION_EXCLUDES, EXPORT, NULL},
    {"select", MPG_OPTION_NEEDS, "plot", NULL},
    {"grows", MPG_OPTION_NEEDS, "table=correlation", NULL},
    {"grows", MPG_OPTION_EXCLUDES, EXPORT, NULL},
    {"project", MPG_OPTION_NEEDS, "table=correlation", NULL},
    {"project", MPG_OPTION_EXCLUDES, EXPORT, NULL},
    {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};

/* Returns whether CONDITION in `rules`, which is not a single option, holds for the options WANTED. */
static bool holds(void *wanted, const char *condition)
{
    const struct wanted *w = wanted;
    return strcmp(condition, IMBALANCE) == 0 ? w->how.computation : w->of_export != SCALE_EXPORT_NONE;
}

/* Sets members of WANTED that follow from the options. Error: neither FILES (N) nor a manifest is given. */
static int resolve(void *wanted, char **files, size_t n, struct mpg_error *err)
{
    struct wanted *w = wanted;
    (void)files;
    if (n == 0 && w->manifests.n == 0)
        return mpg_error_set(err, "no runs are given");
    w->how.by = (enum scale_by)(SCALE_BY_ADDRESS + w->by);
    w->how.frames = (int)w->frames;
    w->how.computation = w->metric && strcmp(w->metric, metrics[SCALE_IMBALANCE]) == 0;
    w->how.waits = !w->no_waits && !w->how.computation && w->of_table == SCALE_TABLE_CORRELATION;
    w->how.efficiency = w->of_table == SCALE_TABLE_EFFICIENCY;
    w->how.ranks = w->of_table == SCALE_TABLE_CALLSITES;
    w->options.zero = w->absent == ABSENT_ZERO;
    w->options.threshold = w->threshold_percent / 100;
    w->options.seed = (uint64_t)w->seed;
    w->options.all_rows = w->threshold_percent <= 0;
    return 0;
}

/* Sets the metric of --metric, which can be a counter of SET, or the table's default. Error: unknown metric. */
static int find_metric(struct wanted *w, const struct scale_set *set, struct mpg_error *err)
{
    const char *name = w->metric ? w->metric : metrics[w->of_table == SCALE_TABLE_AGGREGATE ? SCALE_TIME : SCALE_SHARE];
    for (int i = SCALE_SHARE; i < SCALE_COUNTER; i++)
        if (strcmp(metrics[i], name) == 0) {
            w->options.metric = (enum scale_metric)i;
            return 0;
        }
    w->options.metric = SCALE_COUNTER;
    for (size_t i = 0; i < set->counter_number; i++)
        if (strcmp(set->counter_names[i], name) == 0) {
            w->options.counter = i;
            return 0;
        }
    return mpg_error_set(err, "--metric: '%s' is none of share, time, time/T_app, mean, count, bytes, imbalance, and "
                              "no run counted it", name);
}

/* ---- reading ---- */

static int find_files(struct wanted *w, char *const *paths, int n, struct scale_files *files, struct mpg_error *err)
{
    for (int i = 0; i < n; i++)
        if (mpg_scale_files_add(files, paths[i], err) < 0)
            return -1;
    for (size_t i = 0; i < w->manifests.n; i++)
        if (mpg_scale_files_add_manifest(files, w->manifests.item[i], err) < 0)
            return -1;
    w->misused = true;
    for (size_t i = 0; i < w->labels.n; i++)
        if (mpg_scale_files_label(files, w->labels.item[i], err) < 0)
            return mpg_error_prefix(err, "--label");
    for (size_t i = 0; i < w->only.n; i++) {
        if (mpg_scale_label_parse(w->only.item[i], strlen(w->only.item[i]), &w->only_label[i], err) < 0)
            return mpg_error_prefix(err, "--only");
        w->how.label_number++;
    }
    w->misused = false;
    w->how.only = w->only_label;
    return files->n > 0 ? 0 : mpg_error_set(err, "the manifest lists no runs");
}

static void print_notes(const char *program, const struct scale_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        const struct scale_note *note = &notes->note[i];
        const bool names = note->path && !mpg_error_is_about(note->text, note->path);
        struct mpg_error line;
        mpg_error_set(&line, "%s%s%s%s", names ? note->path : "", names ? ": " : "", note->text,
                      note->left_out ? ": left out" : "");
        mpg_error_print(program, &line);
    }
}

/* Returns an error without runs, or if runs have too little in common to be compared. */
static int check(const struct wanted *w, const struct scale_analysis *a, struct mpg_error *err)
{
    const struct scale_set *set = a->set;
    if (set->run_number == 0)
        return mpg_error_set(err, "no run is left");
    if (w->of_table != SCALE_TABLE_CORRELATION || w->of_export)
        return 0;
    if (a->sizings_differ && a->sizing != SCALE_SIZING_UNKNOWN)
        return mpg_error_set(err, "some runs have fixed sizes, others scaled or unknown sizes: select runs that can be "
                                  "compared (--only scaling=fixed)");
    if (a->counts < SCALE_MIN_COUNTS)
        return mpg_error_set(err, "runs at %zu process count%s are left, 3 are needed", a->counts,
                             a->counts == 1 ? "" : "s");
    for (size_t site = 0; site < set->site_number; site++) {
        size_t counts = 0;
        int32_t last = -1;
        for (size_t run = 0; run < set->run_number; run++)
            if (scale_cell_of(set, site, run)->count > 0 && set->runs[run].ranks != last) {
                counts++;
                last = set->runs[run].ranks;
            }
        if (counts > 1)
            return 0;
    }
    return mpg_error_set(err, set->site_number == 0 ? w->how.computation ? "no run has any computation"
                                                              : "no run has any communication"
                              : w->how.unit != SCALE_UNIT_CALLSITE
                                  ? "no row is common to runs of two process counts"
                                  : "no callsite is common to runs of two process counts (--debug-path finds lines, "
                                    "--unit=call needs none)");
}

/* ---- the whole analysis ---- */

static int write_report(const struct wanted *w, const struct scale_report *r, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(w->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    const enum mpg_table_format format = w->json ? MPG_TABLE_JSON : w->csv ? MPG_TABLE_CSV : MPG_TABLE_TEXT;
    const int status = w->of_export ? mpg_scale_print_export(r, w->of_export, stream, err)
                                    : mpg_scale_print_table(r, w->of_table, format, stream, err);
    if (status < 0) {
        mpg_output_discard(out);
        return -1;
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    if (format == MPG_TABLE_CSV && !w->of_export && mpg_scale_print_core_facts(r->analysis->set, "mpgscale: attention: ", stderr))
        fputc('\n', stderr); /* CSV has no place for the warning that ranks shared cores */
    return 0;
}

static int plot(const struct wanted *w, const struct scale_analysis *a, struct mpg_error *err)
{
    const struct mpg_plot_options options = {.maker = "mpgscale", .folder = w->plot};
    struct mpg_plot_outcome outcome = {.plots = 0};
    const int status = mpg_scale_plot(a, &w->select, &options, &outcome, err);
    return mpg_plot_report(&options, status, &outcome, err);
}

static int analyse(struct wanted *w, struct scale_set *set, const struct scale_notes *notes, struct mpg_error *err)
{
    struct scale_analysis a;
    if (find_metric(w, set, err) < 0)
        return -1;
    if (w->how.unit == SCALE_UNIT_CALLSITE && w->how.frames == SCALE_FRAMES_AUTO &&
        mpg_scale_choose_callers(set, &w->options, err) < 0)
        return -1;
    const struct scale_report report = {.analysis = &a,
                                        .notes = notes,
                                        .how = &w->how,
                                        .fastest = w->representative == REPRESENTATIVE_FASTEST};
    int status = mpg_scale_analyse(set, &w->options, &a, err);
    if (status == 0)
        status = check(w, &a, err);
    if (status == 0 && w->of_table == SCALE_TABLE_CORRELATION && !w->of_export)
        status = mpg_scale_model_rows(&a, err);
    if (status == 0)
        status = write_report(w, &report, err);
    if (status == 0 && w->plot)
        status = plot(w, &a, err);
    mpg_scale_model_clear(&a);
    mpg_scale_analysis_clear(&a);
    return status;
}

static int run(struct wanted *w, const char *program, char *const *paths, int n, struct mpg_error *err)
{
    struct scale_files files = {.n = 0};
    struct scale_set set = {.run_number = 0};
    struct scale_notes notes = {.n = 0};
    int status = find_files(w, paths, n, &files, err);
    for (size_t i = 0; i < files.n && status == 0; i++)
        status = mpg_output_differs_from_input("output", w->output, files.file[i].path, err);
    if (status == 0)
        status = mpg_scale_read(&files, &w->how, &set, &notes, err);
    print_notes(program, &notes);
    if (status == 0)
        status = analyse(w, &set, &notes, err);
    mpg_scale_set_clear(&set);
    mpg_scale_notes_clear(&notes);
    mpg_scale_files_clear(&files);
    for (size_t i = 0; i < w->how.label_number; i++)
        mpg_scale_label_clear(&w->only_label[i]);
    return status;
}

int mpg_scale_main(int argc, char **argv)
{
    struct wanted w = {.by = -1, .frames = 1, .output = "-", .threshold_percent = 1, .seed = 1};
    const struct mpg_option options[] = {
        {.name = "metric",
         .kind = MPG_OPTION_STRING,
         .value = &w.metric,
         .argument = "WHAT",
         .brief = "the metric that may grow: share (default), time, mean, count, ...",
         .help = "metric that may grow with the number of processes: share (of T_comm,\n"
                 "default), time, time/T_app, mean (of a call), count, bytes,\n"
                 "imbalance (of computation), or the name of a counter that was\n"
                 "recorded"},
        {.name = "unit",
         .kind = MPG_OPTION_WORD,
         .value = &w.how.unit,
         .words = units,
         .brief = "a row for each callsite (default), call or region",
         .help = "a row for each callsite (default), call, or region (of traces)"},
        {.name = "frames",
         .letter = 'f',
         .kind = MPG_OPTION_INT,
         .value = &w.frames,
         .words = frames_words,
         .argument = "N",
         .minimum = 1,
         .maximum = SCALE_MAX_FRAMES,
         .help = "callsites with up to N functions each, callers after callees\n"
                 "(default 1); auto: with callers where these differ"},
        {.name = "by",
         .kind = MPG_OPTION_WORD,
         .value = &w.by,
         .words = bys,
         .help = "callsites of two runs are the same by address (of the same build;\n"
                 "default) or by line (default where builds differ)"},
        {.name = "debug-path",
         .kind = MPG_OPTION_STRING,
         .value = &w.how.debug_path,
         .argument = "DIR",
         .help = "look for the program, its libraries and their debugging information\n"
                 "in DIR, too"},
        {.name = "absent",
         .kind = MPG_OPTION_WORD,
         .value = &w.absent,
         .words = absents,
         .help = "runs without a callsite: omit them (default), or zero"},
        {.name = "threshold",
         .kind = MPG_OPTION_REAL,
         .value = &w.threshold_percent,
         .argument = "PERCENT",
         .minimum = 0,
         .maximum = 100,
         .help = "rows with at least this share of T_comm in some run (default 1)"},
        {.name = "grows",
         .kind = MPG_OPTION_FLAG,
         .value = &w.options.grows,
         .brief = "only rows that grow or dominate",
         .help = "only rows that grow or dominate"},
        {.name = "project",
         .kind = MPG_OPTION_INT,
         .value = &w.options.project,
         .argument = "N",
         .minimum = 1,
         .maximum = 1e9,
         .brief = "shares with N processes",
         .help = "shares with N processes, by the exponents"},
        {.name = "table",
         .kind = MPG_OPTION_WORD,
         .value = &w.of_table,
         .words = tables,
         .brief = "which table (default correlation)",
         .help = "correlation (default); callsites: the calls of each rank in a run;\n"
                 "aggregate: the calls of all ranks, by process count; runs: times and\n"
                 "speedup; efficiency: load balance, serialization, transfer, scaling"},
        {.name = "representative",
         .kind = MPG_OPTION_WORD,
         .value = &w.representative,
         .words = representatives,
         .help = "aggregate, runs, efficiency: the median (default) or fastest run of a\n"
                 "count"},
        {.name = "label",
         .kind = MPG_OPTION_LIST,
         .value = &w.labels,
         .argument = "KEY=VALUE,FILE...",
         .help = "label the runs in FILEs, which are also given as arguments:\n"
                 "scaling=fixed, scaling=scaled, size=TEXT, or any other KEY=VALUE"},
        {.name = "manifest",
         .kind = MPG_OPTION_LIST,
         .value = &w.manifests,
         .argument = "FILE",
         .brief = "the runs that FILE lists, as mpgscale run writes it",
         .help = "the runs that FILE lists: path, tab, KEY=VALUE, a line each"},
        {.name = "only",
         .kind = MPG_OPTION_LIST,
         .value = &w.only,
         .argument = "KEY=VALUE",
         .brief = "only runs that have this label",
         .help = "only runs that have this label; given several times: at least one of\n"
                 "them"},
        {.name = "unique", .kind = MPG_OPTION_FLAG, .value = &w.how.unique, .help = "a run that is given twice counts once"},
        {.name = "no-waits",
         .kind = MPG_OPTION_FLAG,
         .value = &w.no_waits,
         .help = "do not determine the waits in the calls of traces"},
        {.name = "plot",
         .kind = MPG_OPTION_STRING,
         .value = &w.plot,
         .argument = "DIR",
         .brief = "also draw plots into DIR (needs gnuplot)",
         .help = "also draw plots into DIR, as SVG and PNG (needs gnuplot)"},
        {.name = "select",
         .kind = MPG_OPTION_LIST,
         .value = &w.select,
         .argument = "TEXT",
         .help = "plots of callsites: of rows with TEXT in their names; can be given\nseveral times (default: the first and last "
                 "three rows, the four largest)"},
        {.name = "seed",
         .kind = MPG_OPTION_INT,
         .value = &w.seed,
         .argument = "N",
         .minimum = 0,
         .maximum = 9e15,
         .help = "of resampling (default 1)"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &w.json, .brief = "print all as JSON",
         .help = "all of it as JSON"},
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = &w.csv, .brief = "print the table as CSV",
         .help = "the table as CSV"},
        {.name = "export",
         .kind = MPG_OPTION_WORD,
         .value = &w.of_export,
         .words = exports,
         .argument = "extrap|jsonl|csv|none",
         .brief = "all measurements, for other tools",
         .help = "all measurements instead of a table: extrap (Extra-P's text),\n"
                 "jsonl (its JSON lines) or csv"},
        {.name = "output",
         .letter = 'o',
         .kind = MPG_OPTION_STRING,
         .value = &w.output,
         .argument = "FILE",
         .brief = "write to FILE instead of standard output",
         .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgscale", .arguments = "FILE...",
        .summary = "Say which MPI calls grow to dominate with the number of processes, of profiles and\n"
                   "traces of one program at several process counts ('mpgscale run --help': doing the\n"
                   "runs, too).",
        .options = options, .min_arguments = 0, .max_arguments = -1, .rules = rules, .resolve = resolve, .holds = holds,
        .context = &w};
    const int first = mpg_option_parse(&program, argc, argv);
    struct mpg_error err;
    if (run(&w, program.name, argv + first, argc - first, &err) == 0)
        return MPG_EXIT_OK;
    if (w.misused)
        mpg_option_usage_error(&program, "%s", err.text);
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
