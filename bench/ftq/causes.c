/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bench/ftq/causes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <event-parse.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <tracefs.h>
#include <unistd.h>

#include "bench/harness/results_file.h"
#include "common/reserve.h"

/* Maximum nesting: task, soft interrupt, interrupt, interrupt within an interrupt. */
enum { DEPTH = 8 };
/* The kernel's buffer of a core: bytes for each second of a record, and the limits. */
#define BUFFER_BYTES_PER_S 2e6
#define MIN_BUFFER_BYTES 4e6
#define MAX_BUFFER_BYTES 64e6
#define INSTANCE "mpgkit-"

/* Time of a cause on a core: from the preceding event to the current event. */
struct interval {
    uint64_t start, end;
    int cause;
    int task; /* the running or interrupted task: OWN, or the task's cause */
};

struct core {
    int number;
    pid_t thread;      /* the measuring thread; 0: unknown yet */
    bool is_on;        /* the first event has come */
    uint64_t last;     /* time of the last event */
    int stack[DEPTH];  /* causes under way; [0] is the task's */
    int depth;         /* number of causes under way beyond the task's; causes beyond DEPTH are not stored */
    struct interval *interval;
    size_t n, capacity;
    size_t next;       /* first interval that can concern the next detour */
    uint64_t lost;
};

struct mpg_causes {
    const struct mpg_timer *timer;
    struct tracefs_instance *instance;
    char name[MPG_CAUSES_MAX][MPG_CAUSE_BYTES];
    int names;
    int cores;
    bool out_of_memory;
    struct mpg_cause_span *part; /* of the last detour */
    size_t parts, parts_capacity;
    struct core core[];
};

enum { OWN = -1 }; /* the cause while the measuring thread runs */

static char instance_path[4096]; /* for the signal handler; empty: none */

void mpg_causes_remove(void)
{
    if (instance_path[0])
        (void)rmdir(instance_path);
}

/* --- names --- */

/* Returns the number of the cause KIND NAME, adding a new cause. Characters that would break a line or a list are replaced. */
static int cause_of(struct mpg_causes *c, const char *kind, const char *name)
{
    char text[MPG_CAUSE_BYTES];
    snprintf(text, sizeof text, "%s%s", kind, name);
    for (char *p = text; *p; p++)
        *p = !isascii(*p) || !isprint((unsigned char)*p) || *p == ',' ? '_' : *p;
    for (int i = 0; i < c->names; i++)
        if (strcmp(c->name[i], text) == 0)
            return i;
    if (c->names == MPG_CAUSES_MAX)
        return MPG_CAUSE_UNSEEN;
    strcpy(c->name[c->names], text);
    return c->names++;
}

/* The cause of a task: the task's name up to a slash (kworker/0:1). The kernel's idle task: the measuring thread waited, for
 * example for a page. */
static int cause_of_task(struct mpg_causes *c, const char *comm, int bytes)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", bytes, comm);
    name[strcspn(name, "/")] = '\0';
    return strcmp(name, "swapper") == 0 ? cause_of(c, "idle core", "") : cause_of(c, "task ", name);
}

static int cause_of_softirq(struct mpg_causes *c, unsigned long long vector)
{
    static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    return cause_of(c, "softirq ", vector < sizeof names / sizeof *names ? names[vector] : "?");
}

/* The cause of an entry in irq_vectors, NAME without "_entry". */
static int cause_of_vector(struct mpg_causes *c, const char *name, int bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%.*s", bytes, name);
    return strcmp(text, "local_timer") == 0 ? cause_of(c, "timer tick", "") : cause_of(c, "interrupt ", text);
}

/* --- intervals --- */

/* Adds the time from the last event to AT to the cause that is under way. */
static void add_interval(struct mpg_causes *c, struct core *core, uint64_t at)
{
    const int depth = core->depth < DEPTH ? core->depth : DEPTH - 1, cause = core->stack[depth];
    if (core->is_on && cause != OWN && at > core->last) {
        if (mpg_grow(&core->interval, core->n, &core->capacity, sizeof *core->interval, &(struct mpg_error){""}) < 0) {
            c->out_of_memory = true;
            return;
        }
        core->interval[core->n++] = (struct interval){core->last, at, cause, core->stack[0]};
    }
    core->is_on = true;
    core->last = at;
}

static void enter(struct core *core, int cause)
{
    if (++core->depth < DEPTH)
        core->stack[core->depth] = cause;
}

static void leave(struct core *core)
{
    if (core->depth > 0)
        core->depth--;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Returns the number in FIELD of the event; 0: no such field. */
static unsigned long long number_of(struct tep_event *event, struct tep_record *record, const char *field)
{
    unsigned long long value = 0;
    return tep_get_field_val(NULL, event, field, record, &value, 0) == 0 ? value : 0;
}

static void enter_irq(struct mpg_causes *c, struct core *core, struct tep_event *event, struct tep_record *record)
{
    char name[MPG_CAUSE_BYTES + 16];
    int bytes = 0;
    const char *device = tep_get_field_raw(NULL, event, "name", record, &bytes, 0);
    snprintf(name, sizeof name, "%llu %.*s", number_of(event, record, "irq"), device ? bytes : 0, device ? device : "");
    enter(core, cause_of(c, "irq ", name));
}

static void switch_task(struct mpg_causes *c, struct core *core, struct tep_event *event, struct tep_record *record)
{
    int bytes = 0;
    const char *comm = tep_get_field_raw(NULL, event, "next_comm", record, &bytes, 0);
    core->depth = 0;
    core->stack[0] = (pid_t)number_of(event, record, "next_pid") == core->thread ? OWN
                     : cause_of_task(c, comm ? comm : "?", comm ? bytes : 1);
}

static int take_event(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
    struct mpg_causes *c = context;
    struct core *core = c->core;
    while (core < c->core + c->cores && core->number != cpu)
        core++;
    if (core == c->core + c->cores)
        return 0;
    if (record->missed_events) { /* unknown what ran meanwhile; -1: unknown number of missed events */
        core->lost += record->missed_events > 0 ? (uint64_t)record->missed_events : 1;
        core->is_on = false;
        core->depth = 0;
    }
    add_interval(c, core, record->ts);
    const bool begins = ends_with(event->name, "_entry");
    if (strcmp(event->name, "sched_switch") == 0)
        switch_task(c, core, event, record);
    else if (!begins)
        leave(core);
    else if (strcmp(event->name, "irq_handler_entry") == 0)
        enter_irq(c, core, event, record);
    else if (strcmp(event->name, "softirq_entry") == 0)
        enter(core, cause_of_softirq(c, number_of(event, record, "vec")));
    else
        enter(core, cause_of_vector(c, event->name, (int)(strlen(event->name) - strlen("_entry"))));
    return c->out_of_memory ? -1 : 0;
}

/* --- the kernel's trace --- */

/* Removes instances of processes that ended without removing them. */
static int remove_dead(const char *name, void *context)
{
    (void)context;
    char *end;
    const long pid = strncmp(name, INSTANCE, strlen(INSTANCE)) == 0 ? strtol(name + strlen(INSTANCE), &end, 10) : 0;
    if (pid <= 0 || *end || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
        return 0;
    struct tracefs_instance *dead = tracefs_instance_alloc(NULL, name);
    if (dead) {
        char *path = tracefs_instance_get_dir(dead);
        if (path)
            (void)rmdir(path);
        free(path);
        tracefs_instance_free(dead);
    }
    return 0;
}

/* Returns the name of the kernel's trace clock that counts TIMER's ticks; NULL: no such clock. */
static const char *clock_of(const struct mpg_timer *timer)
{
    switch (timer->kind) {
    case MPG_TIMER_RDTSCP:
    case MPG_TIMER_RDTSC: return "x86-tsc";
    case MPG_TIMER_CLOCK: return "mono";
    default: return NULL;
    }
}

static int set_up(struct mpg_causes *c, double duration_ns, struct mpg_error *err)
{
    static const char *const events[][2] = {{"sched", "sched_switch"},    {"irq", "irq_handler_entry"},
                                            {"irq", "irq_handler_exit"},  {"irq", "softirq_entry"},
                                            {"irq", "softirq_exit"},      {"irq_vectors", ".*_entry"},
                                            {"irq_vectors", ".*_exit"}};
    const char *clock = clock_of(c->timer);
    char wanted[64];
    cpu_set_t set;
    CPU_ZERO(&set);
    if (!clock)
        return mpg_error_set(err, "--causes: the kernel's trace has no clock that equals %s: choose --timer=clock",
                             mpg_timer_describe(c->timer));
    if (tracefs_instance_file_write(c->instance, "tracing_on", "0") < 0 ||
        tracefs_instance_file_write(c->instance, "trace_clock", clock) < 0)
        return mpg_error_errno(err, errno, "--causes: cannot set the trace clock %s", clock);
    const double kib = fmin(fmax(duration_ns * 1e-9 * BUFFER_BYTES_PER_S, MIN_BUFFER_BYTES), MAX_BUFFER_BYTES) / 1024;
    snprintf(wanted, sizeof wanted, "%.0f", kib);
    for (int i = 0; i < c->cores; i++) {
        char file[64];
        snprintf(file, sizeof file, "per_cpu/cpu%d/buffer_size_kb", c->core[i].number);
        if (tracefs_instance_file_write(c->instance, file, wanted) < 0)
            return mpg_error_errno(err, errno, "--causes: cannot make a trace buffer of %s KiB for core %d", wanted,
                                   c->core[i].number);
        CPU_SET(c->core[i].number, &set);
    }
    if (tracefs_instance_set_affinity_set(c->instance, &set, sizeof set) < 0)
        return mpg_error_errno(err, errno, "--causes: cannot choose the cores to trace");
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (tracefs_event_enable(c->instance, events[i][0], events[i][1]) < 0 && strcmp(events[i][0], "irq_vectors") != 0)
            return mpg_error_errno(err, errno, "--causes: the kernel has no trace event %s:%s", events[i][0], events[i][1]);
    if (tracefs_instance_file_write(c->instance, "tracing_on", "1") < 0)
        return mpg_error_errno(err, errno, "--causes: cannot start the kernel's trace");
    return 0;
}

static struct mpg_causes *start(const int *core, int n, const struct mpg_timer *timer, double duration_ns,
                                struct mpg_error *err)
{
    char name[32];
    struct mpg_causes *c = calloc(1, sizeof *c + (size_t)n * sizeof *c->core);
    if (!c) {
        mpg_error_set(err, "out of memory for the causes of %d cores", n);
        return NULL;
    }
    c->timer = timer;
    c->cores = n;
    cause_of(c, "unseen", "");
    cause_of(c, "hypervisor", "");
    for (int i = 0; i < n; i++)
        c->core[i] = (struct core){.number = core[i], .stack = {OWN}};
    snprintf(name, sizeof name, INSTANCE "%ld", (long)getpid());
    errno = 0;
    if (!tracefs_tracing_dir()) {
        mpg_error_set(err, "--causes: tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing, as root)");
        mpg_causes_free(c);
        return NULL;
    }
    tracefs_instances_walk(remove_dead, NULL);
    c->instance = tracefs_instance_create(name);
    if (!c->instance) {
        mpg_error_errno(err, errno, "--causes: cannot trace interrupts in %s (root may)", tracefs_tracing_dir());
        mpg_causes_free(c);
        return NULL;
    }
    char *path = tracefs_instance_get_dir(c->instance);
    snprintf(instance_path, sizeof instance_path, "%s", path ? path : "");
    free(path);
    if (set_up(c, duration_ns, err) < 0) {
        mpg_causes_free(c);
        return NULL;
    }
    return c;
}

struct mpg_causes *mpg_causes_start(const int *core, int n, const struct mpg_timer *timer, double duration_ns,
                                    struct mpg_error *err)
{
    sigset_t before; /* an instance whose files are open could not be removed by the signal handler */
    mpg_results_file_block_interrupts(&before);
    struct mpg_causes *c = start(core, n, timer, duration_ns, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return c;
}

void mpg_causes_measured_by_me(struct mpg_causes *c, int i)
{
    c->core[i].thread = (pid_t)syscall(SYS_gettid);
}

static int stop(struct mpg_causes *c, struct mpg_error *err)
{
    static const char *const systems[] = {"sched", "irq", "irq_vectors", NULL};
    (void)tracefs_instance_file_write(c->instance, "tracing_on", "0");
    struct tep_handle *tep = tracefs_local_events_system(NULL, systems);
    if (!tep)
        return mpg_error_set(err, "--causes: cannot read the formats of the kernel's trace events");
    const int status = tracefs_iterate_raw_events(tep, c->instance, NULL, 0, take_event, c);
    tep_free(tep);
    if (c->out_of_memory)
        return mpg_error_set(err, "out of memory for the causes of detours");
    return status < 0 ? mpg_error_set(err, "--causes: cannot read the kernel's trace") : 0;
}

int mpg_causes_stop(struct mpg_causes *c, struct mpg_error *err)
{
    sigset_t before;
    mpg_results_file_block_interrupts(&before);
    const int status = stop(c, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Returns the cause of PART of a detour on CORE. */
static int cause_of_part(const struct mpg_causes *c, const struct core *core, const struct mpg_cause_span *part)
{
    double by_cause[MPG_CAUSES_MAX] = {0}, traced = 0, tasks = 0;
    const double length = (double)(part->end - part->start), ns = c->timer->ns_per_tick;
    int largest = MPG_CAUSE_UNSEEN;
    for (size_t k = core->next; k < core->n && core->interval[k].start < part->end; k++) {
        const struct interval *x = &core->interval[k];
        const double time = x->end <= part->start ? 0
                            : (double)(x->end < part->end ? x->end : part->end) -
                                  (double)(x->start > part->start ? x->start : part->start);
        by_cause[x->cause] += time;
        traced += time;
        tasks += x->task != OWN ? time : 0;
        if (by_cause[x->cause] > by_cause[largest])
            largest = x->cause;
    }
    if (part->off_ns >= length * ns / 2 && tasks < length / 2)
        return MPG_CAUSE_HYPERVISOR;
    return traced >= length / 2 || (traced > 0 && (length - traced) * ns <= MPG_CAUSE_MARGIN_NS) ? largest : MPG_CAUSE_UNSEEN;
}

static bool add_part(struct mpg_causes *c, uint64_t start, uint64_t end)
{
    if (mpg_grow(&c->part, c->parts, &c->parts_capacity, sizeof *c->part, &(struct mpg_error){""}) < 0)
        return false;
    c->part[c->parts++] = (struct mpg_cause_span){.start = start, .end = end};
    return true;
}

/* Divides DETOUR where tasks take turns. A part that would last less than the margin belongs to the part before. */
static bool divide(struct mpg_causes *c, const struct core *core, const struct mpg_cause_span *detour)
{
    const uint64_t margin = (uint64_t)(MPG_CAUSE_MARGIN_NS / c->timer->ns_per_tick);
    uint64_t start = detour->start;
    int task = OWN;
    c->parts = 0;
    for (size_t k = core->next; k < core->n && core->interval[k].start < detour->end; k++) {
        const struct interval *x = &core->interval[k];
        if (x->task != task && x->start > start + margin && x->start + margin < detour->end) {
            if (!add_part(c, start, x->start))
                return false;
            start = x->start;
        }
        task = x->task;
    }
    return add_part(c, start, detour->end);
}

int mpg_causes_of(struct mpg_causes *c, int i, const struct mpg_cause_span *detour, const struct mpg_cause_span **part)
{
    struct core *core = &c->core[i];
    const double ns = c->timer->ns_per_tick, length = (double)(detour->end - detour->start);
    while (core->next < core->n && core->interval[core->next].end <= detour->start)
        core->next++;
    if (!divide(c, core, detour))
        return -1;
    for (size_t k = 0; k < c->parts; k++) {
        struct mpg_cause_span *p = &c->part[k];
        p->off_ns = length > 0 ? detour->off_ns * (double)(p->end - p->start) / length : detour->off_ns;
        p->off_ns = fmin(p->off_ns, (double)(p->end - p->start) * ns);
        p->cause = cause_of_part(c, core, p);
    }
    *part = c->part;
    return (int)c->parts;
}

int mpg_causes_names(const struct mpg_causes *c, const char (**name)[MPG_CAUSE_BYTES])
{
    *name = c->name;
    return c->names;
}

uint64_t mpg_causes_lost(const struct mpg_causes *c, int i)
{
    return c->core[i].lost;
}

void mpg_causes_free(struct mpg_causes *c)
{
    if (!c)
        return;
    if (c->instance) {
        (void)tracefs_instance_file_write(c->instance, "tracing_on", "0");
        (void)tracefs_instance_destroy(c->instance);
        tracefs_instance_free(c->instance);
        instance_path[0] = '\0';
    }
    for (int i = 0; i < c->cores; i++)
        free(c->core[i].interval);
    free(c->part);
    free(c);
}
