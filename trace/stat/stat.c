/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace stat: a summary of a trace. */
#include <inttypes.h>
#include <stdio.h>

#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"
#include "trace/profile/profile.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"
#include "trace/untraced.h"

/* Prints the calls in LIST, unknown to the tracer. LOCAL: calls without communication; otherwise calls that may communicate. */
static void print_list(const struct mpg_untraced_calls *list, bool local, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct mpg_untraced_call *c = &list->calls[i];
        char name[256];
        if (c->local != local)
            continue;
        if (!any)
            printf("\n%s\n", title);
        any = true;
        printf("%-24s %12" PRIu64 "  on %" PRId32 " rank%s\n",
               mpg_printable_bytes(name, sizeof name, c->name, (size_t)c->length), c->calls,
               c->ranks, c->ranks == 1 ? "" : "s");
    }
}

static int print_untraced(struct mpg_trace *t, bool events, struct mpg_error *err)
{
    struct mpg_untraced_calls list;
    int status = mpg_untraced_find(t, events, &list, err);
    if (status == 0) {
        print_list(&list, false, "calls that the tracer does not know: their communication is not in the "
                                 "trace");
        print_list(&list, true, "calls that the tracer does not record: they communicate nothing");
    }
    mpg_untraced_clear(&list);
    return status;
}

struct arguments {
    bool callsites, json, ranks, frames_given;
    int64_t frames, top;
    const char *debug_path;
    struct mpg_excerpt excerpt;
};

/* Makes a line for each callsite of S in *LINES, which the caller frees. Returns the number of lines, or -1 with ERR. */
static int64_t make_lines(const struct arguments *a, const struct stat_summary *s, struct stat_line **lines,
                          struct mpg_error *err)
{
    const struct stat_callsites callsites = mpg_stat_callsites_of(s->trace);
    struct mpg_symbols *symbols = mpg_symbols_new(a->debug_path, err);
    const int64_t n = symbols ? mpg_stat_make_lines(s->rows, s->row_number, &callsites, symbols, (int)a->frames,
                                                    lines, err)
                              : -1;
    mpg_symbols_free(symbols);
    return n;
}

static int print_tables(const struct arguments *a, const struct stat_summary *s, const struct stat_line *lines,
                        size_t n, struct mpg_error *err)
{
    const size_t top = (size_t)a->top;
    mpg_stat_print_head(s);
    if (mpg_stat_print_calls(s, top, err) < 0 || mpg_stat_print_regions(s, top, err) < 0 ||
        (a->ranks && mpg_stat_print_ranks(s, top, err) < 0))
        return -1;
    if (lines && mpg_stat_print_lines(lines, n, top, err) < 0)
        return -1;
    if (!lines && a->callsites)
        printf("\nno callsites in this trace\n");
    return print_untraced(s->trace, s->calls[MPG_CALL_Unknown].number > 0, err);
}

static int print(const struct arguments *a, const struct stat_summary *s, struct mpg_error *err)
{
    struct stat_line *lines = NULL;
    int64_t n = 0;
    if (a->callsites && mpg_trace_site_count(s->trace) > 0 && (n = make_lines(a, s, &lines, err)) < 0)
        return -1;
    int status = 0;
    if (a->json)
        status = mpg_stat_print_json(s, lines, (size_t)n, err);
    else
        status = print_tables(a, s, lines, (size_t)n, err);
    mpg_stat_free_lines(lines, (size_t)n);
    return status;
}

static int stat_trace(const struct arguments *a, const char *path, struct mpg_error *err)
{
    struct stat_summary s = {0};
    struct mpg_trace *t = mpg_excerpt_open(path, &a->excerpt, err);
    int status = t && mpg_stat_gather(t, &s, err) == 0 ? print(a, &s, err) : -1;
    if (status == 0 && mpg_trace_cut(t)) {
        fprintf(stderr, "mpgtrace stat: warning: ");
        mpg_printable_put(stderr, mpg_trace_cut(t));
        putc('\n', stderr);
    }
    mpg_stat_clear(&s);
    mpg_trace_close(t);
    return status;
}

/* A profile has one table only, of callsites. */
static int stat_profile(const struct arguments *a, const char *path, struct mpg_error *err)
{
    const char *other = a->json            ? "--json"
                        : a->ranks         ? "--ranks"
                        : a->top > 0       ? "--top"
                        : a->excerpt.from  ? "--from"
                        : a->excerpt.until ? "--until"
                                           : NULL;
    return other ? mpg_error_set(err, "%s: a profile: %s is of traces", path, other)
                 : mpg_profile_report(path, a->debug_path, err);
}

int mpg_stat_main(int argc, char **argv)
{
    enum { MAX_FRAMES = 64, MAX_ROWS = 1000000000 };
    struct arguments a = {.frames = 1};
    const struct mpg_option options[] = {
        {.name = "callsites", .letter = 'c', .kind = MPG_OPTION_FLAG, .value = &a.callsites,
         .help = "a table of the places in the source that calls were made from"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &a.frames,
         .argument = "N", .minimum = 1, .maximum = MAX_FRAMES, .given = &a.frames_given,
         .help = "with up to N functions each, callers after callees (default 1)"},
        {.name = "debug-path", .kind = MPG_OPTION_STRING, .value = &a.debug_path,
         .argument = "DIR",
         .help = "look for the program, its libraries and their debugging information\n"
                 "in DIR, too"},
        {.name = "ranks", .kind = MPG_OPTION_FLAG, .value = &a.ranks,
         .help = "a table of the ranks: calls, run time, and how much of it is in MPI"},
        {.name = "top", .kind = MPG_OPTION_INT, .value = &a.top, .argument = "N", .minimum = 1,
         .maximum = MAX_ROWS,
         .help = "the first N rows of each table; of ranks those with the largest part\n"
                 "in MPI"},
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &a.json,
         .help = "all of it as JSON, with the ranks"},
        {0}};
    static const struct mpg_option_rule rules[] = {{"top", MPG_OPTION_EXCLUDES, "json", "JSON has all rows"},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_program program = {
        .name = "mpgtrace stat", .arguments = "TRACE",
        .summary = "Summarise TRACE: ranks, run time, calls, time in each, bytes a call.",
        .options = options, .min_arguments = 1, .max_arguments = 1, .rules = rules};
    const int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    a.callsites = a.callsites || a.frames_given;
    const char *path = argv[first];
    int status = mpg_profile_is(path) ? stat_profile(&a, path, &err) : stat_trace(&a, path, &err);
    if (status == 0)
        status = mpg_stdout_close(&err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
