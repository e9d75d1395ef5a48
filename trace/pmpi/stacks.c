/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the end of the thread's stack from the C library, and of other stacks from the system's list of mappings. Also called in
 * signal handlers: nothing is allocated. */
#define _GNU_SOURCE
#include "trace/pmpi/stacks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* --- the thread's own stack --- */

/* Finds the end of the stack and, for the first thread, the limit to its growth. pthread_getattr_np(3) has the same information,
 * but allocates. glibc places the first frame of a program next to __libc_stack_end, and a thread's data above the thread's
 * stack. */
#ifdef __GLIBC__
extern void *__libc_stack_end __attribute__((weak));

void stacks_find_own(struct stacks *s)
{
    struct rlimit limit;
    s->known = true;
    if (syscall(SYS_gettid) != getpid()) {
        s->high = (uintptr_t)pthread_self();
        return;
    }
    s->high = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < s->high)
        s->low = s->high - limit.rlim_cur;
}
#else
void stacks_find_own(struct stacks *s)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    s->known = true;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        s->low = (uintptr_t)low;
        s->high = s->low + size;
    }
    pthread_attr_destroy(&attributes);
}
#endif

/* --- other stacks --- */

/* A partly read line of /proc/self/maps, "BEGIN-END rw-p ...". */
struct line {
    enum { BEGIN, END, RIGHTS, REST } part;
    uintptr_t begin, end;
    bool readable;
};

static unsigned digit(char c)
{
    return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/* Parses the next character C. Returns whether C ends the line. */
static bool take(struct line *l, char c)
{
    if (c == '\n')
        return true;
    switch (l->part) {
    case BEGIN:
        c == '-' ? (void)(l->part = END) : (void)(l->begin = l->begin << 4 | digit(c));
        break;
    case END:
        c == ' ' ? (void)(l->part = RIGHTS) : (void)(l->end = l->end << 4 | digit(c));
        break;
    case RIGHTS:
        l->readable = c == 'r';
        l->part = REST;
        break;
    case REST:
        break;
    }
    return false;
}

/* For SP on a stack other than the thread's stack: stores the bounds of the mapping around SP as the other stack. Returns false
 * without a readable mapping. */
static bool find_mapping(struct stacks *s, uintptr_t sp)
{
    char block[4096];
    struct line l = {.part = BEGIN};
    bool found = false;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && !found && (n = read(fd, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < n && !found; i++)
            if (take(&l, block[i])) {
                found = l.begin <= sp && sp < l.end && l.readable;
                s->other_low = found ? l.begin : 0;
                s->other_high = found ? l.end : 0;
                l = (struct line){.part = BEGIN};
            }
    if (fd >= 0)
        close(fd);
    return found;
}

uintptr_t stacks_other_end(struct stacks *s, uintptr_t sp)
{
    enum { MAX_BYTES = 1 << 20, MIN_PAGE = 4096 };
    unsigned char in_memory[MAX_BYTES / MIN_PAGE + 1];
    const uintptr_t page = sp & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    for (int i = 0; i < 2; i++) {
        if (s->other_low <= sp && sp < s->other_high) {
            const uintptr_t bytes = s->other_high - page < MAX_BYTES ? s->other_high - page : MAX_BYTES;
            if (mincore((void *)page, bytes, in_memory) == 0)
                return page + bytes;
        }
        /* The known mapping was removed or replaced. */
        if (i == 1 || !find_mapping(s, sp))
            break;
    }
    return 0;
}

/* --- signals --- */

/* Where the kernel stores the interrupted frame's registers, as offsets from the stack pointer with which the signal handler
 * returns; 0: unknown. */
enum {
#if defined __x86_64__
    CONTEXT_BYTES = sizeof(ucontext_t), /* struct rt_sigframe without the first member, the return address */
    CONTEXT_SP = offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]),
    CONTEXT_PC = offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]),
    CONTEXT_FP = offsetof(ucontext_t, uc_mcontext.gregs[REG_RBP])
#elif defined __aarch64__
    CONTEXT_BYTES = sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.pc) + 8,
    CONTEXT_SP = sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.sp),
    CONTEXT_PC = sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.pc),
    CONTEXT_FP = sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.regs[29])
#else
    CONTEXT_BYTES = 0, CONTEXT_SP = 0, CONTEXT_PC = 0, CONTEXT_FP = 0
#endif
};

__attribute__((no_sanitize("address"))) uintptr_t stacks_leave_signal(struct stacks *s, uintptr_t *high, uintptr_t *sp,
                                                                      uintptr_t *fp_at)
{
    const uintptr_t context = *sp;
    if (CONTEXT_BYTES == 0 || context % sizeof(uintptr_t) != 0 || *high <= context ||
        *high - context < CONTEXT_PC + sizeof(uintptr_t) || *high - context < CONTEXT_SP + sizeof(uintptr_t))
        return 0;
    *fp_at = context + CONTEXT_FP;
    *sp = *(const uintptr_t *)(context + CONTEXT_SP);
    *high = stacks_end(s, *sp);
    return *high ? *(const uintptr_t *)(context + CONTEXT_PC) : 0;
}
