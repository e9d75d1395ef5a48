/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printing traces as text. */
#include <inttypes.h>
#include <string.h>

#include "trace/text.h"

static void print_list(FILE *out, const char *key, const int64_t *values, uint32_t n)
{
    fprintf(out, " %s=", key);
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", values[i]);
}

static void print_rank(FILE *out, const char *key, int32_t rank)
{
    if (rank == MPG_PROC_NULL)
        fprintf(out, " %s=null", key);
    else if (rank == MPG_ROOT)
        fprintf(out, " %s=root", key);
    else if (rank != MPG_UNKNOWN)
        fprintf(out, " %s=%d", key, rank);
}

static void print_any(FILE *out, uint32_t any)
{
    if (any)
        fprintf(out, " any=%s%s%s", any & MPG_ANY_SOURCE ? "source" : "",
                any == (MPG_ANY_SOURCE | MPG_ANY_TAG) ? "," : "", any & MPG_ANY_TAG ? "tag" : "");
}

static void print_comm(const struct mpg_trace *t, FILE *out, const char *key, int32_t comm)
{
    if (comm == MPG_NO_COMM)
        fprintf(out, " %s=null", key);
    else
        fprintf(out, " %s=%d", key, mpg_trace_comm(t, comm)->label);
}

static void print_send(FILE *out, const struct mpg_event *e)
{
    print_rank(out, "to", e->to);
    fprintf(out, " tag=%d bytes=%" PRId64, e->tag, e->bytes);
}

static void print_receive(FILE *out, const struct mpg_event *e)
{
    print_rank(out, "from", e->from);
    if (e->tag != MPG_UNKNOWN || !(e->any & MPG_ANY_TAG))
        fprintf(out, " tag=%d", e->tag);
    fprintf(out, " bytes=%" PRId64, e->bytes);
    print_any(out, e->any);
}

static void print_sendrecv(FILE *out, const struct mpg_event *e)
{
    print_send(out, e);
    print_rank(out, "from", e->from);
    fprintf(out, " recvtag=%d recvbytes=%" PRId64, e->recvtag, e->recvbytes);
    print_any(out, e->any);
}

static void print_completion(FILE *out, const struct mpg_event *e)
{
    print_list(out, "requests", e->requests, e->request_number);
    if (!e->done_all)
        print_list(out, "done", e->done, e->done_number);
    if (e->cancelled_number)
        print_list(out, "cancelled", e->cancelled, e->cancelled_number);
}

static void print_start(FILE *out, const struct mpg_event *e)
{
    print_list(out, "persistent", e->persistent, e->request_number);
    print_list(out, "requests", e->requests, e->request_number);
    for (uint32_t i = 0; i < e->resolution_number; i++)
        fprintf(out, "%s%" PRId64 ":%d:%d", i ? "," : " matched=", e->resolutions[i].request,
                e->resolutions[i].source, e->resolutions[i].tag);
}

static void print_collective(FILE *out, const struct mpg_event *e)
{
    switch (e->call) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        print_rank(out, "root", e->root);
        break;
    default:
        break;
    }
    if (e->count_number)
        print_list(out, "bytes", e->counts, e->count_number);
    else if (e->call != MPG_CALL_Barrier)
        fprintf(out, " bytes=%" PRId64, e->bytes);
}

/* One event as a line without its rank and times. */
static void print_call(const struct mpg_trace *t, const struct mpg_event *e, FILE *out)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    fputs(mpg_call_name(e->call), out);
    switch (kind) {
    case MPG_KIND_INIT:
    case MPG_KIND_FINALIZE:
        break;
    case MPG_KIND_COMPLETE:
        print_completion(out, e);
        break;
    case MPG_KIND_START:
        print_start(out, e);
        break;
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
        if (e->persistent)
            print_list(out, "persistent", e->persistent, 1);
        else
            print_list(out, "request", e->requests, 1);
        break;
    default:
        print_comm(t, out, "comm", e->comm);
    }
    switch (kind) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
    case MPG_KIND_SEND_INIT:
        print_send(out, e);
        break;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PROBE:
        print_receive(out, e);
        break;
    case MPG_KIND_SENDRECV:
        print_sendrecv(out, e);
        break;
    case MPG_KIND_COLLECTIVE:
        print_collective(out, e);
        break;
    case MPG_KIND_CONSTRUCTOR:
        print_comm(t, out, "newcomm", e->newcomm);
        break;
    default:
        break;
    }
    if (kind == MPG_KIND_ISEND || kind == MPG_KIND_IRECV)
        print_list(out, "request", e->requests, 1);
    if (kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_RECV_INIT)
        print_list(out, "persistent", e->persistent, 1);
    if (kind == MPG_KIND_PROBE && !e->found)
        fputs(" found=0", out);
}

static void print_facts(const struct mpg_trace *t, int32_t rank, bool shared, FILE *out)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++) {
        if (strcmp(key, "host") == 0 || strcmp(key, "clock") == 0)
            fprintf(out, "#%s %d %s\n", key, rank, value);
        else if (strcmp(key, "clocks") != 0 || !shared)
            fprintf(out, "#fact %d %s %s\n", rank, key, value);
    }
}

/* Whether every rank says that it shares one clock. */
static bool all_share(const struct mpg_trace *t)
{
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++) {
        const char *key, *value;
        bool found = false;
        for (size_t i = 0; mpg_trace_fact(t, r, i, &key, &value); i++)
            found = found || (strcmp(key, "clocks") == 0 && strcmp(value, "shared") == 0);
        if (!found)
            return false;
    }
    return true;
}

static void print_definition(const struct mpg_comm *c, FILE *out)
{
    fprintf(out, "#comm %d =", c->label);
    for (int32_t i = 0; i < c->size; i++)
        fprintf(out, " %d", c->world_ranks[i]);
    if (c->remote_size)
        fputs(" |", out);
    for (int32_t i = 0; i < c->remote_size; i++)
        fprintf(out, " %d", c->world_ranks[c->size + i]);
    fputc('\n', out);
}

static int print_rank_events(struct mpg_trace *t, int32_t rank, int32_t *defined, FILE *out,
                             struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(t, rank, err);
    struct mpg_event e;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, err)) > 0) {
        for (; *defined < mpg_trace_comm_count(t); ++*defined)
            print_definition(mpg_trace_comm(t, *defined), out);
        fprintf(out, "%d %" PRId64 " %" PRId64 " ", rank, e.enter_ns, e.leave_ns);
        print_call(t, &e, out);
        fputc('\n', out);
    }
    for (; more == 0 && *defined < mpg_trace_comm_count(t); ++*defined)
        print_definition(mpg_trace_comm(t, *defined), out);
    mpg_cursor_close(c);
    return more;
}

int mpg_text_print(struct mpg_trace *t, FILE *out, struct mpg_error *err)
{
    bool shared = all_share(t);
    fprintf(out, "#mpgtext 1\n#ranks %d\n%s", mpg_trace_ranks(t),
            shared ? "#clocks shared\n" : "");
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        print_facts(t, r, shared, out);
    int32_t defined = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        if (print_rank_events(t, r, &defined, out, err) < 0)
            return -1;
    return 0;
}
