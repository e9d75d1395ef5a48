/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes clock offsets and global definitions. Both are written after all records, when the numbers of definitions are known. */
#include "export/otf2/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Evaluates CALL of libotf2; returns -1 with ERR if CALL fails. */
#define WRITE(CALL) \
    do { \
        if ((CALL) != OTF2_SUCCESS) \
            return mpg_otf2_write_error(w, err); \
    } while (0)

/* --- clocks --- */

struct offset {
    int64_t at_ns, offset_ns;
};

/* Sets *O to offset I, from 0, of the clock of location L; returns false if L has fewer offsets. The archive gets the trace's
 * offsets, and copies of the first offset at the first record and of the last offset at the last record: beyond the measured
 * offsets mpgkit keeps the offset constant, whereas readers of OTF2 extrapolate. */
static bool find_offset(const struct mpg_otf2_writer *w, const struct otf2_location *l, size_t i, struct offset *o)
{
    struct offset first = {0, 0};
    size_t n = 0;
    const bool shared = mpg_trace_clocks(w->trace) == MPG_CLOCKS_SHARED || l->rank == 0;
    if (shared || !mpg_trace_clock(w->trace, l->rank, 0, &first.at_ns, &first.offset_ns)) {
        *o = (struct offset){i == 0 ? l->first_ns : l->last_ns + 1, 0};
        return i < 2;
    }
    if (l->first_ns < first.at_ns) {
        if (i == 0) {
            *o = (struct offset){l->first_ns, first.offset_ns};
            return true;
        }
        i--;
    }
    while (n < i && mpg_trace_clock(w->trace, l->rank, n, &o->at_ns, &o->offset_ns))
        n++;
    if (n == i && mpg_trace_clock(w->trace, l->rank, i, &o->at_ns, &o->offset_ns))
        return true;
    if (n < i || i == 0)
        return false;
    mpg_trace_clock(w->trace, l->rank, i - 1, &first.at_ns, &first.offset_ns);
    *o = (struct offset){l->last_ns > first.at_ns ? l->last_ns : first.at_ns + 1, first.offset_ns};
    return true;
}

/* Converts AT_NS, a time by location L's clock, to rank 0's clock. */
static int64_t common_ns(const struct mpg_otf2_writer *w, const struct otf2_location *l, int64_t at_ns)
{
    struct offset a, b;
    if (mpg_trace_clocks(w->trace) != MPG_CLOCKS_MEASURED || !find_offset(w, l, 0, &a))
        return at_ns;
    for (size_t i = 1; find_offset(w, l, i, &b); i++) {
        if (at_ns <= b.at_ns)
            return at_ns + a.offset_ns +
                   (int64_t)((__int128)(b.offset_ns - a.offset_ns) * (at_ns - a.at_ns) / (b.at_ns - a.at_ns));
        a = b;
    }
    return at_ns + a.offset_ns;
}

int mpg_otf2_writer_clocks(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    const bool known = mpg_trace_clocks(w->trace) != MPG_CLOCKS_UNKNOWN || mpg_trace_ranks(w->trace) == 1;
    WRITE(OTF2_Archive_OpenDefFiles(w->archive));
    for (size_t i = 0; i < w->location_number; i++) {
        const struct otf2_location *l = &w->locations[i];
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(w->archive, (uint64_t)l->thread << 32 | (uint32_t)l->rank);
        struct offset o;
        if (!d)
            return mpg_otf2_write_error(w, err);
        for (size_t k = 0; known && l->first_ns != INT64_MAX && find_offset(w, l, k, &o); k++)
            WRITE(OTF2_DefWriter_WriteClockOffset(d, mpg_otf2_tick(w, o.at_ns), o.offset_ns, 0));
        WRITE(OTF2_Archive_CloseDefWriter(w->archive, d));
    }
    WRITE(OTF2_Archive_CloseDefFiles(w->archive));
    if (!known)
        mpg_left_out_add(w->left, "clocks whose offsets are not known: messages can seem to arrive before they leave",
                         (uint64_t)mpg_trace_ranks(w->trace));
    return 0;
}

/* --- strings --- */

/* Writer of the global definitions, and number of strings defined so far. */
struct definitions {
    OTF2_GlobalDefWriter *g;
    uint32_t strings, empty;
    bool failed;
};

static uint32_t string(struct definitions *d, const char *text)
{
    if (OTF2_GlobalDefWriter_WriteString(d->g, d->strings, text) != OTF2_SUCCESS)
        d->failed = true;
    return d->strings++;
}

/* --- times and places --- */

static int write_times(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < w->location_number; i++) {
        const struct otf2_location *l = &w->locations[i];
        if (l->first_ns == INT64_MAX)
            continue;
        const int64_t begin_ns = common_ns(w, l, l->first_ns), end_ns = common_ns(w, l, l->last_ns);
        first_ns = begin_ns < first_ns ? begin_ns : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    if (first_ns > last_ns)
        first_ns = last_ns = 0;
    WRITE(OTF2_GlobalDefWriter_WriteClockProperties(d->g, 1000000000, mpg_otf2_tick(w, first_ns),
                                                    (uint64_t)(last_ns - first_ns) + 1, OTF2_UNDEFINED_TIMESTAMP));
    WRITE(OTF2_GlobalDefWriter_WriteParadigm(d->g, OTF2_PARADIGM_MPI, string(d, "MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    WRITE(OTF2_GlobalDefWriter_WriteParadigm(d->g, OTF2_PARADIGM_USER, string(d, "USER"),
                                             OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
    return 0;
}

/* Writes the nodes of OTF2's system tree; node 0 is the machine, all further nodes are hosts. Sets NODES: number of a host
 * (mpg_trace_host()) -> number of the host's node. */
static int write_hosts(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_map *nodes, struct mpg_error *err)
{
    const uint32_t node = string(d, "node"), machine = string(d, "machine");
    WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNode(d->g, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (int32_t r = 0; r < mpg_trace_ranks(w->trace); r++) {
        const int32_t host = mpg_trace_host(w->trace, r);
        const char *name = mpg_trace_find_fact(w->trace, r, "host");
        uint64_t *slot = mpg_map_add(nodes, (uint64_t)host, 0);
        if (!slot)
            return mpg_error_set(err, "out of memory");
        if (*slot)
            continue;
        *slot = nodes->count;
        WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNode(d->g, (uint32_t)*slot, string(d, name ? name : "unknown"), node, 0));
        WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->g, (uint32_t)*slot, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    return 0;
}

static int write_processes(struct mpg_otf2_writer *w, struct definitions *d, const struct mpg_map *nodes, struct mpg_error *err)
{
    char name[64];
    for (int32_t r = 0; r < mpg_trace_ranks(w->trace); r++) {
        const uint64_t *node = mpg_map_find(nodes, (uint64_t)mpg_trace_host(w->trace, r), 0);
        snprintf(name, sizeof name, "MPI Rank %d", r);
        WRITE(OTF2_GlobalDefWriter_WriteLocationGroup(d->g, (uint32_t)r, string(d, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                      node ? (uint32_t)*node : 0, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    return 0;
}

static int write_places(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    const uint32_t master = string(d, "Master thread");
    struct mpg_map nodes = {0};
    char name[64];
    const int status = write_hosts(w, d, &nodes, err) < 0 ? -1 : write_processes(w, d, &nodes, err);
    mpg_map_clear(&nodes);
    if (status < 0)
        return -1;
    for (size_t i = 0; i < w->location_number; i++) {
        const struct otf2_location *l = &w->locations[i];
        snprintf(name, sizeof name, "Thread %u", l->thread);
        WRITE(OTF2_GlobalDefWriter_WriteLocation(d->g, (uint64_t)l->thread << 32 | (uint32_t)l->rank,
                                                 l->thread == 0 ? master : string(d, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                 l->records, (uint32_t)l->rank));
    }
    return 0;
}

/* Writes the facts of each rank (header lines of the trace) as properties of the rank's first location: "MPGKIT::key", a second
 * value of the key as "MPGKIT::key#2". */
static int write_facts(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    for (size_t i = 0; i < w->fact_number; i++) {
        const struct otf2_fact *f = &w->facts[i];
        unsigned nth = 1;
        for (size_t k = i; k > 0 && w->facts[k - 1].rank == f->rank; k--)
            nth += strcmp(w->facts[k - 1].key, f->key) == 0;
        const size_t size = strlen(f->key) + 32;
        char *name = malloc(size);
        if (!name)
            return mpg_error_set(err, "out of memory");
        if (nth > 1)
            snprintf(name, size, "MPGKIT::%s#%u", f->key, nth);
        else
            snprintf(name, size, "MPGKIT::%s", f->key);
        const uint32_t of_name = string(d, name);
        free(name);
        const OTF2_AttributeValue value = {.stringRef = string(d, f->value)};
        const size_t first = w->first_location[f->rank];
        WRITE(OTF2_GlobalDefWriter_WriteLocationProperty(d->g, (uint64_t)w->locations[first].thread << 32 | (uint32_t)f->rank,
                                                         of_name, OTF2_TYPE_STRING, value));
    }
    return 0;
}

/* --- regions, counters, attributes --- */

static int write_regions(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    const uint32_t mpi = string(d, "MPI");
    for (size_t i = 0; i < w->regions.n; i++) {
        const uint32_t region = w->regions.item[i];
        char name[128];
        const char *text = name;
        const bool is_call = region < MPG_CALL_COUNT, is_user = !is_call && (region - MPG_CALL_COUNT) % 2 == 0;
        if (is_call)
            snprintf(name, sizeof name, "%s%s", mpg_call_prefix((enum mpg_call)region), mpg_call_name((enum mpg_call)region));
        else
            text = mpg_trace_string(w->trace, (int32_t)((region - MPG_CALL_COUNT) / 2) - 1);
        const uint32_t of_name = string(d, text);
        WRITE(OTF2_GlobalDefWriter_WriteRegion(d->g, (uint32_t)i, of_name, of_name, d->empty,
                                               is_call ? mpg_otf2_role_of((enum mpg_call)region) : OTF2_REGION_ROLE_FUNCTION,
                                               is_user ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                                               is_user ? d->empty : mpi, 0, 0));
    }
    return 0;
}

static int write_metrics(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    uint32_t members = 0;
    for (uint32_t class = 0; class < w->value_classes; class++) {
        uint32_t list[OTF2_MAX_VALUES], n = 0;
        char *rest = w->value_names[class];
        for (char *name; n < OTF2_MAX_VALUES && (name = strtok_r(rest, " ", &rest)); n++) {
            const bool is_time = strlen(name) > 3 && strcmp(name + strlen(name) - 3, "_ns") == 0;
            list[n] = members++;
            WRITE(OTF2_GlobalDefWriter_WriteMetricMember(d->g, list[n], string(d, name), d->empty, OTF2_METRIC_TYPE_OTHER,
                                                         OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL,
                                                         is_time ? -9 : 0, string(d, is_time ? "s" : "#")));
        }
        WRITE(OTF2_GlobalDefWriter_WriteMetricClass(d->g, class, (uint8_t)n, list, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                                    OTF2_RECORDER_KIND_CPU));
    }
    return 0;
}

static int write_attributes(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    char name[48];
    WRITE(OTF2_GlobalDefWriter_WriteAttribute(d->g, OTF2_OWN_ANY, string(d, "MPGKIT::any"),
                                              string(d, "the receive asked for any source (1), any tag (2)"), OTF2_TYPE_UINT8));
    WRITE(OTF2_GlobalDefWriter_WriteAttribute(d->g, OTF2_OWN_FAILED, string(d, "MPGKIT::failed"),
                                              string(d, "the call returned an error"), OTF2_TYPE_UINT8));
    for (uint32_t i = 0; i < w->max_counts; i++) {
        snprintf(name, sizeof name, "MPGKIT::bytes %u", i);
        WRITE(OTF2_GlobalDefWriter_WriteAttribute(d->g, OTF2_OWN_COUNTS + i, string(d, name), d->empty, OTF2_TYPE_INT64));
    }
    return 0;
}

/* --- communicators --- */

/* Returns whether all members of C are processes of the traced MPI_COMM_WORLD. */
static bool is_known(const struct mpg_comm *c)
{
    for (int32_t i = 0; i < c->size + c->remote_size; i++)
        if (c->world_ranks[i] < 0)
            return false;
    return true;
}

static bool is_self(const struct mpg_otf2_writer *w, const struct mpg_comm *c)
{
    return c->size == 1 && c->remote_size == 0 && c->parent == MPG_NO_COMM && c->instance == 0 && mpg_trace_ranks(w->trace) > 1;
}

uint32_t mpg_otf2_comm_number(struct mpg_otf2_writer *w, int32_t comm)
{
    struct mpg_error err;
    const struct mpg_comm *c = comm == MPG_NO_COMM ? NULL : mpg_trace_comm(w->trace, comm);
    if (!c)
        return OTF2_UNDEFINED_COMM;
    uint64_t *slot = mpg_map_find(&w->comm_numbers, (uint64_t)comm, 0);
    if (slot)
        return (uint32_t)*slot;
    slot = mpg_map_add(&w->comm_numbers, (uint64_t)comm, 0);
    if (!slot)
        return OTF2_UNDEFINED_COMM;
    *slot = is_self(w, c) ? OTF2_OWN_SELF : OTF2_UNDEFINED_COMM;
    if (is_self(w, c) || !is_known(c) || mpg_grow(&w->comms, w->comm_number, &w->comm_capacity, sizeof *w->comms, &err) < 0)
        return (uint32_t)*slot;
    w->comms[w->comm_number++] = comm;
    return (uint32_t)(*slot = w->comm_number);
}

static bool is_world(const struct mpg_otf2_writer *w, const struct mpg_comm *c)
{
    int32_t i = 0;
    if (c->size != mpg_trace_ranks(w->trace) || c->remote_size > 0 || c->parent != MPG_NO_COMM || c->instance != 0)
        return false;
    while (i < c->size && c->world_ranks[i] == i)
        i++;
    return i == c->size;
}

/* Groups defined so far, found by a checksum of the members: communicators with equal members share a group. */
struct groups {
    struct mpg_map met;
    uint32_t n;
};

/* Stores the archive's number of the group of N MEMBERS, ranks of MPI_COMM_WORLD, in *NUMBER. Defines the group at the
 * first use. */
static int need_group(struct mpg_otf2_writer *w, struct definitions *d, struct groups *groups, const int32_t *members, int32_t n,
                      uint32_t *number, struct mpg_error *err)
{
    uint64_t sum[2] = {14695981039346656037u, 88172645463325252u + (uint64_t)n};
    uint64_t *list = malloc(((size_t)n + 1) * sizeof *list);
    for (int32_t i = 0; list && i < n; i++) {
        list[i] = (uint64_t)members[i];
        sum[0] = (sum[0] ^ list[i]) * 1099511628211u;
        sum[1] = (sum[1] + list[i]) * 6364136223846793005u + 1442695040888963407u;
    }
    uint64_t *slot = list ? mpg_map_add(&groups->met, sum[0], sum[1]) : NULL;
    if (!slot) {
        free(list);
        return mpg_error_set(err, "out of memory");
    }
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (*slot == 0) {
        *slot = groups->n + 1;
        code = OTF2_GlobalDefWriter_WriteGroup(d->g, groups->n++, d->empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, (uint32_t)n, list);
    }
    *number = (uint32_t)(*slot - 1);
    free(list);
    return code == OTF2_SUCCESS ? 0 : mpg_otf2_write_error(w, err);
}

/* Writes group 1 and communicator 0, which are MPI_COMM_SELF, and group 0: the first location of each rank. */
static int write_base(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace);
    uint64_t *list = malloc((size_t)ranks * sizeof *list);
    if (!list)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        const struct otf2_location *l = &w->locations[w->first_location[r]];
        list[r] = (uint64_t)l->thread << 32 | (uint32_t)r;
    }
    const OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteGroup(d->g, 0, d->empty, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)ranks, list);
    free(list);
    if (code != OTF2_SUCCESS)
        return mpg_otf2_write_error(w, err);
    WRITE(OTF2_GlobalDefWriter_WriteGroup(d->g, 1, d->empty, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          0, NULL));
    WRITE(OTF2_GlobalDefWriter_WriteComm(d->g, OTF2_OWN_SELF, string(d, "MPI_COMM_SELF"), 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    return 0;
}

/* Writes the definition of COMM, a communicator of the trace. */
static int write_comm(struct mpg_otf2_writer *w, struct definitions *d, struct groups *groups, int32_t comm, bool first_world,
                      struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(w->trace, comm);
    const uint32_t number = mpg_otf2_comm_number(w, comm), parent = mpg_otf2_comm_number(w, c->parent);
    const OTF2_CommFlag flag =
        mpg_map_find(&w->made, number, 0) ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    char name[48];
    uint32_t group, remote;
    snprintf(name, sizeof name, "communicator %d", c->label >= 0 ? c->label : comm);
    const uint32_t of_name = string(d, first_world ? "MPI_COMM_WORLD" : name);
    if (need_group(w, d, groups, c->world_ranks, c->size, &group, err) < 0)
        return -1;
    if (c->remote_size == 0) {
        WRITE(OTF2_GlobalDefWriter_WriteComm(d->g, number, of_name, group, parent, flag));
        return 0;
    }
    if (need_group(w, d, groups, c->world_ranks + c->size, c->remote_size, &remote, err) < 0)
        return -1;
    WRITE(OTF2_GlobalDefWriter_WriteInterComm(d->g, number, of_name, group, remote, parent, flag));
    return 0;
}

/* Defines MPI_COMM_WORLD, which readers expect, if the trace has no MPI_COMM_WORLD. */
static int write_world(struct mpg_otf2_writer *w, struct definitions *d, struct groups *groups, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace);
    int32_t *members = malloc((size_t)ranks * sizeof *members);
    uint32_t group = 0;
    if (!members)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++)
        members[r] = r;
    const int status = need_group(w, d, groups, members, ranks, &group, err);
    free(members);
    if (status < 0)
        return -1;
    WRITE(OTF2_GlobalDefWriter_WriteComm(d->g, (uint32_t)w->comm_number + 1, string(d, "MPI_COMM_WORLD"), group,
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    return 0;
}

/* Defines the groups of MPI_Win_post and MPI_Win_start. */
static int write_epoch_groups(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    for (size_t i = 0; i < w->group_number; i++)
        WRITE(OTF2_GlobalDefWriter_WriteGroup(d->g, OTF2_FIRST_GROUP + (uint32_t)i, d->empty, OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->groups[i].n, w->groups[i].members));
    return 0;
}

static int write_windows(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    char name[48];
    for (size_t i = 0; i < w->windows.n; i++) {
        const int32_t comm = mpg_trace_object(w->trace, (int32_t)w->windows.item[i])->comm;
        snprintf(name, sizeof name, "window %zu", i);
        WRITE(OTF2_GlobalDefWriter_WriteRmaWin(d->g, (uint32_t)i, string(d, name), mpg_otf2_comm_number(w, comm),
                                               OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    }
    return 0;
}

static int write_comms(struct mpg_otf2_writer *w, struct definitions *d, struct mpg_error *err)
{
    struct groups groups = {.n = OTF2_FIRST_GROUP + (uint32_t)w->group_number};
    bool has_world = false;
    int status = write_base(w, d, err) < 0 ? -1 : write_epoch_groups(w, d, err);
    for (int32_t comm = 0; comm < mpg_trace_comm_count(w->trace); comm++)
        (void)mpg_otf2_comm_number(w, comm); /* numbers all communicators, since communicators without records are defined, too */
    for (size_t i = 0; status == 0 && i < w->comm_number; i++) {
        const bool world = !has_world && is_world(w, mpg_trace_comm(w->trace, w->comms[i]));
        has_world = has_world || world;
        status = write_comm(w, d, &groups, w->comms[i], world, err);
    }
    if (status == 0 && !has_world)
        status = write_world(w, d, &groups, err);
    mpg_map_clear(&groups.met);
    return status;
}

int mpg_otf2_writer_definitions(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    struct definitions d = {.g = OTF2_Archive_GetGlobalDefWriter(w->archive)};
    if (!d.g)
        return mpg_otf2_write_error(w, err);
    d.empty = string(&d, "");
    if (write_times(w, &d, err) < 0 || write_places(w, &d, err) < 0 || write_attributes(w, &d, err) < 0 ||
        write_regions(w, &d, err) < 0 || write_metrics(w, &d, err) < 0 || write_comms(w, &d, err) < 0 ||
        write_windows(w, &d, err) < 0 || write_facts(w, &d, err) < 0)
        return -1;
    if (d.failed)
        return mpg_otf2_write_error(w, err);
    WRITE(OTF2_Archive_CloseGlobalDefWriter(w->archive, d.g));
    return 0;
}
