/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the arguments of each MPI function in a DUMPI record to the properties of a call. */
#include "trace/dumpi/call.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = -1 };

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Enlarges *ARRAY, with room for *CAPACITY items of SIZE bytes, to N items. Returns false if out of memory. */
static bool reserve(void *array, size_t *capacity, size_t n, size_t size)
{
    void **at = array;
    if (n <= *capacity)
        return true;
    void *grown = realloc(*at, n * size);
    if (!grown)
        return false;
    *at = grown;
    *capacity = n;
    return true;
}

/* --- properties of a call --- */

/* Returns RANK, a destination; a negative RANK is MPI_PROC_NULL, because the value of MPI_PROC_NULL depends on the recorder's
 * MPI. */
static int32_t destination(int64_t rank)
{
    return rank < 0 ? MPG_PROC_NULL : (int32_t)rank;
}

static int32_t source(int64_t rank)
{
    return rank == ANY ? MPG_CALLS_ANY : destination(rank);
}

static int32_t tag(int64_t value)
{
    return value < 0 ? MPG_CALLS_ANY : (int32_t)value;
}

static bool set_bytes(struct dumpi_rank *d, const struct dumpi_file *f, int64_t count, int64_t type, int64_t *bytes)
{
    int64_t size = mpg_dumpi_type_size(&d->types, f, type);
    d->unknown_types += size < 0;
    size = size < 0 ? 1 : size;
    const __int128 product = (__int128)(count > 0 ? count : 0) * size;
    *bytes = (int64_t)product;
    return product < INT64_MAX / 4;
}

/* Makes room for N requests and N statuses. Returns false if out of memory. */
static bool reserve_requests(struct dumpi_rank *d, size_t n)
{
    size_t a = d->capacity, b = d->capacity, c = d->capacity;
    if (!reserve(&d->requests, &a, n, sizeof *d->requests) || !reserve(&d->done, &b, n, sizeof *d->done) ||
        !reserve(&d->statuses, &c, n, sizeof *d->statuses))
        return false;
    d->capacity = a;
    return true;
}

static bool set_request(struct dumpi_rank *d, struct mpg_foreign_call *call, int64_t request)
{
    if (!reserve_requests(d, 1))
        return false;
    d->requests[0] = (uint64_t)request;
    call->requests = d->requests;
    call->request_number = 1;
    return true;
}

static struct mpg_call_status status_of(const struct dumpi_record *r, size_t i)
{
    const struct dumpi_status *s = &r->statuses[i];
    return (struct mpg_call_status){s->source, s->tag, s->bytes, s->cancelled};
}

/* Copies the status in R to CALL, a blocking receive or probe. R has no status if the program ignored the status. */
static bool set_status(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    if (r->status_number == 0)
        return true;
    if (!reserve_requests(d, 1))
        return false;
    d->statuses[0] = status_of(r, 0);
    call->statuses = d->statuses;
    return true;
}

/* --- completions --- */

/* Sets the requests passed to CALL, the N handles at AT, and makes room for N statuses. set_done() then adds the requests
 * completed by CALL. Returns false if out of memory. */
static bool set_requests(struct dumpi_rank *d, struct mpg_foreign_call *call, const int32_t *at, size_t n)
{
    if (!reserve_requests(d, n + 1))
        return false;
    for (size_t i = 0; i < n; i++)
        d->requests[i] = (uint64_t)(uint32_t)at[i];
    call->requests = d->requests;
    call->request_number = (uint32_t)n;
    call->knows_done = true;
    call->done = d->done;
    return true;
}

/* Notes that CALL completes request I of CALL, with status S of record R. If R lacks status S, source, tag and size are
 * unknown. */
static void set_done(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call, int64_t i, size_t s)
{
    if (i < 0 || i >= (int64_t)call->request_number || call->done_number == call->request_number)
        return;
    uint64_t *cancelled = mpg_map_find(&d->cancelled, call->requests[i], 0);
    d->done[call->done_number] = (uint32_t)i;
    d->statuses[call->done_number] =
        s < r->status_number ? status_of(r, s) : (struct mpg_call_status){MPG_CALLS_ANY, MPG_CALLS_ANY, -1, false};
    if (!cancelled)
        d->statuses[call->done_number].cancelled = false;
    else
        mpg_map_remove(&d->cancelled, call->requests[i], 0);
    call->statuses = d->statuses;
    call->done_number++;
}

static bool make_completion(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    const struct dumpi_list *list = &r->lists[0];
    const int32_t one = (int32_t)s[0];
    const bool is_single = call->call == MPG_CALL_Wait || call->call == MPG_CALL_Test;
    if (!set_requests(d, call, is_single ? &one : list->at, is_single ? 1 : list->n))
        return false;
    switch (call->call) {
    case MPG_CALL_Test:
        if (s[1])
            set_done(d, r, call, 0, 0);
        return true;
    case MPG_CALL_Waitany:
        set_done(d, r, call, s[1], 0);
        return true;
    case MPG_CALL_Testany:
        if (s[2])
            set_done(d, r, call, s[1], 0);
        return true;
    case MPG_CALL_Waitsome:
    case MPG_CALL_Testsome:
        for (size_t i = 0; i < r->lists[1].n; i++)
            set_done(d, r, call, r->lists[1].at[i], i);
        return true;
    case MPG_CALL_Testall:
        if (!s[1])
            return true;
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < call->request_number; i++)
        set_done(d, r, call, i, i);
    return true;
}

/* --- messages --- */

static bool make_message(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r,
                         struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    const enum mpg_kind kind = mpg_call_kind(call->call);
    const bool sends = kind == MPG_KIND_SEND || kind == MPG_KIND_ISEND || kind == MPG_KIND_SEND_INIT;
    call->comm = s[4];
    call->tag = tag(s[3]);
    *(sends ? &call->to : &call->from) = sends ? destination(s[2]) : source(s[2]);
    if (kind != MPG_KIND_SEND && kind != MPG_KIND_RECV && !set_request(d, call, s[5]))
        return false;
    return set_bytes(d, f, s[0], s[1], &call->bytes) && (kind != MPG_KIND_RECV || set_status(d, r, call));
}

static bool make_sendrecv(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r,
                          struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    const bool replaces = call->call == MPG_CALL_Sendrecv_replace;
    const int64_t *receive = replaces ? s + 4 : s + 6;
    call->to = destination(s[2]);
    call->tag = tag(s[3]);
    call->from = source(receive[0]);
    call->recvtag = tag(receive[1]);
    call->comm = receive[2];
    return set_bytes(d, f, s[0], s[1], &call->bytes) &&
           (replaces ? set_bytes(d, f, s[0], s[1], &call->recvbytes) : set_bytes(d, f, s[4], s[5], &call->recvbytes)) &&
           set_status(d, r, call);
}

static bool make_probe(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    call->from = source(s[0]);
    call->tag = tag(s[1]);
    call->comm = s[2];
    call->knows_done = true;
    call->found = call->call == MPG_CALL_Probe || s[3];
    return set_status(d, r, call);
}

/* --- collectives --- */

/* Stores in call->counts the bytes of each element of LIST, and in *SUM the sum of the bytes. TYPES: datatype of each element;
 * NULL: TYPE for all. Returns false if out of memory. */
static bool set_counts(struct dumpi_rank *d, const struct dumpi_file *f, struct mpg_foreign_call *call,
                       const struct dumpi_list *list,
                       int64_t type, const struct dumpi_list *types, int64_t *sum)
{
    *sum = 0;
    if (!reserve(&d->counts, &d->count_capacity, list->n + 1, sizeof *d->counts))
        return false;
    for (size_t i = 0; i < list->n; i++) {
        if (!set_bytes(d, f, list->at[i], types && i < types->n ? types->at[i] : type, &d->counts[i]) || *sum >= INT64_MAX / 8)
            return false;
        *sum += d->counts[i];
    }
    call->counts = d->counts;
    call->count_number = (uint32_t)list->n;
    return true;
}

static bool make_collective(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r,
                            struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    int64_t sum = 0;
    switch (call->call) {
    case MPG_CALL_Barrier:
        call->comm = s[0];
        return true;
    case MPG_CALL_Bcast:
        call->root = (int32_t)s[2];
        call->comm = s[3];
        return set_bytes(d, f, s[0], s[1], &call->bytes);
    case MPG_CALL_Gather:
        call->root = (int32_t)s[3];
        call->comm = s[4];
        return set_bytes(d, f, s[1], s[2], &call->bytes);
    case MPG_CALL_Gatherv:
        call->root = (int32_t)s[4];
        call->comm = s[5];
        return set_bytes(d, f, s[2], s[3], &call->bytes);
    case MPG_CALL_Scatter:
        call->root = (int32_t)s[3];
        call->comm = s[4];
        return r->scalar_number > 6 ? set_bytes(d, f, s[5], s[6], &call->bytes) : set_bytes(d, f, s[1], s[2], &call->bytes);
    case MPG_CALL_Scatterv:
        call->root = (int32_t)s[5];
        call->comm = s[6];
        return (s[0] != s[5] || set_counts(d, f, call, &r->lists[0], s[2], NULL, &sum)) && set_bytes(d, f, s[3], s[4],
                                                                                                     &call->bytes);
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        call->comm = s[4];
        return set_bytes(d, f, s[0], s[1], &call->bytes);
    case MPG_CALL_Allgatherv:
        call->comm = s[4];
        return set_bytes(d, f, s[1], s[2], &call->bytes);
    case MPG_CALL_Alltoallv:
        call->comm = s[3];
        return set_counts(d, f, call, &r->lists[0], s[1], NULL, &sum);
    case MPG_CALL_Alltoallw:
        call->comm = s[1];
        return set_counts(d, f, call, &r->lists[0], 0, &r->lists[2], &sum);
    case MPG_CALL_Reduce:
        call->root = (int32_t)s[3];
        call->comm = s[4];
        return set_bytes(d, f, s[0], s[1], &call->bytes);
    case MPG_CALL_Allreduce:
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        call->comm = s[3];
        return set_bytes(d, f, s[0], s[1], &call->bytes);
    case MPG_CALL_Reduce_scatter: {
        call->comm = s[3];
        const bool done = set_counts(d, f, call, &r->lists[0], s[1], NULL, &sum);
        call->counts = NULL;
        call->count_number = 0;
        call->bytes = sum;
        return done;
    }
    default:
        call->call = MPG_CALL_COUNT;
        return true;
    }
}

/* --- communicators --- */

/* Copies the N numbers at AT to the list of CALL, a constructor of communicators. Returns false if out of memory. */
static bool set_list(struct dumpi_rank *d, struct mpg_foreign_call *call, const int32_t *at, size_t n)
{
    if (!reserve(&d->list, &d->list_capacity, n + 1, sizeof *d->list))
        return false;
    if (n > 0)
        memcpy(d->list, at, n * sizeof *d->list);
    call->constructor.list = d->list;
    call->constructor.n = n;
    return true;
}

/* Stores the extents, N numbers at AT, of the Cartesian grid of communicator HANDLE. Returns false if out of memory. */
static bool add_grid(struct dumpi_rank *d, int64_t handle, const int32_t *at, size_t n)
{
    uint64_t *slot = mpg_map_add(&d->grids, (uint64_t)handle, 0);
    void *grown = realloc(d->grid_lists, (d->grid_number + 1) * sizeof *d->grid_lists);
    if (grown)
        d->grid_lists = grown;
    int32_t *extents = malloc((n + 1) * sizeof *extents);
    if (!slot || !grown || !extents) {
        free(extents);
        return false;
    }
    if (n > 0)
        memcpy(extents, at, n * sizeof *extents);
    d->grid_lists[d->grid_number++] = (struct dumpi_list){extents, n, n};
    *slot = d->grid_number;
    return true;
}

static bool make_cart(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const struct dumpi_list *dims = &r->lists[0];
    call->constructor.rule = MPG_COMM_FIRST;
    call->constructor.color = 1;
    for (size_t i = 0; i < dims->n; i++)
        call->constructor.color = dims->at[i] > 0 && call->constructor.color < MPG_BUILD_MAX_RANKS
            ? call->constructor.color * dims->at[i] : 0;
    return add_grid(d, call->constructor.handle, dims->at, dims->n);
}

/* Sets the properties of CALL, an MPI_Cart_sub. The list of CALL holds the extents of the old grid, then for each dimension 1
 * if the dimension remains, else 0. Returns false if out of memory. */
static bool make_sub_grid(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const struct dumpi_list *remain = &r->lists[0];
    const uint64_t *slot = mpg_map_find(&d->grids, (uint64_t)call->comm, 0);
    const struct dumpi_list *extents = slot && *slot ? &d->grid_lists[*slot - 1] : NULL;
    int32_t kept[64];
    size_t n = 0;
    if (!extents || extents->n != remain->n || remain->n > sizeof kept / sizeof *kept) {
        call->call = MPG_CALL_COUNT;
        return true;
    }
    if (!set_list(d, call, extents->at, extents->n) || !reserve(&d->list, &d->list_capacity, 2 * extents->n + 1, sizeof *d->list))
        return false;
    for (size_t i = 0; i < remain->n; i++) {
        d->list[extents->n + i] = remain->at[i] != 0;
        if (remain->at[i])
            kept[n++] = extents->at[i];
    }
    call->constructor.rule = MPG_COMM_GRID;
    call->constructor.list = d->list;
    call->constructor.n = 2 * extents->n;
    return add_grid(d, call->constructor.handle, kept, n);
}

static bool make_created(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const struct dumpi_group *group = mpg_dumpi_groups_find(&d->groups, r->scalars[1]);
    const bool is_all = group && !group->ranks && group->comm == call->comm;
    if (is_all) {
        call->constructor.rule = MPG_COMM_SAME;
        return true;
    }
    if (!group || (group->comm >= 0 && group->comm != call->comm && group->comm != DUMPI_WORLD) || (!group->ranks &&
                                                                                                    group->comm >= 0)) {
        call->call = MPG_CALL_COUNT; /* a group of a communicator other than call->comm: the members are unknown */
        return true;
    }
    call->constructor.rule = group->comm == call->comm ? MPG_COMM_PICK : MPG_COMM_LIST;
    return set_list(d, call, group->ranks, group->n);
}

static bool make_constructor(struct dumpi_rank *d, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const int64_t *s = r->scalars;
    call->comm = call->call == MPG_CALL_Cart_sub || call->call == MPG_CALL_Graph_create ? s[1] : s[0];
    call->constructor.parent = call->comm;
    call->constructor.handle = s[r->scalar_number - 1];
    switch (call->call) {
    case MPG_CALL_Comm_dup:
        call->constructor.rule = MPG_COMM_SAME;
        return true;
    case MPG_CALL_Comm_split:
        call->constructor.rule = MPG_COMM_SPLIT;
        call->constructor.color = s[1];
        call->constructor.key = s[2];
        return true;
    case MPG_CALL_Comm_create:
        return make_created(d, r, call);
    case MPG_CALL_Cart_create:
        return make_cart(d, r, call);
    case MPG_CALL_Cart_sub:
        return make_sub_grid(d, r, call);
    case MPG_CALL_Graph_create:
        call->constructor.rule = MPG_COMM_FIRST;
        call->constructor.color = (int64_t)r->lists[0].n;
        return true;
    default:
        call->call = MPG_CALL_COUNT; /* a constructor from two communicators: the members are unknown */
        return true;
    }
}

/* --- any call --- */

static bool make(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r, struct mpg_foreign_call *call)
{
    const enum mpg_kind kind = call->call < MPG_CALL_COUNT ? mpg_call_kind(call->call) : MPG_KIND_UNKNOWN;
    switch (kind) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
        return make_message(d, f, r, call);
    case MPG_KIND_SENDRECV:
        return make_sendrecv(d, f, r, call);
    case MPG_KIND_COMPLETE:
        return make_completion(d, r, call);
    case MPG_KIND_PROBE:
        return make_probe(d, r, call);
    case MPG_KIND_COLLECTIVE:
        return make_collective(d, f, r, call);
    case MPG_KIND_CONSTRUCTOR:
        return make_constructor(d, r, call);
    case MPG_KIND_COMM_FREE:
        call->comm = r->scalars[0];
        return true;
    case MPG_KIND_REQUEST_FREE:
        return set_request(d, call, r->scalars[0]);
    case MPG_KIND_CANCEL:
        return mpg_map_add(&d->cancelled, (uint64_t)r->scalars[0], 0) && set_request(d, call, r->scalars[0]);
    case MPG_KIND_START:
        if (call->call == MPG_CALL_Start)
            return set_request(d, call, r->scalars[0]);
        if (!set_requests(d, call, r->lists[0].at, r->lists[0].n))
            return false;
        call->knows_done = false;
        return true;
    default:
        return true;
    }
}

/* Sets call and name of CALL, a call of FUNCTION. */
static void set_function(struct dumpi_rank *d, unsigned function, struct mpg_foreign_call *call)
{
    const char *name = mpg_dumpi_layouts[function].name;
    const bool is_io = strncmp(name, "IO_", 3) == 0;
    if (d->calls[function] == 0)
        d->calls[function] = (uint16_t)(1 + (is_io ? MPG_CALL_COUNT : mpg_call_by_name(name)));
    call->call = (enum mpg_call)(d->calls[function] - 1);
    strcpy(d->name, is_io ? "MPIO_" : "MPI_");
    strcat(d->name, is_io ? name + 3 : name);
    call->name = d->name;
}

int mpg_dumpi_make_call(struct dumpi_rank *d, const struct dumpi_file *f, const struct dumpi_record *r,
                        struct mpg_foreign_call *call,
                    struct mpg_error *err)
{
    *call = (struct mpg_foreign_call){.comm = -1, .member = -1, .size = -1, .enter_ns = r->enter_ns, .leave_ns = r->leave_ns,
                                      .thread = r->thread};
    set_function(d, r->function, call);
    if (!mpg_dumpi_types_learn(&d->types, f, r))
        return out_of_memory(err);
    if (mpg_dumpi_groups_learn(&d->groups, r, err) < 0)
        return -1;
    return make(d, f, r, call) ? 0 : mpg_error_set(err, "%s: out of memory, or sizes above 2^61 bytes", call->name);
}

void mpg_dumpi_rank_reset(struct dumpi_rank *d)
{
    mpg_map_clear(&d->types.sizes);
    mpg_dumpi_groups_clear(&d->groups);
    mpg_map_clear(&d->grids);
    mpg_map_clear(&d->cancelled);
    for (size_t i = 0; i < d->grid_number; i++)
        free(d->grid_lists[i].at);
    d->grid_number = 0;
}

void mpg_dumpi_rank_clear(struct dumpi_rank *d)
{
    mpg_dumpi_rank_reset(d);
    free(d->grid_lists);
    free(d->requests);
    free(d->done);
    free(d->statuses);
    free(d->counts);
    free(d->list);
}
