/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace stat: what a trace holds, at a glance. */
#include <inttypes.h>
#include <stdio.h>

#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "trace/commands.h"
#include "trace/profile/profile.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"
#include "trace/untraced.h"

/* Those of the calls that the tracer does not know which communicate nothing, or may. */
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
        print_list(&list, false, "not in the trace, as the tracer does not know them: what these "
                                 "calls communicate");
        print_list(&list, true, "calls that passed through untraced, and communicate nothing");
    }
    mpg_untraced_clear(&list);
    return status;
}

static int print_sites(const struct stat_summary *s, int frames, const char *debug_path,
                       struct mpg_error *err)
{
    if (mpg_trace_site_count(s->trace) == 0) {
        printf("\nno callsites in this trace\n");
        return 0;
    }
    const struct stat_places places = mpg_stat_places_of(s->trace);
    struct mpg_symbols *symbols = mpg_symbols_new(debug_path, err);
    int status = symbols ? mpg_stat_print_sites(s->rows, s->row_number, &places, symbols, frames,
                                                err)
                         : -1;
    mpg_symbols_free(symbols);
    return status;
}

/* FRAMES 0: no table of callsites. */
static int stat_trace(const char *path, int frames, const char *debug_path, struct mpg_error *err)
{
    struct stat_summary s = {0};
    struct mpg_trace *t = mpg_trace_open(path, err);
    int status = t ? mpg_stat_gather(t, &s, err) : -1;
    if (status == 0) {
        mpg_stat_print_head(&s);
        mpg_stat_print_calls(&s);
        status = mpg_stat_print_regions(&s, err);
    }
    if (status == 0 && frames > 0)
        status = print_sites(&s, frames, debug_path, err);
    if (status == 0)
        status = print_untraced(t, s.calls[MPG_CALL_Unknown].number > 0, err);
    mpg_stat_clear(&s);
    mpg_trace_close(t);
    return status;
}

int mpg_stat_main(int argc, char **argv)
{
    enum { MOST_FRAMES = 64 };
    bool callsites = false, frames_given = false;
    int64_t frames = 1;
    const char *debug_path = NULL;
    const struct mpg_option options[] = {
        {.name = "callsites", .letter = 'c', .kind = MPG_OPTION_FLAG, .value = &callsites,
         .help = "a table of the places in the source that calls were made from"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &frames,
         .argument = "N", .minimum = 1, .maximum = MOST_FRAMES, .given = &frames_given,
         .help = "with up to N functions each, callers after callees (default 1)"},
        {.name = "debug-path", .kind = MPG_OPTION_STRING, .value = &debug_path,
         .argument = "DIR",
         .help = "look for the program, its libraries and their debugging information\n"
                 "in DIR, too"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace stat", .arguments = "TRACE",
        .summary = "Summarise TRACE: ranks, run time, calls, time in each, bytes a call.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    callsites = callsites || frames_given;
    const char *path = argv[first];
    int status = mpg_profile_is(path)
                     ? mpg_profile_report(path, debug_path, &err)
                     : stat_trace(path, callsites ? (int)frames : 0, debug_path, &err);
    if (status == 0)
        status = mpg_stdout_close(&err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
