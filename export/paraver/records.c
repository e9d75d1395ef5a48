/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .prv file: header, communicators, and the records of all threads in the order of time. */
#include "export/paraver/writer.h"

#include <stdlib.h>
#include <string.h>

#include "common/output.h"

/* Appends a colon and the number VALUE. */
static void put_number(struct mpg_out *t, int64_t value)
{
    mpg_out_char(t, ':');
    mpg_out_number(t, value);
}

/* Makes the name of OBJECT in records, four numbers: CPU, application, task and thread. */
static void make_name(const struct mpg_prv_writer *w, uint32_t object)
{
    struct prv_object *o = &w->objects[object];
    o->name_bytes = (size_t)snprintf(o->name, sizeof o->name, ":%u:1:%d:%zu", o->cpu, o->rank + 1,
                                     object - w->first_object[o->rank] + 1);
}

static void put_object(const struct mpg_prv_writer *w, struct mpg_out *t, uint32_t object)
{
    const struct prv_object *o = &w->objects[object];
    if (o->name_bytes == 0)
        make_name(w, object);
    mpg_out_word(t, o->name, o->name_bytes);
}

/* --- header --- */

static bool is_world(const struct mpg_comm *c, int32_t ranks)
{
    bool same = c->remote_size == 0 && c->size == ranks;
    for (int32_t i = 0; i < c->size && same; i++)
        same = c->world_ranks[i] == i;
    return same;
}

static bool is_foreign(const struct mpg_comm *c)
{
    int32_t i = 0;
    while (i < c->size + c->remote_size && c->world_ranks[i] >= 0)
        i++;
    return i < c->size + c->remote_size;
}

/* Numbers the communicators of the trace in the file: MPI_COMM_WORLD is 1; then come further intra-communicators, the two groups
 * of each inter-communicator, and the inter-communicators. *N: number of assigned numbers. */
static int number_comms(struct mpg_prv_writer *w, uint64_t *n, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace), count = mpg_trace_comm_count(w->trace);
    int32_t world = 0, inters = 0;
    while (world < count && !is_world(mpg_trace_comm(w->trace, world), ranks))
        world++;
    for (int32_t i = 0; i < count; i++)
        inters += mpg_trace_comm(w->trace, i)->remote_size > 0 && !is_foreign(mpg_trace_comm(w->trace, i));
    *n = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < count; i++) {
            const struct mpg_comm *c = mpg_trace_comm(w->trace, i);
            if ((c->remote_size > 0) != (pass == 1) || is_foreign(c))
                continue;
            uint64_t *slot = mpg_map_add(&w->comm_numbers, (uint64_t)i, 0);
            if (!slot)
                return mpg_error_set(err, "out of memory");
            *slot = i == world ? 1 : ++*n;
        }
        *n += pass == 0 ? 2 * (uint64_t)inters : 0;
    }
    return 0;
}

/* Returns the number in the file of the trace's communicator I; 0: not in the file. */
static uint64_t comm_number(const struct mpg_prv_writer *w, int64_t i)
{
    const uint64_t *slot = mpg_map_find(&w->comm_numbers, (uint64_t)i, 0);
    return slot ? *slot : 0;
}

static void write_group(FILE *out, uint64_t number, const int32_t *ranks, int32_t n)
{
    fprintf(out, "c:1:%llu:%d", (unsigned long long)number, n);
    for (int32_t i = 0; i < n; i++)
        fprintf(out, ":%d", (ranks ? ranks[i] : i) + 1);
    fputc('\n', out);
}

/* Writes the lines of the communicators in the order of their numbers. The line of an inter-communicator lists the numbers of
 * both groups. */
static void write_comms(const struct mpg_prv_writer *w)
{
    FILE *out = w->files.records;
    const int32_t count = mpg_trace_comm_count(w->trace);
    uint64_t number = 1, group;
    write_group(out, number, NULL, mpg_trace_ranks(w->trace));
    for (int32_t i = 0; i < count; i++) {
        const struct mpg_comm *c = mpg_trace_comm(w->trace, i);
        if (comm_number(w, i) > 1 && c->remote_size == 0)
            write_group(out, ++number, c->world_ranks, c->size);
    }
    group = number;
    for (int32_t i = 0; i < count; i++) {
        const struct mpg_comm *c = mpg_trace_comm(w->trace, i);
        if (comm_number(w, i) == 0 || c->remote_size == 0)
            continue;
        write_group(out, ++number, c->world_ranks, c->size);
        write_group(out, ++number, c->world_ranks + c->size, c->remote_size);
    }
    for (int32_t i = 0; i < count; i++)
        if (comm_number(w, i) > 0 && mpg_trace_comm(w->trace, i)->remote_size > 0) {
            fprintf(out, "i:1:%llu:%llu:%llu\n", (unsigned long long)++number, (unsigned long long)(group + 1),
                    (unsigned long long)(group + 2));
            group += 2;
        }
}

static void write_header(const struct mpg_prv_writer *w, uint64_t comms)
{
    FILE *out = w->files.records;
    const char *date = mpg_trace_find_fact(w->trace, 0, "date");
    const int32_t ranks = mpg_trace_ranks(w->trace);
    int year = 1970, month = 1, day = 1, hour = 0, minute = 0;
    if (date && sscanf(date, "%4d-%2d-%2d%*[T ]%2d:%2d", &year, &month, &day, &hour, &minute) < 3)
        year = 1970, month = day = 1;
    fprintf(out, "#Paraver (%02d/%02d/%04d at %02d:%02d):%lld_ns:%u(", day, month, year, hour, minute, (long long)w->end_ns,
            w->node_number);
    for (uint32_t i = 1; i <= w->node_number; i++)
        fprintf(out, "%s%u", i > 1 ? "," : "", w->cpus[i]);
    fprintf(out, "):1:%d(", ranks);
    for (int32_t r = 0; r < ranks; r++)
        fprintf(out, "%s%zu:%u", r > 0 ? "," : "", w->first_object[r + 1] - w->first_object[r], w->nodes[r]);
    fprintf(out, "),%llu\n", (unsigned long long)comms);
}

/* --- records --- */

static void put_record(const struct mpg_prv_writer *w, struct mpg_out *t, const struct prv_record *r)
{
    if (!r->is_further) {
        mpg_out_char(t, r->is_event ? '2' : '1');
        put_object(w, t, r->object);
        put_number(t, r->at_ns);
    }
    if (r->is_event && r->type == PRV_TYPE_COMM && comm_number(w, r->value) == 0)
        return; /* a communicator with processes of another MPI_COMM_WORLD has no number in the file */
    put_number(t, r->is_event ? r->type : r->value);
    put_number(t, !r->is_event ? r->type : r->type == PRV_TYPE_COMM ? (int64_t)comm_number(w, r->value) : r->value);
}

static void put_line(const struct mpg_prv_writer *w, struct mpg_out *t, const struct prv_line *l)
{
    mpg_out_char(t, '3');
    put_object(w, t, l->sender);
    put_number(t, l->logical_send_ns);
    put_number(t, l->sent_ns);
    put_object(w, t, l->receiver);
    put_number(t, l->logical_receive_ns);
    put_number(t, l->physical_receive_ns);
    put_number(t, l->bytes);
    put_number(t, l->tag);
    mpg_out_char(t, '\n');
}

/* Writes records and messages merged by time; a message comes after the records at the time of the physical send. */
static int write_all(struct mpg_prv_writer *w, struct mpg_out *t, struct mpg_error *err)
{
    const void *record = NULL, *line = NULL;
    bool is_open = false; /* the last line is a state or event without line end: further pairs of type and value can follow */
    int more = mpg_sorter_next(w->records, &record, err), lines = more < 0 ? -1 : mpg_sorter_next(w->lines, &line, err);
    while (more >= 0 && lines >= 0 && (more || lines)) {
        const struct prv_record *r = record;
        const struct prv_line *l = line;
        const bool is_message = !more || (lines && l->sent_ns < r->at_ns);
        if (is_open && (is_message || !r->is_further))
            mpg_out_char(t, '\n');
        is_open = !is_message;
        if (is_message) {
            put_line(w, t, l);
            lines = mpg_sorter_next(w->lines, &line, err);
        } else {
            put_record(w, t, r);
            more = mpg_sorter_next(w->records, &record, err);
        }
    }
    if (is_open)
        mpg_out_char(t, '\n');
    if (more < 0 || lines < 0)
        return -1;
    (void)mpg_out_flush(t);
    const int failed = mpg_output_flush(t->file);
    return failed ? mpg_error_errno(err, failed, "cannot write") : 0;
}

int mpg_prv_write_records(struct mpg_prv_writer *w, struct mpg_error *err)
{
    uint64_t comms;
    if (number_comms(w, &comms, err) < 0)
        return -1;
    write_header(w, comms);
    write_comms(w);
    struct mpg_out *t = malloc(sizeof *t);
    if (!t)
        return mpg_error_set(err, "out of memory");
    mpg_out_begin(t, w->files.records);
    const int status = write_all(w, t, err);
    free(t);
    return status;
}
