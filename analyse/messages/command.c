/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace matrix, mpgtrace sizes: messages by pair of ranks and by size. */
#include <string.h>

#include "analyse/messages/report.h"
#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

struct wanted {
    const char *program, *output, *plot;
    int collectives; /* argument of --collectives; 1: "expand": messages of collectives are included in all sums */
    bool sizes, json, csv, keep;
    int64_t top;
    struct mpg_message_options options;
    struct mpg_excerpt excerpt;
};

static int print_report(const struct wanted *a, const struct mpg_messages_report *r, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    const enum mpg_table_format format = a->json ? MPG_TABLE_JSON : a->csv ? MPG_TABLE_CSV : MPG_TABLE_TEXT;
    if ((a->sizes ? mpg_sizes_print : mpg_matrix_print)(r, format, mpg_output_stream(out), err) == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

static int report(const struct wanted *a, struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_messages found;
    const bool listed = !a->json && (a->top > 0 || (!a->csv && mpg_trace_ranks(trace) > MPG_MATRIX_RANKS));
    int status = mpg_messages_find(trace, &a->options, &found, err);
    const struct mpg_messages_report r = {.trace = trace,
                                          .messages = &found,
                                          .with_collectives = a->options.with_collectives,
                                          .largest_first = listed,
                                          .top = (size_t)a->top};
    if (status == 0 && listed)
        mpg_messages_sort(&found);
    if (status == 0 && a->plot)
        status = mpg_plot_and_report(a->program, a->plot, a->keep, mpg_matrix_draw, &r, err);
    else if (status == 0)
        status = print_report(a, &r, err);
    mpg_messages_clear(&found);
    return status;
}

static int messages_of(const struct wanted *a, const char *path, struct mpg_error *err)
{
    const bool writes_elsewhere = mpg_output_differs_from_input("output", a->output, path, err) == 0;
    struct mpg_trace *trace = writes_elsewhere ? mpg_excerpt_open(path, &a->excerpt, err) : NULL;
    int status = -1;
    if (trace && mpg_trace_cut(trace) && !a->options.lenient)
        mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    else if (trace)
        status = report(a, trace, err);
    if (status == 0)
        mpg_excerpt_print(trace, a->program, stderr);
    mpg_trace_close(trace);
    return status;
}

/* Stores the options common to both commands in the array from OPTION on. */
static void add_common(struct mpg_option *option, struct wanted *a)
{
    static const char *const collectives[] = {"apart", "expand", NULL};
    const struct mpg_option common[] = {
        {.name = "collectives", .kind = MPG_OPTION_WORD, .value = &a->collectives, .words = collectives,
         .help = "apart (default): messages of collectives in a table of their own;\n"
                 "expand: counted with the point-to-point messages"},
        {.name = "collective-table", .kind = MPG_OPTION_STRING, .value = &a->options.table, .argument = "FILE",
         .help = "the algorithms of collectives, mpgcollectives(5) (default: Open MPI's)"},
        MPG_ROWS_OF_EXCERPT(&a->excerpt),
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a->options.lenient,
         .help = "count unmatched messages, too, instead of failing"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &a->json, .help = "all of it as JSON"},
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = &a->csv, .help = "the table as CSV"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a->output, .argument = "FILE",
         .help = "write to FILE instead of standard output"},
        {0}};
    memcpy(option, common, sizeof common);
}

enum { MAX_OPTIONS = 12 };
static const struct mpg_option_rule rules[] = {{"json", MPG_OPTION_EXCLUDES, "csv", NULL},
                                               {"json", MPG_OPTION_EXCLUDES, "top", "JSON has all pairs"},
                                               {"plot", MPG_OPTION_EXCLUDES, "json", NULL},
                                               {"plot", MPG_OPTION_EXCLUDES, "csv", NULL},
                                               {"plot", MPG_OPTION_EXCLUDES, "top", NULL},
                                               {"plot", MPG_OPTION_EXCLUDES, "output", "with --plot nothing is printed"},
                                               {"keep", MPG_OPTION_NEEDS, "plot", NULL},
                                               {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};

static int finish(struct wanted *a, const struct mpg_program *program, int argc, char **argv)
{
    struct mpg_error err;
    const int first = mpg_option_parse(program, argc, argv);
    a->program = program->name;
    a->options.with_collectives = a->collectives == 1;
    if (messages_of(a, argv[first], &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program->name, &err);
    return MPG_EXIT_FAILURE;
}

int mpg_matrix_main(int argc, char **argv)
{
    enum { MAX_ROWS = 1000000000 };
    struct wanted a = {.output = "-"};
    struct mpg_option options[MAX_OPTIONS] = {
        {.name = "top", .kind = MPG_OPTION_INT, .value = &a.top, .argument = "N", .minimum = 1, .maximum = MAX_ROWS,
         .help = "the N pairs with the most bytes, as a list"},
        {.name = "plot", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &a.plot, .argument = "DIR",
         .help = "draw heat maps into DIR instead of showing text, as SVG and PNG\n(needs gnuplot)"},
        {.name = "keep", .letter = 'k', .kind = MPG_OPTION_FLAG, .value = &a.keep,
         .help = "with --plot: keep gnuplot's scripts and data beside them"}};
    const struct mpg_program program = {.name = "mpgtrace matrix", .arguments = "TRACE",
                                        .summary = "Who sends how much to whom in TRACE: messages and bytes.",
                                        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = 1};
    add_common(options + 3, &a);
    return finish(&a, &program, argc, argv);
}

int mpg_sizes_main(int argc, char **argv)
{
    struct wanted a = {.output = "-", .sizes = true};
    struct mpg_option options[MAX_OPTIONS];
    const struct mpg_program program = {.name = "mpgtrace sizes", .arguments = "TRACE",
                                        .summary = "A histogram of the sizes of messages in TRACE.",
                                        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = 1};
    add_common(options, &a);
    return finish(&a, &program, argc, argv);
}
