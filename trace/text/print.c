/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a trace in the text form. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/out.h"
#include "common/printable.h"
#include "trace/text/text.h"
#include "trace/build/build.h"
#include "trace/text/keys.h"
#include "trace/store/private.h"

/* Kinds of definitions with labels. */
enum text_kind { TEXT_COMM, TEXT_TOPOLOGY, TEXT_WINDOW, TEXT_FILE, TEXT_MODULE, TEXT_SITE, TEXT_KINDS };

struct printer {
    struct mpg_trace *trace;
    FILE *out;             /* definitions and facts, after the events in `events` */
    struct mpg_out events;
    struct mpg_map printed;   /* (number, kind) -> 1 + label of each definition printed so far */
    struct mpg_map instances; /* the instances so far, for mpg_build_next_instance() */
    int32_t labels[TEXT_KINDS]; /* by kind: the next free label */
    /* Label 0 has been printed; a further communicator with the members of MPI_COMM_WORLD has been printed. */
    bool printed_zero, printed_second_world;
    bool failed;              /* memory ran out */
};

/* Returns whether definition NUMBER of KIND has not been printed yet. SECOND: the rank of a topology, else 0. *LABEL: the
 * definition's label; labels are assigned in the order of first use. */
static bool meet(struct printer *p, enum text_kind kind, int32_t number, uint64_t second,
                 int32_t *label)
{
    uint64_t *slot = mpg_map_add(&p->printed, (uint64_t)number, second << 8 | (uint64_t)kind);
    if (!slot) {
        p->failed = true;
        return false;
    }
    bool is_new = *slot == 0;
    if (is_new) {
        *slot = (uint64_t)++p->labels[kind];
        (void)mpg_out_flush(&p->events); /* a definition follows */
    }
    *label = (int32_t)(*slot - 1);
    return is_new;
}

static int32_t label_of(const struct printer *p, enum text_kind kind, int32_t number)
{
    const uint64_t *slot = mpg_map_find(&p->printed, (uint64_t)number, (uint64_t)kind);
    return slot ? (int32_t)(*slot - 1) : -1;
}

/* ---- definitions, each before the first use by an event ---- */

static void print_members(FILE *out, const int32_t *members, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (members[i] == MPG_FOREIGN)
            fputs(" *", out);
        else
            fprintf(out, " %d", members[i]);
}

static bool equals_world(const struct printer *p, const struct mpg_comm *c)
{
    int32_t i = 0;
    while (i < c->size && c->world_ranks[i] == i)
        i++;
    return c->label != 0 && c->parent == MPG_NO_COMM && c->remote_size == 0 &&
           c->size == mpg_trace_ranks(p->trace) && i == c->size;
}

static void define_comm(struct printer *p, int32_t comm)
{
    int32_t ignored;
    if (comm == MPG_NO_COMM || !meet(p, TEXT_COMM, comm, 0, &ignored))
        return;
    const struct mpg_comm *c = mpg_trace_comm(p->trace, comm);
    define_comm(p, c->parent);
    int32_t parent = c->parent == MPG_NO_COMM ? MPG_NO_COMM
                                              : mpg_trace_comm(p->trace, c->parent)->label;
    /* Counts instances like the import: MPI_COMM_WORLD counts as instance 0 of its group even if never printed. */
    bool is_second_world = equals_world(p, c) && !p->printed_second_world && !p->printed_zero;
    int32_t expected = 0;
    for (int i = 0; i <= is_second_world && expected >= 0; i++)
        expected = mpg_build_next_instance(&p->instances, parent, c->size, c->remote_size,
                                          c->world_ranks);
    p->printed_second_world = p->printed_second_world || is_second_world;
    p->printed_zero = p->printed_zero || c->label == 0;
    p->failed = p->failed || expected < 0;
    fprintf(p->out, "#comm %d", c->label);
    if (parent != MPG_NO_COMM)
        fprintf(p->out, " of %d", parent);
    if (c->instance != expected)
        fprintf(p->out, " instance %d", c->instance);
    fputs(" =", p->out);
    print_members(p->out, c->world_ranks, c->size);
    if (c->remote_size)
        fputs(" |", p->out);
    print_members(p->out, c->world_ranks + c->size, c->remote_size);
    fputc('\n', p->out);
}

static void define_topology(struct printer *p, int32_t rank, int32_t comm)
{
    int32_t ignored;
    if (!meet(p, TEXT_TOPOLOGY, comm, (uint64_t)rank, &ignored))
        return;
    const struct trace_topology *t = mpg_trace_topology(p->trace, rank, comm);
    fprintf(p->out, "#topology %d %d =", rank, mpg_trace_comm(p->trace, comm)->label);
    for (uint32_t i = 0; i < t->source_number + t->destination_number; i++) {
        bool source = i < t->source_number;
        int32_t neighbour = source ? t->sources[i] : t->destinations[i - t->source_number];
        if (i == t->source_number)
            fputs(" >", p->out);
        if (neighbour == MPG_PROC_NULL)
            fputs(" null", p->out);
        else
            fprintf(p->out, " %d", neighbour);
    }
    fputs(t->destination_number ? "\n" : " >\n", p->out);
}

static enum text_kind kind_of(const struct mpg_object *o)
{
    return o->kind == MPG_OBJECT_FILE ? TEXT_FILE : TEXT_WINDOW;
}

static void define_object(struct printer *p, int32_t object)
{
    if (object == MPG_NO_OBJECT)
        return;
    const struct mpg_object *o = mpg_trace_object(p->trace, object);
    int32_t label;
    if (!meet(p, kind_of(o), object, 0, &label))
        return;
    define_comm(p, o->comm);
    fprintf(p->out, "#%s %d = %d %d\n", o->kind == MPG_OBJECT_FILE ? "file" : "window", label,
            mpg_trace_comm(p->trace, o->comm)->label, o->number);
}

/* Prints TEXT in double quotes, with unprintable bytes escaped. */
static void print_quoted(FILE *out, const char *text)
{
    const bool plain = mpg_printable_is(text);
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte == 0x7f || (byte > 0x7f && !plain))
            fprintf(out, "\\x%02x", byte);
        else
            fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    }
    fputc('"', out);
}

/* Prints TEXT; in quotes if TEXT has unprintable bytes or begins with a quote. */
static void print_fact_text(FILE *out, const char *text)
{
    if (*text == '"' || !mpg_printable_is(text))
        print_quoted(out, text);
    else
        fputs(text, out);
}

static void define_module(struct printer *p, int32_t module)
{
    int32_t label;
    if (module < 0 || !meet(p, TEXT_MODULE, module, 0, &label))
        return;
    const struct mpg_module *m = mpg_trace_module(p->trace, module);
    fprintf(p->out, "#module %d = %s", label, m->build_id_size ? "" : "-");
    for (uint32_t i = 0; i < m->build_id_size; i++)
        fprintf(p->out, "%02x", m->build_id[i]);
    fputc(' ', p->out);
    print_quoted(p->out, m->path);
    fputc('\n', p->out);
}

static void define_site(struct printer *p, int32_t site)
{
    int32_t label;
    if (site == MPG_NO_SITE || !meet(p, TEXT_SITE, site, 0, &label))
        return;
    const struct mpg_site *s = mpg_trace_site(p->trace, site);
    for (uint32_t i = 0; i < s->frame_number; i++)
        define_module(p, s->frames[i].module);
    fprintf(p->out, "#site %d =", label);
    for (uint32_t i = 0; i < s->frame_number; i++) {
        if (s->frames[i].module < 0)
            fputs(" ?", p->out);
        else
            fprintf(p->out, " %d", label_of(p, TEXT_MODULE, s->frames[i].module));
        fprintf(p->out, "+0x%" PRIx64, s->frames[i].offset);
    }
    fputc('\n', p->out);
}

/* ---- events ---- */

static void print_list(struct mpg_out *out, const int64_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            mpg_out_char(out, ',');
        mpg_out_number(out, values[i]);
    }
}

static void print_peer(struct mpg_out *out, int32_t rank)
{
    if (rank == MPG_PROC_NULL)
        mpg_out_text(out, "null");
    else if (rank == MPG_ROOT)
        mpg_out_text(out, "root");
    else
        mpg_out_number(out, rank);
}

static void print_label(struct printer *p, enum mpg_text_key key, int32_t number)
{
    int32_t label = number;
    if (number >= 0 && (key == MPG_TEXT_COMM || key == MPG_TEXT_NEWCOMM))
        label = mpg_trace_comm(p->trace, number)->label;
    else if (number >= 0)
        label = label_of(p, key == MPG_TEXT_SITE ? TEXT_SITE
                            : key == MPG_TEXT_FILE ? TEXT_FILE : TEXT_WINDOW, number);
    if (label < 0)
        mpg_out_text(&p->events, "null");
    else
        mpg_out_number(&p->events, label);
}

/* Prints the names of the flags 1 and 2, FIRST and SECOND, that are set in FLAGS. */
static void print_flags(struct mpg_out *out, uint32_t flags, const char *first, const char *second)
{
    mpg_out_text(out, flags & 1 ? first : "");
    mpg_out_text(out, flags == 3 ? "," : "");
    mpg_out_text(out, flags & 2 ? second : "");
}

static void print_resolutions(struct mpg_out *out, const struct mpg_event *e)
{
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        mpg_out_text(out, i ? "," : "");
        mpg_out_number(out, e->resolutions[i].request);
        mpg_out_char(out, ':');
        mpg_out_number(out, e->resolutions[i].source);
        mpg_out_char(out, ':');
        mpg_out_number(out, e->resolutions[i].tag);
    }
}

static void print_value(struct printer *p, const struct mpg_event *e, enum mpg_text_key key)
{
    const struct mpg_text_key_info *info = mpg_text_key_info(key);
    const void *field = (const char *)e + info->field;
    uint32_t n = *(const uint32_t *)(const void *)((const char *)e + info->number);
    struct mpg_out *out = &p->events;
    switch (info->type) {
    case MPG_TEXT_TYPE_LABEL:
        print_label(p, key, *(const int32_t *)field);
        break;
    case MPG_TEXT_TYPE_PEER:
        print_peer(out, *(const int32_t *)field);
        break;
    case MPG_TEXT_TYPE_INT32:
        mpg_out_number(out, *(const int32_t *)field);
        break;
    case MPG_TEXT_TYPE_INT64:
    case MPG_TEXT_TYPE_ID:
        mpg_out_number(out, *(const int64_t *)field);
        break;
    case MPG_TEXT_TYPE_FLAG:
        mpg_out_char(out, *(const bool *)field ? '1' : '0');
        break;
    case MPG_TEXT_TYPE_LIST:
        /* Calls with this key, except starts, have exactly one persistent request. */
        if (key == MPG_TEXT_PERSISTENT && mpg_call_kind(e->call) != MPG_KIND_START)
            n = 1;
        print_list(out, *(const int64_t *const *)field, n);
        break;
    case MPG_TEXT_TYPE_BYTES:
        print_list(out, e->count_number ? e->counts : &e->bytes, e->count_number ? e->count_number : 1);
        break;
    case MPG_TEXT_TYPE_ANY:
        print_flags(out, e->any, "source", "tag");
        break;
    case MPG_TEXT_TYPE_DEVICE:
        print_flags(out, e->device, "send", "receive");
        break;
    case MPG_TEXT_TYPE_MATCHED:
        print_resolutions(out, e);
        break;
    case MPG_TEXT_TYPE_STRING:
        (void)mpg_out_flush(out);
        print_quoted(p->out, mpg_trace_string(p->trace, e->string));
        break;
    }
}

static void print_key(struct printer *p, const struct mpg_event *e, enum mpg_text_key key)
{
    if (!mpg_text_key_is_shown(e, key))
        return;
    mpg_out_char(&p->events, ' ');
    mpg_out_text(&p->events, mpg_text_key_info(key)->name);
    mpg_out_char(&p->events, '=');
    print_value(p, e, key);
}

static void define_used(struct printer *p, int32_t rank, const struct mpg_event *e)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    define_site(p, e->site);
    if (e->failed)
        return;
    if (mpg_text_kind_has(kind, MPG_TEXT_COMM))
        define_comm(p, e->comm);
    if (mpg_text_kind_has(kind, MPG_TEXT_NEWCOMM))
        define_comm(p, e->newcomm);
    if (mpg_kind_has_neighbors(kind))
        define_topology(p, rank, e->comm);
    if (mpg_text_kind_has(kind, MPG_TEXT_WINDOW) || mpg_text_kind_has(kind, MPG_TEXT_FILE))
        define_object(p, e->object);
}

static void print_event(struct printer *p, int32_t rank, const struct mpg_event *e)
{
    define_used(p, rank, e);
    struct mpg_out *out = &p->events;
    mpg_out_number(out, rank);
    if (e->thread) {
        mpg_out_char(out, '.');
        mpg_out_number(out, e->thread);
    }
    mpg_out_char(out, ' ');
    mpg_out_number(out, e->enter_ns);
    mpg_out_char(out, ' ');
    mpg_out_number(out, e->leave_ns);
    mpg_out_char(out, ' ');
    mpg_out_text(out, mpg_call_name(e->call));
    const unsigned char *keys = mpg_text_kind_keys(mpg_call_kind(e->call));
    for (; *keys && !e->failed; keys++)
        print_key(p, e, *keys & ~MPG_TEXT_NEEDED);
    for (int key = MPG_TEXT_FAILED; key < MPG_TEXT_KEYS; key++)
        print_key(p, e, (enum mpg_text_key)key);
    mpg_out_char(out, '\n');
}

/* ---- facts of the ranks ---- */

/* Returns the value of fact KEY if equal on all ranks; else NULL. */
static const char *common_fact(const struct mpg_trace *t, const char *key)
{
    const char *common = mpg_trace_find_fact(t, 0, key);
    for (int32_t r = 1; common && r < mpg_trace_ranks(t); r++) {
        const char *value = mpg_trace_find_fact(t, r, key);
        if (!value || strcmp(value, common) != 0)
            common = NULL;
    }
    return common;
}

static void print_rank_facts(const struct mpg_trace *t, int32_t rank, bool shared, FILE *out)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(t, rank, i, &key, &value); i++) {
        if (strcmp(key, "host") == 0 || strcmp(key, "clock") == 0)
            fprintf(out, "#%s %d ", key, rank);
        else if (strcmp(key, "values") != 0 && strcmp(key, "died") != 0 &&
                 (strcmp(key, "clocks") != 0 || !shared)) {
            fprintf(out, "#fact %d ", rank);
            print_fact_text(out, key);
            fputc(' ', out);
        } else
            continue;
        print_fact_text(out, value);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < mpg_trace_threads(t, rank); i++) {
        const uint32_t thread = mpg_trace_thread(t, rank, i);
        enum mpg_call call;
        int64_t enter_ns;
        if (!mpg_trace_died(t, rank, thread, &call, &enter_ns))
            continue;
        fprintf(out, "#died %d", rank);
        if (thread)
            fprintf(out, ".%u", thread);
        if (call != MPG_CALL_COUNT)
            fprintf(out, " %s %" PRId64, mpg_call_name(call), enter_ns);
        fputc('\n', out);
    }
}

static void print_facts(const struct mpg_trace *t, FILE *out)
{
    /* First the counters' names: the reader needs the number of counters before the first event. */
    const char *values = common_fact(t, "values"), *clocks = common_fact(t, "clocks");
    bool shared = clocks && strcmp(clocks, "shared") == 0;
    if (values) {
        fputs("#values ", out);
        print_fact_text(out, values);
        fputc('\n', out);
    }
    for (int32_t r = 0; !values && r < mpg_trace_ranks(t); r++) {
        const char *names = mpg_trace_find_fact(t, r, "values");
        if (!names)
            continue;
        fprintf(out, "#fact %d values ", r);
        print_fact_text(out, names);
        fputc('\n', out);
    }
    if (shared)
        fputs("#clocks shared\n", out);
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++)
        print_rank_facts(t, r, shared, out);
}

static int print_rank_events(struct printer *p, int32_t rank, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(p->trace, rank, err);
    struct mpg_event e;
    int more = -1;
    while (c && (more = mpg_cursor_next(c, &e, err)) > 0 && !p->failed)
        print_event(p, rank, &e);
    mpg_cursor_close(c);
    return more < 0 ? -1 : 0;
}

static int by_label(const void *a, const void *b, void *trace)
{
    int32_t x = mpg_trace_comm(trace, *(const int32_t *)a)->label;
    int32_t y = mpg_trace_comm(trace, *(const int32_t *)b)->label;
    return (x > y) - (x < y);
}

static int by_label_and_rank(const void *a, const void *b, void *trace)
{
    const struct trace_topology *x = mpg_trace_topology_at(trace, *(const int32_t *)a);
    const struct trace_topology *y = mpg_trace_topology_at(trace, *(const int32_t *)b);
    int order = by_label(&x->comm, &y->comm, trace);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Prints communicators and topologies not used by events, sorted, so that the order does not depend on the order of
 * definitions in the ranks' files. */
static int print_unused(struct printer *p, struct mpg_error *err)
{
    int32_t comms = mpg_trace_comm_count(p->trace), topologies = 0;
    while (mpg_trace_topology_at(p->trace, topologies))
        topologies++;
    int32_t max = comms > topologies ? comms : topologies;
    int32_t *order = malloc(((size_t)max + 1) * sizeof *order);
    if (!order)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < comms; i++)
        order[i] = i;
    qsort_r(order, (size_t)comms, sizeof *order, by_label, p->trace);
    for (int32_t i = 0; i < comms; i++)
        define_comm(p, order[i]);
    for (int32_t i = 0; i < topologies; i++)
        order[i] = i;
    qsort_r(order, (size_t)topologies, sizeof *order, by_label_and_rank, p->trace);
    for (int32_t i = 0; i < topologies; i++) {
        const struct trace_topology *topology = mpg_trace_topology_at(p->trace, order[i]);
        define_topology(p, topology->rank, topology->comm);
    }
    free(order);
    return 0;
}

int mpg_text_print(struct mpg_trace *t, FILE *out, struct mpg_error *err)
{
    struct printer *p = calloc(1, sizeof *p);
    int status = 0;
    if (!p)
        return mpg_error_set(err, "out of memory");
    p->trace = t;
    p->out = out;
    mpg_out_begin(&p->events, out);
    fprintf(out, "#mpgtext 1\n#ranks %d\n", mpg_trace_ranks(t));
    print_facts(t, out);
    for (int32_t r = 0; status == 0 && r < mpg_trace_ranks(t); r++)
        status = print_rank_events(p, r, err);
    if (status == 0)
        status = print_unused(p, err);
    (void)mpg_out_flush(&p->events);
    if (status == 0 && p->failed)
        status = mpg_error_set(err, "out of memory");
    mpg_map_clear(&p->printed);
    mpg_map_clear(&p->instances);
    free(p);
    return status;
}
