/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the directives that define communicators, topologies, windows, files, modules and callsites. */
#include "trace/text/definitions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text/event.h"

void mpg_text_definitions_init(struct mpg_text_definitions *d, int32_t ranks)
{
    static const size_t sizes[TEXT_KINDS] = {
        [TEXT_COMM] = sizeof(struct text_comm),     [TEXT_TOPOLOGY] = sizeof(struct text_topology),
        [TEXT_WINDOW] = sizeof(struct text_object), [TEXT_FILE] = sizeof(struct text_object),
        [TEXT_MODULE] = sizeof(struct text_module), [TEXT_SITE] = sizeof(struct text_site),
        [TEXT_STRING] = sizeof(char *)};
    *d = (struct mpg_text_definitions){.ranks = ranks};
    for (int i = 0; i < TEXT_KINDS; i++)
        d->tables[i].size = sizes[i];
}

static void clear_items(struct text_table *t, enum text_kind kind)
{
    for (size_t i = 0; i < t->count; i++) {
        void *item = (char *)t->items + i * t->size;
        switch (kind) {
        case TEXT_COMM:
            free(((struct text_comm *)item)->members);
            break;
        case TEXT_TOPOLOGY:
            free(((struct text_topology *)item)->neighbours);
            break;
        case TEXT_MODULE:
            free(((struct text_module *)item)->path);
            break;
        case TEXT_SITE:
            free(((struct text_site *)item)->frames);
            break;
        case TEXT_STRING:
            free(*(char **)item);
            break;
        default:
            break;
        }
    }
    free(t->items);
    mpg_map_clear(&t->labels);
}

void mpg_text_definitions_clear(struct mpg_text_definitions *d)
{
    for (int i = 0; i < TEXT_KINDS; i++)
        clear_items(&d->tables[i], (enum text_kind)i);
    mpg_map_clear(&d->instances);
    mpg_map_clear(&d->identities);
    mpg_map_clear(&d->members);
}

static const char *const words[TEXT_KINDS] = {
    [TEXT_COMM] = "communicator", [TEXT_TOPOLOGY] = "topology", [TEXT_WINDOW] = "window",
    [TEXT_FILE] = "file",         [TEXT_MODULE] = "module",     [TEXT_SITE] = "callsite",
    [TEXT_STRING] = "name"};

/* Adds a copy of ITEM under LABEL and SECOND. A label defined twice is an error. */
static int add(struct mpg_text_definitions *d, enum text_kind kind, int32_t label, int32_t second,
               const void *item, struct mpg_error *err)
{
    struct text_table *t = &d->tables[kind];
    uint64_t *slot = mpg_map_add(&t->labels, (uint64_t)label, (uint64_t)second);
    if (slot && *slot)
        return mpg_error_set(err, "%s %d is defined twice", words[kind], label);
    if (slot && t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 16;
        void *grown = realloc(t->items, capacity * t->size);
        if (grown) {
            t->items = grown;
            t->capacity = capacity;
        }
    }
    if (!slot || t->count == t->capacity)
        return mpg_error_set(err, "out of memory");
    memcpy((char *)t->items + t->count * t->size, item, t->size);
    *slot = ++t->count;
    return 0;
}

static uint64_t hash_members(const int32_t *members, int32_t n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)n;
    for (int32_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(uint32_t)members[i]) * 0x100000001b3u;
    return hash;
}

/* Returns a hash of both groups; the sum makes local and remote group interchangeable. */
static uint64_t hash_groups(int32_t size, int32_t remote_size, const int32_t *members)
{
    uint64_t hash = hash_members(members, size);
    return remote_size > 0 ? hash + hash_members(members + size, remote_size) : hash;
}

int32_t mpg_text_next_instance(struct mpg_map *instances, int32_t parent, int32_t size,
                               int32_t remote_size, const int32_t *members)
{
    uint64_t *next = mpg_map_add(instances, hash_groups(size, remote_size, members),
                                 (uint64_t)(int64_t)parent);
    return next && *next < INT32_MAX ? (int32_t)(*next)++ : -1;
}

/* Returns whether A and B have equal groups, where local and remote group are interchangeable. */
static bool same_groups(const struct text_comm *a, const struct text_comm *b)
{
    size_t n = (size_t)a->size, m = (size_t)a->remote_size, one = sizeof *a->members;
    if (a->size == b->size && a->remote_size == b->remote_size &&
        memcmp(a->members, b->members, (n + m) * one) == 0)
        return true;
    return m > 0 && a->size == b->remote_size && a->remote_size == b->size &&
           memcmp(a->members, b->members + m, n * one) == 0 &&
           memcmp(a->members + n, b->members, m * one) == 0;
}

/* Registers the identity (groups, parent, instance) of C, which will be added next; an identity registered before is an error. */
static int check_identity(struct mpg_text_definitions *d, const struct text_comm *c,
                          struct mpg_error *err)
{
    const struct text_table *t = &d->tables[TEXT_COMM];
    uint64_t hash = hash_groups(c->size, c->remote_size, c->members) + (uint64_t)c->parent;
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&d->identities, hash,
                                     collisions << 32 | (uint64_t)(uint32_t)c->instance);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        if (*slot == 0) {
            *slot = t->count + 1;
            return 0;
        }
        const struct text_comm *other = (const struct text_comm *)t->items + (*slot - 1);
        if (other->parent == c->parent && same_groups(other, c))
            return mpg_error_set(err, "communicators %d and %d are the same: their 'instance' "
                                      "must tell them apart", other->label, c->label);
    }
}

static bool is_world(const struct mpg_text_definitions *d, const struct text_comm *c)
{
    int32_t i = 0;
    while (i < c->size && c->members[i] == i)
        i++;
    return c->remote_size == 0 && c->size == d->ranks && i == c->size;
}

/* Returns whether C has all ranks in order like MPI_COMM_WORLD, and the text does not define label 0. MPI_COMM_WORLD, instance
 * 0, exists without a definition, so C is a later instance. */
static bool is_like_world(const struct mpg_text_definitions *d, const struct text_comm *c)
{
    return c->label != 0 && c->parent == MPG_NO_COMM && c->is_world &&
           !mpg_map_find(&d->tables[TEXT_COMM].labels, 0, 0);
}

/* Parses "RANK... [| RANK...]" into C's members; MET: one zeroed byte per rank, to find duplicates. */
static int parse_members(const struct mpg_text_definitions *d, char *text, struct text_comm *c,
                         char *met, struct mpg_error *err)
{
    bool remote = false;
    size_t capacity = 0;
    for (char *word; (word = mpg_text_word(&text));) {
        if (strcmp(word, "|") == 0 && !remote && c->size) {
            remote = true;
            continue;
        }
        char *end;
        long rank = strtol(word, &end, 10);
        if (strcmp(word, "*") == 0)
            rank = MPG_FOREIGN;
        else if (end == word || *end || rank < 0 || rank >= d->ranks)
            return mpg_error_set(err, "'%s' in communicator %d: members are ranks from 0 to %d "
                                      "or *", word, c->label, d->ranks - 1);
        else if (met[rank]++)
            return mpg_error_set(err, "rank %ld is twice in communicator %d", rank, c->label);
        size_t n = (size_t)c->size + (size_t)c->remote_size;
        if (n == capacity) {
            capacity = n ? 2 * n : 16;
            int32_t *grown = realloc(c->members, capacity * sizeof *grown);
            if (!grown || n >= INT32_MAX / 2)
                return mpg_error_set(err, "out of memory");
            c->members = grown;
        }
        c->members[n] = (int32_t)rank;
        ++*(remote ? &c->remote_size : &c->size);
    }
    if (c->size == 0 || (remote && c->remote_size == 0))
        return mpg_error_set(err, "communicator %d has no members", c->label);
    return 0;
}

/* Parses "[of PARENT] [instance N] =". */
static int parse_origin(struct mpg_text_definitions *d, char **text, struct text_comm *c,
                        struct mpg_error *err)
{
    for (char *word; (word = mpg_text_word(text)) && strcmp(word, "=") != 0;) {
        bool of = strcmp(word, "of") == 0;
        char *value = of || strcmp(word, "instance") == 0 ? mpg_text_word(text) : NULL;
        if (!value)
            return mpg_error_set(err, "'#comm %d %s' is not like '#comm 1 of 0 = 0 2'", c->label,
                                 word);
        if (mpg_text_parse_int32(value, 0, of ? &c->parent : &c->instance, err) < 0)
            return -1;
        if (of && c->parent && !mpg_map_find(&d->tables[TEXT_COMM].labels, (uint64_t)c->parent, 0))
            return mpg_error_set(err, "communicator %d is not defined", c->parent);
    }
    return 0;
}

/* Adds C's members to the map unless there are few enough for a linear search. */
static int note_members(struct mpg_text_definitions *d, const struct text_comm *c,
                        struct mpg_error *err)
{
    const int32_t n = c->size + c->remote_size;
    for (int32_t i = 0; i < n && n > MPG_TEXT_FEW_MEMBERS && !c->is_world; i++) {
        uint64_t *slot = mpg_map_add(&d->members, (uint64_t)c->label, (uint64_t)c->members[i]);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        *slot = 1;
    }
    return 0;
}

/* Parses "LABEL [of PARENT] [instance N] = RANK... [| RANK...]". */
int mpg_text_parse_comm(struct mpg_text_definitions *d, char *text, struct mpg_error *err)
{
    struct text_comm c = {.parent = MPG_NO_COMM, .instance = -1};
    char *label = mpg_text_word(&text), *met = NULL;
    int status = -1;
    struct mpg_error why;
    if (!label || mpg_text_parse_int32(label, 0, &c.label, &why) < 0)
        return mpg_error_set(err, "'#comm %s' is not like '#comm 1 = 0 2'", label ? label : "");
    if (parse_origin(d, &text, &c, err) < 0)
        return -1;
    if (!(met = calloc((size_t)d->ranks, 1))) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    if (parse_members(d, text, &c, met, err) < 0)
        goto out;
    int32_t next = 0;
    c.is_world = is_world(d, &c);
    bool is_twin = is_like_world(d, &c) && !d->met_world;
    for (int i = 0; i <= is_twin && next >= 0; i++)
        next = mpg_text_next_instance(&d->instances, c.parent, c.size, c.remote_size, c.members);
    d->met_world = d->met_world || is_twin;
    if (next < 0) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    if (c.instance < 0)
        c.instance = next;
    if (check_identity(d, &c, err) < 0)
        goto out;
    if (note_members(d, &c, err) == 0)
        status = add(d, TEXT_COMM, c.label, 0, &c, err);
out:
    free(met);
    if (status < 0)
        free(c.members);
    return status;
}

/* Parses "RANK LABEL = SOURCE... > DESTINATION...". */
int mpg_text_parse_topology(struct mpg_text_definitions *d, char *text, struct mpg_error *err)
{
    char *rank_word = mpg_text_word(&text), *comm_word = mpg_text_word(&text);
    char *equals = mpg_text_word(&text);
    int32_t rank, comm;
    if (!equals || strcmp(equals, "=") != 0)
        return mpg_error_set(err, "a topology is: #topology RANK COMM = SOURCE... > "
                                  "DESTINATION...");
    if (mpg_text_parse_int32(rank_word, 0, &rank, err) < 0 ||
        mpg_text_parse_int32(comm_word, 0, &comm, err) < 0)
        return -1;
    if (rank >= d->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, d->ranks - 1);
    struct text_topology t = {.rank = rank, .comm = comm};
    size_t capacity = 0, n = 0;
    bool behind = false;
    for (char *word; (word = mpg_text_word(&text));) {
        if (strcmp(word, ">") == 0 && !behind) {
            behind = true;
            continue;
        }
        if (n == capacity) {
            capacity = n ? 2 * n : 8;
            int32_t *grown = realloc(t.neighbours, capacity * sizeof *grown);
            if (!grown) {
                mpg_error_set(err, "out of memory");
                goto fail;
            }
            t.neighbours = grown;
        }
        t.neighbours[n] = MPG_PROC_NULL;
        if (strcmp(word, "null") != 0 &&
            mpg_text_parse_int32(word, 0, &t.neighbours[n], err) < 0)
            goto fail;
        n++;
        ++*(behind ? &t.destination_number : &t.source_number);
    }
    if (!behind)
        mpg_error_set(err, "a topology has a '>' between sources and destinations");
    else if (add(d, TEXT_TOPOLOGY, comm, rank, &t, err) == 0)
        return 0;
fail:
    free(t.neighbours);
    return -1;
}

/* Parses "LABEL = COMM NUMBER". */
int mpg_text_parse_object(struct mpg_text_definitions *d, enum text_kind kind, char *text,
                          struct mpg_error *err)
{
    char *word[4] = {0};
    for (int i = 0; i < 4; i++)
        word[i] = mpg_text_word(&text);
    int32_t label;
    struct text_object o;
    if (!word[3] || strcmp(word[1], "=") != 0 || mpg_text_word(&text))
        return mpg_error_set(err, "a %s is: #%s LABEL = COMM NUMBER", words[kind], words[kind]);
    if (mpg_text_parse_int32(word[0], 0, &label, err) < 0 ||
        mpg_text_parse_int32(word[2], 0, &o.comm, err) < 0 ||
        mpg_text_parse_int32(word[3], 0, &o.number, err) < 0)
        return -1;
    return add(d, kind, label, 0, &o, err);
}

static int parse_build_id(const char *text, struct text_module *m, struct mpg_error *err)
{
    size_t n = strlen(text);
    if (strcmp(text, "-") == 0)
        return 0;
    if (n % 2 || n > 2 * sizeof m->build_id || strspn(text, "0123456789abcdefABCDEF") != n)
        return mpg_error_set(err, "'%s' is not a build-id in hexadecimal digits, or -", text);
    m->build_id_size = (uint32_t)(n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        m->build_id[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return 0;
}

/* Parses 'NUMBER = BUILD-ID "PATH"'. */
int mpg_text_parse_module(struct mpg_text_definitions *d, char *text, struct mpg_error *err)
{
    char *word[4] = {0};
    for (int i = 0; i < 4; i++)
        word[i] = mpg_text_word(&text);
    int32_t label;
    struct text_module m = {0};
    if (!word[3] || strcmp(word[1], "=") != 0 || mpg_text_word(&text))
        return mpg_error_set(err, "a module is: #module NUMBER = BUILD-ID \"PATH\"");
    if (mpg_text_parse_int32(word[0], 0, &label, err) < 0 ||
        parse_build_id(word[2], &m, err) < 0 || mpg_text_unquote(word[3], err) < 0)
        return -1;
    if (!(m.path = strdup(word[3])))
        return mpg_error_set(err, "out of memory");
    if (add(d, TEXT_MODULE, label, 0, &m, err) == 0)
        return 0;
    free(m.path);
    return -1;
}

/* Parses "MODULE+0xOFFSET"; MODULE "?": unknown. */
static int parse_frame(const struct mpg_text_definitions *d, char *word, struct mpg_frame *f,
                       struct mpg_error *err)
{
    char *plus = strchr(word, '+'), *end = word;
    *f = (struct mpg_frame){.module = -1};
    errno = 0;
    if (plus && strncmp(plus, "+0x", 3) == 0 && isxdigit((unsigned char)plus[3]))
        f->offset = strtoull(plus + 1, &end, 16);
    if (end == word || *end || errno)
        return mpg_error_set(err, "'%s' is not like 0+0x11d6", word);
    *plus = '\0';
    if (strcmp(word, "?") == 0)
        return 0;
    if (mpg_text_parse_int32(word, 0, &f->module, err) < 0)
        return -1;
    if (!mpg_map_find(&d->tables[TEXT_MODULE].labels, (uint64_t)f->module, 0))
        return mpg_error_set(err, "module %d is not defined", f->module);
    return 0;
}

/* Parses "NUMBER = FRAME...", innermost frame first. */
int mpg_text_parse_site(struct mpg_text_definitions *d, char *text, struct mpg_error *err)
{
    enum { MOST_FRAMES = 64 };
    char *number = mpg_text_word(&text), *equals = mpg_text_word(&text);
    int32_t label;
    struct mpg_frame frames[MOST_FRAMES];
    struct text_site s = {0};
    if (!equals || strcmp(equals, "=") != 0)
        return mpg_error_set(err, "a callsite is: #site NUMBER = MODULE+0xOFFSET...");
    if (mpg_text_parse_int32(number, 0, &label, err) < 0)
        return -1;
    for (char *word; (word = mpg_text_word(&text));) {
        if (s.frame_number == MOST_FRAMES)
            return mpg_error_set(err, "callsite %d has more than %d frames", label, MOST_FRAMES);
        if (parse_frame(d, word, &frames[s.frame_number++], err) < 0)
            return -1;
    }
    if (s.frame_number == 0)
        return mpg_error_set(err, "callsite %d has no frames", label);
    if (!(s.frames = malloc(s.frame_number * sizeof *frames)))
        return mpg_error_set(err, "out of memory");
    memcpy(s.frames, frames, s.frame_number * sizeof *frames);
    if (add(d, TEXT_SITE, label, 0, &s, err) == 0)
        return 0;
    free(s.frames);
    return -1;
}
