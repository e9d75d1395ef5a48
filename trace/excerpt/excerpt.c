/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a trace, and makes an excerpt of it if asked to. */
#include "trace/excerpt/excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/excerpt/place.h"
#include "trace/store/spool.h"

/* Describes the excerpt in TEXT of SIZE bytes: the value of the fact "excerpt". */
static void describe(const struct mpg_excerpt *excerpt, const struct mpg_crossings *crossings, char *text, size_t size)
{
    uint64_t messages, collectives;
    char of_from[600] = "", of_until[600] = "";
    mpg_crossings_sum(crossings, &messages, &collectives);
    if (excerpt->from)
        snprintf(of_from, sizeof of_from, "from %.500s", excerpt->from);
    if (excerpt->until)
        snprintf(of_until, sizeof of_until, "%suntil %.500s", excerpt->from ? " " : "", excerpt->until);
    if (messages == 0 && collectives == 0)
        snprintf(text, size, "%s%s; no message and no collective crosses its edges", of_from, of_until);
    else
        snprintf(text, size, "%s%s; %llu %s and %llu %s cross its edges and are left out", of_from, of_until,
                 (unsigned long long)messages, mpg_units_word(messages, "message", "messages"), (unsigned long long)collectives,
                 mpg_units_word(collectives, "collective", "collectives"));
}

static int no_calls(const struct mpg_excerpt *excerpt, int64_t last_ns, struct mpg_error *err)
{
    char time[32];
    if (!excerpt->from)
        return mpg_error_set(err, "--until=%s: the run has no calls before this time", excerpt->until);
    return mpg_error_set(err, "--from=%s: the run has no calls in this part; its last call ends %s after MPI_Init", excerpt->from,
                         mpg_units_format_time(time, sizeof time, (double)last_ns));
}

/* Writes the excerpt of TRACE to FD. */
static int make(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, int fd, struct mpg_error *err)
{
    struct mpg_crossings crossings = {.channels = NULL};
    struct mpg_edges *edges = NULL;
    uint64_t calls;
    int64_t last_ns;
    char text[1500], name[MPG_SPOOL_NAME_BYTES];
    int status = mpg_edges_find(trace, excerpt, &edges, err);
    if (status == 0)
        status = mpg_excerpt_count(trace, edges, &crossings, &calls, &last_ns, err);
    if (status == 0 && calls == 0)
        status = no_calls(excerpt, last_ns, err);
    if (status == 0) {
        describe(excerpt, &crossings, text, sizeof text);
        status = mpg_excerpt_write(trace, edges, &crossings, text, fd, mpg_spool_name(name), err);
    }
    mpg_crossings_clear(&crossings);
    free(edges);
    return status;
}

struct mpg_trace *mpg_excerpt_open(const char *path, const struct mpg_excerpt *excerpt, struct mpg_error *err)
{
    struct mpg_trace *trace = mpg_trace_open(path, err), *made = NULL;
    if (!trace || (!excerpt->from && !excerpt->until))
        return trace;
    const int fd = mpg_spool_file(err);
    if (fd >= 0 && make(trace, excerpt, fd, err) < 0) {
        (void)mpg_error_add_trace_path(trace, err);
        close(fd);
    } else if (fd >= 0)
        made = mpg_trace_open_copy(trace, fd, err);
    mpg_trace_close(trace);
    return made;
}

bool mpg_trace_is_excerpt(const struct mpg_trace *trace)
{
    return mpg_trace_find_fact(trace, 0, "excerpt");
}

uint64_t mpg_excerpt_edge_calls(const struct mpg_trace *trace)
{
    double sum = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++)
        sum += mpg_units_parse_fact(mpg_trace_find_fact(trace, r, "excerpt_edge_calls"), 0);
    return (uint64_t)sum;
}

void mpg_excerpt_print(const struct mpg_trace *trace, const char *program, FILE *out)
{
    if (!mpg_trace_is_excerpt(trace))
        return;
    fprintf(out, "%s: ", program);
    mpg_printable_put(out, mpg_trace_path(trace));
    fputs(": excerpt ", out);
    mpg_printable_put(out, mpg_trace_find_fact(trace, 0, "excerpt"));
    putc('\n', out);
}
