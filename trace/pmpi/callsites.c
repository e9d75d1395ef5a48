/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of return addresses and of stacks, and the stack walk. Readers take no lock: entries and tables are published
 * with release stores and never freed. A later change of an entry writes one word, to which all threads store the same
 * value. */
#define _GNU_SOURCE
#include "trace/pmpi/callsites.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "trace/pmpi/sets.h"
#include "trace/pmpi/stacks.h"
#include "trace/pmpi/unwind_rule.h"

enum { BLOCK_BYTES = 1 << 13, BLOCK_SITES = 1 << 10 };

/* A return address, or an address interrupted by a signal, with the rule that finds the caller of its frame. In one line of
 * the cache: a walk reads a place for each frame. */
enum { LINE_BYTES = 64 };
struct place {
    struct set_entry entry;
    uintptr_t address;
    struct unwind_rule rule;
    struct mpg_frame frame;
    int32_t alone; /* 1 + the site of this frame alone; 0: not requested yet */
    bool interrupted;
    bool skipped; /* skipped at the innermost end of stacks */
    bool ruled;   /* rule and SIMPLE are known, since the first walk through the frame; stored last */
    bool simple;  /* in_frame() is true for the rule */
} __attribute__((aligned(LINE_BYTES)));
_Static_assert(sizeof(struct place) == LINE_BYTES, "a place is one line");

/* A stack, innermost frame first. */
struct site {
    struct set_entry entry;
    int32_t number;
    uint32_t depth;
    struct place *places[];
};

static struct {
    unsigned depth;
    callsites_look *look;
    struct set places, stacks;
    pthread_mutex_t lock; /* for the members below, and for adding entries */
    char *block;          /* the unused rest of the newest block */
    size_t block_left;
    const struct site **sites[SET_MOST / BLOCK_SITES]; /* blocks of sites, by number */
    pthread_key_t at_thread_end;
    bool remembers; /* at_thread_end exists */
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread's memory of a site: its last walk to the site and the sites that followed, because programs repeat themselves.
 * The result of a walk that ends before the end of the stack depends only on its first address and on the words it reads:
 * if these are equal, so is the site. Offsets of words, and values of pointers into the stack, are relative to the CFA of
 * the first frame, because a stack may begin at another address. */
enum { WORDS = 16, FOLLOWERS = 2, BLOCK_WALKS = 32, WALK_BLOCKS = 1 << 8 };
struct known_walk {
    struct known_walk *next[FOLLOWERS]; /* the walks that followed, last first; NULL: none */
    uintptr_t address;                  /* first return address; 0: no walk */
    intptr_t frame;                     /* location of the first frame pointer; relative to the CFA, like all offsets below */
    intptr_t end;                       /* end of the highest word */
    int32_t site;
    uint16_t words, plain; /* words in all; the first PLAIN are no pointers into the stack, the rest are */
    int16_t offset[WORDS]; /* offsets in units of words */
    uintptr_t word[WORDS];
};
struct memory {
    struct known_walk *last;
    struct known_walk *walks[WALK_BLOCKS]; /* blocks of walks, by site */
};

static __thread struct {
    struct stacks stacks;
    struct memory *memory;
    bool adding;
    bool busy; /* the thread uses its memory: a signal handler's capture does without */
} thread __attribute__((tls_model("initial-exec")));

/* Clears thread.memory, because later destructors of the thread may call MPI. */
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

static uint64_t hash_of(struct place *const *places, unsigned n)
{
    uint64_t h = n;
    for (unsigned i = 0; i < n; i++)
        h = set_hash(h ^ places[i]->address);
    return h;
}

static inline struct place *find_place(uintptr_t address, bool interrupted)
{
    const struct set_table *table = __atomic_load_n(&sites.places.table, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!table, false))
        return NULL;
    for (size_t i = set_hash(address) & table->mask;; i = (i + 1) & table->mask) {
        struct place *p = (struct place *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!p || (p->address == address && p->interrupted == interrupted))
            return p;
    }
}

static struct site *find_site(uint64_t hash, struct place *const *places, unsigned n)
{
    const struct set_table *table = __atomic_load_n(&sites.stacks.table, __ATOMIC_ACQUIRE);
    if (!table)
        return NULL;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        struct site *s = (struct site *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!s || (s->entry.hash == hash && s->depth == n &&
                   memcmp(s->places, places, n * sizeof *places) == 0))
            return s;
    }
}

/* Returns BYTES of zeros for a permanent entry, at a multiple of ALIGNMENT (a power of two, at least 8); NULL without memory. */
static void *allocate_locked(size_t bytes, size_t alignment)
{
    const size_t before = -(uintptr_t)sites.block & (alignment - 1);
    bytes = (bytes + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    if (sites.block_left >= before + bytes) {
        sites.block += before;
        sites.block_left -= before;
    } else {
        char *block = calloc(1, BLOCK_BYTES);
        if (!block)
            return NULL;
        const size_t first = -(uintptr_t)block & (alignment - 1);
        sites.block = block + first;
        sites.block_left = BLOCK_BYTES - first;
    }
    void *entry = sites.block;
    sites.block += bytes;
    sites.block_left -= bytes;
    return entry;
}

/* Returns true if RULE needs only the stack pointer and reads only words of its own frame. */
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
    struct place *p = find_place(address, interrupted); /* another thread may have added the address */
    if (p || !set_make_room(&sites.places) || !(p = allocate_locked(sizeof *p, LINE_BYTES)))
        return p;
    p->entry.hash = set_hash(address);
    p->address = address;
    p->interrupted = interrupted;
    p->skipped = sites.look && sites.look((const void *)address, &p->frame);
    set_add(&sites.places, &p->entry);
    return p;
}

static void add_rule_locked(struct place *p)
{
    if (p->ruled)
        return;
    if (p->address >= CALLSITES_FOREIGN)
        p->rule = (struct unwind_rule){.kind = UNWIND_END};
    else
        p->rule = unwind_rule_of((const void *)(p->address + p->interrupted)); /* a return address lies behind its call */
    p->simple = in_frame(&p->rule);
    __atomic_store_n(&p->ruled, true, __ATOMIC_RELEASE);
}

/* Makes room for the site of the next number; false without memory. */
static bool make_number(void)
{
    const struct site ***block = &sites.sites[sites.stacks.number / BLOCK_SITES];
    if (!*block)
        __atomic_store_n(block, calloc(BLOCK_SITES, sizeof **block), __ATOMIC_RELEASE);
    return *block;
}

static struct site *add_site_locked(uint64_t hash, struct place *const *places, unsigned n)
{
    struct site *s = find_site(hash, places, n);
    if (s || !set_make_room(&sites.stacks) || !make_number() ||
        !(s = allocate_locked(sizeof *s + n * sizeof *places, sizeof(uint64_t))))
        return s;
    s->entry.hash = hash;
    s->depth = n;
    s->number = (int32_t)sites.stacks.number;
    memcpy(s->places, places, n * sizeof *places);
    __atomic_store_n(&sites.sites[s->number / BLOCK_SITES][s->number % BLOCK_SITES], s, __ATOMIC_RELEASE);
    set_add(&sites.stacks, &s->entry);
    return s;
}

/* Locks the tables. Returns false in a signal handler that interrupts the thread while it holds the lock. */
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

static __attribute__((noinline)) bool add_rule(struct place *p)
{
    if (!lock())
        return false;
    add_rule_locked(p);
    unlock();
    return true;
}

/* Adds the rule to P, on the way of a walk, if P has none yet: callers of local calls and outermost frames need none. Returns
 * false in a signal handler that interrupts the thread while it holds the lock. */
static inline bool has_rule(struct place *p)
{
    return __builtin_expect(__atomic_load_n(&p->ruled, __ATOMIC_ACQUIRE), true) || add_rule(p);
}

static int32_t site_of(struct place *const *places, unsigned n)
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
    struct place *places[CALLSITES_MAX_DEPTH];
    unsigned depth;
    bool other; /* the result depends on more than the words below: libgcc's unwinder, a signal's frame, the end of the stack */
    unsigned words, pointers; /* bit i of POINTERS: word i is a pointer into the stack */
    uintptr_t word_at[WORDS]; /* addresses of the first WORDS words */
};

/* Reads a word of another function's frame, where the address sanitizer must not check. */
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

/* Returns a return address without the bits added by AArch64's pointer authentication. */
static inline uintptr_t plain(uintptr_t address)
{
#ifdef __aarch64__
    address &= ((uintptr_t)1 << 48) - 1;
#endif
    return address;
}

/* Appends P as the next frame, unless P is skipped at the innermost end. */
static inline void take(struct walk *w, struct place *p)
{
    if (w->depth > 0 || !p->skipped)
        w->places[w->depth++] = p;
}

struct whole {
    uintptr_t from; /* the innermost address to record */
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
    struct place *p = place_of(address, false);
    whole->failed = !p;
    if (!p)
        return _URC_END_OF_STACK;
    take(whole->walk, p);
    return _URC_NO_REASON;
}

/* Walks the whole stack with libgcc's unwinder. Returns false without memory. */
static bool walk_with_libgcc(struct walk *w, uintptr_t address)
{
    struct whole whole = {.from = address, .walk = w};
    w->depth = 0;
    w->other = true;
    _Unwind_Backtrace(visit, &whole);
    return !whole.failed;
}

/* Applies a RULE which needs more than an offset from the stack pointer, or which may belong to another frame, to SP and
 * to FP_AT, the location of the frame pointer. Reads only words between SP and HIGH. Returns the caller's return address,
 * or 0 if the rule does not fit. */
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

/* A frame, as its callee finds it on return. ADDRESS is its return address, or 0 if there is no frame. */
struct at {
    uintptr_t address, sp, fp_at, high; /* location of the frame pointer; end of the stack */
    bool interrupted;                   /* the frame was interrupted by a signal */
};

/* Moves AT from the frame of P to its caller. Reads other functions' frames, which the address sanitizer would report. */
__attribute__((no_sanitize("address"))) static inline void unwind_frame(struct walk *w, const struct place *p, struct at *at)
{
    const struct unwind_rule *rule = &p->rule;
    at->interrupted = rule->kind == UNWIND_SIGNAL;
    if (__builtin_expect(p->simple, true)) {
        at->sp += (uintptr_t)(intptr_t)rule->cfa;
        at->address = 0;
        if (__builtin_expect(at->sp > at->high, false)) {
            w->other = true;
            return;
        }
        if (rule->pointer != UNWIND_SAME)
            at->fp_at = at->sp + (uintptr_t)(intptr_t)rule->frame;
        at->address = plain(read_word(w, at->sp + (uintptr_t)(intptr_t)rule->address));
        return;
    }
    at->address = at->interrupted ? stacks_leave_signal(&thread.stacks, &at->high, &at->sp, &at->fp_at)
                                  : plain(step(w, rule, at->high, &at->sp, &at->fp_at));
    w->other |= at->interrupted || at->address == 0; /* the whole unwinder would follow a damaged rule to any address */
}

/* Collects the frames from AT outwards in W. Returns false without memory. */
static bool walk(struct walk *w, struct at at)
{
    const uintptr_t first = at.address;
    while (at.address != 0) {
        struct place *p = place_of(at.address, at.interrupted);
        if (!p)
            return false;
        const bool innermost = w->depth == 0;
        take(w, p);
        if (w->depth == sites.depth)
            return true;
        if (!has_rule(p))
            return false;
        if (p->rule.kind == UNWIND_END ||
            (p->rule.kind == UNWIND_NOWHERE && !innermost)) /* where a damaged rule led */
            return true;
        if (p->rule.kind == UNWIND_NOWHERE)
            return walk_with_libgcc(w, first);
        unwind_frame(w, p, &at);
    }
    return true;
}

/* --- memory of walks --- */

/* Returns word I of a walk like K whose first CFA is CFA. */
__attribute__((no_sanitize("address"))) static inline uintptr_t known_word(const struct known_walk *k, uintptr_t cfa,
                                                                           unsigned i)
{
    return word(cfa + (uintptr_t)((intptr_t)k->offset[i] * (intptr_t)sizeof(uintptr_t)));
}

/* Returns true if a walk from AT would repeat K. */
static inline bool repeats_walk(const struct known_walk *k, const struct at *at)
{
    const uintptr_t cfa = at->sp;
    if (k->address != at->address || k->frame != (intptr_t)(at->fp_at - cfa) || k->end > (intptr_t)(at->high - cfa))
        return false;
    uintptr_t differences = 0;
    unsigned i = 0;
    for (; i < k->plain; i++)
        differences |= known_word(k, cfa, i) ^ k->word[i];
    for (; i < k->words; i++)
        differences |= (known_word(k, cfa, i) - cfa) ^ k->word[i];
    return differences == 0;
}

/* Returns a remembered follower of the last walk which a walk from AT would repeat; NULL: none. */
static inline struct known_walk *recall(struct memory *m, const struct at *at)
{
    struct known_walk *last = m->last;
    for (int i = 0; last && i < FOLLOWERS && last->next[i]; i++)
        if (repeats_walk(last->next[i], at))
            return last->next[i];
    return NULL;
}

/* Returns the thread's memory, made at the first call; NULL: none. */
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

/* Returns the entry for the walk to SITE; NULL: SITE is not remembered. */
static struct known_walk *place_for(struct memory *m, int32_t site)
{
    const int32_t block = site / BLOCK_WALKS;
    if (block >= WALK_BLOCKS ||
        (!m->walks[block] && !(m->walks[block] = calloc(BLOCK_WALKS, sizeof **m->walks))))
        return NULL;
    return &m->walks[block][site % BLOCK_WALKS];
}

/* Appends the word at ADDRESS to K, a walk from CFA. Returns false if the word is too far from CFA. */
static bool add_word(struct known_walk *k, uintptr_t address, uintptr_t cfa)
{
    const intptr_t offset = (intptr_t)(address - cfa), words = offset / (intptr_t)sizeof(uintptr_t);
    if (offset % (intptr_t)sizeof(uintptr_t) != 0 || words < INT16_MIN || words > INT16_MAX)
        return false;
    k->offset[k->words] = (int16_t)words;
    k->word[k->words] = word(address);
    k->words++;
    if (k->end < offset + (intptr_t)sizeof(uintptr_t))
        k->end = offset + (intptr_t)sizeof(uintptr_t);
    return true;
}

/* Remembers that W, which began at AT, found SITE. Returns the entry; NULL: not remembered. */
static __attribute__((noinline)) struct known_walk *remember(struct memory *m, const struct walk *w, const struct at *at,
                                                             int32_t site)
{
    struct known_walk *k = place_for(m, site);
    if (!k)
        return NULL;
    k->address = 0;
    k->site = site;
    k->frame = (intptr_t)(at->fp_at - at->sp);
    k->end = 0;
    k->words = 0;
    for (unsigned i = 0; i < w->words; i++)
        if (!(w->pointers >> i & 1) && !add_word(k, w->word_at[i], at->sp))
            return NULL;
    k->plain = k->words;
    for (unsigned i = 0; i < w->words; i++)
        if (w->pointers >> i & 1 && !add_word(k, w->word_at[i], at->sp))
            return NULL;
    for (unsigned i = k->plain; i < k->words; i++)
        k->word[i] -= at->sp;
    k->address = at->address;
    return k;
}

/* Notes that K followed the last walk. */
static inline void follow(struct memory *m, struct known_walk *k)
{
    struct known_walk *last = m->last;
    m->last = k;
    if (!last || !k || last->next[0] == k)
        return;
    last->next[1] = last->next[0];
    last->next[0] = k;
}

static struct at at_of(const void *address, const void *cfa, const void *frame)
{
    return (struct at){.address = plain((uintptr_t)address), .sp = (uintptr_t)cfa, .fp_at = (uintptr_t)frame,
                       .high = stacks_end(&thread.stacks, (uintptr_t)cfa)};
}

/* Returns the site, as callsites_capture(). ALONE: no other capture of the thread is in progress. */
static inline int32_t capture(struct at at, bool alone)
{
    struct memory *m = alone ? make_memory() : NULL;
    struct known_walk *k = m ? recall(m, &at) : NULL;
    if (__builtin_expect(k != NULL, true)) {
        follow(m, k);
        return k->site;
    }
    struct walk w;
    w.depth = w.words = w.pointers = 0;
    w.other = false;
    const int32_t site = walk(&w, at) ? site_of(w.places, w.depth) : CALLSITES_NONE;
    if (m && site != CALLSITES_NONE && !w.other && w.words <= WORDS)
        follow(m, remember(m, &w, &at, site));
    return site;
}

int32_t callsites_capture(const void *address, const void *cfa, const void *frame)
{
    const bool alone = !thread.busy;
    thread.busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const int32_t site = capture(at_of(address, cfa, frame), alone);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread.busy = !alone;
    return site;
}

/* --- nested calls --- */

struct wanted {
    uintptr_t address, cfa;
    bool found;
};

static _Unwind_Reason_Code search(struct _Unwind_Context *context, void *data)
{
    struct wanted *w = data;
    w->found = (uintptr_t)_Unwind_GetCFA(context) == w->cfa && plain((uintptr_t)_Unwind_GetIP(context)) == w->address;
    return w->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool callsites_lead_to(const void *address, const void *cfa, const void *frame, const void *to_address, const void *to_cfa)
{
    enum { MOST_FRAMES = 1 << 16 };
    struct wanted wanted = {.address = plain((uintptr_t)to_address), .cfa = (uintptr_t)to_cfa};
    struct at at = at_of(address, cfa, frame);
    struct walk w = {.depth = 0};
    for (int i = 0; i < MOST_FRAMES && at.address != 0; i++) {
        if (at.sp == wanted.cfa && at.address == wanted.address)
            return true;
        struct place *p = place_of(at.address, at.interrupted);
        if (!p || !has_rule(p) || p->rule.kind == UNWIND_NOWHERE) {
            _Unwind_Backtrace(search, &wanted);
            return wanted.found;
        }
        if (p->rule.kind == UNWIND_END)
            return false;
        unwind_frame(&w, p, &at);
    }
    return false;
}

/* --- sites --- */

static const struct site *site_numbered(int32_t number)
{
    const struct site **block = number >= 0 && number < SET_MOST
                                    ? __atomic_load_n(&sites.sites[number / BLOCK_SITES], __ATOMIC_ACQUIRE) : NULL;
    return block ? __atomic_load_n(&block[number % BLOCK_SITES], __ATOMIC_ACQUIRE) : NULL;
}

/* Returns the site of P's frame alone. */
static int32_t site_alone(struct place *p)
{
    int32_t site = __atomic_load_n(&p->alone, __ATOMIC_RELAXED) - 1;
    if (site < 0) {
        site = site_of(&p, 1);
        __atomic_store_n(&p->alone, site + 1, __ATOMIC_RELAXED);
    }
    return site;
}

int32_t callsites_alone(const void *address)
{
    struct place *p = place_of(plain((uintptr_t)address), false);
    return p && !p->skipped ? site_alone(p) : CALLSITES_NONE;
}

int32_t callsites_innermost(int32_t site)
{
    const struct site *s = site_numbered(site);
    return s ? site_alone(s->places[0]) : CALLSITES_NONE;
}

int32_t callsites_joined(int32_t site, unsigned keep, const uintptr_t *frames, unsigned number)
{
    struct place *places[CALLSITES_MAX_DEPTH];
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
