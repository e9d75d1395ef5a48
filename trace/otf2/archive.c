/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads an archive's global definitions, and finds ranks, threads and hosts in the definitions. Definitions have arbitrary
 * numbers, and are looked up in maps. */
#include "trace/otf2/archive.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static OTF2_CallbackCode fail(struct otf2_archive *a)
{
    if (!a->failed)
        mpg_error_set(&a->error, "out of memory");
    a->failed = true;
    return OTF2_CALLBACK_INTERRUPT;
}

/* Adds an item of SIZE zero bytes to T under NUMBER and returns the item. NULL: out of memory, or, with *KNOWN, NUMBER is
 * already defined; the first definition stays. */
static void *add(struct otf2_table *t, uint64_t number, size_t size, bool *known)
{
    uint64_t *slot = mpg_map_add(&t->index, number, 0);
    *known = slot && *slot;
    if (!slot || *slot)
        return NULL;
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        void *grown = realloc(t->items, capacity * size);
        if (!grown)
            return NULL;
        t->items = grown;
        t->capacity = capacity;
    }
    *slot = ++t->count;
    return memset((char *)t->items + (t->count - 1) * size, 0, size);
}

static void *find(const struct otf2_table *t, uint64_t number, size_t size)
{
    const uint64_t *slot = mpg_map_find(&t->index, number, 0);
    return slot && *slot ? (char *)t->items + (*slot - 1) * size : NULL;
}

static const char *string_of(const struct otf2_archive *a, uint32_t number)
{
    char **text = find(&a->strings, number, sizeof(char *));
    return text ? *text : "";
}

/* --- callbacks --- */

/* Begins a callback: declares A, the archive, and ITEM, a new definition NUMBER in TABLE. A repeated definition is
 * counted and ignored. */
#define ADD(TABLE, NUMBER, TYPE) \
    struct otf2_archive *a = user; \
    bool known; \
    TYPE *item = add(&a->TABLE, NUMBER, sizeof *item, &known); \
    if (!item && known) { \
        a->twice++; \
        return OTF2_CALLBACK_SUCCESS; \
    } \
    if (!item) \
        return fail(a)

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t date)
{
    struct otf2_archive *a = user;
    (void)length;
    (void)date;
    a->resolution = resolution;
    a->origin = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    ADD(strings, self, char *);
    *item = strdup(text ? text : "");
    return *item ? OTF2_CALLBACK_SUCCESS : fail(a);
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                                 OTF2_SystemTreeNodeRef parent)
{
    ADD(nodes, self, struct otf2_node);
    *item = (struct otf2_node){string_of(a, name), string_of(a, class_name), parent, false};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_domain(void *user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
    const struct otf2_archive *a = user;
    struct otf2_node *n = find(&a->nodes, node, sizeof *n);
    if (n && domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
        n->shares_memory = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_process(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                                    OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator)
{
    (void)name;
    (void)type;
    (void)creator;
    ADD(processes, self, struct otf2_process);
    item->node = parent;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    (void)name;
    (void)events; /* not used: some tools write wrong numbers */
    ADD(locations, self, struct otf2_location);
    *item = (struct otf2_location){self, type, group, -1, 0};
    return OTF2_CALLBACK_SUCCESS;
}

/* Returns the MPI call with the function name NAME; MPG_CALL_COUNT: none. Tools write names as in C or as in Fortran, or add
 * "()". */
static enum mpg_call call_of(const char *name)
{
    char plain[128];
    if (strncasecmp(name, "MPI_", 4) != 0 && strncasecmp(name, "MPIX_", 5) != 0)
        return MPG_CALL_COUNT;
    size_t n = strcspn(name, "( ");
    if (n >= sizeof plain)
        return MPG_CALL_Unknown;
    memcpy(plain, name, n);
    plain[n] = '\0';
    for (int call = MPG_CALL_Init; call < MPG_CALL_COUNT; call++)
        if (strcasecmp(plain + 4, mpg_call_name((enum mpg_call)call)) == 0 && *mpg_call_prefix((enum mpg_call)call))
            return (enum mpg_call)call;
    return MPG_CALL_Unknown;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    (void)canonical;
    (void)description;
    (void)flags;
    (void)file;
    (void)begin;
    (void)end;
    (void)role;
    ADD(regions, self, struct otf2_region);
    item->name = string_of(a, name);
    item->call = call_of(item->name);
    if (item->call == MPG_CALL_COUNT && paradigm == OTF2_PARADIGM_MPI)
        item->call = MPG_CALL_Unknown; /* a function of MPI unknown to mpgkit */
    item->is_user = paradigm == OTF2_PARADIGM_USER && item->call == MPG_CALL_COUNT;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef location, OTF2_CallingContextRef parent)
{
    (void)location;
    (void)parent;
    ADD(contexts, self, uint32_t);
    *item = region;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    (void)name;
    (void)flags;
    ADD(groups, self, struct otf2_group);
    *item = (struct otf2_group){type, paradigm, n, malloc(((size_t)n + 1) * sizeof *members)};
    if (!item->members)
        return fail(a);
    if (n > 0)
        memcpy(item->members, members, (size_t)n * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                                 OTF2_CommFlag flags)
{
    (void)flags;
    ADD(comms, self, struct otf2_comm);
    *item = (struct otf2_comm){.name = string_of(a, name), .group = group, .remote_group = OTF2_UNDEFINED_GROUP,
                               .parent = parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                       OTF2_GroupRef remote, OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)flags;
    ADD(comms, self, struct otf2_comm);
    *item = (struct otf2_comm){.name = string_of(a, name), .group = group, .remote_group = remote, .parent = common};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef description,
                                   OTF2_MetricType type, OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                   int64_t exponent, OTF2_StringRef unit)
{
    (void)description;
    (void)type;
    (void)value_type;
    (void)base;
    (void)exponent;
    (void)unit;
    ADD(members, self, struct otf2_metric_member);
    *item = (struct otf2_metric_member){string_of(a, name), mode == OTF2_METRIC_ACCUMULATED_START};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description,
                                      OTF2_Type type)
{
    struct otf2_archive *a = user;
    const char *text = string_of(a, name);
    (void)description;
    (void)type;
    if (strcmp(text, "MPGKIT::any") == 0)
        a->own.any = self;
    else if (strcmp(text, "MPGKIT::failed") == 0)
        a->own.failed = self;
    else if (strcmp(text, "MPGKIT::bytes 0") == 0)
        a->own.counts = self;
    return OTF2_CALLBACK_SUCCESS;
}

/* Callback for a property of a location. Properties named "MPGKIT::KEY" or "MPGKIT::KEY#2" are facts written by mpgkit. */
static OTF2_CallbackCode on_property(void *user, OTF2_LocationRef location, OTF2_StringRef name, OTF2_Type type,
                                     OTF2_AttributeValue value)
{
    static const char own[] = "MPGKIT::";
    if (type != OTF2_TYPE_STRING || strncmp(string_of(user, name), own, sizeof own - 1) != 0)
        return OTF2_CALLBACK_SUCCESS;
    const uint64_t number = ((struct otf2_archive *)user)->properties.count;
    ADD(properties, number, struct otf2_property);
    *item = (struct otf2_property){location, string_of(a, name) + sizeof own - 1, string_of(a, value.stringRef)};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    (void)recorder;
    ADD(classes, self, struct otf2_metric_class);
    *item = (struct otf2_metric_class){n, malloc(((size_t)n + 1) * sizeof *members),
                                       occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT};
    if (!item->members)
        return fail(a);
    memcpy(item->members, members, (size_t)n * sizeof *members);
    if (item->is_strict && a->values == 0 && n <= 64) {
        const struct otf2_metric_member *first = n > 0 ? find(&a->members, members[0], sizeof *first) : NULL;
        a->values = first && first->is_sum ? n : 0;
        a->value_class = self;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    (void)name, (void)flags;
    ADD(windows, self, struct otf2_window);
    uint64_t *number = mpg_map_add(&a->windows_of, comm, 0);
    if (!number)
        return fail(a);
    *item = (struct otf2_window){.comm = comm, .label = (int32_t)a->windows.count - 1, .number = (int32_t)(*number)++};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(c, on_domain);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_property);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_window);
    return c;
}

/* --- ranks and threads --- */

/* Finds the group in which member r is the location of rank r. */
static const struct otf2_group *find_ranks(const struct otf2_archive *a)
{
    const struct otf2_group *g = a->groups.items;
    for (size_t i = 0; i < a->groups.count; i++)
        if (g[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g[i].paradigm == OTF2_PARADIGM_MPI)
            return &g[i];
    return NULL;
}

static int compare_threads(const void *x, const void *y)
{
    const struct otf2_location *a = *(struct otf2_location *const *)x, *b = *(struct otf2_location *const *)y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    const bool first = a->thread == 0, second = b->thread == 0;
    return first != second ? second - first : (a->number > b->number) - (a->number < b->number);
}

static int list_threads(struct otf2_archive *a, struct mpg_error *err)
{
    enum { OTHER_THREAD = 1 };
    struct otf2_location *p = a->locations.items;
    struct mpg_map rank_of = {0}; /* location group (process) -> 1 + rank */
    int status = (a->threads = calloc(a->locations.count + 1, sizeof *a->threads)) ? 0 : -1;
    for (int32_t r = 0; r < a->ranks && status == 0; r++) {
        uint64_t *slot = mpg_map_add(&rank_of, a->rank_location[r]->group, 0);
        if (slot && *slot == 0)
            *slot = (uint64_t)r + 1;
        status = slot ? 0 : -1;
    }
    for (size_t i = 0; i < a->locations.count && status == 0; i++) {
        const uint64_t *slot = mpg_map_find(&rank_of, p[i].group, 0);
        if (p[i].type == OTF2_LOCATION_TYPE_CPU_THREAD && p[i].rank < 0 && slot) {
            p[i].rank = (int32_t)(*slot - 1);
            p[i].thread = OTHER_THREAD;
        }
        a->devices += p[i].type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
        a->others += p[i].type != OTF2_LOCATION_TYPE_ACCELERATOR_STREAM && p[i].rank < 0;
        if (p[i].rank >= 0)
            a->threads[a->thread_count++] = &p[i];
    }
    mpg_map_clear(&rank_of);
    if (status < 0)
        return mpg_error_set(err, "out of memory");
    qsort(a->threads, a->thread_count, sizeof *a->threads, compare_threads);
    for (size_t i = 1; i < a->thread_count; i++)
        a->threads[i]->thread = a->threads[i]->rank == a->threads[i - 1]->rank ? a->threads[i - 1]->thread + 1 : 0;
    return 0;
}

static int find_places(struct otf2_archive *a, struct mpg_error *err)
{
    const struct otf2_group *g = find_ranks(a);
    if (!g || g->n == 0)
        return mpg_error_set(err, "an OTF2 archive of %s without MPI: no group of its definitions lists MPI processes",
                             a->creator);
    if (g->n > MPG_BUILD_MAX_RANKS || g->n > a->locations.count)
        return mpg_error_set(err, "damaged: %u MPI processes in an archive of %zu locations", g->n, a->locations.count);
    a->ranks = (int32_t)g->n;
    if (!(a->rank_location = calloc(g->n, sizeof *a->rank_location)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < a->ranks; r++) {
        struct otf2_location *p = find(&a->locations, g->members[r], sizeof *p);
        if (!p || p->rank >= 0)
            return mpg_error_set(err, "damaged: the location of MPI process %d %s", r, p ? "is another's too" : "is not defined");
        p->rank = r;
        a->rank_location[r] = p;
    }
    return list_threads(a, err);
}

/* --- communicators --- */

/* Sets MEMBERS to the world ranks of the members of group G. Returns false if the archive is damaged. */
static bool fill_members(const struct otf2_archive *a, const struct otf2_group *g, int32_t *members)
{
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t rank = g->members[i];
        if (g->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
            const struct otf2_location *p = find(&a->locations, rank, sizeof *p);
            rank = p && p->rank >= 0 ? (uint64_t)p->rank : UINT64_MAX;
        }
        if (rank >= (uint64_t)a->ranks)
            return false;
        members[i] = (int32_t)rank;
    }
    return true;
}

/* Finds the members of C, communicator NUMBER. Returns 0, or -1 with ERR. */
static int resolve_comm(const struct otf2_archive *a, struct otf2_comm *c, uint32_t number, struct mpg_error *err)
{
    const struct otf2_group *g = find(&a->groups, c->group, sizeof *g), *remote = NULL;
    if (c->remote_group != OTF2_UNDEFINED_GROUP)
        remote = find(&a->groups, c->remote_group, sizeof *remote);
    if (!g || (!remote && c->remote_group != OTF2_UNDEFINED_GROUP))
        return mpg_error_set(err, "damaged: communicator %u has no group", number);
    c->is_self = g->type == OTF2_GROUP_TYPE_COMM_SELF;
    c->size = c->is_self ? 1 : (int32_t)g->n;
    c->remote_size = remote ? (int32_t)remote->n : 0;
    if (g->n > (uint32_t)a->ranks || (remote && remote->n > (uint32_t)a->ranks) || c->size == 0)
        return mpg_error_set(err, "damaged: communicator %u has %u members", number, g->n);
    if (!(c->members = calloc((size_t)c->size + (size_t)c->remote_size, sizeof *c->members)))
        return mpg_error_set(err, "out of memory");
    if (!c->is_self && (!fill_members(a, g, c->members) || (remote && !fill_members(a, remote, c->members + c->size))))
        return mpg_error_set(err, "damaged: communicator %u has a member that is no MPI process", number);
    return 0;
}

/* Returns whether C can be MPI_COMM_WORLD: all processes in rank order, and no parent (unless named MPI_COMM_WORLD). */
static bool can_be_world(const struct otf2_archive *a, struct otf2_comm *c)
{
    struct mpg_error unused;
    const struct otf2_group *g = find(&a->groups, c->group, sizeof *g);
    if (c->remote_group != OTF2_UNDEFINED_GROUP || !g || g->paradigm != OTF2_PARADIGM_MPI || g->n != (uint32_t)a->ranks ||
        (c->parent != OTF2_UNDEFINED_COMM && strcmp(c->name, "MPI_COMM_WORLD") != 0) || g->type == OTF2_GROUP_TYPE_COMM_SELF)
        return false;
    if (!c->members && resolve_comm(a, c, 0, &unused) < 0) {
        free(c->members);
        c->members = NULL;
        return false;
    }
    int32_t r = 0;
    while (r < a->ranks && c->members[r] == r)
        r++;
    return r == a->ranks;
}

/* Chooses MPI_COMM_WORLD among the communicators allowed by can_be_world(), preferably a communicator named MPI_COMM_WORLD,
 * and gives the chosen communicator label 0. The label of any other communicator is the index plus 1. */
static void find_world(struct otf2_archive *a)
{
    struct otf2_comm *c = a->comms.items, *world = NULL;
    for (size_t i = 0; i < a->comms.count; i++) {
        c[i].label = (int32_t)i + 1;
        if ((!world || (strcmp(world->name, "MPI_COMM_WORLD") != 0 && strcmp(c[i].name, "MPI_COMM_WORLD") == 0)) &&
            can_be_world(a, &c[i]))
            world = &c[i];
    }
    if (world) {
        world->is_world = world->is_defined = true;
        world->label = 0;
    }
}

struct otf2_comm *mpg_otf2_comm_of(const struct otf2_archive *a, uint32_t number)
{
    return find(&a->comms, number, sizeof(struct otf2_comm));
}

/* C stands for MPI_COMM_SELF of all ranks: defines in B, on first use, the communicator of RANK alone. *LABEL: the label,
 * above the labels of all communicators in the archive. */
static int need_self(struct otf2_archive *a, struct mpg_build *b, const struct otf2_comm *c, int32_t rank, int32_t *label,
                     struct mpg_error *err)
{
    const int64_t number = (int64_t)a->comms.count + 1 + (int64_t)(c->label - 1) * a->ranks + rank;
    const struct mpg_build_comm self = {.label = (int32_t)number, .parent = MPG_NO_COMM, .instance = -1, .size = 1,
                                        .members = &rank};
    uint64_t *slot = mpg_map_add(&a->comms.index, (uint64_t)number, 1);
    if (!slot || number > INT32_MAX)
        return mpg_error_set(err, "out of memory");
    *label = (int32_t)number;
    if (*slot)
        return 0;
    *slot = 1;
    return mpg_build_comm(b, &self, err);
}

static int define_comm(struct otf2_archive *a, struct mpg_build *b, struct otf2_comm *c, struct mpg_error *err)
{
    struct otf2_comm *parent = c->parent == OTF2_UNDEFINED_COMM ? NULL : mpg_otf2_comm_of(a, c->parent);
    struct mpg_build_comm new = {.label = c->label, .parent = MPG_NO_COMM, .instance = -1, .size = c->size,
                                 .remote_size = c->remote_size, .members = c->members};
    if (parent && parent->is_defined)
        new.parent = parent->label;
    c->is_defined = true;
    return mpg_build_comm(b, &new, err);
}

const struct otf2_comm *mpg_otf2_need_comm(struct otf2_archive *a, struct mpg_build *b, uint32_t number, int32_t rank,
                                       int32_t *label, struct mpg_error *err)
{
    enum { MAX_PARENTS = 256 };
    struct otf2_comm *chain[MAX_PARENTS], *c = mpg_otf2_comm_of(a, number);
    size_t n = 0;
    if (!c) {
        mpg_error_set(err, "damaged: communicator %u is not defined", number);
        return NULL;
    }
    struct otf2_comm *const wanted = c;
    /* A damaged parent, and a parent that is its own ancestor, are left out. */
    for (uint32_t at = number; c && !c->is_defined && !c->is_visited && n < MAX_PARENTS; c = mpg_otf2_comm_of(a, at)) {
        if (!c->members && resolve_comm(a, c, at, err) < 0) {
            free(c->members);
            c->members = NULL;
            if (c == wanted)
                return NULL;
            break;
        }
        if (c->is_self)
            break;
        c->is_visited = true;
        chain[n++] = c;
        at = c->parent;
    }
    while (n > 0)
        if (define_comm(a, b, chain[--n], err) < 0)
            return NULL;
    *label = wanted->label;
    return wanted->is_self && need_self(a, b, wanted, rank, label, err) < 0 ? NULL : wanted;
}

const struct otf2_comm *mpg_otf2_need_window(struct otf2_archive *a, struct mpg_build *b, uint32_t number, int32_t rank,
                                             int32_t *comm, int32_t *window, struct mpg_error *err)
{
    struct otf2_window *w = find(&a->windows, number, sizeof *w);
    if (!w) {
        mpg_error_set(err, "damaged: window %u is not defined", number);
        return NULL;
    }
    const struct otf2_comm *c = mpg_otf2_need_comm(a, b, w->comm, rank, comm, err);
    *window = !c || c->is_self ? -1 : w->label;
    if (!c || c->is_self || w->is_defined)
        return c;
    w->is_defined = true;
    return mpg_build_object(b, MPG_OBJECT_WINDOW, w->label, *comm, w->number, err) < 0 ? NULL : c;
}

int mpg_otf2_group_places(const struct otf2_archive *a, uint32_t number, const struct otf2_comm *c, int64_t *places, uint32_t *n,
                          struct mpg_error *err)
{
    const struct otf2_group *g = find(&a->groups, number, sizeof *g);
    struct mpg_map place_of = {.count = 0};
    int32_t *ranks = g && g->n <= (uint32_t)c->size ? calloc((size_t)g->n + 1, sizeof *ranks) : NULL;
    int status = ranks && fill_members(a, g, ranks) ? 0 : -1;
    for (int32_t i = 0; i < c->size && status == 0; i++) {
        uint64_t *slot = mpg_map_add(&place_of, (uint64_t)c->members[i], 0);
        status = slot ? 0 : -1;
        if (slot)
            *slot = (uint64_t)i + 1;
    }
    *n = 0;
    for (uint32_t i = 0; status == 0 && i < g->n; i++) {
        const uint64_t *slot = mpg_map_find(&place_of, (uint64_t)ranks[i], 0);
        status = slot ? 0 : -1;
        if (slot)
            places[(*n)++] = (int64_t)*slot - 1;
    }
    mpg_map_clear(&place_of);
    free(ranks);
    return status == 0 ? 0 : mpg_error_set(err, "damaged: group %u of a window", number);
}

int32_t mpg_otf2_world_rank(const struct otf2_comm *c, int32_t rank, uint32_t peer)
{
    const int32_t *group = c->members;
    int32_t size = c->size;
    if (c->is_self)
        return peer == 0 ? rank : -1;
    if (c->remote_size > 0) {
        int32_t i = 0;
        while (i < c->size && c->members[i] != rank)
            i++;
        group = i < c->size ? c->members + c->size : c->members;
        size = i < c->size ? c->remote_size : c->size;
    }
    return peer < (uint32_t)size ? group[peer] : -1;
}

/* --- the rest --- */

struct otf2_region *mpg_otf2_region_of(const struct otf2_archive *a, uint32_t number)
{
    return find(&a->regions, number, sizeof(struct otf2_region));
}

struct otf2_region *mpg_otf2_context_region(const struct otf2_archive *a, uint32_t context)
{
    const uint32_t *region = find(&a->contexts, context, sizeof *region);
    return region ? mpg_otf2_region_of(a, *region) : NULL;
}

bool mpg_otf2_fact(const struct otf2_archive *a, size_t i, int32_t *rank, const char **key, const char **value)
{
    const struct otf2_property *p = a->properties.items;
    if (i >= a->properties.count)
        return false;
    const struct otf2_location *location = find(&a->locations, p[i].location, sizeof *location);
    *rank = location ? location->rank : -1;
    *key = p[i].key;
    *value = p[i].value;
    return true;
}

const char *mpg_otf2_host(const struct otf2_archive *a, int32_t rank)
{
    enum { MAX_DEPTH = 64 };
    const struct otf2_process *p = find(&a->processes, a->rank_location[rank]->group, sizeof *p);
    const struct otf2_node *node = p ? find(&a->nodes, p->node, sizeof *node) : NULL, *first = node;
    for (int i = 0; node && i < MAX_DEPTH && !node->shares_memory && strcmp(node->class_name, "node") != 0; i++)
        node = find(&a->nodes, node->parent, sizeof *node);
    node = node ? node : first;
    return node && *node->name ? node->name : NULL;
}

void mpg_otf2_value_names(const struct otf2_archive *a, char *text, size_t size)
{
    const struct otf2_metric_class *c = find(&a->classes, a->value_class, sizeof *c);
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; c && i < a->values && used < size; i++) {
        const struct otf2_metric_member *m = find(&a->members, c->members[i], sizeof *m);
        const size_t begin = used + (i > 0);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", m && *m->name ? m->name : "counter");
        for (size_t k = begin; k < used && k < size && text[k]; k++)
            if (!isgraph((unsigned char)text[k]))
                text[k] = '_';
    }
}

/* Reads the tick of time 0 of the trace, a property written only by mpgkit. */
static void read_origin(struct otf2_archive *a, OTF2_Reader *reader)
{
    char *text = NULL, *end;
    if (strncmp(a->creator, "mpgkit ", 7) != 0 ||
        OTF2_Reader_GetProperty(reader, "MPGKIT::ORIGIN_TICKS", &text) != OTF2_SUCCESS || !text)
        return;
    const unsigned long long ticks = strtoull(text, &end, 10);
    if (*text && !*end)
        a->origin = ticks;
    free(text);
}

int mpg_otf2_archive_read(struct otf2_archive *a, OTF2_Reader *reader, struct mpg_error *err)
{
    char *creator = NULL;
    uint64_t read = 0;
    if (OTF2_Reader_GetCreator(reader, &creator) != OTF2_SUCCESS || !creator || !*creator) {
        free(creator);
        creator = strdup("an unnamed tool");
    }
    a->creator = creator;
    a->own = (struct otf2_own_attributes){OTF2_UNDEFINED_ATTRIBUTE, OTF2_UNDEFINED_ATTRIBUTE, OTF2_UNDEFINED_ATTRIBUTE};
    OTF2_Reader_GetVersion(reader, &a->version[0], &a->version[1], &a->version[2]);
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_GlobalDefReader *defs = creator && callbacks ? OTF2_Reader_GetGlobalDefReader(reader) : NULL;
    const bool good = defs && OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, callbacks, a) == OTF2_SUCCESS &&
                      OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &read) == OTF2_SUCCESS;
    if (callbacks)
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (defs)
        OTF2_Reader_CloseGlobalDefReader(reader, defs);
    if (a->failed) {
        *err = a->error;
        return -1;
    }
    if (!good)
        return mpg_error_set(err, "the definitions cannot be read");
    read_origin(a, reader);
    if (a->resolution == 0)
        return mpg_error_set(err, "damaged: no ticks a second");
    if (find_places(a, err) < 0)
        return -1;
    find_world(a);
    return 0;
}

void mpg_otf2_archive_clear(struct otf2_archive *a)
{
    for (size_t i = 0; i < a->strings.count; i++)
        free(((char **)a->strings.items)[i]);
    for (size_t i = 0; i < a->groups.count; i++)
        free(((struct otf2_group *)a->groups.items)[i].members);
    for (size_t i = 0; i < a->comms.count; i++)
        free(((struct otf2_comm *)a->comms.items)[i].members);
    for (size_t i = 0; i < a->classes.count; i++)
        free(((struct otf2_metric_class *)a->classes.items)[i].members);
    struct otf2_table *tables[] = {&a->strings, &a->regions, &a->groups, &a->comms, &a->locations,
                                   &a->nodes, &a->processes, &a->classes, &a->members, &a->contexts, &a->properties,
                                   &a->windows};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        free(tables[i]->items);
        mpg_map_clear(&tables[i]->index);
    }
    mpg_map_clear(&a->windows_of);
    free(a->rank_location);
    free(a->threads);
    free((char *)a->creator);
}
