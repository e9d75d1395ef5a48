/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a .prv file (header, communicators, events, messages) and the names of values in the .pcf file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"
#include "common/input.h"
#include "common/line_reader.h"
#include "trace/paraver/import.h"

enum { FIRST_MPI_TYPE = 50000001, LAST_MPI_TYPE = 50000005, SENT = 50100001, RECEIVED, ROOT, COMM, MODE = 40000018, BURSTS = 2,
       MAX_THREADS = 65536 };

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Makes room for N + 1 items of SIZE bytes in *ARRAY, which has room for *CAPACITY. Returns false if out of memory. */
static bool grow(void *array, size_t n, size_t *capacity, size_t size)
{
    void **at = array;
    if (n < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*at, more * size);
    if (!grown)
        return false;
    *at = grown;
    *capacity = more;
    return true;
}

static inline bool ends_number(char c)
{
    return c == ':' || c == ',' || !c || c == '(' || c == ')';
}

/* Like number(), for numbers that mpg_digits() refuses: signs, blanks and many digits. */
static bool any_number(const char **p, int64_t min, int64_t max, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*p, &end, 10);
    if (end == *p || errno || !ends_number(*end) || *value < min || *value > max)
        return false;
    *p = *end == ':' || *end == ',' ? end + 1 : end;
    return true;
}

/* Parses a number from MIN to MAX at *P into *VALUE. Moves *P behind the number and a colon or comma after it. Returns
 * false if there is no valid number. */
static inline bool number(const char **p, int64_t min, int64_t max, int64_t *value)
{
    const char *end = mpg_digits(*p, value);
    if (end == *p)
        return any_number(p, min, max, value);
    if (!ends_number(*end) || *value < min || *value > max)
        return false;
    *p = *end == ':' || *end == ',' ? end + 1 : end;
    return true;
}

/* --- names --- */

static int add_name(struct prv_import *im, uint32_t type, uint32_t value, const char *name, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&im->name_numbers, type, value);
    if (slot && *slot)
        return 0; /* if a value has several names, the first counts */
    if (!slot || !grow(&im->names, im->name_number, &im->name_capacity, sizeof *im->names))
        return out_of_memory(err);
    struct prv_names *n = &im->names[im->name_number];
    *n = (struct prv_names){type, value, strdup(name), MPG_CALL_COUNT};
    if (!n->name)
        return out_of_memory(err);
    if (strncmp(name, "MPI_", 4) == 0)
        n->call = mpg_call_by_name(name + 4);
    *slot = ++im->name_number;
    return 0;
}

static int read_names(struct prv_import *im, struct mpg_line_reader *lines, struct mpg_error *err)
{
    char *line, *end;
    size_t n;
    uint32_t types[64], count = 0;
    bool in_values = false;
    for (int more; (more = mpg_line_reader_next(lines, &line, &n, err)) != 0;) {
        if (more < 0)
            return -1;
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "EVENT_TYPE", 10) == 0) {
            count = 0;
            in_values = false;
        } else if (strncmp(line, "VALUES", 6) == 0)
            in_values = true;
        const unsigned long first = strtoul(line, &end, 10);
        if (end == line)
            continue;
        if (!in_values) {
            const unsigned long type = strtoul(end, NULL, 10);
            if (type >= FIRST_MPI_TYPE && type <= LAST_MPI_TYPE && count < 64)
                types[count++] = (uint32_t)type;
            continue;
        }
        const char *name = end + strspn(end, " \t");
        for (uint32_t i = 0; i < count && first > 0 && *name && strlen(name) < 200; i++)
            if (add_name(im, types[i], (uint32_t)first, name, err) < 0)
                return -1;
    }
    return 0;
}

int mpg_prv_read_names(struct prv_import *im, struct mpg_error *err)
{
    char path[4096];
    size_t n = strlen(im->path);
    n -= n > 3 && strcmp(im->path + n - 3, ".gz") == 0 ? 3 : 0;
    n -= n > 4 && strncmp(im->path + n - 4, ".prv", 4) == 0 ? 4 : 0;
    if (snprintf(path, sizeof path, "%.*s.pcf", (int)n, im->path) >= (int)sizeof path)
        return mpg_error_set(err, "name too long");
    FILE *file = mpg_input_open(path);
    if (!file)
        return mpg_error_set(err, "the names of its calls are in %s, which cannot be opened", path);
    struct mpg_line_reader *lines = mpg_line_reader_new(file);
    const int status = lines ? read_names(im, lines, err) : out_of_memory(err);
    mpg_line_reader_free(lines);
    (void)fclose(file);
    return status;
}

/* --- header --- */

/* Reads the header from the list of nodes on: "N(CPUS,...):1:TASKS(THREADS:NODE,...)", which the number of communicators
 * may follow. Returns 0, or -1 with ERR. */
static int read_tasks(struct prv_import *im, const char *p, struct mpg_error *err)
{
    int64_t nodes, applications, tasks, threads, node;
    if (!number(&p, 1, 1 << 24, &nodes) || !(p = strchr(p, ')')) || p[1] != ':')
        return mpg_error_set(err, "its header has no nodes");
    p += 2;
    if (!number(&p, 1, 1 << 24, &applications))
        return mpg_error_set(err, "its header has no applications");
    if (applications != 1)
        return mpg_error_set(err, "%lld applications: mpgkit reads traces of one", (long long)applications);
    if (!number(&p, 1, MPG_BUILD_MAX_RANKS, &tasks) || *p != '(' || tasks > (int64_t)strlen(p))
        return mpg_error_set(err, "its header has no tasks");
    p++;
    im->ranks = (int32_t)tasks;
    im->rank = calloc((size_t)tasks, sizeof *im->rank);
    if (!im->rank)
        return out_of_memory(err);
    for (int32_t r = 0; r < im->ranks; r++) {
        if (!number(&p, 1, MAX_THREADS, &threads) || !number(&p, 1, 1 << 24, &node))
            return mpg_error_set(err, "its header has no threads of task %d", r + 1);
        im->rank[r].threads = (int32_t)threads;
        im->rank[r].node = (int32_t)node;
    }
    return 0;
}

static int read_header(struct prv_import *im, const char *line, struct mpg_error *err)
{
    const char *p = strstr(line, "):");
    char *end;
    if (strncmp(line, "#Paraver (", 10) != 0 || !p)
        return mpg_error_set(err, "no header of Paraver");
    (void)strtoll(p + 2, &end, 10);
    im->unit_ns = strncmp(end, "_ns", 3) == 0 ? 1 : 1000;
    if (!(p = strchr(end, ':')))
        return mpg_error_set(err, "its header has no nodes");
    return read_tasks(im, p + 1, err);
}

/* --- records --- */

/* Reads the line of a communicator, "c:APPLICATION:NUMBER:N:TASK...". P: after the first colon. */
static int read_comm(struct prv_import *im, const char *p, struct mpg_error *err)
{
    int64_t application, id, n, task;
    bool is_world = true;
    if (!number(&p, 1, 1, &application) || !number(&p, 1, 1 << 24, &id) || !number(&p, 1, im->ranks, &n))
        return mpg_error_set(err, "a communicator that is damaged");
    if (id != (int64_t)im->comm_number + 1)
        return mpg_error_set(err, "communicator %lld after %zu", (long long)id, im->comm_number);
    if (!grow(&im->comms, im->comm_number, &im->comm_capacity, sizeof *im->comms))
        return out_of_memory(err);
    struct mpg_foreign_comm *c = &im->comms[im->comm_number];
    *c = (struct mpg_foreign_comm){0, MPG_NO_COMM, (int32_t)n, calloc((size_t)n, sizeof(int32_t)), (int32_t)n};
    if (!c->members)
        return out_of_memory(err);
    im->comm_number++;
    for (int32_t i = 0; i < c->size; i++) {
        if (!number(&p, 1, im->ranks, &task))
            return mpg_error_set(err, "communicator %lld has fewer members than %lld", (long long)id, (long long)n);
        c->members[i] = (int32_t)task - 1;
        is_world = is_world && c->members[i] == i;
        uint64_t *position = task - 1 != i ? mpg_map_add(&im->positions, (uint64_t)id, (uint64_t)task - 1) : NULL;
        if (task - 1 != i && !position)
            return out_of_memory(err);
        if (position)
            *position = (uint64_t)i + 1;
    }
    if (is_world && c->size == im->ranks && !im->has_world) {
        im->has_world = true;
        return 0;
    }
    c->label = ++im->labels;
    return 0;
}

/* Reads "CPU:APPLICATION:TASK:THREAD" at *P and moves *P on. *TASK and *THREAD count from 0. Returns false if a number is
 * invalid. */
static bool object(const struct prv_import *im, const char **p, int32_t *task, int32_t *thread)
{
    int64_t cpu, application, t, h;
    if (!number(p, 0, 1 << 24, &cpu) || !number(p, 1, 1, &application) || !number(p, 1, im->ranks, &t) ||
        !number(p, 1, im->rank[t - 1].threads, &h))
        return false;
    *task = (int32_t)t - 1;
    *thread = (int32_t)h - 1;
    return true;
}

static bool time_of(const struct prv_import *im, const char **p, int64_t *ns)
{
    if (!number(p, 0, INT64_MAX / 8 / 1000, ns))
        return false;
    *ns *= im->unit_ns;
    return true;
}

/* Returns the entry of THREAD of TASK, added on first use: memory grows with the threads in records, not with the number
 * in the header. NULL: out of memory. */
static struct prv_thread *find_thread(struct prv_import *im, int32_t task, int32_t thread)
{
    uint64_t *place = thread == 0 ? &im->rank[task].first : mpg_map_add(&im->other_threads, (uint64_t)task, (uint64_t)thread);
    if (place && *place == 0 && grow(&im->threads, im->thread_number, &im->thread_capacity, sizeof *im->threads)) {
        im->threads[im->thread_number++] = (struct prv_thread){.is_open = false};
        *place = im->thread_number;
    }
    return place && *place ? &im->threads[*place - 1] : NULL;
}

/* If CALL is a collective, sets call->number; if the record says that CALL's rank is the root, notes the root for all
 * ranks' calls. Returns 0, or -1 with ERR. */
static int number_collective(struct prv_import *im, struct prv_call *call, struct mpg_error *err)
{
    const struct mpg_foreign_comm *comm = mpg_prv_comm_of(im, call);
    const int32_t task = (int32_t)call->task;
    uint64_t *number = comm ? mpg_map_add(&im->collectives, (uint64_t)call->comm, (uint64_t)task) : NULL;
    if (!comm || !number)
        return comm ? out_of_memory(err) : 0;
    call->number = (*number)++;
    if (!call->is_root)
        return 0;
    const int32_t position = mpg_prv_position_in(im, comm, task);
    if (position < 0)
        return mpg_error_set(err, "rank %d is the root of a communicator without it", task);
    uint64_t *root = position > 0 ? mpg_map_add(&im->roots, (uint64_t)call->comm, call->number) : NULL;
    if (position > 0 && !root)
        return out_of_memory(err);
    if (root)
        *root = (uint64_t)position;
    return 0;
}

/* Sends the calls held back in t->posting to the sorter of calls, with not_ns = NOT_NS. Returns 0, or -1 with ERR. */
static int keep_posting(struct prv_import *im, struct prv_thread *t, int64_t not_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < t->posting_number; i++) {
        t->posting[i].not_ns = not_ns;
        if (mpg_sorter_add(im->calls, &t->posting[i], err) < 0)
            return -1;
    }
    t->posting_number = 0;
    return 0;
}

/* Ends the open call of T at LEAVE_NS; -1: the trace ends inside the call. Returns 0, or -1 with ERR. */
static int end_call(struct prv_import *im, struct prv_thread *t, int64_t leave_ns, struct mpg_error *err)
{
    struct prv_call *call = &t->call;
    enum mpg_call which;
    const enum mpg_kind kind = mpg_prv_kind_of(im, call, &which);
    t->is_open = false;
    call->leave_ns = leave_ns;
    if (number_collective(im, call, err) < 0)
        return -1;
    /* with equal leaves this call has no duration, and the next call determines not_ns */
    if (t->posting_number > 0 && t->posting[0].leave_ns != leave_ns) {
        const bool receives = kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV || kind == MPG_KIND_MRECV;
        const int64_t not_ns = receives && call->enter_ns == t->posting[0].leave_ns ? leave_ns : -1;
        if (keep_posting(im, t, not_ns, err) < 0)
            return -1;
    }
    if (leave_ns < 0 || (kind != MPG_KIND_IRECV && kind != MPG_KIND_IMRECV && kind != MPG_KIND_ISENDRECV &&
                         kind != MPG_KIND_START))
        return mpg_sorter_add(im->calls, call, err);
    if (!grow(&t->posting, t->posting_number, &t->posting_capacity, sizeof *t->posting))
        return out_of_memory(err);
    t->posting[t->posting_number++] = *call;
    return 0;
}

/* Ends the open calls of all threads at the end of the file. */
static int end_threads(struct prv_import *im, struct mpg_error *err)
{
    for (size_t i = 0; i < im->thread_number; i++) {
        struct prv_thread *t = &im->threads[i];
        if ((t->is_open && end_call(im, t, -1, err) < 0) || keep_posting(im, t, -1, err) < 0)
            return -1;
    }
    return 0;
}

/* Handles an event at AT_NS of thread THREAD of TASK, state T: begins a call, or ends the open call (VALUE 0). */
static int take_call(struct prv_import *im, struct prv_thread *t, int32_t task, int32_t thread, int64_t at_ns, uint32_t type,
                     uint32_t value, struct mpg_error *err)
{
    if (t->is_open && (t->call.type == PRV_FLUSH) != (type == PRV_FLUSH)) {
        if (type == PRV_FLUSH) /* a flush inside a call is a part of the call */
            return 0;
        if (end_call(im, t, at_ns, err) < 0)
            return -1;
    }
    if (value == 0)
        return t->is_open ? end_call(im, t, at_ns, err) : 0;
    if (t->is_open)
        return mpg_error_set(err, "a call begins inside of another");
    t->call = (struct prv_call){.enter_ns = at_ns, .order = im->call_number++, .task = task,
                                .thread = (uint16_t)thread, .type = type, .value = value, .not_ns = -1};
    t->is_open = true;
    return 0;
}

/* Reads a line of events, "2:OBJECT:TIME:TYPE:VALUE...". P: after the first colon. */
static int read_events(struct prv_import *im, const char *p, struct mpg_error *err)
{
    int32_t task, thread;
    int64_t at_ns, type, value;
    if (!object(im, &p, &task, &thread) || !time_of(im, &p, &at_ns))
        return mpg_error_set(err, "an event that is damaged");
    struct prv_thread *t = find_thread(im, task, thread);
    if (!t)
        return out_of_memory(err);
    while (*p) {
        if (!number(&p, 0, UINT32_MAX, &type) || !number(&p, INT64_MIN, INT64_MAX, &value))
            return mpg_error_set(err, "an event that is damaged");
        struct prv_call *call = t->is_open ? &t->call : NULL;
        if ((type >= FIRST_MPI_TYPE && type <= LAST_MPI_TYPE) || type == PRV_FLUSH) {
            if (value < 0 || value > UINT32_MAX ||
                take_call(im, t, task, thread, at_ns, (uint32_t)type, (uint32_t)value, err) < 0)
                return *err->text ? -1 : mpg_error_set(err, "a call that is damaged");
        } else if (type == MODE && value == BURSTS)
            return mpg_error_set(err, "recorded in bursts mode: its MPI calls are missing");
        else if (call && type >= SENT && type <= COMM) {
            call->sent = type == SENT ? value : call->sent;
            call->received = type == RECEIVED ? value : call->received;
            call->is_root = type == ROOT ? value != 0 : call->is_root;
            call->comm = type == COMM && value > 0 && value <= INT32_MAX ? (int32_t)value : call->comm;
        }
    }
    return 0;
}

/* Reads the line of a message, "3:OBJECT:LOGICAL SEND:PHYSICAL SEND:OBJECT:LOGICAL RECEIVE:PHYSICAL RECEIVE:SIZE:TAG". P: after
 * the first colon. */
static int read_message(struct prv_import *im, const char *p, struct mpg_error *err)
{
    struct prv_message m = {.order = im->message_number++};
    int32_t source, destination, source_thread, destination_thread;
    if (!object(im, &p, &source, &source_thread) || !time_of(im, &p, &m.sent_ns) || !time_of(im, &p, &m.left_ns) ||
        !object(im, &p, &destination, &destination_thread) || !time_of(im, &p, &m.posted_ns) ||
        !time_of(im, &p, &m.received_ns) || !number(&p, 0, INT64_C(1) << 50, &m.bytes) ||
        !number(&p, INT32_MIN, INT32_MAX, &m.tag))
        return mpg_error_set(err, "a message that is damaged");
    m.channel = mpg_sorter_pair(source, destination);
    m.tag = m.tag < 0 ? 0 : m.tag;
    m.source_thread = (uint16_t)source_thread;
    m.destination_thread = (uint16_t)destination_thread;
    return mpg_sorter_add(im->channels, &m, err);
}

static int read_record(struct prv_import *im, const char *line, struct mpg_error *err)
{
    err->text[0] = '\0';
    if (line[0] && line[1] != ':')
        return *line == '#' ? 0 : mpg_error_set(err, "no record of Paraver");
    switch (*line) {
    case 'c':
        return read_comm(im, line + 2, err);
    case 'i':
    case '1':
    case '\0':
        return 0;
    case '2':
        return read_events(im, line + 2, err);
    case '3':
        return read_message(im, line + 2, err);
    default:
        return mpg_error_set(err, "no record of Paraver");
    }
}

int mpg_prv_read(struct prv_import *im, FILE *in, struct mpg_error *err)
{
    struct mpg_line_reader *lines = mpg_line_reader_new(in);
    char *line;
    size_t n;
    int status = lines ? 0 : out_of_memory(err);
    for (int more; status == 0 && (more = mpg_line_reader_next(lines, &line, &n, err)) != 0;) {
        if (more > 0 && mpg_line_reader_has(lines, '\0'))
            status = mpg_error_set(err, "holds a zero byte, which no text has");
        if (more < 0 || status < 0) {
            status = -1;
            break;
        }
        mpg_line_reader_chomp(lines);
        status = im->rank ? read_record(im, line, err) : read_header(im, line, err);
    }
    if (status < 0 && lines)
        mpg_error_prefix(err, "line %lu", mpg_line_reader_number(lines));
    else if (status == 0)
        status = im->rank ? end_threads(im, err) : mpg_error_set(err, "no header of Paraver");
    mpg_line_reader_free(lines);
    return status;
}
