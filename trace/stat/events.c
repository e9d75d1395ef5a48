/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stat/events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "common/table/table.h"
#include "trace/stat/names.h"

static const struct mpg_table_column columns[] = {
    {.key = "rank"}, {.key = "thread"}, {.key = "call"}, {.key = "begin_ns"}, {.key = "end_ns"}, {.key = "peer"},
    {.key = "source"}, {.key = "bytes"}, {.key = "received_bytes"}, {.key = "tag"}, {.key = "communicator"}, {.key = "root"},
    {.key = "requests"}, {.key = "done"}, {.key = "region"}, {.key = "callsite", .joint = " < "}, {.key = "off_cpu_before_ns"},
    {.key = "off_cpu_ns"}, {.key = "calls"}, {.key = "calls_ns"}, {.key = "failed"}};

/* The open regions of a thread: string numbers of the regions' names, innermost last. */
struct regions {
    uint32_t thread, depth, capacity;
    int32_t *string;
};

struct printer {
    struct mpg_trace *trace;
    struct mpg_table table;
    struct mpg_site_names names;
    struct regions *regions; /* by thread of the current rank */
    uint32_t threads, capacity;
};

/* ---- regions ---- */

static struct regions *find_regions(struct printer *p, uint32_t thread, struct mpg_error *err)
{
    for (uint32_t i = 0; i < p->threads; i++)
        if (p->regions[i].thread == thread)
            return &p->regions[i];
    if (mpg_reserve_at(&p->regions, sizeof *p->regions, &p->capacity, p->threads + 1, err) < 0)
        return NULL;
    p->regions[p->threads] = (struct regions){.thread = thread};
    return &p->regions[p->threads++];
}

/* Sets *STRING to the string number of the name of the innermost region that contains the begin of E; if E is a region mark, of
 * the mark's name; -1: no region. Returns 0, or -1 with ERR: out of memory. */
static int find_region(struct printer *p, const struct mpg_event *e, int32_t *string, struct mpg_error *err)
{
    struct regions *r = find_regions(p, e->thread, err);
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (!r)
        return -1;
    *string = r->depth > 0 ? r->string[r->depth - 1] : -1;
    if ((kind != MPG_KIND_REGION_BEGIN && kind != MPG_KIND_REGION_END) || e->failed)
        return 0;
    *string = e->string;
    if (kind == MPG_KIND_REGION_BEGIN) {
        if (mpg_reserve_at(&r->string, sizeof *r->string, &r->capacity, r->depth + 1, err) < 0)
            return -1;
        r->string[r->depth++] = e->string;
        return 0;
    }
    uint32_t i = r->depth;
    while (i > 0 && r->string[i - 1] != e->string)
        i--;
    for (; i > 0 && i < r->depth; i++)
        r->string[i - 1] = r->string[i];
    r->depth -= i > 0;
    return 0;
}

static void forget_regions(struct printer *p)
{
    for (uint32_t i = 0; i < p->threads; i++)
        free(p->regions[i].string);
    p->threads = 0;
}

/* ---- cells ---- */

static bool has_destination(enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_SEND:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
    case MPG_KIND_WIN_TARGET:
        return true;
    default:
        return false;
    }
}

static bool has_source(enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PRECV_INIT:
        return true;
    default:
        return false;
    }
}

static bool is_collective(enum mpg_kind kind)
{
    return kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE || kind == MPG_KIND_COLLECTIVE_INIT;
}

static const struct mpg_comm *comm_of(const struct printer *p, const struct mpg_event *e)
{
    const int32_t comm = e->object >= 0 ? mpg_trace_object(p->trace, e->object)->comm : e->comm;
    return comm >= 0 ? mpg_trace_comm(p->trace, comm) : NULL;
}

/* Returns the group of COMM to which ranks in calls of RANK refer, with its size in *SIZE. On an inter-communicator: the group
 * without RANK. */
static const int32_t *find_group(const struct mpg_comm *comm, int32_t rank, int32_t *size)
{
    int32_t i = 0;
    *size = comm->size;
    while (comm->remote_size > 0 && i < comm->size && comm->world_ranks[i] != rank)
        i++;
    if (comm->remote_size == 0 || i == comm->size)
        return comm->world_ranks;
    *size = comm->remote_size;
    return comm->world_ranks + comm->size;
}

/* Adds a cell with the world rank of PEER, a rank in a call of RANK on COMM. Missing if not KNOWN. */
static void put_peer(struct mpg_table *t, const struct mpg_comm *comm, int32_t rank, bool known, int32_t peer)
{
    int32_t size = 0;
    const int32_t *group = comm && known && peer >= 0 ? find_group(comm, rank, &size) : NULL;
    const int32_t world = group && peer < size ? group[peer] : -1;
    if (world >= 0)
        mpg_table_integer(t, world);
    else
        mpg_table_missing(t);
}

static void put_count(struct mpg_table *t, bool known, int64_t value)
{
    if (known)
        mpg_table_integer(t, value);
    else
        mpg_table_missing(t);
}

/* Adds a cell with N request numbers, separated by blanks. */
static void put_requests(struct mpg_table *t, const int64_t *requests, uint32_t n)
{
    enum { MOST = 24 };
    char *text = n > 0 ? malloc((size_t)n * MOST) : NULL;
    size_t used = 0;
    for (uint32_t i = 0; text && i < n; i++)
        used += (size_t)snprintf(text + used, MOST, "%s%" PRId64, i > 0 ? " " : "", requests[i]);
    t->failed = t->failed || (n > 0 && !text);
    mpg_table_text(t, text);
    free(text);
}

/* Returns the name of E's callsite. NULL: no callsite, or, if *STATUS is -1, an error (ERR). The list of names grows, because the
 * trace defines callsites while events are read. */
static const char *site_of(struct printer *p, const struct mpg_event *e, int *status, struct mpg_error *err)
{
    const size_t known = (size_t)mpg_trace_site_count(p->trace) + 1;
    if (e->site < 0)
        return NULL;
    if (known > p->names.n) {
        char **grown = realloc(p->names.name, known * sizeof *grown);
        if (!grown) {
            *status = mpg_error_set(err, "out of memory");
            return NULL;
        }
        for (size_t i = p->names.n; i < known; i++)
            grown[i] = NULL;
        p->names.name = grown;
        p->names.n = known;
    }
    const char *name = mpg_site_name(&p->names, (uint32_t)e->site + 1, err);
    *status = name ? 0 : -1;
    return name;
}

static int print_event(struct printer *p, int32_t rank, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_table *t = &p->table;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool to = has_destination(kind) && !e->failed, from = has_source(kind) && !e->failed;
    const struct mpg_comm *comm = e->failed ? NULL : comm_of(p, e);
    const struct mpg_comm *shown = !e->failed && e->comm >= 0 ? mpg_trace_comm(p->trace, e->comm) : comm;
    int64_t sent, received;
    int32_t region;
    int status = find_region(p, e, &region, err);
    const char *site = status == 0 ? site_of(p, e, &status, err) : NULL;
    if (status < 0)
        return -1;
    mpg_event_bytes(e, &sent, &received);
    mpg_table_integer(t, rank);
    mpg_table_count(t, e->thread);
    mpg_table_printf(t, "%s%s", mpg_call_prefix(e->call), mpg_call_name(e->call));
    mpg_table_integer(t, e->enter_ns);
    mpg_table_integer(t, e->leave_ns);
    put_peer(t, comm, rank, to || from, to ? e->to : e->from);
    put_peer(t, comm, rank, to && from, e->from);
    put_count(t, sent > 0 || to, sent);
    put_count(t, received > 0 || from, received);
    put_count(t, (to || from) && e->tag >= 0 && e->object < 0, e->tag);
    put_count(t, shown != NULL, shown ? shown->label : 0);
    put_peer(t, comm, rank, is_collective(kind) && !e->failed, e->root);
    put_requests(t, e->requests, e->failed ? 0 : e->request_number);
    put_requests(t, e->done_all ? e->requests : e->done, e->failed ? 0 : e->done_all ? e->request_number : e->done_number);
    mpg_table_text(t, region >= 0 ? mpg_trace_string(p->trace, region) : NULL);
    mpg_table_lines(t, site);
    mpg_table_integer(t, e->off_before_ns);
    mpg_table_integer(t, e->off_in_ns);
    put_count(t, e->sum.calls > 0, e->sum.calls);
    put_count(t, e->sum.calls > 0, e->sum.time_ns);
    mpg_table_boolean(t, e->failed);
    return 0;
}

static int print_rank(struct printer *p, int32_t rank, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(p->trace, rank, err);
    const struct mpg_event *e;
    int more = -1, status = 0;
    while (c && status == 0 && (more = mpg_cursor_read(c, &e, err)) > 0)
        status = print_event(p, rank, e, err);
    mpg_cursor_close(c);
    forget_regions(p);
    return status < 0 || more < 0 ? -1 : 0;
}

int mpg_events_print_csv(struct mpg_trace *trace, int frames, const char *debug_path, FILE *stream, struct mpg_error *err)
{
    struct printer p = {.trace = trace, .table = {MPG_TABLE_COLUMNS(columns)}};
    int status = mpg_site_names_begin(&p.names, trace, frames, debug_path, err);
    mpg_table_begin(&p.table, MPG_TABLE_CSV, stream);
    for (int32_t r = 0; status == 0 && r < mpg_trace_ranks(trace); r++)
        status = print_rank(&p, r, err);
    status = mpg_table_end(&p.table, err) < 0 ? -1 : status;
    mpg_site_names_end(&p.names);
    free(p.regions);
    return status;
}
