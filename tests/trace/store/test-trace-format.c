/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The native trace (TAP): random events of every call, from several threads, with all their definitions. Writer and
 * cursor must reproduce them exactly. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/store/sums.h"
#include "trace/store/writer.h"

enum {
    RANKS = 2,
    THREADS = 3,
    EVENTS = 4000, /* events of each thread */
    COMMS = 4,
    OBJECTS = 3,
    STRINGS = 3,
    SITES = 5,
    MODULES = 3,
    VALUES = 2,
    LIST = 40
};

/* Names of the fields of each kind, as in trace/event.h. */
static const char *const fields[] = {
    [MPG_KIND_REGION_BEGIN] = "string", [MPG_KIND_REGION_END] = "string",
    [MPG_KIND_SEND] = "comm to tag bytes", [MPG_KIND_RECV] = "comm from tag bytes any",
    [MPG_KIND_SENDRECV] = "comm to tag bytes from recvtag recvbytes any",
    [MPG_KIND_ISEND] = "comm to tag bytes request",
    [MPG_KIND_IRECV] = "comm from tag bytes any request",
    [MPG_KIND_COMPLETE] = "requests done",
    [MPG_KIND_PROBE] = "comm from tag bytes any found",
    [MPG_KIND_MPROBE] = "comm from tag bytes any found message",
    [MPG_KIND_MRECV] = "comm from tag bytes message",
    [MPG_KIND_IMRECV] = "comm from tag bytes message request",
    [MPG_KIND_REQUEST_FREE] = "persistent", [MPG_KIND_CANCEL] = "request",
    [MPG_KIND_REQUEST] = "request", [MPG_KIND_SEND_INIT] = "comm to tag bytes persistent",
    [MPG_KIND_RECV_INIT] = "comm from tag bytes any persistent",
    [MPG_KIND_START] = "requests started", [MPG_KIND_COLLECTIVE] = "comm root bytes counts",
    [MPG_KIND_ICOLLECTIVE] = "comm root bytes counts request",
    [MPG_KIND_NEIGHBOR] = "comm bytes counts neighbours",
    [MPG_KIND_INEIGHBOR] = "comm bytes counts neighbours request",
    [MPG_KIND_ISENDRECV] = "comm to tag bytes from recvtag recvbytes any request",
    [MPG_KIND_COLLECTIVE_INIT] = "comm root bytes counts persistent",
    [MPG_KIND_NEIGHBOR_INIT] = "comm bytes counts neighbours persistent",
    [MPG_KIND_PSEND_INIT] = "comm to tag bytes root persistent",
    [MPG_KIND_PRECV_INIT] = "comm from tag bytes root persistent",
    [MPG_KIND_PREADY] = "counts request", [MPG_KIND_PARRIVED] = "root found request",
    [MPG_KIND_UNKNOWN] = "string",
    [MPG_KIND_CONSTRUCTOR] = "comm newcomm", [MPG_KIND_ICONSTRUCTOR] = "comm newcomm request",
    [MPG_KIND_DYNAMIC] = "comm newcomm", [MPG_KIND_COMM_FREE] = "comm",
    [MPG_KIND_WIN_CONSTRUCTOR] = "comm object bytes", [MPG_KIND_WIN_FREE] = "object",
    [MPG_KIND_WIN_FENCE] = "object root", [MPG_KIND_WIN_GROUP] = "object counts",
    [MPG_KIND_WIN_EPOCH] = "object found", [MPG_KIND_WIN_TARGET] = "object to root",
    [MPG_KIND_WIN_ALL] = "object", [MPG_KIND_RMA] = "object to bytes recvbytes",
    [MPG_KIND_IRMA] = "object to bytes recvbytes request", [MPG_KIND_FILE_OPEN] = "comm object",
    [MPG_KIND_FILE_CLOSE] = "object", [MPG_KIND_FILE] = "object bytes",
    [MPG_KIND_IFILE] = "object bytes request", [MPG_KIND_FILE_COLLECTIVE] = "object",
    [MPG_KIND_PCONTROL] = "to", [MPG_KIND_OTHER] = "sum",
};

static bool has(enum mpg_kind kind, const char *field)
{
    size_t n = strlen(field);
    const char *p = fields[kind];
    while (p && (p = strstr(p, field))) {
        if ((p == fields[kind] || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
        p += n;
    }
    return false;
}

static uint64_t seed;

static uint64_t draw(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % n;
}

/* Returns a random size, mostly small and sometimes large. */
static int64_t draw_bytes(void)
{
    return draw(4) ? (int64_t)draw(300) : (int64_t)(draw(1ull << 52) << draw(8));
}

struct made {
    struct mpg_event event;
    int64_t requests[LIST], persistent[LIST], done[LIST], counts[LIST], values[VALUES];
};

static struct made made[RANKS][THREADS][EVENTS];
static int64_t next_request, next_persistent, next_message;

/* Returns the number of object ID in a thread's stream: each stream numbers the same objects differently. */
static int32_t local(uint32_t thread, int32_t id)
{
    return id < 0 ? id : (int32_t)(id * 7 + (int32_t)thread);
}

static void draw_lists(struct made *m, enum mpg_kind kind)
{
    struct mpg_event *e = &m->event;
    e->requests = m->requests;
    if (has(kind, "request")) {
        next_request += draw(9) ? 1 : (int64_t)draw(5000) + 1;
        m->requests[0] = next_request;
        e->request_number = 1;
    }
    if (has(kind, "requests")) {
        e->request_number = (uint32_t)draw(draw(3) ? 3 : LIST);
        int64_t step = (int64_t)draw(3), first = (int64_t)draw(1000) + 1;
        for (uint32_t i = 0; i < e->request_number; i++)
            m->requests[i] = draw(3) ? first + step * i : (int64_t)draw(1u << 30) + 1;
        static struct made polled; /* programs query the same requests repeatedly */
        if (draw(3) == 0)
            e->request_number = polled.event.request_number;
        if (e->request_number == polled.event.request_number && draw(2))
            memcpy(m->requests, polled.requests, sizeof polled.requests);
        polled = *m;
        e->done_all = draw(2);
        e->done = m->done;
        for (uint32_t i = 0; !e->done_all && i < e->request_number; i++)
            if (draw(2))
                m->done[e->done_number++] = m->requests[i];
        if (e->done_number && draw(9) == 0)
            m->done[0] = 77; /* not among the requests: invalid, but must be stored unchanged */
    }
    if (has(kind, "persistent")) {
        m->persistent[0] = ++next_persistent;
        e->persistent = m->persistent;
        e->request_number = 0;
    }
    if (has(kind, "started")) {
        e->done_all = false;
        e->done_number = 0;
        e->persistent = m->persistent;
        for (uint32_t i = 0; i < e->request_number; i++)
            m->persistent[i] = (int64_t)draw(9) + 1;
    }
    if (has(kind, "counts") && draw(2)) {
        e->count_number = (uint32_t)draw(LIST);
        for (uint32_t i = 0; i < e->count_number; i++)
            m->counts[i] = i && draw(3) ? m->counts[i - 1] : draw_bytes();
        e->counts = m->counts;
    }
}

/* Draws an event of aggregated calls; one with a single call is stored in a shorter form. */
static void draw_sum(struct mpg_event *e, int64_t *now_ns)
{
    const int64_t calls = (int64_t)draw(draw(2) ? 3 : 1u << 30) + 1, mean_ns = (int64_t)draw(900);
    *now_ns = e->leave_ns = e->enter_ns;
    e->sum = (struct mpg_sum){.calls = calls, .time_ns = calls * mean_ns};
    e->sum.min_ns = calls > 1 ? (int64_t)draw((uint64_t)mean_ns + 1) : mean_ns;
    e->sum.max_ns = calls > 1 ? mean_ns + (int64_t)draw(1u << 20) : mean_ns;
}

/* Draws off-CPU time for a few events, sometimes for their whole duration. The first event has none before it. */
static void draw_off_cpu(struct mpg_event *e, int64_t last_ns)
{
    const int64_t gap_ns = e->enter_ns - last_ns, duration_ns = e->leave_ns - e->enter_ns;
    if (draw(20) == 0)
        e->off_before_ns = draw(2) ? gap_ns : (int64_t)draw((uint32_t)gap_ns + 1);
    if (draw(20) == 0)
        e->off_in_ns = draw(2) ? duration_ns : (int64_t)draw((uint32_t)duration_ns + 1);
}

static void draw_event(struct made *m, uint32_t thread, enum mpg_call call, int64_t *now_ns)
{
    const int64_t last_ns = *now_ns;
    enum mpg_kind kind = mpg_call_kind(call);
    struct mpg_event *e = &m->event;
    *now_ns += (int64_t)draw(draw(20) ? 700 : 1u << 30);
    *e = (struct mpg_event){.call = call, .thread = thread, .enter_ns = *now_ns};
    *now_ns += (int64_t)draw(draw(20) ? 700 : 1u << 30);
    e->leave_ns = *now_ns;
    e->site = (int32_t)draw(SITES + 1) - 1;
    e->failed = draw(40) == 0;
    for (int i = 0; i < VALUES; i++)
        m->values[i] = (int64_t)draw(1000) - 500;
    e->values = m->values;
    e->value_number = VALUES;
    e->object = (int32_t)draw(OBJECTS);
    e->string = (int32_t)draw(STRINGS);
    e->comm = has(kind, "neighbours") ? 1 : (int32_t)draw(COMMS);
    e->newcomm = (int32_t)draw(COMMS + 1) - 1;
    e->to = (int32_t)draw(3) - 1;
    e->from = (int32_t)draw(3) - 1;
    e->tag = draw(3) ? 1 : (int32_t)draw(1u << 31);
    e->recvtag = (int32_t)draw(3);
    e->root = (int32_t)draw(4) - 3;
    e->bytes = draw_bytes();
    e->recvbytes = draw_bytes();
    e->found = draw(2);
    e->message = !has(kind, "found") && draw(3) == 0 ? 0 : ++next_message;
    e->any = (uint32_t)draw(4);
    if (has(kind, "sum") && !e->failed && draw(3) == 0)
        draw_sum(e, now_ns);
    draw_lists(m, kind);
    draw_off_cpu(e, last_ns);
}

/* --- definitions --- */

static const char *const names[STRINGS] = {"solve", "", "a name with blanks"};
static const int32_t world[] = {0, 1}, reverse[] = {1, 0},
                     strangers[] = {MPG_FOREIGN, MPG_FOREIGN, 1};
static const struct mpg_comm_definition comms[COMMS] = {
    {.comm = 0, .parent = MPG_NO_COMM, .label = 0, .size = 2, .world_ranks = world},
    {.comm = 1, .parent = 0, .label = 5, .size = 2, .world_ranks = world},
    {.comm = 2, .parent = 1, .label = 6, .size = 2, .world_ranks = world},
    {.comm = 3, .parent = 0, .instance = 9, .label = 7, .size = 2, .remote_size = 3,
     .world_ranks = reverse, .remote = strangers},
};
static const struct mpg_object objects[OBJECTS] = {
    {MPG_OBJECT_WINDOW, 0, 0}, {MPG_OBJECT_FILE, 0, 0}, {MPG_OBJECT_WINDOW, 3, 12}};
static const int32_t sources[] = {1, MPG_PROC_NULL, 0, 1}, destinations[] = {0, 0, 1};

static const char *module_path(int32_t module, uint32_t thread)
{
    static char path[64];
    /* Modules with equal build ids are one module under different names. */
    snprintf(path, sizeof path, "/lib/module-%d%s", module, module < 2 && thread ? ".copy" : "");
    return path;
}

static bool define(struct mpg_trace_writer *w, uint32_t thread, struct mpg_error *err)
{
    bool good = true;
    for (int i = 0; i < COMMS; i++) {
        struct mpg_comm_definition c = comms[i];
        c.comm = local(thread, c.comm);
        c.parent = local(thread, c.parent);
        good = good && mpg_trace_write_comm(w, &c, err) == 0;
    }
    good = good && mpg_trace_write_topology(w, local(thread, 1), 4, sources, 3, destinations,
                                            err) == 0;
    for (int i = 0; i < OBJECTS; i++)
        good = good && mpg_trace_write_object(w, local(thread, i), objects[i].kind,
                                              local(thread, objects[i].comm), objects[i].number,
                                              err) == 0;
    for (int i = 0; i < STRINGS; i++)
        good = good && mpg_trace_write_string(w, local(thread, i), names[i], err) == 0;
    for (int i = 0; i < MODULES; i++) {
        const uint8_t build_id[20] = {(uint8_t)i, 0, 255};
        good = good && mpg_trace_write_module(w, local(thread, i), build_id, i < 2 ? 20 : 0,
                                              module_path(i, thread), err) == 0;
    }
    for (int i = 0; i < SITES; i++) {
        struct mpg_frame frames[64];
        for (int f = 0; f < 64; f++)
            frames[f] = (struct mpg_frame){local(thread, (i + f) % 4 - 1),
                                           f ? (uint64_t)f << 60 : (uint64_t)i};
        good = good && mpg_trace_write_site(w, local(thread, i), i == 4 ? 64 : 2, frames, err) == 0;
    }
    return good;
}

/* --- writing --- */

static char folder[] = "test-trace-format.XXXXXX";

static const char *stream_path(int rank, uint32_t thread)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/rank-%d-thread-%u.mpgt", folder, rank, thread);
    return path;
}

static bool write_stream(int rank, uint32_t thread)
{
    struct mpg_error err = {.text = ""};
    int fd = open(stream_path(rank, thread), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.rank = rank, .ranks = RANKS,
                                                     .thread = thread, .value_number = VALUES,
                                                     .segment_bytes = 4096, .level = 1};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    bool good = w && define(w, thread, &err);
    int64_t now_ns = -1000000 * (int64_t)thread;
    for (int i = 0; good && i < EVENTS; i++) {
        struct made *m = &made[rank][thread][i];
        enum mpg_call call = (enum mpg_call)(draw(3) ? 6 + draw(4) : draw(MPG_CALL_COUNT));
        draw_event(m, thread, call, &now_ns);
        if (i == 0)
            m->event.off_before_ns = 0;
        struct mpg_event e = m->event;
        e.comm = local(thread, e.comm);
        e.newcomm = local(thread, e.newcomm);
        e.object = local(thread, e.object);
        e.string = local(thread, e.string);
        e.site = local(thread, e.site);
        good = mpg_trace_write_event(w, &e, &err) == 0;
        if (good && draw(300) == 0)
            good = mpg_trace_writer_flush(w, &err) == 0;
    }
    good = good && mpg_trace_writer_close(w, &err) == 0 &&
           mpg_trace_writer_size(w).events == EVENTS;
    mpg_trace_writer_free(w);
    close(fd);
    if (!good)
        printf("# %s\n", err.text);
    return good;
}

/* --- reading --- */

static bool same_list(const int64_t *a, const int64_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_comm(const struct mpg_trace *t, int32_t comm, int32_t expected)
{
    if (comm < 0 || expected < 0)
        return comm == expected;
    const struct mpg_comm *c = mpg_trace_comm(t, comm);
    const struct mpg_comm_definition *d = &comms[expected];
    int32_t n = d->size, m = d->remote_size;
    return c->label == d->label && c->instance == d->instance && c->size == n &&
           c->remote_size == m && same_comm(t, c->parent, d->parent) &&
           memcmp(c->world_ranks, d->world_ranks, (size_t)n * sizeof *world) == 0 &&
           (m == 0 || memcmp(c->world_ranks + n, d->remote, (size_t)m * sizeof *world) == 0);
}

static bool same_object(const struct mpg_trace *t, int32_t object, int32_t expected)
{
    const struct mpg_object *o = mpg_trace_object(t, object), *d = &objects[expected];
    return o->kind == d->kind && o->number == d->number && same_comm(t, o->comm, d->comm);
}

static bool same_site(const struct mpg_trace *t, int32_t site, int32_t expected)
{
    if (site < 0 || expected < 0)
        return site == expected;
    const struct mpg_site *s = mpg_trace_site(t, site);
    bool good = s->frame_number == (expected == 4 ? 64 : 2);
    for (uint32_t f = 0; good && f < s->frame_number; f++) {
        int32_t module = (expected + (int32_t)f) % 4 - 1;
        good = s->frames[f].offset == (f ? (uint64_t)f << 60 : (uint64_t)expected);
        if (module < 0 || s->frames[f].module < 0)
            good = good && module == s->frames[f].module;
        else
            good = good && strcmp(mpg_trace_module(t, s->frames[f].module)->path,
                                  module_path(module, 0)) == 0;
    }
    return good;
}

/* Returns the name of the first field of E that differs from the expected event X, or NULL. */
static const char *difference(const struct mpg_trace *t, const struct mpg_event *e,
                              const struct mpg_event *x)
{
    enum mpg_kind kind = mpg_call_kind(x->call);
    if (e->call != x->call || e->enter_ns != x->enter_ns || e->leave_ns != x->leave_ns)
        return "call or time";
    if (e->failed != x->failed || !same_site(t, e->site, x->site))
        return "failed or site";
    if (e->off_before_ns != x->off_before_ns || e->off_in_ns != x->off_in_ns)
        return "time off the CPU";
    if (e->value_number != VALUES || !same_list(e->values, x->values, VALUES))
        return "values";
    if (x->failed)
        return NULL;
#define SAME(field) \
    if (has(kind, #field) && e->field != x->field) \
        return #field;
    SAME(to) SAME(from) SAME(tag) SAME(recvtag) SAME(root) SAME(bytes) SAME(recvbytes) SAME(any)
    SAME(found)
#undef SAME
    if (has(kind, "message") && (!has(kind, "found") || x->found) && e->message != x->message)
        return "message";
    if (has(kind, "comm") && !same_comm(t, e->comm, x->comm))
        return "comm";
    if (has(kind, "newcomm") && !same_comm(t, e->newcomm, x->newcomm))
        return "newcomm";
    if (has(kind, "object") && !same_object(t, e->object, x->object))
        return "object";
    if (has(kind, "string") && strcmp(mpg_trace_string(t, e->string), names[x->string]) != 0)
        return "string";
    if ((has(kind, "request") || has(kind, "requests")) &&
        (e->request_number != x->request_number ||
         !same_list(e->requests, x->requests, x->request_number)))
        return "requests";
    if (has(kind, "done") &&
        (e->done_all != x->done_all ||
         (!x->done_all && (e->done_number != x->done_number ||
                           !same_list(e->done, x->done, x->done_number)))))
        return "done";
    if ((has(kind, "persistent") && e->persistent[0] != x->persistent[0]) ||
        (has(kind, "started") && !same_list(e->persistent, x->persistent, x->request_number)))
        return "persistent";
    if (has(kind, "counts") && (e->count_number != x->count_number ||
                                !same_list(e->counts, x->counts, x->count_number)))
        return "counts";
    if (memcmp(&e->sum, &x->sum, sizeof e->sum) != 0)
        return "sum";
    if (has(kind, "neighbours") &&
        (e->source_number != 4 || e->destination_number != 3 ||
         memcmp(e->sources, sources, sizeof sources) != 0 ||
         memcmp(e->destinations, destinations, sizeof destinations) != 0))
        return "neighbours";
    return NULL;
}

static bool read_rank(struct mpg_trace *t, int rank)
{
    struct mpg_error err;
    struct mpg_cursor *c = mpg_cursor_open(t, rank, &err);
    struct mpg_event e;
    int read[THREADS] = {0}, more = -1;
    int64_t last_ns = INT64_MIN;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0) {
        const struct mpg_event *x = &made[rank][e.thread][read[e.thread]++].event;
        const char *wrong = e.enter_ns < last_ns ? "order" : difference(t, &e, x);
        last_ns = e.enter_ns;
        if (wrong) {
            printf("# rank %d.%u, call %d (%s): %s\n", rank, e.thread, read[e.thread] - 1,
                   mpg_call_name(x->call), wrong);
            break;
        }
    }
    if (more < 0)
        printf("# %s\n", err.text);
    mpg_cursor_close(c);
    return more == 0 && read[0] == EVENTS && read[1] == EVENTS && read[2] == EVENTS;
}

static void test_round_trip(void)
{
    struct mpg_error err = {.text = ""};
    bool good = true;
    for (int r = 0; r < RANKS; r++)
        for (uint32_t i = 0; i < THREADS; i++)
            good = good && write_stream(r, i);
    ok(good, "random events of every call, %d ranks, %d threads each", RANKS, THREADS);
    struct mpg_trace *t = mpg_trace_open(folder, &err);
    if (!ok(t, "they open: %s", err.text))
        return;
    ok(mpg_trace_threads(t, 1) == THREADS && mpg_trace_events(t, 1) == THREADS * EVENTS,
       "threads and events are counted");
    ok(read_rank(t, 0) && read_rank(t, 1), "all come back as they were, merged by time");
    enum mpg_call call;
    int64_t enter_ns;
    ok(!mpg_trace_died(t, 0, 2, &call, &enter_ns) && !mpg_trace_cut(t), "nobody died");
    ok(mpg_trace_comm_count(t) == COMMS && mpg_trace_site_count(t) == SITES &&
           mpg_trace_module_count(t) == MODULES,
       "definitions of all streams are one: %d communicators, %d callsites, %d modules",
       mpg_trace_comm_count(t), mpg_trace_site_count(t), mpg_trace_module_count(t));
    mpg_trace_close(t);

    unlink(stream_path(1, 1));
    t = mpg_trace_open(folder, &err);
    ok(t && mpg_trace_cut(t) && strstr(mpg_trace_cut(t), "thread 1 of rank 1 is missing"),
       "a missing thread is told");
    mpg_trace_close(t);
    unlink(stream_path(1, 0));
    t = mpg_trace_open(folder, &err);
    ok(!t && strstr(err.text, "rank 1 of 2 is missing"), "without its first thread, a rank is missing");
    mpg_trace_close(t);
    for (int r = 0; r < RANKS; r++)
        for (uint32_t i = 0; i < THREADS; i++)
            unlink(stream_path(r, i));
}

/* --- large records --- */

enum { MANY = 300000 };

static void test_large(void)
{
    static int32_t ranks[MANY];
    static int64_t counts[MANY], requests[MANY];
    struct mpg_error err = {.text = ""};
    int fd = open(stream_path(0, 0), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    char window[160];
    snprintf(window, sizeof window, "%s/rank-0.window.mpgt", folder);
    const struct mpg_trace_writer_options options = {
        .rank = 0, .ranks = 1, .segment_bytes = 4096, .level = 1, .segment_path = window};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    for (int i = 0; i < MANY; i++) {
        ranks[i] = draw(2) ? MPG_FOREIGN : 0;
        counts[i] = draw_bytes();
        requests[i] = 3 * i + 1;
    }
    struct mpg_comm_definition c = {.comm = 0, .parent = MPG_NO_COMM, .label = 0, .size = MANY,
                                    .world_ranks = ranks};
    struct mpg_event e[] = {
        {.call = MPG_CALL_Alltoallv, .site = MPG_NO_SITE, .count_number = MANY, .counts = counts},
        {.call = MPG_CALL_Waitall, .site = MPG_NO_SITE, .request_number = MANY,
         .requests = requests, .done_all = true},
        {.call = MPG_CALL_Waitsome, .site = MPG_NO_SITE, .request_number = MANY,
         .requests = requests, .done_number = MANY, .done = requests},
        {.call = MPG_CALL_Finalize, .site = MPG_NO_SITE}};
    bool good = w && mpg_trace_write_comm(w, &c, &err) == 0;
    for (int i = 0; good && i < 4; i++)
        good = mpg_trace_write_event(w, &e[i], &err) == 0;
    mpg_trace_writer_free(w); /* not closed: the last events remain in the segment */
    close(fd);
    if (!ok(good, "lists of %d: %s", MANY, err.text))
        return;

    struct mpg_trace *t = mpg_trace_open(folder, &err);
    struct mpg_cursor *cursor = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event x;
    int n = 0;
    while (cursor && good && mpg_cursor_next(cursor, &x, &err) > 0 && n < 4) {
        good = x.call == e[n].call && x.request_number == e[n].request_number &&
               same_list(x.requests, requests, x.request_number) &&
               same_list(x.counts, counts, x.count_number) &&
               same_list(x.done, requests, x.done_number) && x.done_number == e[n].done_number;
        n++;
    }
    ok(good && n == 4 &&
           memcmp(mpg_trace_comm(t, 0)->world_ranks, ranks, sizeof ranks) == 0,
       "come back as they were: %s", err.text);
    mpg_cursor_close(cursor);
    mpg_trace_close(t);
    unlink(stream_path(0, 0));
    unlink(window);
}

/* --- flushes --- */

static int64_t clock_ns;

static int64_t tick(void)
{
    return clock_ns += 1000;
}

/* Returns the off-CPU time since the last call: 7 ns before a flush, then 1003 ns until its end, of which 1000 fit into it. */
static int64_t lose(void *asked, int64_t now_ns)
{
    const uint64_t n = ++*(uint64_t *)asked;
    return now_ns != clock_ns ? -1 : n % 2 ? 7 : 1003;
}

static void test_flushes(void)
{
    struct mpg_error err = {.text = ""};
    uint64_t asked = 0;
    int fd = open(stream_path(0, 0), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.rank = 0, .ranks = 1, .segment_bytes = 4096,
                                                     .level = 1, .now_ns = tick,
                                                     .off_ns = lose, .off_argument = &asked};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    bool good = w && mpg_trace_writer_flush(w, &err) == 0;
    uint64_t written = 0, flushes = 0, misplaced = 0;
    for (; good && written < 10000; written++) {
        struct mpg_event e = {.call = MPG_CALL_Comm_rank, .site = MPG_NO_SITE};
        e.enter_ns = clock_ns += 10;
        e.leave_ns = clock_ns += 10;
        good = mpg_trace_write_event(w, &e, &err) == 0;
    }
    good = good && mpg_trace_writer_close(w, &err) == 0;
    uint64_t events = w ? mpg_trace_writer_size(w).events : 0;
    mpg_trace_writer_free(w);
    close(fd);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    int64_t last_ns = 0;
    uint64_t calls = 0, wrong = 0;
    bool is_behind = false;
    while (c && mpg_cursor_next(c, &e, &err) > 0) {
        bool is_flush = e.call == MPG_CALL_Flush;
        flushes += is_flush;
        calls += !is_flush;
        misplaced += is_flush ? e.enter_ns != last_ns + 1000 || e.leave_ns != e.enter_ns + 1000
                              : last_ns && e.enter_ns != last_ns + 10;
        wrong += e.off_before_ns != (is_flush ? 7 : is_behind ? 3 : 0) || e.off_in_ns != (is_flush ? 1000 : 0);
        is_behind = is_flush;
        last_ns = e.leave_ns;
    }
    ok(calls == written && flushes > 5 && misplaced == 0 && calls + flushes == events,
       "%llu flushes are events that fill the time between calls", (unsigned long long)flushes);
    ok(wrong == 0 && asked == 2 * (flushes + 1),
       "... with their time off the CPU, asked for at both ends; what does not fit is behind them");
    mpg_cursor_close(c);
    mpg_trace_close(t);
    unlink(stream_path(0, 0));
}

/* --- off-CPU time carried to the next event --- */

/* Off-CPU time of aggregated calls. Events take no time, and are 100 ns apart. Before each event some calls are
 * aggregated that lost CARRIED ns; marks end the sums. The off-CPU time of an event must fit into the interval before
 * it, and the sum must be complete. */
static void test_carried(void)
{
    static const int64_t carried[] = {0, 100, 30, 0, 61};
    struct mpg_error err = {.text = ""};
    int fd = open(stream_path(0, 0), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    bool good = w != NULL;
    int64_t sum_ns = 0, got_ns = 0;
    for (int i = 0; good && i < 5000; i++) {
        const int64_t now_ns = 1000 + 100 * i, lost_ns = i > 0 ? carried[i % 5] : 0;
        struct mpg_event e = {.call = MPG_CALL_Comm_size, .site = MPG_NO_SITE, .enter_ns = now_ns,
                              .leave_ns = now_ns};
        if (i > 0 && i % 3 > 0 && !mpg_trace_add_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, 5, now_ns - 100 + i % 90, NULL))
            good = mpg_trace_begin_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, &err) == 0 &&
                   mpg_trace_add_sum(w, MPG_CALL_Wtime, MPG_NO_SITE, 5, now_ns - 100 + i % 90, NULL);
        mpg_trace_carry_off_cpu(w, lost_ns);
        sum_ns += lost_ns;
        good = good && (i % 7 || mpg_trace_end_sums(w, &err) == 0) && mpg_trace_write_event(w, &e, &err) == 0;
    }
    good = good && mpg_trace_writer_close(w, &err) == 0;
    mpg_trace_writer_free(w);
    close(fd);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0)
        got_ns += e.off_before_ns;
    ok(more == 0 && got_ns == sum_ns && sum_ns > 0,
       "%lld ns of aggregated calls are in the intervals that these are in, of %lld: %s",
       (long long)got_ns, (long long)sum_ns, err.text);
    mpg_cursor_close(c);
    mpg_trace_close(t);
    unlink(stream_path(0, 0));
}

/* --- aggregated calls with more call sites than rows --- */

enum { PLACES = 3 * MPG_SUM_ROWS / 2 };

/* Calls at random call sites, some more frequent than others. Ends by closing if CLOSED, otherwise like a killed process. */
static void test_many_sums(bool closed)
{
    static int64_t made[PLACES], got[PLACES];
    struct mpg_error err = {.text = ""};
    char window[160];
    snprintf(window, sizeof window, "%s/rank-0.window.mpgt", folder);
    int fd = open(stream_path(0, 0), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const struct mpg_trace_writer_options options = {.ranks = 1, .segment_bytes = 4096, .level = 1, .segment_path = window};
    struct mpg_trace_writer *w = mpg_trace_writer_new(fd, &options, &err);
    bool good = w != NULL;
    memset(made, 0, sizeof made);
    memset(got, 0, sizeof got);
    for (int i = 0; good && i < 40000; i++) {
        const int32_t site = draw(2) ? (int32_t)draw(PLACES) : (int32_t)draw(MPG_SUM_ROWS / 2);
        const struct mpg_frame frame = {.module = -1, .offset = (uint64_t)site};
        good = made[site] > 0 || mpg_trace_write_site(w, site, 1, &frame, &err) == 0;
        if (good && !mpg_trace_add_sum(w, MPG_CALL_Wtime, site, 5, 10 * i, NULL))
            good = mpg_trace_begin_sum(w, MPG_CALL_Wtime, site, &err) == 0 &&
                   mpg_trace_add_sum(w, MPG_CALL_Wtime, site, 5, 10 * i, NULL);
        made[site]++;
    }
    good = good && (!closed || mpg_trace_writer_close(w, &err) == 0);
    mpg_trace_writer_free(w);
    close(fd);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    struct mpg_cursor *c = t ? mpg_cursor_open(t, 0, &err) : NULL;
    struct mpg_event e;
    int64_t last_ns = 0;
    int more = -1, unordered = 0, events = 0;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0 && e.site >= 0 && e.call == MPG_CALL_Wtime) {
        got[mpg_trace_site(t, e.site)->frames[0].offset] += e.sum.calls;
        unordered += e.leave_ns < last_ns || e.sum.time_ns != 5 * e.sum.calls;
        last_ns = e.leave_ns;
        events++;
    }
    ok(more == 0 && unordered == 0 && memcmp(made, got, sizeof made) == 0,
       "40000 calls of %d callsites, %s, are there in %d sums, in the order of the last ones: %s", PLACES,
       closed ? "closed" : "killed", events, err.text);
    mpg_cursor_close(c);
    mpg_trace_close(t);
    unlink(stream_path(0, 0));
    unlink(window);
}

int main(void)
{
    seed = 2385;
    alarm(300); /* a hang is a failure */
    if (ok(mkdtemp(folder), "a folder")) {
        test_round_trip();
        test_large();
        test_flushes();
        test_carried();
        test_many_sums(true);
        test_many_sums(false);
        rmdir(folder);
    }
    return done();
}
