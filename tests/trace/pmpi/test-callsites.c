/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares captured call stacks with libgcc's unwinder (TAP): random calls through frames of every kind, threads,
 * signals, stacks that the program created; and modules. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "tests/tap.h"
#include "trace/pmpi/callsites.h"
#include "trace/pmpi/modules.h"

enum { DEPTH = 24, MAX_LEVELS = 20, FUNCTIONS = 8, THREADS = 4 };

struct stack {
    unsigned number;
    const void *addresses[DEPTH];
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    struct stack *s = data;
    const void *address = (const void *)_Unwind_GetIP(context);
    if (address && s->number < DEPTH)
        s->addresses[s->number++] = address;
    return _URC_NO_REASON;
}

static struct tally {
    unsigned long captures, wrong, unknown;
} all;
static __thread struct tally tally;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void collect(void)
{
    pthread_mutex_lock(&lock);
    all.captures += tally.captures;
    all.wrong += tally.wrong;
    all.unknown += tally.unknown;
    pthread_mutex_unlock(&lock);
    tally = (struct tally){0};
}

/* Captures a stack as a wrapper does, and unwinds the same stack with libgcc. libgcc's first address is in this
 * function; those after it are compared. */
__attribute__((noinline)) static int32_t compare(void)
{
    struct stack expected = {0}, got = {0};
    const int32_t site = CALLSITES_HERE();
    const void *addresses[CALLSITES_MAX_DEPTH];
    struct deeper {
        struct stack s;
        const void *one_more[1];
    } whole = {0};
    _Unwind_Backtrace(visit, &whole.s);
    expected.number = whole.s.number - 1;
    memcpy(expected.addresses, whole.s.addresses + 1, expected.number * sizeof *addresses);
    got.number = callsites_addresses(site, addresses);
    tally.captures++;
    tally.unknown += site == CALLSITES_NONE;
    /* libgcc has one address less of a stack that is cut off at the maximum depth. */
    const unsigned n = got.number == DEPTH ? DEPTH - 1 : got.number;
    tally.wrong += n != expected.number ||
                   memcmp(addresses, expected.addresses, n * sizeof *addresses) != 0;
    return site;
}

/* --- random call graphs --- */

static __thread uint64_t state;

static unsigned random_below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

typedef void function(unsigned levels);
static function *const functions[FUNCTIONS];

static void deeper(unsigned levels)
{
    if (levels == 0 || random_below(8) == 0)
        compare();
    else
        functions[random_below(FUNCTIONS)](levels - 1);
    __asm__ volatile(""); /* prevents a tail call */
}

#define KIND __attribute__((noinline)) static void
#define USED(room) __asm__ volatile("" : : "r"(room) : "memory")

/* Leaves stale data in its frame: the unwinder must not take an old return address for one of the current frame. */
KIND plain(unsigned levels)
{
    deeper(levels);
    __asm__ volatile("");
}

KIND large(unsigned levels)
{
    char room[1000];
    USED(room);
    deeper(levels);
    USED(room);
}

KIND small(unsigned levels)
{
    char room[40];
    USED(room);
    deeper(levels);
    USED(room);
}

KIND variable(unsigned levels)
{
    char *room = alloca(16 * (1 + random_below(60)));
    USED(room);
    deeper(levels);
    USED(room);
}

KIND aligned(unsigned levels)
{
    char room[128] __attribute__((aligned(64)));
    USED(room);
    deeper(levels);
    USED(room);
}

KIND aligned_variable(unsigned levels)
{
    char fixed[64] __attribute__((aligned(128)));
    char *room = alloca(16 * (1 + random_below(30)));
    USED(fixed);
    USED(room);
    deeper(levels);
    USED(fixed);
    USED(room);
}

#ifdef __clang__
__attribute__((noinline))
#else
__attribute__((noinline, optimize("no-omit-frame-pointer")))
#endif
static void with_frame(unsigned levels)
{
    deeper(levels);
    __asm__ volatile("");
}

/* A function that saves many registers and passes arguments on the stack. */
__attribute__((noinline)) static long many(unsigned levels, long a, long b, long c, long d, long e,
                                           long f, long g)
{
    deeper(levels);
    return a + b * c - d * e + f * g;
}

KIND arguments(unsigned levels)
{
    volatile long sum = many(levels, levels, 2, 3, 4, 5, 6, 7);
    sum += many(levels > 3 ? levels - 3 : 0, levels, 3, 4, 5, 6, 7, 8);
    (void)sum;
}

static function *const functions[FUNCTIONS] = {plain,   large,            small,      variable,
                                               aligned, aligned_variable, with_frame, arguments};

static void *random_calls(void *seed)
{
    state = (uint64_t)(uintptr_t)seed;
    for (int i = 0; i < 5000; i++)
        functions[random_below(FUNCTIONS)](random_below(MAX_LEVELS));
    collect();
    return NULL;
}

static void recursion(int levels)
{
    if (levels == 0)
        compare();
    else
        recursion(levels - 1);
    __asm__ volatile("");
}

/* --- stacks that are not the thread's, and signals --- */

static ucontext_t back, there;

static void on_own_stack(void)
{
    for (int i = 0; i < 3; i++)
        plain(3);
    swapcontext(&there, &back);
}

static void on_signal(int number)
{
    (void)number;
    compare();
}

/* Captures at one place give the same site each time. */
static int32_t same[2];

static void twice(void)
{
    volatile int i = 0; /* otherwise the compiler turns the loop into two calls */
    for (; i < 2; i++)
        same[i] = compare();
}

static void test_modules(void)
{
    struct mpg_frame here = modules_frame((const char *)compare + 1, NULL);
    ok(here.module >= 0 && strstr(modules_get(here.module)->path, "test-callsites"),
       "the program is a module, by its path");
    Dl_info info;
    dladdr((void *)compare, &info);
    ok(here.offset == (uintptr_t)compare + 1 - (uintptr_t)info.dli_fbase, "offsets have no load bias");
    struct mpg_frame c = modules_frame((const char *)dlsym(RTLD_DEFAULT, "qsort") + 1, NULL);
    ok(c.module >= 0 && c.module != here.module && modules_get(c.module)->path[0] == '/' &&
           modules_get(c.module)->build_id_size == 20,
       "the C library is another, with its build-id");
    ok(!modules_get(c.module)->mpi, "... and not MPI's");
    int unknown;
    struct mpg_frame none = modules_frame(&unknown, NULL);
    ok(none.module == -1 && none.offset == 0, "the stack is in none");
    void *late = dlopen("libz.so.1", RTLD_NOW);
    void *symbol = late ? dlsym(late, "adler32") : NULL;
    struct mpg_frame z = modules_frame((const char *)symbol + 1, NULL);
    ok(symbol && strstr(modules_get(z.module)->path, "libz"), "a library loaded later is found");
    const bool closed = late && dlclose(late) == 0 && !dlopen("libz.so.1", RTLD_NOW | RTLD_NOLOAD);
    ok(!closed || modules_frame((const char *)symbol + 1, NULL).module == -1, "... and no longer when it is closed");
}

int main(void)
{
    callsites_start(DEPTH, NULL);
    random_calls((void *)(uintptr_t)20261121);
    ok(all.captures > 5000 && all.unknown == 0, "random call graphs: %lu captures", all.captures);
    ok(all.wrong == 0, "... are what libgcc's unwinder says (%lu are not)", all.wrong);

    for (int levels = 0; levels < 100; levels++)
        recursion(levels);
    twice();
    collect();
    ok(all.wrong == 0, "recursion up to 100 levels");
    ok(same[0] == same[1], "one place is one site");

    pthread_t threads[THREADS];
    const unsigned long before = all.captures;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, random_calls, (void *)(i % 2 + 7));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ok(all.captures - before > 5000 * THREADS, "%d threads: %lu captures", THREADS,
       all.captures - before);
    ok(all.wrong == 0 && all.unknown == 0, "... are right, too");

    enum { SIZE = 1 << 18 };
    char *memory = malloc(SIZE);
    getcontext(&there);
    there.uc_stack.ss_sp = memory;
    there.uc_stack.ss_size = SIZE;
    makecontext(&there, on_own_stack, 0);
    swapcontext(&back, &there);
    free(memory);
    collect();
    ok(all.wrong == 0 && all.unknown == 0, "a stack of the program's own making");
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    collect();
    ok(all.wrong == 0 && all.unknown == 0, "within a signal's handler");
    const stack_t other = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    ok(sigaltstack(&other, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0, "a stack for signals");
    raise(SIGUSR1);
    collect();
    ok(all.wrong == 0 && all.unknown == 0, "within a signal's handler that has another stack");

    const void *none[CALLSITES_MAX_DEPTH];
    ok(callsites_addresses(CALLSITES_NONE, none) == 0 && callsites_addresses(1 << 30, none) == 0,
       "no site has no addresses");
    test_modules();
    return done();
}
