/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of code addresses and callsites. Readers take no lock: entries and tables are published with release stores and
 * never freed. Later changes of an entry concern single words; all threads store an equal value, or a guess that readers check
 * (struct code_address, caller). */
#include "trace/pmpi/code_addresses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 13, BLOCK_SITES = 1 << 10 };

static struct {
    callsites_look *look;
    struct set codes, stacks;
    pthread_mutex_t lock; /* taken to add entries, and for the next two members */
    char *block;          /* free part of the newest block of memory */
    size_t block_left;
    const struct site **sites[SET_MAX_ENTRIES / BLOCK_SITES]; /* blocks of BLOCK_SITES callsites, by callsite number */
} tables = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Set while this thread holds the lock, so that a signal handler that interrupts the thread does not wait for the lock. */
static __thread bool adding __attribute__((tls_model("initial-exec")));

/* Allocates the block of the next callsite's number if necessary. Returns false without memory. */
static bool make_number(void)
{
    const struct site ***block = &tables.sites[tables.stacks.number / BLOCK_SITES];
    if (!*block)
        __atomic_store_n(block, calloc(BLOCK_SITES, sizeof **block), __ATOMIC_RELEASE);
    return *block;
}

void code_addresses_start(callsites_look *look)
{
    tables.look = look;
    (void)(set_make_room(&tables.codes) && set_make_room(&tables.stacks) && make_number());
}

static uint64_t hash_of(const uintptr_t *addresses, unsigned n)
{
    uint64_t h = n;
    for (unsigned i = 0; i < n; i++)
        h = set_hash(h ^ addresses[i]);
    return h;
}

static inline struct code_address *find_address(uintptr_t address, bool interrupted)
{
    const struct set_table *table = __atomic_load_n(&tables.codes.table, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!table, false))
        return NULL;
    for (size_t i = set_hash(address) & table->mask;; i = (i + 1) & table->mask) {
        struct code_address *p = (struct code_address *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!p || (p->address == address && p->interrupted == interrupted))
            return p;
    }
}

static struct site *find_site(uint64_t hash, struct code_address *const *codes, unsigned n)
{
    const struct set_table *table = __atomic_load_n(&tables.stacks.table, __ATOMIC_ACQUIRE);
    if (!table)
        return NULL;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        struct site *s = (struct site *)__atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (!s || (s->entry.hash == hash && s->depth == n &&
                   memcmp(s->codes, codes, n * sizeof *codes) == 0))
            return s;
    }
}

/* Returns BYTES of zeros for a permanent entry, at a multiple of ALIGNMENT (a power of two, at least 8); NULL without memory. */
static void *allocate_locked(size_t bytes, size_t alignment)
{
    const size_t before = -(uintptr_t)tables.block & (alignment - 1);
    bytes = (bytes + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    if (tables.block_left >= before + bytes) {
        tables.block += before;
        tables.block_left -= before;
    } else {
        char *block = calloc(1, BLOCK_BYTES);
        if (!block)
            return NULL;
        const size_t first = -(uintptr_t)block & (alignment - 1);
        tables.block = block + first;
        tables.block_left = BLOCK_BYTES - first;
    }
    void *entry = tables.block;
    tables.block += bytes;
    tables.block_left -= bytes;
    return entry;
}

/* Returns true if RULE needs only the stack pointer and reads only words of the current frame. */
static bool in_frame(const struct unwind_rule *rule)
{
    const int32_t word = sizeof(uintptr_t);
    return rule->kind == UNWIND_STACK && rule->cfa >= word && rule->cfa % word == 0 &&
           rule->address <= -word && rule->address >= -rule->cfa &&
           (rule->pointer == UNWIND_SAME ||
            (rule->pointer == UNWIND_AT_CFA && rule->frame <= -word &&
             rule->frame >= -rule->cfa));
}

static struct code_address *add_address_locked(uintptr_t address, bool interrupted)
{
    struct code_address *p = find_address(address, interrupted); /* another thread may have added the address meanwhile */
    if (p || !set_make_room(&tables.codes) || !(p = allocate_locked(sizeof *p, CACHE_LINE_BYTES)))
        return p;
    p->entry.hash = set_hash(address);
    p->address = address;
    p->interrupted = interrupted;
    p->skipped = tables.look && tables.look((const void *)address, &p->frame);
    set_add(&tables.codes, &p->entry);
    return p;
}

static void add_rule_locked(struct code_address *p)
{
    if (p->ruled)
        return;
    if (p->address >= CALLSITES_FOREIGN)
        p->rule = (struct unwind_rule){.kind = UNWIND_END};
    else
        /* A return address follows the call: the function is the function of the byte before. */
        p->rule = unwind_rule_of((const void *)(p->address + p->interrupted));
    p->simple = in_frame(&p->rule);
    __atomic_store_n(&p->ruled, true, __ATOMIC_RELEASE);
}

static struct site *add_site_locked(uint64_t hash, struct code_address *const *codes, unsigned n)
{
    struct site *s = find_site(hash, codes, n);
    if (s || !set_make_room(&tables.stacks) || !make_number() ||
        !(s = allocate_locked(sizeof *s + n * sizeof *codes, sizeof(uint64_t))))
        return s;
    s->entry.hash = hash;
    s->depth = n;
    s->number = (int32_t)tables.stacks.number;
    memcpy(s->codes, codes, n * sizeof *codes);
    __atomic_store_n(&tables.sites[s->number / BLOCK_SITES][s->number % BLOCK_SITES], s, __ATOMIC_RELEASE);
    set_add(&tables.stacks, &s->entry);
    return s;
}

/* Locks the tables. Returns false in a signal handler that interrupts a thread holding the lock. */
static bool lock(void)
{
    if (adding)
        return false;
    adding = true;
    pthread_mutex_lock(&tables.lock);
    return true;
}

static void unlock(void)
{
    pthread_mutex_unlock(&tables.lock);
    adding = false;
}

struct code_address *code_addresses_get(uintptr_t address, bool interrupted)
{
    struct code_address *p = find_address(address, interrupted);
    if (__builtin_expect(p != NULL, true) || !lock())
        return p;
    p = add_address_locked(address, interrupted);
    unlock();
    return p;
}

bool code_addresses_add_rule(struct code_address *p)
{
    if (!lock())
        return false;
    add_rule_locked(p);
    unlock();
    return true;
}

int32_t code_addresses_site(struct code_address *const *codes, const uintptr_t *addresses, unsigned n)
{
    if (n == 0)
        return CALLSITES_NONE;
    const uint64_t hash = hash_of(addresses, n);
    struct site *s = find_site(hash, codes, n);
    if (!s && lock()) {
        s = add_site_locked(hash, codes, n);
        unlock();
    }
    return s ? s->number : CALLSITES_NONE;
}

const struct site *code_addresses_site_numbered(int32_t number)
{
    const struct site **block = number >= 0 && number < SET_MAX_ENTRIES
                                    ? __atomic_load_n(&tables.sites[number / BLOCK_SITES], __ATOMIC_ACQUIRE) : NULL;
    return block ? __atomic_load_n(&block[number % BLOCK_SITES], __ATOMIC_ACQUIRE) : NULL;
}

int32_t code_addresses_site_alone(struct code_address *p)
{
    int32_t site = __atomic_load_n(&p->alone, __ATOMIC_RELAXED) - 1;
    if (site < 0) {
        site = code_addresses_site(&p, &p->address, 1);
        __atomic_store_n(&p->alone, site + 1, __ATOMIC_RELAXED);
    }
    return site;
}
