/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that loses its CPU and measures its off-CPU time: off_cpu PART, on two ranks.
 *   crowded: rank 1 computes on rank 0's core while rank 0 computes, polls MPI_Wtime, and waits in MPI_Recv
 *   competing: both ranks, on one core, compute between barriers
 *   threads: two threads of rank 0, on one core, compute between their messages
 *   asleep: rank 0 sleeps between calls, and is stopped (SIGSTOP) in one call: only the run-queue time
 *     afterwards counts
 *   signals: a signal handler runs in each interval: no off-CPU time
 *   taken: another user occupies rseq_cs, before and after MPI_Init
 *   forked: a child process computes and ends
 *   killed: like crowded, then the process is killed
 * Prints "RANK THREAD WHERE MIN MAX ON SMALL", times in ns from the system's counters at both ends of WHERE.
 * MIN and MAX are bounds on the off-CPU time. MAX is wall time minus CPU time; MIN is the run-queue time,
 * or MAX if the thread did not give up its CPU voluntarily. ON is CPU time. SMALL is the sum of losses while
 * polling that may be too short for the tracer. WHERE is "call TAG" (MPI_Recv with this tag), "before TAG"
 * (computation before the call with this tag) or "all" (first to last reading). */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MS = 1000000,
    RIVAL_MS = 30,   /* for how long rank 1 computes on rank 0's core */
    COMPUTE_MS = 150,
    DELAY_MS = 10,   /* delay before that, in which rank 0 reaches the call or interval under test */
    SLEEP_MS = 20,
    SLEEPS = 5,
    STOP_MS = 50,    /* for how long rank 0 is stopped */
    PIECES = 60,
    SMALL_NS = 200000, /* a loss below this, found between two polls, may be the sum of several short losses */
    SIGNALS = 20
};

static int rank;
static int64_t small_ns; /* sum of losses below SMALL_NS */

struct reading {
    int64_t wall_ns, cpu_ns, queued_ns, small_ns;
    long voluntary;
};

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns this thread's time in the run queue in ns; 0 if the system does not tell. */
static int64_t read_queued_ns(void)
{
    long long queued_ns = 0;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (f && fscanf(f, "%*d %lld", &queued_ns) != 1)
        queued_ns = 0;
    if (f)
        fclose(f);
    return queued_ns;
}

/* Reads clocks and counters at the begin or the end of WHERE. Opening the file for the run queue may block; it is read
 * so that both opens lie inside of WHERE. */
static struct reading read_all(bool at_end)
{
    struct rusage r;
    struct reading now = {.queued_ns = at_end ? read_queued_ns() : 0, .small_ns = small_ns};
    getrusage(RUSAGE_THREAD, &r);
    now.voluntary = r.ru_nvcsw;
    now.wall_ns = read_ns(CLOCK_MONOTONIC_RAW);
    now.cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!at_end)
        now.queued_ns = read_queued_ns();
    return now;
}

static void say(int thread, const char *where, struct reading begin, struct reading end)
{
    const int64_t on_ns = end.cpu_ns - begin.cpu_ns, max_ns = end.wall_ns - begin.wall_ns - on_ns;
    const int64_t min_ns =
        end.voluntary == begin.voluntary ? max_ns : end.queued_ns - begin.queued_ns;
    printf("%d %d %s %lld %lld %lld %lld\n", rank, thread, where, (long long)min_ns, (long long)max_ns,
           (long long)on_ns, (long long)(end.small_ns - begin.small_ns));
}

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "off_cpu: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* Computes until MS ms of wall time have passed. */
static void compute_until_wall(int ms)
{
    const int64_t end_ns = read_ns(CLOCK_MONOTONIC_RAW) + (int64_t)ms * MS;
    while (read_ns(CLOCK_MONOTONIC_RAW) < end_ns) {
    }
}

/* Computes until about NS ns of CPU time have passed. */
static void compute(int64_t ns)
{
    const int64_t end_ns = read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        for (volatile int i = 0; i < 1000; i++) {
        }
}

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_nsec = (long)ms * MS};
    while (nanosleep(&t, &t) < 0) {
    }
}

static int shared_core; /* first core of rank 0: a launcher may bind each rank to its own core */

static void find_shared_core(void)
{
    cpu_set_t all;
    check(sched_getaffinity(0, sizeof all, &all) == 0, "no affinity");
    while (!CPU_ISSET(shared_core, &all))
        shared_core++;
    PMPI_Bcast(&shared_core, 1, MPI_INT, 0, MPI_COMM_WORLD); /* PMPI_, so that it is not recorded */
}

static void use_shared_core(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(shared_core, &one);
    check(sched_setaffinity(0, sizeof one, &one) == 0, "cannot be pinned");
}

/* --- crowded --- */

/* Rank 1 computes on rank 0's core, after a delay in which rank 0 reaches the call or interval under test. */
static void crowd(void)
{
    cpu_set_t all;
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sleep_ms(DELAY_MS);
    check(sched_getaffinity(0, sizeof all, &all) == 0, "no affinity");
    use_shared_core();
    compute((int64_t)RIVAL_MS * MS);
    check(sched_setaffinity(0, sizeof all, &all) == 0, "cannot be let go");
}

static void poll_until_wall(int ms)
{
    const int64_t end_ns = read_ns(CLOCK_MONOTONIC_RAW) + (int64_t)ms * MS;
    for (int64_t wall_ns = read_ns(CLOCK_MONOTONIC_RAW), cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID); wall_ns < end_ns;) {
        for (int i = 0; i < 1000; i++)
            (void)MPI_Wtime();
        const int64_t wall_now_ns = read_ns(CLOCK_MONOTONIC_RAW), cpu_now_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
        const int64_t lost_ns = (wall_now_ns - wall_ns) - (cpu_now_ns - cpu_ns);
        if (lost_ns > 0 && lost_ns < SMALL_NS)
            small_ns += lost_ns;
        wall_ns = wall_now_ns;
        cpu_ns = cpu_now_ns;
    }
}

/* Rank 0 computes by INTERVAL, and then makes the call with TAG. */
static void be_crowded_before(void (*interval)(int), int tag)
{
    char where[32];
    MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    const struct reading begin = read_all(false);
    interval(COMPUTE_MS);
    const struct reading end = read_all(true);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    snprintf(where, sizeof where, "before %d", tag);
    say(0, where, begin, end);
}

/* Rank 0 loses its CPU in the call with TAG. Returns the reading at the end of the call. */
static struct reading be_crowded_in(int tag)
{
    char where[32];
    MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    const struct reading begin = read_all(false);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const struct reading end = read_all(true);
    snprintf(where, sizeof where, "call %d", tag);
    say(0, where, begin, end);
    return end;
}

static void run_crowded(void)
{
    if (rank == 0) {
        use_shared_core();
        (void)MPI_Wtime(); /* the first call is recorded as an event of its own */
        const struct reading begin = read_all(false);
        be_crowded_before(compute_until_wall, 11);
        be_crowded_before(poll_until_wall, 12);
        say(0, "all", begin, be_crowded_in(13));
    } else {
        for (int tag = 11; tag <= 13; tag++) {
            crowd();
            MPI_Send(NULL, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        }
    }
}

static void run_killed(void)
{
    run_crowded();
    (void)fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        raise(SIGKILL);
    for (;;)
        pause();
}

/* --- asleep --- */

static void send_to_self(int tag)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, tag, NULL, 0, MPI_BYTE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void run_asleep(void)
{
    int pid = (int)getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        send_to_self(40);
        const struct reading begin = read_all(false);
        for (int i = 0; i < SLEEPS; i++) {
            sleep_ms(SLEEP_MS);
            send_to_self(41);
        }
        const struct reading end = read_all(true);
        say(0, "all", begin, end);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say(0, "stopped", end, read_all(true));
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sleep_ms(DELAY_MS);
        kill((pid_t)pid, SIGSTOP);
        sleep_ms(STOP_MS);
        kill((pid_t)pid, SIGCONT);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 42, MPI_COMM_WORLD);
    }
}

/* --- competing --- */

static void run_competing(void)
{
    use_shared_core();
    MPI_Barrier(MPI_COMM_WORLD);
    const struct reading begin = read_all(false);
    for (int i = 0; i < PIECES; i++) {
        compute((int64_t)(i % 7 + 1) * MS / 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    const struct reading end = read_all(true);
    say(0, "all", begin, end);
}

/* Sends to itself, so that no other thread is needed. */
static void *compute_and_send(void *argument)
{
    const int thread = *(const int *)argument;
    send_to_self(thread);
    const struct reading begin = read_all(false);
    for (int i = 0; i < PIECES; i++) {
        compute((int64_t)(i % 7 + 1) * MS / 2);
        send_to_self(thread);
    }
    const struct reading end = read_all(true);
    say(thread, "all", begin, end);
    return argument;
}

static void run_threads(void)
{
    pthread_t threads[2];
    int number[2] = {1, 2};
    if (rank == 0) {
        use_shared_core();
        for (int i = 0; i < 2; i++)
            check(pthread_create(&threads[i], NULL, compute_and_send, &number[i]) == 0, "no thread");
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- time that is not off-CPU --- */

static volatile sig_atomic_t caught;

static void count(int signal)
{
    (void)signal;
    caught++;
}

static void run_signals(void)
{
    const struct sigaction action = {.sa_handler = count};
    sigaction(SIGUSR1, &action, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    const struct reading begin = read_all(false);
    for (int i = 0; i < SIGNALS; i++) {
        raise(SIGUSR1);
        send_to_self(21);
    }
    const struct reading end = read_all(true);
    check(caught == SIGNALS, "signals are missing");
    say(0, "all", begin, end);
}

static void run_forked(void)
{
    int status = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    const pid_t child = fork();
    if (child == 0) {
        compute(20 * MS);
        _exit(7);
    }
    check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
          "the child did not end as it should");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- the program itself uses rseq_cs --- */

#ifdef __x86_64__
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

struct descriptor {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

static const uint32_t abort_place[2] = {0x53053053, 0};
static struct descriptor theirs;

static volatile uint64_t *rseq_cs(void)
{
    char *thread;
    if (!&__rseq_size || __rseq_size == 0)
        return NULL;
    __asm__("movq %%fs:0, %0" : "=r"(thread));
    return (volatile uint64_t *)(void *)(thread + __rseq_offset + 8);
}

/* Stores a value, like a library that has entered a restartable sequence; the kernel may clear it at any time. */
static void take(void)
{
    theirs.start_ip = (uintptr_t)&theirs;
    theirs.post_commit_offset = 1;
    theirs.abort_ip = (uintptr_t)&abort_place[1];
    if (rseq_cs())
        *rseq_cs() = (uintptr_t)&theirs;
}

/* Makes calls, and checks that rseq_cs keeps the program's value or is 0. The tracer may use it in the few calls before
 * which the kernel has cleared it. */
static void use(const char *when)
{
    int overwritten = 0;
    for (int i = 0; i < 1000; i++) {
        take();
        send_to_self(31);
        const uint64_t found = rseq_cs() ? *rseq_cs() : 0;
        overwritten += found != 0 && found != (uintptr_t)&theirs;
    }
    check(overwritten < 100, when);
}
#else
static void take(void)
{
}

static void use(const char *when)
{
    (void)when;
}
#endif

static void run_taken(void)
{
    use("the tracer has overwritten rseq_cs");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"crowded", run_crowded}, {"competing", run_competing}, {"threads", run_threads},
                 {"asleep", run_asleep},   {"signals", run_signals},     {"taken", run_taken},
                 {"taken-before", run_taken}, {"forked", run_forked},    {"killed", run_killed}};
    const char *name = argc == 2 ? argv[1] : "";
    int provided, ranks;
    if (strcmp(name, "taken-before") == 0)
        take();
    MPI_Init_thread(&argc, &argv, strcmp(name, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(ranks == 2, "needs two ranks");
    check(strcmp(name, "threads") != 0 || provided == MPI_THREAD_MULTIPLE, "no threads");
    size_t i = 0;
    while (i < sizeof parts / sizeof *parts && strcmp(parts[i].name, name) != 0)
        i++;
    check(i < sizeof parts / sizeof *parts, "unknown part");
    find_shared_core();
    parts[i].run();
    MPI_Finalize();
    return 0;
}
