/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a trace, and makes an excerpt on request. */
#include "trace/excerpt/excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/excerpt/place.h"
#include "trace/store/spool.h"

/* Adds to TEXT of SIZE bytes, the value of the fact "excerpt", a description of the operations left out at the edges. */
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

/* A part of a trace: the edges by rank, and a description of the edges. EXCERPT: NULL unless edges were requested. */
struct part {
    const struct mpg_excerpt *excerpt;
    struct mpg_edges *edges;
    char text[TEXT_BYTES];
};

static int find_part(struct mpg_trace *trace, struct part *part, struct mpg_error *err)
{
    const struct mpg_excerpt *excerpt = part->excerpt;
    snprintf(part->text, sizeof part->text, "%s%.500s%s%.500s", excerpt->from ? "from " : "", excerpt->from ? excerpt->from : "",
             !excerpt->until  ? ""
             : excerpt->from  ? " until "
                              : "until ",
             excerpt->until ? excerpt->until : "");
    return mpg_edges_find(trace, excerpt, &part->edges, err);
}

static int find_recorded(struct mpg_trace *trace, struct part *part, struct mpg_error *err)
{
    uint32_t chosen = 1, stretches = 1;
    const int status = mpg_edges_of_pauses(trace, &part->edges, &chosen, &stretches, err);
    if (stretches > 1)
        snprintf(part->text, sizeof part->text, "of recorded part %u of %u, which has the most calls", chosen, stretches);
    else
        snprintf(part->text, sizeof part->text, "of the recorded part");
    return status;
}

/* Returns TRACE's PART, found with STATUS, as a trace, and closes TRACE. */
static struct mpg_trace *replace(struct mpg_trace *trace, struct part *part, int status, struct mpg_error *err)
{
    struct mpg_trace *made = NULL;
    const int fd = status == 0 ? mpg_spool_file(err) : -1;
    if (fd >= 0 && write_part(trace, part->excerpt, part->edges, part->text, fd, err) == 0)
        made = mpg_trace_open_copy(trace, fd, err);
    else {
        if (status < 0 || fd >= 0)
            (void)mpg_error_add_trace_path(trace, err);
        if (fd >= 0)
            close(fd);
    }
    free(part->edges);
    mpg_trace_close(trace);
    return made;
}

struct mpg_trace *mpg_excerpt_of_pauses(struct mpg_trace *trace, struct mpg_error *err)
{
    struct part part = {.excerpt = NULL};
    return replace(trace, &part, find_recorded(trace, &part, err), err);
}

/* Sets *SPAN_NS to the value of the fact "last", which a rank has. */
static int parse_last(const struct mpg_trace *trace, int64_t *span_ns, struct mpg_error *err)
{
    const int64_t max_ns = INT64_C(1000000000000000000);
    const char *text = NULL;
    for (int32_t r = 0; r < mpg_trace_ranks(trace) && !text; r++)
        text = mpg_trace_find_fact(trace, r, "last");
    if (text && mpg_units_parse_int(text, span_ns, err) == 0 && *span_ns > 0 && *span_ns <= max_ns)
        return 0;
    return mpg_error_set(err, "damaged fact 'last %.40s'", text ? text : "");
}

struct mpg_trace *mpg_excerpt_of_last(struct mpg_trace *trace, struct mpg_error *err)
{
    struct part part = {.excerpt = NULL};
    int64_t span_ns = 0, kept_ns = 0;
    bool is_whole = false;
    char time[32];
    int status = parse_last(trace, &span_ns, err);
    if (status == 0)
        status = mpg_edges_of_last(trace, span_ns, &part.edges, &kept_ns, &is_whole, err);
    if (status == 0 && is_whole) {
        free(part.edges);
        return trace;
    }
    snprintf(part.text, sizeof part.text, "of the last %s of the run",
             mpg_units_format_time(time, sizeof time, (double)kept_ns));
    return replace(trace, &part, status, err);
}

struct mpg_trace *mpg_excerpt_open(const char *path, const struct mpg_excerpt *excerpt, struct mpg_error *err)
{
    struct mpg_trace *trace = mpg_trace_open(path, err);
    struct part part = {.excerpt = excerpt};
    return trace && (excerpt->from || excerpt->until) ? replace(trace, &part, find_part(trace, &part, err), err) : trace;
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
