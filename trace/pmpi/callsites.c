/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the call stack to find the callsite of an MPI call. Each thread remembers walks to avoid most of the work. */
#define _GNU_SOURCE
#include "trace/pmpi/callsites.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "trace/pmpi/code_addresses.h"
#include "trace/pmpi/stacks.h"

static struct {
    unsigned depth;
    pthread_key_t at_thread_end;
    bool remembers; /* at_thread_end is a valid key */
} sites;

/* A thread's memory of a callsite ("site"): the last walk that led to the site, and the sites captured next, because programs
 * repeat sequences of calls. The result of a walk that ends before the end of the stack depends only on the first address and on
 * the words read: equal words mean an equal site. Offsets of words, and pointers into the stack, are stored relative to the CFA
 * (canonical frame address) of the first frame, because stacks begin at different addresses. */
enum { WORDS = 16, FOLLOWERS = 2, BLOCK_WALKS = 32, WALK_BLOCKS = 1 << 8 };
struct known_walk {
    int32_t site;
    uint32_t next[FOLLOWERS]; /* 1 + number of each site captured next, the latest first; 0: none */
    /* Where the first frame's frame pointer is stored, in bytes relative to the CFA, as all offsets below. */
    int32_t frame;
    int32_t end;              /* end of the word with the highest address */
    /* Number of words; the first PLAIN words are compared unchanged, all further words are pointers into the stack. */
    uint8_t words, plain;
    int16_t offset[WORDS];    /* place of each word relative to the CFA, counted in words */
    uintptr_t address;        /* first return address; 0: no walk is stored for this site */
    uintptr_t word[WORDS];
} __attribute__((aligned(CACHE_LINE_BYTES)));

struct memory {
    struct known_walk *last;
    /* Blocks of struct known_walk, by site; in a block the entries begin at the first cache line. */
    char *walks[WALK_BLOCKS];
};

static __thread struct {
    struct stacks stacks;
    struct memory *memory;
    bool busy; /* the thread is using this struct: a capture in a signal handler must not use it */
} thread __attribute__((tls_model("initial-exec")));

/* Called at the end of a thread: frees the thread's memory. Later destructors of the thread may call MPI: thread.memory is
 * cleared first. */
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
    code_addresses_start(look);
    sites.remembers = pthread_key_create(&sites.at_thread_end, forget) == 0;
}

/* --- walking --- */

struct walk {
    struct code_address *codes[CALLSITES_MAX_DEPTH];
    uintptr_t addresses[CALLSITES_MAX_DEPTH]; /* code addresses of CODES */
    unsigned depth;
    /* The result depends on more than the words below: libgcc walked, or the walk met a signal's frame or the end of the
     * stack. */
    bool other;
    unsigned words, pointers; /* number of words read; bit i of POINTERS: word i is a pointer into the stack */
    uintptr_t word_at[WORDS]; /* addresses of the first WORDS words read */
};

/* Reads a word of another function's frame. The address sanitizer must not check this read. */
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

/* Appends P as the next frame outwards; leaves P out if marked as skipped and not preceded by another frame. */
static inline void take(struct walk *w, struct code_address *p, uintptr_t address)
{
    if (w->depth == 0 && p->skipped)
        return;
    w->addresses[w->depth] = address;
    w->codes[w->depth++] = p;
}

struct whole {
    uintptr_t from; /* innermost address to record; libgcc's walk begins with inner frames */
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
    struct code_address *p = code_addresses_get(address, false);
    whole->failed = !p;
    if (!p)
        return _URC_END_OF_STACK;
    take(whole->walk, p, address);
    return _URC_NO_REASON;
}

/* Walks the whole stack from ADDRESS with libgcc's unwinder. Returns false if code_addresses_get() fails. */
static bool walk_with_libgcc(struct walk *w, uintptr_t address)
{
    struct whole whole = {.from = address, .walk = w};
    w->depth = 0;
    w->other = true;
    _Unwind_Backtrace(visit, &whole);
    return !whole.failed;
}

/* Applies RULE, which is not simple (struct code_address), to SP and to FP_AT, the location of the frame pointer. Reads only
 * words between SP and HIGH. Returns the caller's return address, or 0 if the rule does not fit. */
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

/* A frame at the return from its callee. ADDRESS: return address into the frame; 0: no frame. SP: stack pointer. */
struct at {
    uintptr_t address, sp, fp_at, high; /* FP_AT: address at which the frame pointer is stored; HIGH: end of the stack */
    bool interrupted;                   /* the frame was interrupted by a signal */
};

/* Moves AT to the caller, by RULE, which is simple. Reads other functions' frames, which the address sanitizer would report. */
__attribute__((no_sanitize("address"))) static inline void unwind_simple(struct walk *w, const struct unwind_rule *rule,
                                                                         struct at *at)
{
    at->interrupted = false;
    at->sp += (uintptr_t)(intptr_t)rule->cfa;
    at->address = 0;
    if (__builtin_expect(at->sp > at->high, false)) {
        w->other = true;
        return;
    }
    if (rule->pointer != UNWIND_SAME)
        at->fp_at = at->sp + (uintptr_t)(intptr_t)rule->frame;
    at->address = plain(read_word(w, at->sp + (uintptr_t)(intptr_t)rule->address));
}

/* Moves AT from the frame of code address P to the caller, by any rule. */
static inline void unwind_frame(struct walk *w, const struct code_address *p, struct at *at)
{
    if (__builtin_expect(p->simple, true)) {
        unwind_simple(w, &p->rule, at);
        return;
    }
    at->interrupted = p->rule.kind == UNWIND_SIGNAL;
    at->address = at->interrupted ? stacks_leave_signal(&thread.stacks, &at->high, &at->sp, &at->fp_at)
                                  : plain(step(w, &p->rule, at->high, &at->sp, &at->fp_at));
    w->other |= at->interrupted || at->address == 0; /* no further frame: the end of the stack, or a damaged rule */
}

/* Stores the frames from AT outwards in W, and moves AT to the outermost. Returns false if a code address or rule cannot be
 * stored: no memory, or in a signal handler (code_addresses.h). */
static bool walk(struct walk *w, struct at *at)
{
    const uintptr_t first = at->address;
    struct code_address *callee = NULL;
    while (at->address != 0) {
        struct code_address *p = code_addresses_caller(callee, at->address, at->interrupted);
        if (!p)
            return false;
        const bool innermost = w->depth == 0;
        take(w, p, at->address);
        if (w->depth == sites.depth)
            return true;
        if (!code_addresses_has_rule(p))
            return false;
        if (p->rule.kind == UNWIND_END ||
            (p->rule.kind == UNWIND_NOWHERE && !innermost)) /* NOWHERE outside the innermost frame: caused by a damaged rule */
            return true;
        if (p->rule.kind == UNWIND_NOWHERE)
            return walk_with_libgcc(w, first);
        unwind_frame(w, p, at);
        callee = p;
    }
    return true;
}

/* --- memory of walks --- */

/* Returns the current value of word I of walk K, on a stack whose first frame has the canonical frame address CFA. */
__attribute__((no_sanitize("address"))) static inline uintptr_t known_word(const struct known_walk *k, uintptr_t cfa,
                                                                           unsigned i)
{
    return word(cfa + (uintptr_t)((intptr_t)k->offset[i] * (intptr_t)sizeof(uintptr_t)));
}

/* Returns true if a walk from AT would have the result of K. */
static inline bool repeats_walk(const struct known_walk *k, struct at at)
{
    const uintptr_t cfa = at.sp;
    if (k->address != at.address || k->frame != (intptr_t)(at.fp_at - cfa) || k->end > (intptr_t)(at.high - cfa))
        return false;
    uintptr_t differences = 0;
    unsigned i = 0;
    for (; i < k->plain; i++)
        differences |= known_word(k, cfa, i) ^ k->word[i];
    for (; i < k->words; i++)
        differences |= (known_word(k, cfa, i) - cfa) ^ k->word[i];
    return differences == 0;
}

/* Returns the entry of SITE in M. The entry's block must be allocated. */
static inline struct known_walk *entry_of(const struct memory *m, int32_t site)
{
    const uint32_t number = (uint32_t)site;
    const uintptr_t block = (uintptr_t)m->walks[number / BLOCK_WALKS];
    return (struct known_walk *)((block + CACHE_LINE_BYTES - 1) & ~(uintptr_t)(CACHE_LINE_BYTES - 1)) + number % BLOCK_WALKS;
}

/* Returns the stored walk that a walk from AT would repeat, among walks that followed the last walk earlier; NULL: no such
 * walk. */
static inline struct known_walk *recall(const struct memory *m, struct at at)
{
    const struct known_walk *last = m->last;
    for (int i = 0; last && i < FOLLOWERS && last->next[i]; i++) {
        struct known_walk *k = entry_of(m, (int32_t)last->next[i] - 1);
        if (repeats_walk(k, at))
            return k;
    }
    return NULL;
}

/* Makes the thread's memory. Returns NULL on failure. */
static __attribute__((noinline)) struct memory *new_memory(void)
{
    if (!sites.remembers)
        return NULL;
    struct memory *m = calloc(1, sizeof *m);
    if (m && pthread_setspecific(sites.at_thread_end, m) != 0) {
        free(m);
        return NULL;
    }
    return thread.memory = m;
}

/* Returns the thread's memory, made at the first call; NULL: none. */
static inline struct memory *make_memory(void)
{
    struct memory *m = thread.memory;
    return __builtin_expect(m != NULL, true) ? m : new_memory();
}

/* Returns the entry of SITE in M, whose block is allocated if necessary; NULL: no memory, or too large a site number. */
static struct known_walk *make_entry(struct memory *m, int32_t site)
{
    const int32_t block = site / BLOCK_WALKS;
    if (block >= WALK_BLOCKS ||
        (!m->walks[block] && !(m->walks[block] = calloc(1, BLOCK_WALKS * sizeof(struct known_walk) + CACHE_LINE_BYTES))))
        return NULL;
    return entry_of(m, site);
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
    if (k->end < (int32_t)(offset + (intptr_t)sizeof(uintptr_t)))
        k->end = (int32_t)(offset + (intptr_t)sizeof(uintptr_t));
    return true;
}

/* Stores that W, a walk from AT, found SITE. Returns the entry; NULL: the walk cannot be stored. */
static __attribute__((noinline)) struct known_walk *remember(struct memory *m, const struct walk *w, const struct at *at,
                                                             int32_t site)
{
    struct known_walk *k = make_entry(m, site);
    const intptr_t frame = (intptr_t)(at->fp_at - at->sp);
    if (!k || frame != (int32_t)frame)
        return NULL;
    k->address = 0;
    k->site = site;
    k->frame = (int32_t)frame;
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

/* Stores that walk K (NULL: not stored) followed the last walk, and makes K the last walk. */
static inline void follow(struct memory *m, struct known_walk *k)
{
    struct known_walk *last = m->last;
    m->last = k;
    if (!last || !k || last->next[0] == (uint32_t)k->site + 1)
        return;
    last->next[1] = last->next[0];
    last->next[0] = (uint32_t)k->site + 1;
}

static struct at at_of(const void *address, const void *cfa, const void *frame)
{
    return (struct at){.address = plain((uintptr_t)address), .sp = (uintptr_t)cfa, .fp_at = (uintptr_t)frame,
                       .high = stacks_end(&thread.stacks, (uintptr_t)cfa)};
}

/* Returns the site of the stack from the first frame (ADDRESS, SP, FP_AT, HIGH as in struct at) outwards, by a walk. M: the
 * thread's memory, which stores the walk, or NULL. Parameters instead of a struct, because copying a struct that was just stored
 * word by word takes as long as the rest of a capture. */
static __attribute__((noinline)) int32_t capture_by_walk(uintptr_t address, uintptr_t sp, uintptr_t fp_at, uintptr_t high,
                                                         struct memory *m)
{
    const struct at from = {.address = address, .sp = sp, .fp_at = fp_at, .high = high};
    struct at at = from;
    struct walk w;
    w.depth = w.words = w.pointers = 0;
    w.other = false;
    const int32_t site = walk(&w, &at) ? code_addresses_site(w.codes, w.addresses, w.depth) : CALLSITES_NONE;
    if (m && site != CALLSITES_NONE && !w.other && w.words <= WORDS)
        follow(m, remember(m, &w, &from, site));
    return site;
}

/* Returns the site of the stack from AT outwards, as callsites_capture(). ALONE: the thread is in no other capture, and the
 * thread's memory can be used. */
static inline __attribute__((always_inline)) int32_t capture(struct at at, bool alone)
{
    struct memory *m = alone ? make_memory() : NULL;
    struct known_walk *k = m ? recall(m, at) : NULL;
    if (__builtin_expect(k == NULL, false))
        return capture_by_walk(at.address, at.sp, at.fp_at, at.high, m);
    follow(m, k);
    return k->site;
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
    enum { MAX_FRAMES = 1 << 16 };
    struct wanted wanted = {.address = plain((uintptr_t)to_address), .cfa = (uintptr_t)to_cfa};
    struct at at = at_of(address, cfa, frame);
    struct walk w = {.depth = 0};
    for (int i = 0; i < MAX_FRAMES && at.address != 0; i++) {
        if (at.sp == wanted.cfa && at.address == wanted.address)
            return true;
        struct code_address *p = code_addresses_get(at.address, at.interrupted);
        if (!p || !code_addresses_has_rule(p) || p->rule.kind == UNWIND_NOWHERE) {
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

int32_t callsites_alone(const void *address)
{
    struct code_address *p = code_addresses_get(plain((uintptr_t)address), false);
    return p && !p->skipped ? code_addresses_site_alone(p) : CALLSITES_NONE;
}

int32_t callsites_innermost(int32_t site)
{
    const struct site *s = code_addresses_site_numbered(site);
    return s ? code_addresses_site_alone(s->codes[0]) : CALLSITES_NONE;
}

int32_t callsites_joined(int32_t site, unsigned keep, const uintptr_t *frames, unsigned number)
{
    struct code_address *codes[CALLSITES_MAX_DEPTH];
    uintptr_t addresses[CALLSITES_MAX_DEPTH];
    const struct site *s = keep > 0 ? code_addresses_site_numbered(site) : NULL;
    if (keep > 0 && (!s || s->depth < keep))
        return CALLSITES_NONE;
    unsigned n = 0;
    for (; n < keep; n++) {
        codes[n] = s->codes[n];
        addresses[n] = codes[n]->address;
    }
    for (unsigned i = 0; i < number && n < sites.depth; i++, n++) {
        addresses[n] = frames[i];
        if (!(codes[n] = code_addresses_get(frames[i], false)))
            return CALLSITES_NONE;
    }
    return code_addresses_site(codes, addresses, n);
}

unsigned callsites_addresses(int32_t site, const void **addresses)
{
    const struct site *s = code_addresses_site_numbered(site);
    for (unsigned i = 0; s && i < s->depth; i++)
        addresses[i] = (const void *)s->codes[i]->address;
    return s ? s->depth : 0;
}

unsigned callsites_frames(int32_t site, struct mpg_frame *frames)
{
    const struct site *s = code_addresses_site_numbered(site);
    for (unsigned i = 0; s && i < s->depth; i++)
        frames[i] = s->codes[i]->frame;
    return s ? s->depth : 0;
}
