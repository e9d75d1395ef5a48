/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callbacks of the OpenMP runtime, in the threads of the program. Callbacks take no lock except a record's lock, and allocate
 * only for a new region or a larger team. */
#define _GNU_SOURCE /* for RTLD_NEXT, dl_iterate_phdr() */
#include "trace/pmpi/openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "common/peek.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/facts.h"
#include "trace/pmpi/ompt.h"
#include "trace/pmpi/parallel.h"
#include "trace/pmpi/regions.h"
#include "trace/pmpi/report.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/tracer.h"

enum { MAX_WAITS = 8, LINE = 64, MIN_SLOTS = 16 };

/* A thread's part in the current visit of a region; a separate cache line for each thread. */
struct slot {
    _Alignas(LINE) int64_t begin_ns; /* 0: the thread has not begun */
    int64_t work_ns, calls_ns; /* CALLS: time in calls of MPI, which is neither work nor wait */
};

/* The team of a thread that encounters parallel regions, one region at a time. Never freed: a late thread may still write. */
struct team {
    struct slot *slot;
    /* THREADS: number of threads of this visit; 0 until the encountering thread's implicit task begins */
    uint32_t capacity, threads;
    struct tracer_scope scope;  /* begin of this visit */
    struct parallel_region *region; /* region of this visit, or of the last visit */
    const void *place;          /* the place of `region` */
};

/* State of a thread. */
struct thread {
    struct team *team;  /* the team of the regions encountered by this thread */
    bool open;          /* a region of `team` is open */
    struct slot *slot;  /* the thread's part in a region; NULL: outside of recorded regions */
    int64_t since_ns;   /* end of the last wait, or begin of the part */
    int64_t calls_ns;   /* total time in calls of MPI until since_ns */
    bool works;         /* the thread has not waited since since_ns */
    int waits;          /* number of barriers or other synchronizations in which tasks of the thread wait now */
    const ompt_data_t *wait[MAX_WAITS]; /* the waiting tasks, innermost last */
};
static __thread struct thread thread __attribute__((tls_model("initial-exec")));

static struct {
    const struct stream_thread *main; /* the thread that called MPI_Init */
    bool traced;                      /* a runtime has accepted the tracer as a tool */
    char runtime[LINE];               /* name of the runtime, or the file name of a runtime without tool interface */
    /* Numbers of the process's threads, without threads started by MPI_Init: before MPI_Init, and at MPI_Finalize. */
    int own_before, own_end;
    int of_mpi;                       /* number of threads that MPI_Init started */
    int unseen;                       /* number of threads invisible to the tracer; 0: none */
} openmp;

/* --- work and waits of a thread --- */

static void stop_work(struct thread *t)
{
    if (t->works) {
        const int64_t calls_ns = stream_thread.in_calls_ns - t->calls_ns;
        t->slot->work_ns += clock_now_ns() - t->since_ns - calls_ns;
        t->slot->calls_ns += calls_ns;
    }
    t->works = false;
}

static void resume_work(struct thread *t)
{
    if (!t->works) {
        t->since_ns = clock_now_ns();
        t->calls_ns = stream_thread.in_calls_ns;
    }
    t->works = true;
}

static void sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *place)
{
    struct thread *t = &thread;
    (void)place;
    if (!t->slot || kind == ompt_sync_region_reduction)
        return;
    if (endpoint == ompt_scope_begin) {
        stop_work(t);
        if (t->waits < MAX_WAITS)
            t->wait[t->waits] = task;
        t->waits++;
    } else if (!parallel) /* the barrier that has ended the region: the slot may be in use again */
        t->slot = NULL;
    else {
        t->waits -= t->waits > 0;
        resume_work(t);
    }
}

/* A waiting thread executes other tasks meanwhile, which is work. */
static void task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
    struct thread *t = &thread;
    (void)prior, (void)status;
    if (!t->slot || t->waits == 0 || !next)
        return;
    if (t->waits <= MAX_WAITS && t->wait[t->waits - 1] == next)
        stop_work(t);
    else
        resume_work(t);
}

/* --- regions --- */

/* Returns whether a region encountered by this thread is recorded: the stream must belong to this thread. */
static bool is_recorded(const struct thread *t)
{
    const struct stream_thread *s = &stream_thread;
    return streams.on && !t->open && !t->slot && s->stream && s->depth == 0 && (streams.threads || s == openmp.main);
}

/* Returns the team of T with room for THREADS threads; NULL: out of memory. */
static struct team *team_of(struct thread *t, uint32_t threads)
{
    if (!t->team && !(t->team = calloc(1, sizeof *t->team)))
        return NULL;
    if (threads > t->team->capacity) {
        const uint32_t capacity = threads > MIN_SLOTS ? threads : MIN_SLOTS;
        char *bytes = calloc(capacity + 1, sizeof(struct slot)); /* aligned to 16 bytes only */
        if (!bytes)
            return NULL;
        t->team->slot = (struct slot *)(void *)(bytes + (LINE - (uintptr_t)bytes % LINE) % LINE);
        t->team->capacity = capacity;
    }
    return t->team;
}

/* Sets frame addresses of the program's call into the runtime, if the runtime gives the frame pointer of a runtime function with
 * the usual frame layout of x86-64 (System V ABI, 3.2.2); else both become NULL. The flags of LLVM 14 do not show which address a
 * runtime gives. */
static void find_frame(const ompt_frame_t *task, const void *place, const void **frame, const void **base)
{
    *frame = *base = NULL;
#if defined(__x86_64__) && defined(__LP64__)
    const void *const *const at = task ? task->enter_frame.ptr : NULL;
    if (at && (uintptr_t)at % sizeof *at == 0 && at[1] == place) {
        *base = at;
        *frame = at + 2;
    }
#else
    (void)task, (void)place;
#endif
}

static void parallel_begin(ompt_data_t *encountering, const ompt_frame_t *task, ompt_data_t *parallel, unsigned requested,
                           int flags, const void *place)
{
    struct thread *t = &thread;
    const void *frame, *base;
    (void)encountering;
    struct team *team = !(flags & ompt_parallel_league) && is_recorded(t) ? team_of(t, requested > 0 ? requested : 1) : NULL;
    if (!team)
        return;
    find_frame(task, place, &frame, &base);
    for (uint32_t i = 0; i < team->capacity; i++)
        team->slot[i] = (struct slot){.begin_ns = 0};
    team->threads = 0;
    team->scope = tracer_enter(MPG_CALL_Region_begin, place, frame, base);
    t->open = tracer_leave(&team->scope, MPI_SUCCESS);
    stream_thread.entering_ns = -1; /* no sample of the tracer's overhead: the runtime works before the event is written */
    parallel->ptr = t->open ? team : NULL;
}

/* Writes the begin of TEAM's region, after the number of threads became known. */
static void write_begin(struct team *team, uint32_t threads)
{
    const void *place = team->scope.return_address;
    if (!tracer_lock())
        return;
    if (!team->region || team->place != place || team->region->threads != threads)
        team->region = parallel_find(place, threads);
    team->place = place;
    tracer_unlock();
    if (!team->region) {
        tracer_out_of_memory();
        return;
    }
    team->threads = threads;
    regions_record(&team->scope, true, team->region->name, strlen(team->region->name));
}

static void implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned threads, unsigned index, int flags)
{
    struct thread *t = &thread;
    struct team *team = parallel ? parallel->ptr : NULL;
    (void)task;
    if (!(flags & ompt_task_implicit))
        return;
    if (endpoint == ompt_scope_begin && team && !t->slot) {
        if (team == t->team && t->open)
            write_begin(team, threads);
        if (index >= team->capacity)
            return;
        t->slot = &team->slot[index];
        t->waits = 0;
        t->works = false;
        resume_work(t);
        t->slot->begin_ns = t->since_ns;
    } else if (endpoint == ompt_scope_end && t->slot && (team || (t->open && threads <= 1 && index == 0))) {
        stop_work(t);
        t->slot = NULL;
    }
}

/* Adds the ended visit of TEAM to the visit's region. */
static void add_visit(const struct team *team, int64_t end_ns)
{
    struct parallel_region *r = team->region;
    int64_t longest_ns = 0;
    for (uint32_t i = 0; i < r->threads && i < team->capacity; i++) {
        const struct slot *s = &team->slot[i];
        if (s->begin_ns == 0)
            continue;
        const int64_t wait_ns = end_ns - s->begin_ns - s->work_ns - s->calls_ns;
        r->thread[i].work_ns += s->work_ns;
        r->thread[i].calls_ns += s->calls_ns;
        r->thread[i].wait_ns += wait_ns > 0 ? wait_ns : 0;
        longest_ns = s->work_ns > longest_ns ? s->work_ns : longest_ns;
    }
    const int64_t time_ns = end_ns - team->scope.enter_ns;
    r->visits++;
    r->time_ns += time_ns;
    r->longest_ns += longest_ns < time_ns ? longest_ns : time_ns;
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *encountering, int flags, const void *place)
{
    struct thread *t = &thread;
    struct team *team = parallel->ptr;
    (void)encountering, (void)flags, (void)place;
    if (!team || team != t->team || !t->open)
        return;
    parallel->ptr = NULL;
    t->open = false;
    if (t->slot) {
        stop_work(t);
        t->slot = NULL;
    }
    if (team->threads == 0)
        return;
    const struct tracer_scope *began = &team->scope;
    struct tracer_scope s = tracer_enter(MPG_CALL_Region_end, began->return_address, began->frame, began->base);
    const bool records = tracer_leave(&s, MPI_SUCCESS);
    const bool is_recorded = records && began->enter_ns && s.enter_ns; /* 0: recording was paused */
    if (is_recorded && tracer_lock()) {
        add_visit(team, s.enter_ns);
        tracer_unlock();
    }
    regions_record(&s, records, team->region->name, strlen(team->region->name));
}

/* --- activation --- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data)
{
    const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)tool_data;
    if (!set)
        return 0;
    set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)sync_region_wait);
    set(ompt_callback_task_schedule, (ompt_callback_t)task_schedule);
    openmp.traced = true;
    return 1;
}

static void finalize(ompt_data_t *tool_data)
{
    (void)tool_data;
}

/* The runtime accepts a single tool: a tool of the program's user has precedence. */
__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    typedef ompt_start_tool_result_t *start_tool(unsigned, const char *);
    static ompt_start_tool_result_t own = {.initialize = initialize, .finalize = finalize};
    start_tool *next = (start_tool *)dlsym(RTLD_NEXT, "ompt_start_tool");
    ompt_start_tool_result_t *other = next && next != ompt_start_tool ? next(version, runtime) : NULL;
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    if (other)
        return other;
    snprintf(openmp.runtime, sizeof openmp.runtime, "%s", runtime ? runtime : "");
    return libraries && *libraries ? NULL : &own;
}

/* --- the end, and runtimes without a tool interface --- */

/* Stores the file name of an OpenMP runtime among the loaded MODULEs in FOUND, of LINE bytes. */
static int is_runtime(struct dl_phdr_info *module, size_t size, void *found)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libomp-", "libiomp5.so"};
    const char *slash = module->dlpi_name ? strrchr(module->dlpi_name, '/') : NULL;
    (void)size;
    for (size_t i = 0; slash && i < sizeof names / sizeof *names; i++)
        if (strncmp(slash + 1, names[i], strlen(names[i])) == 0)
            return snprintf(found, LINE, "%s", slash + 1), 1;
    return 0;
}

/* Returns the number of threads of the process; 0: unknown. */
static int count_tasks(void)
{
    char text[4096];
    int number = 0;
    mpg_peek("/proc/self/status", text, sizeof text);
    const char *line = strstr(text, "\nThreads:");
    return line && sscanf(line, "\nThreads: %d", &number) == 1 ? number : 0;
}

void openmp_before_init(void)
{
    openmp.own_before = count_tasks();
}

void openmp_start(void)
{
    openmp.main = &stream_thread;
    openmp.of_mpi = count_tasks() - openmp.own_before;
}

void openmp_end(void)
{
    openmp.own_end = count_tasks() - openmp.of_mpi;
}

/* Writes the default number of threads of a region. Asks only a runtime that has already begun. */
static int write_max_threads(struct mpg_trace_writer *w, struct mpg_error *err)
{
    int (*max_threads)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    char text[32];
    snprintf(text, sizeof text, "%d", max_threads ? max_threads() : 0);
    return max_threads ? facts_write(w, "openmp_threads", text, err) : 0;
}

int openmp_write(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char cores[512], numbers[64], runtime[LINE + 16];
    if (!openmp.traced && dl_iterate_phdr(is_runtime, openmp.runtime) == 0)
        return 0;
    const bool is_gnu = strncmp(openmp.runtime, "libgomp", 7) == 0;
    if (!openmp.traced && !is_gnu && openmp.own_end <= 1)
        return 0; /* loaded, but not used */
    openmp.unseen = openmp.traced || openmp.own_end <= 1 ? 0 : openmp.own_end;
    snprintf(runtime, sizeof runtime, "%s %s", openmp.traced ? "traced" : "untraced", openmp.runtime);
    snprintf(numbers, sizeof numbers, "%d %d", openmp.own_before, openmp.own_end);
    mpg_machine_cores(cores, sizeof cores);
    if (facts_write(w, "openmp", runtime, err) < 0 || facts_write(w, "process_threads", numbers, err) < 0 ||
        (*cores && facts_write(w, "cores_end", cores, err) < 0))
        return -1;
    if ((openmp.traced || is_gnu) && write_max_threads(w, err) < 0)
        return -1;
    return parallel_write(w, err);
}

void openmp_report(void)
{
    if (openmp.unseen > 0)
        report("rank 0 has %d threads of %s, which tells tools nothing: regions, work and waits of threads are not in the trace "
               "(with LLVM's libomp they are)", openmp.unseen, openmp.runtime);
}
