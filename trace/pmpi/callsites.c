/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of stacks. Readers take no lock: nodes and tables are published with release
 * stores, never changed afterwards and never freed. */
#define _GNU_SOURCE
#include "trace/pmpi/callsites.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unwind.h>

#include "trace/pmpi/stacks.h"
#include "trace/pmpi/unwind_rule.h"

enum { MAX_NODES = 1 << 20, FIRST_SLOTS = 1 << 10, BLOCK_NODES = 256 };

struct node {
    uintptr_t address;
    struct node *first; /* the child met first; further ones are in the table alone */
    struct unwind_rule rule;
    struct node *parent;
    unsigned depth;     /* frames up to here, those skipped not counted */
    bool skipped;
    bool simple;        /* not the last one, and its rule is in_frame() */
    int32_t site;       /* of the stacks that end here */
};

struct table {
    struct table *older; /* others may still be reading it: all take as much as the last */
    size_t mask;
    struct node *slots[];
};

static struct {
    unsigned depth;
    bool (*skip)(const void *address);
    struct node root; /* of no address */
    struct table *table;
    pthread_mutex_t lock; /* for what follows, and for adding */
    size_t nodes;
    struct node *block; /* what is left of the last one */
    size_t block_left;
    struct node **sites;
    size_t site_number, site_capacity;
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER, .root = {.site = CALLSITES_NONE, .rule.kind = UNWIND_END}};

static __thread struct {
    struct stacks stacks;
    bool adding;
} thread __attribute__((tls_model("initial-exec")));

void callsites_start(unsigned depth, bool (*skip)(const void *))
{
    sites.depth = depth < CALLSITES_MAX_DEPTH ? depth : CALLSITES_MAX_DEPTH;
    sites.skip = skip;
}

/* --- the tree --- */

static inline size_t hash(const struct node *parent, uintptr_t address)
{
    uint64_t x = ((uint64_t)(uintptr_t)parent >> 6) ^ address;
    return (size_t)((x * 0x9e3779b97f4a7c15u) >> 32);
}

static inline struct node *find(struct node *parent, uintptr_t address)
{
    struct node *n = __atomic_load_n(&parent->first, __ATOMIC_ACQUIRE);
    if (!n || n->address == address)
        return n;
    struct table *table = __atomic_load_n(&sites.table, __ATOMIC_ACQUIRE);
    for (size_t i = hash(parent, address) & table->mask;; i = (i + 1) & table->mask) {
        n = __atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!n || (n->address == address && n->parent == parent))
            return n;
    }
}

static void put(struct table *table, struct node *n)
{
    size_t i = hash(n->parent, n->address) & table->mask;
    while (table->slots[i])
        i = (i + 1) & table->mask;
    __atomic_store_n(&table->slots[i], n, __ATOMIC_RELEASE);
}

/* Room for one more node at a load of at most a half. */
static bool make_room(void)
{
    struct table *old = sites.table;
    size_t slots = old ? old->mask + 1 : 0;
    if (2 * (sites.nodes + 1) <= slots)
        return true;
    size_t more = slots ? 2 * slots : FIRST_SLOTS;
    struct table *table = calloc(1, sizeof *table + more * sizeof *table->slots);
    if (!table)
        return false;
    table->older = old;
    table->mask = more - 1;
    for (size_t i = 0; i < slots; i++)
        if (old->slots[i])
            put(table, old->slots[i]);
    __atomic_store_n(&sites.table, table, __ATOMIC_RELEASE);
    return true;
}

/* Whether the rule needs the stack pointer alone, and reads words of its own frame. */
static bool in_frame(const struct unwind_rule *rule)
{
    const int32_t word = sizeof(uintptr_t);
    return rule->kind == UNWIND_STACK && rule->cfa >= word && rule->cfa % word == 0 &&
           rule->address <= -word && rule->address >= -rule->cfa &&
           (rule->pointer == UNWIND_SAME ||
            (rule->pointer == UNWIND_AT_CFA && rule->frame <= -word &&
             rule->frame >= -rule->cfa));
}

static struct node *add_locked(struct node *parent, uintptr_t address)
{
    struct node *n = find(parent, address); /* another thread may have been faster */
    if (n || sites.nodes == MAX_NODES || !make_room())
        return n;
    if (sites.block_left == 0) {
        sites.block = calloc(BLOCK_NODES, sizeof *sites.block);
        if (!sites.block)
            return NULL;
        sites.block_left = BLOCK_NODES;
    }
    n = sites.block++;
    sites.block_left--;
    sites.nodes++;
    n->address = address;
    n->parent = parent;
    const bool foreign = address >= CALLSITES_FOREIGN;
    n->skipped = !foreign && sites.skip && (parent == &sites.root || parent->skipped) &&
                 sites.skip((const void *)address);
    n->depth = parent->depth + !n->skipped;
    n->site = CALLSITES_NONE;
    /* What a signal has interrupted is where it was; others are where a call returns to. */
    const uintptr_t after = address + (parent->rule.kind == UNWIND_SIGNAL);
    if (foreign)
        n->rule = (struct unwind_rule){.kind = UNWIND_END};
    else
        n->rule = unwind_rule_of((const void *)after, parent == &sites.root || parent->skipped);
    n->simple = n->depth < sites.depth && in_frame(&n->rule);
    put(sites.table, n);
    if (!parent->first)
        __atomic_store_n(&parent->first, n, __ATOMIC_RELEASE);
    return n;
}

/* Does work on the tree under the lock; a signal's handler that comes in meanwhile
 * does without. */
static bool lock(void)
{
    if (thread.adding)
        return false;
    thread.adding = true;
    pthread_mutex_lock(&sites.lock);
    return true;
}

static void unlock(void)
{
    pthread_mutex_unlock(&sites.lock);
    thread.adding = false;
}

static struct node *add(struct node *parent, uintptr_t address)
{
    if (!lock())
        return NULL;
    struct node *n = add_locked(parent, address);
    unlock();
    return n;
}

static void number_locked(struct node *n)
{
    if (n->site != CALLSITES_NONE || n == &sites.root)
        return;
    if (sites.site_number == sites.site_capacity) {
        size_t more = sites.site_capacity ? 2 * sites.site_capacity : 256;
        struct node **grown = realloc(sites.sites, more * sizeof *grown);
        if (!grown)
            return;
        sites.sites = grown;
        sites.site_capacity = more;
    }
    sites.sites[sites.site_number] = n;
    __atomic_store_n(&n->site, (int32_t)sites.site_number++, __ATOMIC_RELEASE);
}

static int32_t site_of(struct node *n)
{
    int32_t site = __atomic_load_n(&n->site, __ATOMIC_ACQUIRE);
    if (site != CALLSITES_NONE || !lock())
        return site;
    number_locked(n);
    unlock();
    return n->site;
}

/* --- the whole unwinder --- */

struct walk {
    uintptr_t from; /* the first address wanted */
    bool started;
    struct node *node;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    struct walk *w = data;
    uintptr_t address = (uintptr_t)_Unwind_GetIP(context);
    w->started |= address == w->from;
    if (!w->started)
        return _URC_NO_REASON;
    if (address == 0 || w->node->depth == sites.depth)
        return _URC_END_OF_STACK;
    struct node *n = find(w->node, address);
    if (!n)
        n = add(w->node, address);
    if (!n) {
        w->node = NULL;
        return _URC_END_OF_STACK;
    }
    w->node = n;
    return _URC_NO_REASON;
}

static int32_t unwind(uintptr_t address)
{
    struct walk w = {.from = address, .node = &sites.root};
    _Unwind_Backtrace(visit, &w);
    return w.node ? site_of(w.node) : CALLSITES_NONE;
}

/* --- walking --- */

static inline uintptr_t word(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* A return address as code has it, without what AArch64's pointer authentication adds. */
static inline uintptr_t plain(uintptr_t address)
{
#ifdef __aarch64__
    address &= ((uintptr_t)1 << 48) - 1;
#endif
    return address;
}

/* Applies a rule that is more than an offset from the stack pointer to SP and FP, or one
 * that may not be this frame's; only words between SP and HIGH are read. The caller's
 * return address, or 0 if there is no telling. */
__attribute__((no_sanitize("address"))) static uintptr_t
step(const struct unwind_rule *rule, uintptr_t high, uintptr_t *sp, uintptr_t *fp)
{
    uintptr_t top = (rule->kind == UNWIND_STACK ? *sp : *fp) + (uintptr_t)(intptr_t)rule->cfa;
    if (rule->kind == UNWIND_LOADED) {
        if (top < *sp || top >= high || top % sizeof top != 0)
            return 0;
        top = word(top);
    }
    const uintptr_t at = top + (uintptr_t)(intptr_t)rule->address;
    if (top > high || top % sizeof top != 0 || at < *sp || at >= top)
        return 0;
    if (rule->pointer != UNWIND_SAME) {
        const uintptr_t saved =
            (rule->pointer == UNWIND_AT_CFA ? top : *fp) + (uintptr_t)(intptr_t)rule->frame;
        if (saved < *sp || saved >= top)
            return 0;
        *fp = word(saved);
    }
    *sp = top;
    return word(at);
}

/* Where the kernel has put a register of the frame that a signal interrupted, from the stack pointer on that its handler
 * returns with; 0: not known. */
enum {
#if defined __x86_64__
    CONTEXT_BYTES = sizeof(ucontext_t), /* struct rt_sigframe, its first member gone */
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

/* From a signal's frame to the one that it has interrupted, which may be on another stack: *HIGH is that one's end. Its
 * address, or 0 if there is no telling. */
__attribute__((no_sanitize("address"))) static uintptr_t leave_signal(uintptr_t *high, uintptr_t *sp, uintptr_t *fp)
{
    const uintptr_t context = *sp;
    if (CONTEXT_BYTES == 0 || context % sizeof(uintptr_t) != 0 || *high <= context || *high - context < CONTEXT_PC + sizeof(uintptr_t) ||
        *high - context < CONTEXT_SP + sizeof(uintptr_t))
        return 0;
    *fp = word(context + CONTEXT_FP);
    *sp = word(context + CONTEXT_SP);
    *high = stacks_end(&thread.stacks, *sp);
    return *high ? word(context + CONTEXT_PC) : 0;
}

/* Other functions' frames are read, which the sanitizer takes for mistakes. */
__attribute__((no_sanitize("address"))) int32_t
callsites_capture(const void *address, const void *cfa, const void *frame)
{
    const uintptr_t first = plain((uintptr_t)address);
    uintptr_t sp = (uintptr_t)cfa, next = first, high = stacks_end(&thread.stacks, sp);
    uintptr_t fp = word((uintptr_t)frame);
    for (struct node *n = &sites.root;;) {
        struct node *child = find(n, next);
        if (__builtin_expect(!child, false)) {
            if (next == 0)
                return site_of(n);
            if (!(child = add(n, next)))
                return CALLSITES_NONE;
        }
        n = child;
        if (__builtin_expect(n->simple, true)) {
            sp += (uintptr_t)(intptr_t)n->rule.cfa;
            if (__builtin_expect(sp > high, false))
                return site_of(n);
            next = plain(word(sp + (uintptr_t)(intptr_t)n->rule.address));
            if (n->rule.pointer != UNWIND_SAME)
                fp = word(sp + (uintptr_t)(intptr_t)n->rule.frame);
            continue;
        }
        if (n->depth == sites.depth || n->rule.kind == UNWIND_END)
            return site_of(n);
        if (n->rule.kind == UNWIND_OTHER)
            return unwind(first);
        if (n->rule.kind == UNWIND_SIGNAL)
            next = leave_signal(&high, &sp, &fp);
        else
            next = plain(step(&n->rule, high, &sp, &fp));
        if (next == 0)
            return site_of(n); /* the whole unwinder would follow a damaged rule to anywhere */
    }
}

/* --- whether one call is in another --- */

struct wanted {
    uintptr_t address, cfa;
    bool found;
};

static _Unwind_Reason_Code look_for(struct _Unwind_Context *context, void *data)
{
    struct wanted *w = data;
    w->found = (uintptr_t)_Unwind_GetCFA(context) == w->cfa && plain((uintptr_t)_Unwind_GetIP(context)) == w->address;
    return w->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

__attribute__((no_sanitize("address"))) bool
callsites_lead_to(const void *address, const void *cfa, const void *frame, const void *to_address, const void *to_cfa)
{
    enum { MOST_FRAMES = 1 << 16 };
    struct wanted wanted = {.address = plain((uintptr_t)to_address), .cfa = (uintptr_t)to_cfa};
    uintptr_t sp = (uintptr_t)cfa, next = plain((uintptr_t)address), high = stacks_end(&thread.stacks, sp);
    uintptr_t fp = word((uintptr_t)frame);
    bool interrupted = false;
    for (int i = 0; i < MOST_FRAMES && next != 0; i++) {
        if (sp == wanted.cfa && next == wanted.address)
            return true;
        const struct unwind_rule rule = unwind_rule_of((const void *)(next + interrupted), true);
        interrupted = rule.kind == UNWIND_SIGNAL;
        if (rule.kind == UNWIND_OTHER) {
            _Unwind_Backtrace(look_for, &wanted);
            return wanted.found;
        }
        if (rule.kind == UNWIND_END)
            return false;
        next = interrupted ? leave_signal(&high, &sp, &fp) : plain(step(&rule, high, &sp, &fp));
    }
    return false;
}

/* The last node of SITE. */
static struct node *node_of(int32_t site)
{
    struct node *n = NULL;
    if (!lock())
        return NULL;
    if (site >= 0 && (size_t)site < sites.site_number)
        n = sites.sites[site];
    unlock();
    return n;
}

const void *callsites_top(int32_t site, unsigned keep)
{
    if (keep == 0)
        return &sites.root;
    const struct node *n = node_of(site);
    while (n && n->depth > keep)
        n = n->parent;
    return n;
}

int32_t callsites_below(const void *top, const uintptr_t *frames, unsigned number)
{
    struct node *n = (struct node *)top;
    for (unsigned i = 0; i < number && n->depth < sites.depth; i++) {
        struct node *child = find(n, frames[i]);
        if (!child && !(child = add(n, frames[i])))
            return CALLSITES_NONE;
        n = child;
    }
    return site_of(n);
}

unsigned callsites_addresses(int32_t site, const void **addresses)
{
    const struct node *n = node_of(site);
    if (!n)
        return 0;
    const unsigned number = n->depth;
    for (; n != &sites.root && !n->skipped; n = n->parent)
        addresses[n->depth - 1] = (const void *)n->address;
    return number;
}
