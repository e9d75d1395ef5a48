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

/* Adds to TEXT of SIZE bytes, the value of the fact "excerpt", what is left out at the edges. */
static void describe_left_out(const struct mpg_crossings *crossings, char *text, size_t size)
{
    const size_t used = strlen(text);
    uint64_t messages, collectives;
    mpg_crossings_sum(crossings, &messages, &collectives);
    if (messages == 0 && collectives == 0)
        snprintf(text + used, size - used, "; no message and no collective crosses its edges");
    else
        snprintf(text + used, size - used, "; %llu %s and %llu %s cross its edges and are left out", (unsigned long long)messages,
                 mpg_units_word(messages, "message", "messages"), (unsigned long long)collectives,
                 mpg_units_word(collectives, "collective", "collectives"));
}

static int no_calls(const struct mpg_excerpt *excerpt, int64_t last_ns, struct mpg_error *err)
{
    char time[32];
    if (!excerpt)
        return mpg_error_set(err, "recording was paused during all calls (record --after or --region, or MPI_Pcontrol(0))");
    if (!excerpt->from)
        return mpg_error_set(err, "--until=%s: the run has no calls before this time", excerpt->until);
    return mpg_error_set(err, "--from=%s: the run has no calls in this part; its last call ends %s after MPI_Init", excerpt->from,
                         mpg_units_format_time(time, sizeof time, (double)last_ns));
}

enum { TEXT_BYTES = 1500 };

/* Writes the part of TRACE between EDGES to FD. TEXT, of TEXT_BYTES, describes the edges. EXCERPT: NULL if pauses of recording
 * are the edges. */
static int write_part(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, const struct mpg_edges *edges, char *text,
                      int fd, struct mpg_error *err)
{
    struct mpg_crossings crossings = {.channels = NULL};
    uint64_t calls;
    int64_t last_ns;
    char name[MPG_SPOOL_NAME_BYTES];
    int status = mpg_excerpt_count(trace, edges, &crossings, &calls, &last_ns, err);
    if (status == 0 && calls == 0)
        status = no_calls(excerpt, last_ns, err);
    if (status == 0) {
        describe_left_out(&crossings, text, TEXT_BYTES);
        status = mpg_excerpt_write(trace, edges, &crossings, text, fd, mpg_spool_name(name), err);
    }
    mpg_crossings_clear(&crossings);
    return status;
}

/* Writes the EXCERPT of TRACE to FD; EXCERPT NULL: the recorded part. */
static int make(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, int fd, struct mpg_error *err)
{
    struct mpg_edges *edges = NULL;
    char text[TEXT_BYTES] = "of the recorded part";
    uint32_t chosen = 1, stretches = 1;
    int status = excerpt ? mpg_edges_find(trace, excerpt, &edges, err)
                         : mpg_edges_of_pauses(trace, &edges, &chosen, &stretches, err);
    if (excerpt)
        snprintf(text, sizeof text, "%s%.500s%s%.500s", excerpt->from ? "from " : "", excerpt->from ? excerpt->from : "",
                 !excerpt->until  ? ""
                 : excerpt->from  ? " until "
                                  : "until ",
                 excerpt->until ? excerpt->until : "");
    else if (stretches > 1)
        snprintf(text, sizeof text, "of recorded part %u of %u, which has the most calls", chosen, stretches);
    if (status == 0)
        status = write_part(trace, excerpt, edges, text, fd, err);
    free(edges);
    return status;
}

/* Returns the excerpt of TRACE, and closes TRACE. */
static struct mpg_trace *replace(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, struct mpg_error *err)
{
    struct mpg_trace *made = NULL;
    const int fd = mpg_spool_file(err);
    if (fd >= 0 && make(trace, excerpt, fd, err) < 0) {
        (void)mpg_error_add_trace_path(trace, err);
        close(fd);
    } else if (fd >= 0)
        made = mpg_trace_open_copy(trace, fd, err);
    mpg_trace_close(trace);
    return made;
}

struct mpg_trace *mpg_excerpt_of_pauses(struct mpg_trace *trace, struct mpg_error *err)
{
    return replace(trace, NULL, err);
}

struct mpg_trace *mpg_excerpt_open(const char *path, const struct mpg_excerpt *excerpt, struct mpg_error *err)
{
    struct mpg_trace *trace = mpg_trace_open(path, err);
    return trace && (excerpt->from || excerpt->until) ? replace(trace, excerpt, err) : trace;
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
