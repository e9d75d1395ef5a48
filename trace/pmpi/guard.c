/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SIGBUS handler, and forwarding to the program's handler.
 *
 * Each time the guard goes in front of a handler of the program, the guard uses a new handler function (a generation), which
 * stores the program's handler. A generation that the program saves and restores later still forwards to this handler. */
#define _GNU_SOURCE
#include "trace/pmpi/guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/store/segment.h"

enum { GENERATIONS = 8 };

/* A mapped file. Signal handlers read the list of files without a lock: entries are never freed; an entry whose BASE is
 * NULL is unused. */
struct range {
    struct range *next;
    uint8_t *base;
    size_t size;
    char path[4096];
};

static struct {
    pthread_mutex_t lock; /* not taken by signal handlers */
    bool started;
    volatile bool has_lost;
    struct range *ranges;
    void (*lost)(const char *path);
    int generations; /* number of handler functions used so far */
    struct sigaction behind[GENERATIONS];
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- handling SIGBUS --- */

static struct range *range_of(const uint8_t *address)
{
    struct range *r = __atomic_load_n(&guard.ranges, __ATOMIC_ACQUIRE);
    for (; r; r = r->next) {
        uint8_t *base = __atomic_load_n(&r->base, __ATOMIC_ACQUIRE);
        if (base && address >= base && address < base + r->size)
            return r;
    }
    return NULL;
}

/* Maps anonymous memory in place of R's file, so that the repeated store succeeds. The signal interrupted the tracer's code in a
 * store: this function may call any function. */
static bool replace(struct range *r)
{
    if (mmap(r->base, r->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == MAP_FAILED)
        return false;
    guard.has_lost = true;
    guard.lost(r->path);
    return true;
}

/* Acts like the system: removes the handler, and the instruction is repeated without handler; a signal sent by a process is sent
 * again. */
static void take_default(const siginfo_t *info)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGBUS, &action, NULL);
    if (info->si_code <= 0)
        raise(SIGBUS); /* the signal is delivered after the return of this handler */
}

static void call_previous_handler(int generation, int signal, siginfo_t *info, void *context)
{
    const struct sigaction *to = &guard.behind[generation];
    const bool plain = !(to->sa_flags & SA_SIGINFO);
    if (plain && to->sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (plain && (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN)) {
        take_default(info);
        return;
    }
    if (to->sa_flags & (int)SA_RESETHAND) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(SIGBUS, &action, NULL);
    }
    sigset_t blocked = to->sa_mask;
    pthread_sigmask(SIG_BLOCK, &blocked, NULL); /* as the kernel would: signals in the mask wait until the handler returns */
    if (to->sa_flags & SA_NODEFER) {
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGBUS);
        pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    }
    if (plain)
        to->sa_handler(signal);
    else
        to->sa_sigaction(signal, info, context);
}

static void handle(int generation, int signal, siginfo_t *info, void *context)
{
    struct range *r = info->si_code > 0 ? range_of(info->si_addr) : NULL;
    if (!r || !replace(r))
        call_previous_handler(generation, signal, info, context);
}

#define HANDLER(n)                                                  \
    static void handle_##n(int signal, siginfo_t *info, void *context) \
    {                                                               \
        handle(n, signal, info, context);                           \
    }
HANDLER(0) HANDLER(1) HANDLER(2) HANDLER(3) HANDLER(4) HANDLER(5) HANDLER(6) HANDLER(7)
#undef HANDLER
static void (*const handlers[GENERATIONS])(int, siginfo_t *, void *) = {
    handle_0, handle_1, handle_2, handle_3, handle_4, handle_5, handle_6, handle_7};

/* --- installing the handler --- */

/* Returns the generation of ACTION, or -1 if ACTION is not the guard's. */
static int generation_of(const struct sigaction *action)
{
    for (int i = 0; (action->sa_flags & SA_SIGINFO) && i < GENERATIONS; i++)
        if (action->sa_sigaction == handlers[i])
            return i;
    return -1;
}

static void set_locked(void)
{
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) < 0 || generation_of(&now) >= 0 ||
        guard.generations == GENERATIONS)
        return;
    const int n = guard.generations++;
    const bool plain = !(now.sa_flags & SA_SIGINFO);
    const bool has_no_handler = plain && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
    struct sigaction ours = {.sa_sigaction = handlers[n], .sa_flags = SA_SIGINFO | SA_ONSTACK};
    ours.sa_flags |= has_no_handler ? SA_RESTART : now.sa_flags & SA_RESTART;
    guard.behind[n] = now; /* before a signal can reach our handler */
    if (sigaction(SIGBUS, &ours, &now) == 0)
        guard.behind[n] = now;
}

static void add(uint8_t *base, size_t size, const char *path)
{
    pthread_mutex_lock(&guard.lock);
    struct range *r = guard.ranges;
    while (r && r->base)
        r = r->next;
    const bool fresh = !r;
    if (!r && !(r = calloc(1, sizeof *r))) {
        pthread_mutex_unlock(&guard.lock);
        return; /* out of memory: the file is not guarded */
    }
    r->size = size;
    strncpy(r->path, path, sizeof r->path - 1);
    __atomic_store_n(&r->base, base, __ATOMIC_RELEASE);
    if (fresh) {
        r->next = guard.ranges;
        __atomic_store_n(&guard.ranges, r, __ATOMIC_RELEASE);
    }
    set_locked();
    pthread_mutex_unlock(&guard.lock);
}

static void drop(const uint8_t *base)
{
    struct range *r = range_of(base);
    if (r)
        __atomic_store_n(&r->base, NULL, __ATOMIC_RELEASE);
}

void guard_start(void (*lost)(const char *))
{
    guard.lost = lost;
    guard.started = true;
    mpg_mapping_observer = (struct mpg_mapping_observer){add, drop};
}

bool guard_has_lost(void)
{
    return guard.has_lost;
}

void guard_check(void)
{
    if (!guard.started)
        return;
    pthread_mutex_lock(&guard.lock);
    set_locked();
    pthread_mutex_unlock(&guard.lock);
}

void guard_end(void)
{
    struct sigaction now;
    int n;
    pthread_mutex_lock(&guard.lock);
    guard.started = false;
    while (sigaction(SIGBUS, NULL, &now) == 0 && (n = generation_of(&now)) >= 0 &&
           sigaction(SIGBUS, &guard.behind[n], NULL) == 0)
        ;
    pthread_mutex_unlock(&guard.lock);
}
