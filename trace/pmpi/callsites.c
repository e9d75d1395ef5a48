/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of return addresses and of stacks, and the walk that finds a stack. Readers take no
 * lock: entries and tables are published with release stores, never changed afterwards and
 * never freed. */
#define _GNU_SOURCE
#include "trace/pmpi/callsites.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "trace/pmpi/stacks.h"
#include "trace/pmpi/unwind_rule.h"

enum { MAX_ENTRIES = 1 << 18, FIRST_SLOTS = 1 << 10, BLOCK_BYTES = 1 << 14 };

/* What both tables hold begins with its hash. */
struct entry {
    uint64_t hash;
};

/* A return address, or one that a signal has interrupted, and how the caller of its frame is found. */
struct place {
    struct entry entry;
    uintptr_t address;
    bool interrupted;
    struct unwind_rule rule;
    struct mpg_frame frame;
    bool skipped; /* at the innermost end */
    bool simple;  /* its rule is in_frame() */
};

/* A stack, innermost first. */
struct site {
    struct entry entry;
    int32_t number;
    uint32_t depth;
    const struct place *places[];
};

struct table {
    struct table *older; /* others may still be reading it: all take as much as the last */
    size_t mask;
    struct entry *slots[];
};

/* A table that grows, at a load of at most a half. */
struct set {
    struct table *table;
    size_t number;
};

static struct {
    unsigned depth;
    callsites_look *look;
    struct set places, stacks;
    pthread_mutex_t lock; /* for what follows, and for adding */
    char *block;          /* what is left of the last one */
    size_t block_left;
    struct site **sites; /* by number */
    size_t site_capacity;
    pthread_key_t at_thread_end;
    bool remembers; /* there is such a key */
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What a thread remembers of a site: its last walk there, and which sites it came to next: programs repeat themselves.
 * What a walk finds is made by the address that it begins with and the words that it reads, and by nothing else, as long
 * as it ends before the stack does: where these are the same, so is the site. Where it reads and pointers into the stack
 * are taken from the first frame's CFA: a stack may begin at another place. */
enum { WORDS = 16, MAX_OFFSET = 1 << 30, FOLLOWERS = 2, BLOCK_WALKS = 64, WALK_BLOCKS = 1 << 7 };
struct known_walk {
    struct known_walk *next[FOLLOWERS]; /* NULL, or the last one first */
    uintptr_t address;                  /* 0: none */
    int32_t site;
    int32_t frame; /* where the first frame pointer is, from the CFA, as all below */
    int32_t end;   /* of all words */
    uint16_t words;
    uint16_t pointers; /* bit i: word i is a pointer into the stack */
    int32_t offset[WORDS];
    uintptr_t word[WORDS];
};
struct memory {
    struct known_walk *last;
    struct known_walk *walks[WALK_BLOCKS]; /* blocks of them, by site */
};

static __thread struct {
    struct stacks stacks;
    struct memory *memory;
    bool adding;
    bool busy; /* with the memory: a signal's handler that comes in meanwhile does without */
} thread __attribute__((tls_model("initial-exec")));

/* Later destructors may call MPI, too. */
static void forget(void *memory)
{
    struct memory *m = memory;
    thread.memory = NULL;
    for (int i = 0; i < WALK_BLOCKS; i++)
        free(m->walks[i]);
    free(m);
}

void callsites_start(unsigned depth, callsites_look *look)
{
    sites.depth = depth < CALLSITES_MAX_DEPTH ? depth : CALLSITES_MAX_DEPTH;
    sites.look = look;
    sites.remembers = pthread_key_create(&sites.at_thread_end, forget) == 0;
}

/* --- tables --- */

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static uint64_t hash_of(const struct place *const *places, unsigned n)
{
    uint64_t h = n;
    for (unsigned i = 0; i < n; i++)
        h = mix(h ^ places[i]->address);
    return h;
}

static inline struct place *find_place(uintptr_t address, bool interrupted)
{
    const struct table *table = __atomic_load_n(&sites.places.table, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!table, false))
        return NULL;
    for (size_t i = mix(address) & table->mask;; i = (i + 1) & table->mask) {
        struct place *p = (struct place *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!p || (p->address == address && p->interrupted == interrupted))
            return p;
    }
}

static struct site *find_site(uint64_t hash, const struct place *const *places, unsigned n)
{
    const struct table *table = __atomic_load_n(&sites.stacks.table, __ATOMIC_ACQUIRE);
    if (!table)
        return NULL;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        struct site *s = (struct site *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!s || (s->entry.hash == hash && s->depth == n &&
                   memcmp(s->places, places, n * sizeof *places) == 0))
            return s;
    }
}

static void put(struct table *table, struct entry *e)
{
    size_t i = e->hash & table->mask;
    while (table->slots[i])
        i = (i + 1) & table->mask;
    __atomic_store_n(&table->slots[i], e, __ATOMIC_RELEASE);
}

static bool make_room(struct set *set)
{
    struct table *old = set->table;
    const size_t slots = old ? old->mask + 1 : 0;
    if (set->number == MAX_ENTRIES)
        return false;
    if (2 * (set->number + 1) <= slots)
        return true;
    const size_t more = slots ? 2 * slots : FIRST_SLOTS;
    struct table *table = calloc(1, sizeof *table + more * sizeof *table->slots);
    if (!table)
        return false;
    table->older = old;
    table->mask = more - 1;
    for (size_t i = 0; i < slots; i++)
        if (old->slots[i])
            put(table, old->slots[i]);
    __atomic_store_n(&set->table, table, __ATOMIC_RELEASE);
    return true;
}

static void publish(struct set *set, struct entry *e)
{
    put(set->table, e);
    set->number++;
}

/* BYTES of zeros for an entry that stays; NULL without memory. */
static void *allocate_locked(size_t bytes)
{
    bytes = (bytes + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    if (sites.block_left < bytes) {
        char *block = calloc(1, BLOCK_BYTES);
        if (!block)
            return NULL;
        sites.block = block;
        sites.block_left = BLOCK_BYTES;
    }
    void *entry = sites.block;
    sites.block += bytes;
    sites.block_left -= bytes;
    return entry;
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

static struct place *add_place_locked(uintptr_t address, bool interrupted)
{
    struct place *p = find_place(address, interrupted); /* another thread may have been faster */
    if (p || !make_room(&sites.places) || !(p = allocate_locked(sizeof *p)))
        return p;
    p->entry.hash = mix(address);
    p->address = address;
    p->interrupted = interrupted;
    p->skipped = sites.look && sites.look((const void *)address, &p->frame);
    if (address >= CALLSITES_FOREIGN)
        p->rule = (struct unwind_rule){.kind = UNWIND_END};
    else
        p->rule = unwind_rule_of((const void *)(address + interrupted)); /* others are behind their call */
    p->simple = in_frame(&p->rule);
    publish(&sites.places, &p->entry);
    return p;
}

/* Room for the site of the next number. */
static bool make_number(void)
{
    if (sites.stacks.number < sites.site_capacity)
        return true;
    const size_t more = sites.site_capacity ? 2 * sites.site_capacity : 256;
    struct site **grown = realloc(sites.sites, more * sizeof *grown);
    if (!grown)
        return false;
    sites.sites = grown;
    sites.site_capacity = more;
    return true;
}

static struct site *add_site_locked(uint64_t hash, const struct place *const *places, unsigned n)
{
    struct site *s = find_site(hash, places, n);
    if (s || !make_room(&sites.stacks) || !make_number() ||
        !(s = allocate_locked(sizeof *s + n * sizeof *places)))
        return s;
    s->entry.hash = hash;
    s->depth = n;
    s->number = (int32_t)sites.stacks.number;
    memcpy(s->places, places, n * sizeof *places);
    sites.sites[s->number] = s;
    publish(&sites.stacks, &s->entry);
    return s;
}

/* Does work on the tables under the lock; a signal's handler that comes in meanwhile
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

static struct place *place_of(uintptr_t address, bool interrupted)
{
    struct place *p = find_place(address, interrupted);
    if (__builtin_expect(p != NULL, true) || !lock())
        return p;
    p = add_place_locked(address, interrupted);
    unlock();
    return p;
}

static int32_t site_of(const struct place *const *places, unsigned n)
{
    if (n == 0)
        return CALLSITES_NONE;
    const uint64_t hash = hash_of(places, n);
    struct site *s = find_site(hash, places, n);
    if (!s && lock()) {
        s = add_site_locked(hash, places, n);
        unlock();
    }
    return s ? s->number : CALLSITES_NONE;
}

/* --- walking --- */

struct walk {
    const struct place *places[CALLSITES_MAX_DEPTH];
    unsigned depth;
    bool other; /* more than the words below has made what it finds: libgcc's unwinder, a signal's frame, the end of the stack */
    unsigned words, pointers; /* bit i of POINTERS: word i is a pointer into the stack */
    uintptr_t word_at[WORDS]; /* where, as far as they are not more */
};

/* Of functions' frames that are not the compiler's to check. */
__attribute__((no_sanitize("address"))) static inline uintptr_t word(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static inline uintptr_t read_word(struct walk *w, uintptr_t address)
{
    if (w->words < WORDS)
        w->word_at[w->words] = address;
    w->words++;
    return word(address);
}

static inline uintptr_t read_pointer(struct walk *w, uintptr_t address)
{
    w->pointers |= 1u << (w->words < WORDS ? w->words : WORDS);
    return read_word(w, address);
}

/* A return address as code has it, without what AArch64's pointer authentication adds. */
static inline uintptr_t plain(uintptr_t address)
{
#ifdef __aarch64__
    address &= ((uintptr_t)1 << 48) - 1;
#endif
    return address;
}

/* Takes P as the next frame, unless it is skipped. */
static inline void take(struct walk *w, const struct place *p)
{
    if (w->depth > 0 || !p->skipped)
        w->places[w->depth++] = p;
}

struct whole {
    uintptr_t from; /* the first address wanted */
    bool started, failed;
    struct walk *walk;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    struct whole *whole = data;
    const uintptr_t address = (uintptr_t)_Unwind_GetIP(context);
    whole->started |= address == whole->from;
    if (!whole->started)
        return _URC_NO_REASON;
    if (address == 0 || whole->walk->depth == sites.depth)
        return _URC_END_OF_STACK;
    const struct place *p = place_of(address, false);
    whole->failed = !p;
    if (!p)
        return _URC_END_OF_STACK;
    take(whole->walk, p);
    return _URC_NO_REASON;
}

/* All of it by libgcc's unwinder; false: without memory. */
static bool walk_whole(struct walk *w, uintptr_t address)
{
    struct whole whole = {.from = address, .walk = w};
    w->depth = 0;
    w->other = true;
    _Unwind_Backtrace(visit, &whole);
    return !whole.failed;
}

/* Applies a rule that is more than an offset from the stack pointer to SP and to where the frame
 * pointer is, or one that may not be this frame's; only words between SP and HIGH are read. The
 * caller's return address, or 0 if there is no telling. */
__attribute__((no_sanitize("address"))) static uintptr_t
step(struct walk *w, const struct unwind_rule *rule, uintptr_t high, uintptr_t *sp, uintptr_t *fp_at)
{
    const bool by_pointer = rule->kind != UNWIND_STACK || rule->pointer == UNWIND_AT_FRAME;
    const uintptr_t fp = by_pointer ? read_pointer(w, *fp_at) : 0;
    uintptr_t top = (rule->kind == UNWIND_STACK ? *sp : fp) + (uintptr_t)(intptr_t)rule->cfa;
    if (rule->kind == UNWIND_LOADED) {
        if (top < *sp || top >= high || top % sizeof top != 0)
            return 0;
        top = read_pointer(w, top);
    }
    const uintptr_t at = top + (uintptr_t)(intptr_t)rule->address;
    if (top > high || top % sizeof top != 0 || at < *sp || at >= top)
        return 0;
    if (rule->pointer != UNWIND_SAME) {
        const uintptr_t saved =
            (rule->pointer == UNWIND_AT_CFA ? top : fp) + (uintptr_t)(intptr_t)rule->frame;
        if (saved < *sp || saved >= top)
            return 0;
        *fp_at = saved;
    }
    *sp = top;
    return read_word(w, at);
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
__attribute__((no_sanitize("address"))) static uintptr_t leave_signal(uintptr_t *high, uintptr_t *sp, uintptr_t *fp_at)
{
    const uintptr_t context = *sp;
    if (CONTEXT_BYTES == 0 || context % sizeof(uintptr_t) != 0 || *high <= context || *high - context < CONTEXT_PC + sizeof(uintptr_t) ||
        *high - context < CONTEXT_SP + sizeof(uintptr_t))
        return 0;
    *fp_at = context + CONTEXT_FP;
    *sp = word(context + CONTEXT_SP);
    *high = stacks_end(&thread.stacks, *sp);
    return *high ? word(context + CONTEXT_PC) : 0;
}

/* Other functions' frames are read, which the sanitizer takes for mistakes. HIGH: the end of the stack. False: without
 * memory. */
__attribute__((no_sanitize("address"))) static bool walk(struct walk *w, uintptr_t first, uintptr_t sp, uintptr_t fp_at,
                                                         uintptr_t high)
{
    bool interrupted = false;
    for (uintptr_t next = first; next != 0;) {
        const struct place *p = place_of(next, interrupted);
        if (!p)
            return false;
        const bool innermost = w->depth == 0;
        const struct unwind_rule *rule = &p->rule;
        take(w, p);
        if (w->depth == sites.depth || rule->kind == UNWIND_END ||
            (rule->kind == UNWIND_NOWHERE && !innermost)) /* what a damaged rule has led to */
            return true;
        if (rule->kind == UNWIND_NOWHERE)
            return walk_whole(w, first);
        interrupted = rule->kind == UNWIND_SIGNAL;
        if (__builtin_expect(p->simple, true)) {
            sp += (uintptr_t)(intptr_t)rule->cfa;
            if (__builtin_expect(sp > high, false)) {
                w->other = true;
                return true;
            }
            if (rule->pointer != UNWIND_SAME)
                fp_at = sp + (uintptr_t)(intptr_t)rule->frame;
            next = plain(read_word(w, sp + (uintptr_t)(intptr_t)rule->address));
            continue;
        }
        next = interrupted ? leave_signal(&high, &sp, &fp_at) : plain(step(w, rule, high, &sp, &fp_at));
        w->other |= interrupted || next == 0; /* the whole unwinder would follow a damaged rule anywhere */
    }
    return true;
}

/* --- remembering --- */

/* Word I of a walk like K from CFA. */
__attribute__((no_sanitize("address"))) static inline uintptr_t known_word(const struct known_walk *k, uintptr_t cfa,
                                                                           unsigned i)
{
    return word(cfa + (uintptr_t)(intptr_t)k->offset[i]) - (k->pointers >> i & 1 ? cfa : 0);
}

/* Whether a walk from these, on a stack up to HIGH, would be K again. */
static inline bool is_again(const struct known_walk *k, uintptr_t address, uintptr_t cfa, uintptr_t frame, uintptr_t high)
{
    if (k->address != address || k->frame != (intptr_t)(frame - cfa) || k->end > (intptr_t)(high - cfa))
        return false;
    uintptr_t differences = 0;
    for (unsigned i = 0; i < k->words; i++)
        differences |= known_word(k, cfa, i) ^ k->word[i];
    return differences == 0;
}

/* The walk that came after the last one before, if it does again; or NULL. */
static inline struct known_walk *recall(struct memory *m, uintptr_t address, uintptr_t cfa, uintptr_t frame, uintptr_t high)
{
    struct known_walk *last = m->last;
    for (int i = 0; last && i < FOLLOWERS && last->next[i]; i++)
        if (is_again(last->next[i], address, cfa, frame, high))
            return last->next[i];
    return NULL;
}

/* The thread's memory; NULL: none. */
static struct memory *make_memory(void)
{
    if (thread.memory || !sites.remembers)
        return thread.memory;
    struct memory *m = calloc(1, sizeof *m);
    if (m && pthread_setspecific(sites.at_thread_end, m) != 0) {
        free(m);
        return NULL;
    }
    return thread.memory = m;
}

/* The place for SITE's walk; NULL: it is not remembered. */
static struct known_walk *place_for(struct memory *m, int32_t site)
{
    const int32_t block = site / BLOCK_WALKS;
    if (block >= WALK_BLOCKS ||
        (!m->walks[block] && !(m->walks[block] = calloc(BLOCK_WALKS, sizeof **m->walks))))
        return NULL;
    return &m->walks[block][site % BLOCK_WALKS];
}

/* Remembers that W, which began with the addresses, found SITE. */
static __attribute__((noinline)) struct known_walk *remember(struct memory *m, const struct walk *w, uintptr_t address,
                                                             uintptr_t cfa, uintptr_t frame, int32_t site)
{
    struct known_walk *k = place_for(m, site);
    if (!k)
        return NULL;
    k->address = 0;
    k->site = site;
    k->frame = (int32_t)(intptr_t)(frame - cfa);
    k->end = 0;
    k->words = (uint16_t)w->words;
    k->pointers = (uint16_t)w->pointers;
    for (unsigned i = 0; i < w->words; i++) {
        const intptr_t offset = (intptr_t)(w->word_at[i] - cfa);
        if (offset < -MAX_OFFSET || offset > MAX_OFFSET)
            return NULL;
        k->offset[i] = (int32_t)offset;
        k->word[i] = known_word(k, cfa, i);
        if (k->end < k->offset[i] + (int32_t)sizeof(uintptr_t))
            k->end = k->offset[i] + (int32_t)sizeof(uintptr_t);
    }
    k->address = address;
    return k;
}

/* K comes after the last walk. */
static inline void follow(struct memory *m, struct known_walk *k)
{
    struct known_walk *last = m->last;
    m->last = k;
    if (!last || !k || last->next[0] == k)
        return;
    last->next[1] = last->next[0];
    last->next[0] = k;
}

/* As callsites_capture(); ALONE: no other capture of the thread is interrupted. */
static inline int32_t capture(uintptr_t address, uintptr_t cfa, uintptr_t frame, bool alone)
{
    const uintptr_t high = stacks_end(&thread.stacks, cfa);
    struct memory *m = alone ? make_memory() : NULL;
    struct known_walk *k = m ? recall(m, address, cfa, frame, high) : NULL;
    if (__builtin_expect(k != NULL, true)) {
        follow(m, k);
        return k->site;
    }
    struct walk w;
    w.depth = w.words = w.pointers = 0;
    w.other = false;
    if (!walk(&w, address, cfa, frame, high))
        return CALLSITES_NONE;
    const int32_t site = site_of(w.places, w.depth);
    if (m && site != CALLSITES_NONE && !w.other && w.words <= WORDS)
        follow(m, remember(m, &w, address, cfa, frame, site));
    return site;
}

int32_t callsites_capture(const void *address, const void *cfa, const void *frame)
{
    const bool alone = !thread.busy;
    thread.busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const int32_t site = capture(plain((uintptr_t)address), (uintptr_t)cfa, (uintptr_t)frame, alone);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread.busy = !alone;
    return site;
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
    uintptr_t fp_at = (uintptr_t)frame;
    bool interrupted = false;
    struct walk w = {.depth = 0};
    for (int i = 0; i < MOST_FRAMES && next != 0; i++) {
        if (sp == wanted.cfa && next == wanted.address)
            return true;
        const struct unwind_rule rule = unwind_rule_of((const void *)(next + interrupted));
        interrupted = rule.kind == UNWIND_SIGNAL;
        if (rule.kind == UNWIND_NOWHERE) {
            _Unwind_Backtrace(look_for, &wanted);
            return wanted.found;
        }
        if (rule.kind == UNWIND_END)
            return false;
        next = interrupted ? leave_signal(&high, &sp, &fp_at) : plain(step(&w, &rule, high, &sp, &fp_at));
    }
    return false;
}

/* --- sites --- */

static const struct site *site_numbered(int32_t number)
{
    const struct site *s = NULL;
    if (!lock())
        return NULL;
    if (number >= 0 && (size_t)number < sites.stacks.number)
        s = sites.sites[number];
    unlock();
    return s;
}

int32_t callsites_joined(int32_t site, unsigned keep, const uintptr_t *frames, unsigned number)
{
    const struct place *places[CALLSITES_MAX_DEPTH];
    const struct site *s = keep > 0 ? site_numbered(site) : NULL;
    if (keep > 0 && (!s || s->depth < keep))
        return CALLSITES_NONE;
    if (s)
        memcpy(places, s->places, keep * sizeof *places);
    unsigned n = keep;
    for (unsigned i = 0; i < number && n < sites.depth; i++)
        if (!(places[n++] = place_of(frames[i], false)))
            return CALLSITES_NONE;
    return site_of(places, n);
}

unsigned callsites_addresses(int32_t site, const void **addresses)
{
    const struct site *s = site_numbered(site);
    for (unsigned i = 0; s && i < s->depth; i++)
        addresses[i] = (const void *)s->places[i]->address;
    return s ? s->depth : 0;
}

unsigned callsites_frames(int32_t site, struct mpg_frame *frames)
{
    const struct site *s = site_numbered(site);
    for (unsigned i = 0; s && i < s->depth; i++)
        frames[i] = s->places[i]->frame;
    return s ? s->depth : 0;
}
