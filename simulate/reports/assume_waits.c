/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is assumed of who waits for a call of another rank, as the trace shows it (docs/MODEL.md, section 10). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "simulate/reports/assume.h"
#include "trace/event.h"

/* What is said goes on at TEXT + *USED. */
static void say(char *text, size_t size, size_t *used, const char *format, ...) __attribute__((format(printf, 4, 5)));

static void say(char *text, size_t size, size_t *used, const char *format, ...)
{
    va_list arguments;
    if (*used >= size)
        return;
    va_start(arguments, format);
    const int n = vsnprintf(text + *used, size - *used, format, arguments);
    va_end(arguments);
    *used += n > 0 ? (size_t)n : 0;
}

bool mpg_report_carries(const struct mpg_report *r)
{
    const struct mpg_graph_options *o = &r->options->graph;
    return o->carries && (o->carried.blocking_bytes < INT64_MAX || o->carried.requested_bytes < INT64_MAX);
}

void mpg_assume_carried(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_carried *c = &r->options->graph.carried;
    char blocking[64] = "", requested[64] = "";
    if (c->blocking_bytes < INT64_MAX)
        snprintf(blocking, sizeof blocking, "blocking ones of more than %" PRId64 " bytes", c->blocking_bytes);
    if (c->requested_bytes < INT64_MAX)
        snprintf(requested, sizeof requested, "those of requests of more than %" PRId64 " bytes", c->requested_bytes);
    snprintf(text, size, "sends are done once their receiver is in a call that sees to them: %s%s%s (the trace shows it)",
             blocking, *blocking && *requested ? ", " : "", requested);
}

void mpg_assume_starts(const struct mpg_report *r, char *text, size_t size)
{
    (void)r;
    snprintf(text, size, "MPI_Win_start, not MPI_Win_complete, waits for MPI_Win_post (the trace shows it)");
}

void mpg_assume_transfers(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_carried *c = &r->options->graph.carried;
    size_t used = 0;
    say(text, size, &used, "transfers are done once their target is in a call that sees to them:");
    for (uint32_t i = 0; i < c->served_number; i++)
        say(text, size, &used, "%s MPI_%s of %" PRId64 " bytes%s", i ? "," : "", mpg_call_name(c->served[i].call),
            c->served[i].bytes, c->served[i].starting ? "" : ", what completes it");
    say(text, size, &used, " (the trace shows it)");
}

bool mpg_report_moves(const struct mpg_report *r)
{
    const struct mpg_graph_options *o = &r->options->graph;
    return o->carries && o->moves_by && mpg_carries_collectives(&o->carried);
}

/* Its nonblocking name. */
static void say_kind(char *text, size_t size, size_t *used, const struct mpg_nonblocking *m)
{
    char name[64];
    snprintf(name, sizeof name, "%s", mpg_call_name(m->call));
    name[0] = (char)(name[0] | 0x20);
    say(text, size, used, "I%s of %d members, %" PRId64 " bytes: ", name, m->members, m->bytes);
    if (m->moves)
        say(text, size, used, "%s%s%s", mpg_algorithm_name(m->choice.algorithm),
            m->choice.waits ? ", nothing sent when it is posted" : "", m->carried ? ", sends wait, too" : "");
    else
        say(text, size, used, "not so");
}

void mpg_assume_moved(const struct mpg_report *r, char *text, size_t size)
{
    enum { MOST = 4 };
    const struct mpg_carried *c = &r->options->graph.carried;
    size_t used = 0;
    say(text, size, &used, "collectives go on in calls of their members only, by the algorithm that explains most of what "
                           "the trace shows: ");
    for (uint32_t i = 0; i < c->moved_number && i < MOST; i++) {
        say(text, size, &used, "%s", i ? "; " : "");
        say_kind(text, size, &used, &c->moved[i]);
    }
    if (c->moved_number > MOST)
        say(text, size, &used, "; and %u other kinds", c->moved_number - MOST);
    if (c->moves)
        say(text, size, &used, "; all else as the table says");
}
