/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses lines of liballprof: the arguments of MPI's C functions, in the functions' order. */
#include "trace/liballprof/line.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"

enum { MAX_FIELDS = 64, MAX_REQUESTS = 1 << 20 };

/* Kinds of arguments, a letter for each argument:
 *   -  not needed                   k  communicator: "handle,rank,size"
 *   b  send buffer (MPI_IN_PLACE?)  r  address of a request
 *   n  count and t type of the sent data (or of the only buffer)
 *   N  count and T type of the received data
 *   d  destination, g its tag;  s  source, G its tag (g, if the call only receives)
 *   R  root
 *   c  number of requests, a  address of their array
 *   v  list of counts sent, V received, x displacements: an address and a list
 *   C  color, K  key */
static const struct {
    const char *name, *arguments;
} calls[] = {
    {"Send", "-ntdgk"},
    {"Ssend", "-ntdgk"},
    {"Bsend", "-ntdgk"},
    {"Rsend", "-ntdgk"},
    {"Recv", "-ntsgk-"},
    {"Sendrecv", "-ntdg-NTsGk-"},
    {"Sendrecv_replace", "-ntdgsGk-"},
    {"Isend", "-ntdgkr"},
    {"Issend", "-ntdgkr"},
    {"Ibsend", "-ntdgkr"},
    {"Irsend", "-ntdgkr"},
    {"Irecv", "-ntsgkr"},
    {"Send_init", "-ntdgkr"},
    {"Ssend_init", "-ntdgkr"},
    {"Bsend_init", "-ntdgkr"},
    {"Rsend_init", "-ntdgkr"},
    {"Recv_init", "-ntsgkr"},
    {"Start", "r"},
    {"Startall", "ca"},
    {"Wait", "r-"},
    {"Waitall", "ca-"},
    {"Waitany", "ca--"},
    {"Waitsome", "ca---"},
    {"Test", "r--"},
    {"Testall", "ca--"},
    {"Testany", "ca---"},
    {"Testsome", "ca---"},
    {"Request_free", "r"},
    {"Cancel", "r"},
    {"Probe", "sgk-"},
    {"Iprobe", "sgk--"},
    {"Barrier", "k"},
    {"Bcast", "-ntRk"},
    {"Reduce", "--nt-Rk"},
    {"Allreduce", "--nt-k"},
    {"Scan", "--nt-k"},
    {"Exscan", "--nt-k"},
    {"Gather", "bnt-NTRk"},
    {"Gatherv", "bnt-VxTRk"},
    {"Scatter", "-nt-NTRk"},
    {"Scatterv", "-vxt-NTRk"},
    {"Allgather", "bnt-NTk"},
    {"Allgatherv", "bnt-VxTk"},
    {"Alltoall", "bnt-NTk"},
    {"Alltoallv", "bvxt-VxTk"},
    {"Alltoallw", "bvx--Vx-k"},
    {"Reduce_scatter", "--Vt-k"},
    {"Reduce_scatter_block", "--Nt-k"},
    {"Comm_dup", "k-"},
    {"Comm_split", "kCK-"},
    {"Comm_create", "k--"},
    {"Cart_create", "k-----"},
    {"Graph_create", "k-----"},
    {"Dist_graph_create", "k--------"},
    {"Dist_graph_create_adjacent", "k---------"},
    {"Cart_sub", "k--"},
    {"Intercomm_merge", "k--"},
    {"Comm_rank", "k-"},
    {"Comm_size", "k-"},
};

/* The fields of a line, as text, and numbers parsed from the fields. */
struct fields {
    char *text[MAX_FIELDS];
    int n;
    /* Numbers of elements, and sizes of elements in bytes; -1: none. */
    int64_t send_number, send_size, receive_number, receive_size;
    const char *sent_list, *received_list;
    bool in_place;
};

bool mpg_lap_parse_us(const char *text, int64_t *ns)
{
    const bool negative = *text == '-';
    int64_t whole, part_ns = 100;
    const char *q = mpg_digits(text + negative, &whole);
    if (q > text + negative && whole < INT64_MAX / 4000) { /* small enough for 64 bits, as almost always */
        whole *= 1000;
        q += *q == '.';
        for (; isdigit((unsigned char)*q) && part_ns > 0; q++, part_ns /= 10)
            whole += part_ns * (*q - '0');
        *ns = negative ? -whole : whole;
        if (!*q)
            return true;
    }
    __int128 value = 0;
    int digits = 0, decimals = -1;
    for (const char *p = text + negative; *p; p++) {
        if (*p == '.' && decimals < 0 && digits > 0) {
            decimals = 0;
            continue;
        }
        if (!isdigit((unsigned char)*p) || ++digits > 30)
            return false;
        if (decimals >= 3)
            continue;
        value = 10 * value + (*p - '0');
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        value *= 10;
    *ns = (int64_t)(negative ? -value : value);
    return digits > 0 && value < INT64_MAX / 4;
}

/* Parses the number at the begin of *TEXT, followed by a comma or the end of the text, and moves *TEXT behind number and
 * comma. Returns false if there is no number. */
static bool parse_number(const char **text, int64_t *value)
{
    int64_t number;
    const char *after = mpg_digits(*text, &number);
    if (after != *text) {
        if (*after && *after != ',')
            return false;
        *value = number;
        *text = *after ? after + 1 : after;
        return true;
    }
    char *end;
    errno = 0;
    const bool is_big = (*text)[0] != '-';
    const uint64_t big = is_big ? strtoull(*text, &end, 10) : 0;
    if (is_big)
        *value = (int64_t)big;
    else
        *value = strtoll(*text, &end, 10);
    if (end == *text || isspace((unsigned char)**text) || (*end && *end != ',') || errno)
        return false;
    *text = *end ? end + 1 : end;
    return true;
}

static bool parse_whole(const char *text, int64_t *value)
{
    return parse_number(&text, value) && *text == '\0';
}

static bool parse_int32(const char *text, int32_t *value)
{
    int64_t number;
    if (!parse_whole(text, &number) || number < INT32_MIN || number > INT32_MAX)
        return false;
    *value = (int32_t)number;
    return true;
}

/* Returns the meaning of FROM, a negative source, MPI_PROC_NULL or MPI_ANY_SOURCE: in MPICH -1 and -2, in Open MPI -2 and -1.
 * MPICH is recognised by the call's communicator: handles have 32 bits, with the kind of object in the upper bits. */
static int32_t negative_source(const struct mpg_foreign_call *call, int32_t from)
{
    const uint32_t kind = (uint32_t)call->comm & 0xfc000000u, high = (uint32_t)((uint64_t)call->comm >> 32);
    const bool is_mpich = (kind == 0x44000000u || kind == 0x84000000u) && (high == 0 || high == 0x7fffffffu);
    return from == (is_mpich ? -1 : -2) ? MPG_PROC_NULL : MPG_CALLS_ANY;
}

static bool parse_tag(const char *text, int32_t *tag)
{
    if (!parse_int32(text, tag))
        return false;
    *tag = *tag < 0 ? MPG_CALLS_ANY : *tag;
    return true;
}

static bool parse_comm(const char *text, struct mpg_foreign_call *call)
{
    int64_t handle, member, size;
    if (!parse_number(&text, &handle) || !parse_number(&text, &member) || !parse_number(&text, &size) || *text || size < 1 ||
        size > MPG_BUILD_MAX_RANKS || member < 0 || member >= size)
        return false;
    call->comm = handle & INT64_MAX;
    call->member = (int32_t)member;
    call->size = (int32_t)size;
    return true;
}

/* Parses "id,size,extent" of a datatype. *SIZE: bytes. */
static bool parse_type(const char *text, int64_t *size)
{
    int64_t id, extent;
    return parse_number(&text, &id) && parse_number(&text, size) && parse_number(&text, &extent) && !*text && *size >= 0;
}

static bool parse_count(const char *text, int64_t *count)
{
    return parse_whole(text, count) && *count >= 0;
}

static bool add_request(struct lap_line *l, const char *text)
{
    int64_t address;
    if (!parse_whole(text, &address))
        return false;
    l->requests[0] = (uint64_t)address;
    l->call.requests = l->requests;
    l->call.request_number = 1;
    return true;
}

/* Parses FIELD, an argument of KIND (a letter as above), into L and F. Returns false if FIELD is damaged. */
static bool parse_argument(struct lap_line *l, struct fields *f, char kind, char *field)
{
    struct mpg_foreign_call *call = &l->call;
    int64_t count;
    switch (kind) {
    case 'b':
        f->in_place = strcmp(field, "1") == 0 || strcmp(field, "18446744073709551615") == 0;
        return true;
    case 'n':
        return parse_count(field, &f->send_number);
    case 'N':
        return parse_count(field, &f->receive_number);
    case 't':
        return parse_type(field, &f->send_size);
    case 'T':
        return parse_type(field, &f->receive_size);
    case 'd':
        if (!parse_int32(field, &call->to))
            return false;
        call->to = call->to < 0 ? MPG_PROC_NULL : call->to;
        return true;
    case 'g':
        return parse_tag(field, &call->tag);
    case 's':
        return parse_int32(field, &call->from);
    case 'G':
        return parse_tag(field, &call->recvtag);
    case 'R':
        return parse_int32(field, &call->root) && call->root >= 0;
    case 'k':
        return parse_comm(field, call);
    case 'c':
        l->is_array = true;
        if (!parse_count(field, &count) || count > MAX_REQUESTS)
            return false;
        l->request_count = (uint32_t)count;
        return true;
    case 'r':
    case 'a':
        return add_request(l, field);
    case 'v':
        f->sent_list = field;
        return true;
    case 'V':
        f->received_list = field;
        return true;
    case 'C':
        return parse_whole(field, &call->constructor.color);
    case 'K':
        return parse_whole(field, &call->constructor.key);
    default:
        return true;
    }
}

/* Sets *BYTES to NUMBER times SIZE; negative factors count as 0. Returns false if the product is too large. */
static bool multiply(int64_t number, int64_t size, int64_t *bytes)
{
    const __int128 product = (__int128)(number > 0 ? number : 0) * (size > 0 ? size : 0);
    *bytes = (int64_t)product;
    return product < INT64_MAX / 4;
}

/* Stores the numbers in LIST, each times SIZE, in l->counts, and the sum in *SUM. Returns false unless LIST has a number for
 * each rank of the communicator. */
static bool parse_list(struct lap_line *l, const char *list, int64_t size, int64_t *sum)
{
    uint32_t n = 0;
    *sum = 0;
    for (const char *p = list; p && *p; n++) {
        int64_t number, bytes;
        if (!parse_number(&p, &number) || !multiply(number, size, &bytes) || *sum + bytes >= INT64_MAX / 4)
            return false;
        if (n == l->count_capacity) {
            const size_t capacity = n ? 2 * (size_t)n : 64;
            int64_t *grown = realloc(l->counts, capacity * sizeof *grown);
            if (!grown)
                return false;
            l->counts = grown;
            l->count_capacity = capacity;
        }
        l->counts[n] = bytes;
        *sum += bytes;
    }
    l->call.counts = l->counts;
    l->call.count_number = n;
    return n == (uint32_t)l->call.size;
}

/* Sets the bytes of the call in L, as defined by mpgtext(5). Returns false if sizes are damaged. */
static bool set_bytes(struct lap_line *l, const struct fields *f)
{
    struct mpg_foreign_call *call = &l->call;
    const bool is_root = call->member == call->root;
    const enum mpg_call plain = call->call < MPG_CALL_COUNT ? mpg_call_blocking(call->call) : call->call;
    int64_t sent, received, sum;
    if (!multiply(f->send_number, f->send_size, &sent) || !multiply(f->receive_number, f->receive_size, &received))
        return false;
    call->bytes = sent;
    switch (plain) {
    case MPG_CALL_Sendrecv:
        call->recvbytes = received;
        return true;
    case MPG_CALL_Sendrecv_replace:
        call->recvbytes = sent;
        return true;
    case MPG_CALL_Gather:
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        call->bytes = f->in_place ? received : sent;
        return true;
    case MPG_CALL_Scatter:
        call->bytes = is_root ? sent : received;
        return true;
    case MPG_CALL_Gatherv:
    case MPG_CALL_Allgatherv:
        if (f->in_place && (!parse_list(l, f->received_list, f->receive_size, &sum)))
            return false;
        if (f->in_place)
            call->bytes = l->counts[call->member];
        call->counts = NULL;
        call->count_number = 0;
        return true;
    case MPG_CALL_Scatterv:
        call->bytes = received;
        return !is_root || parse_list(l, f->sent_list, f->send_size, &sum);
    case MPG_CALL_Alltoallv:
        return f->in_place ? parse_list(l, f->received_list, f->receive_size, &sum) : parse_list(l, f->sent_list, f->send_size,
                                                                                                 &sum);
    case MPG_CALL_Alltoallw:
        l->lists_bytes_only = true;
        return parse_list(l, f->in_place ? f->received_list : f->sent_list, 1, &sum);
    case MPG_CALL_Reduce_scatter:
        if (!parse_list(l, f->received_list, f->send_size, &sum))
            return false;
        call->bytes = sum;
        call->counts = NULL;
        call->count_number = 0;
        return true;
    case MPG_CALL_Reduce_scatter_block:
        return multiply(f->receive_number, f->send_size, &sum) && multiply(sum, call->size, &call->bytes);
    default:
        return true;
    }
}

static enum mpg_comm_rule rule_of(enum mpg_call call)
{
    return call == MPG_CALL_Comm_dup ? MPG_COMM_SAME : call == MPG_CALL_Comm_split ? MPG_COMM_SPLIT : MPG_COMM_SHOWN;
}

/* Returns the letters of CALL's arguments; NULL: unknown function. A nonblocking collective has the arguments of the
 * blocking call, and a request (*HAS_REQUEST). */
static const char *arguments_of(struct lap_line *l, enum mpg_call call, bool *has_request)
{
    *has_request = call < MPG_CALL_COUNT && mpg_call_kind(call) == MPG_KIND_ICOLLECTIVE;
    if (call < MPG_CALL_COUNT && l->arguments[call] > 0)
        return calls[l->arguments[call] - 1].arguments;
    const char *name = call < MPG_CALL_COUNT ? mpg_call_name(*has_request ? mpg_call_blocking(call) : call) : "";
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0) {
            l->arguments[call] = (uint8_t)(i + 1);
            return calls[i].arguments;
        }
    return NULL;
}

/* Splits TEXT at colons into F, which has no numbers yet. */
static int split(struct fields *f, char *text, struct mpg_error *err)
{
    f->send_number = f->send_size = f->receive_number = f->receive_size = -1;
    f->sent_list = f->received_list = NULL;
    f->in_place = false;
    f->n = 0;
    f->text[f->n++] = text;
    for (char *p = text; *p; p++) { /* strchr() would wait for the zero bytes just written */
        if (*p != ':')
            continue;
        if (f->n == MAX_FIELDS)
            return mpg_error_set(err, "more than %d fields", MAX_FIELDS);
        *p = '\0';
        f->text[f->n++] = p + 1;
    }
    return f->n >= 3 ? 0 : mpg_error_set(err, "no NAME:ENTER:...:LEAVE");
}

static int parse_times(struct mpg_foreign_call *call, const struct fields *f, struct mpg_error *err)
{
    const char *enter = f->text[1], *leave = f->text[f->n - 1];
    const bool is_init = enter[0] == '-' && !enter[1], is_finalize = leave[0] == '-' && !leave[1];
    if ((is_init && is_finalize) || (!is_init && !mpg_lap_parse_us(enter, &call->enter_ns)) ||
        (!is_finalize && !mpg_lap_parse_us(leave, &call->leave_ns)))
        return mpg_error_set(err, "'%.40s' and '%.40s' are no times in us", enter, leave);
    if (is_init)
        call->enter_ns = call->leave_ns;
    if (is_finalize)
        call->leave_ns = call->enter_ns;
    return 0;
}

/* Returns the call with NAME, of SIZE bytes with the final 0; MPG_CALL_COUNT: unknown. Remembers names by size and last
 * letter. */
static enum mpg_call call_of(struct lap_line *l, const char *name, size_t size)
{
    struct lap_name *known = &l->names[(size + (unsigned char)name[size > 1 ? size - 2 : 0]) % LAP_NAMES];
    const bool is_kept = size > 1 && size <= sizeof known->name;
    if (is_kept && memcmp(known->name, name, size) == 0)
        return known->call;
    const enum mpg_call call = strncmp(name, "MPI_", 4) == 0 ? mpg_call_by_name(name + 4) : MPG_CALL_COUNT;
    if (is_kept) {
        memcpy(known->name, name, size);
        known->call = call;
    }
    return call;
}

int mpg_lap_parse(struct lap_line *l, char *text, struct mpg_error *err)
{
    struct fields f;
    struct mpg_foreign_call *call = &l->call;
    bool has_request;
    int at = 2;
    *call = (struct mpg_foreign_call){.call = MPG_CALL_COUNT, .comm = -1, .member = -1, .size = -1};
    l->is_array = l->lists_bytes_only = false;
    if (!l->requests && !(l->requests = malloc(64 * sizeof *l->requests)))
        return mpg_error_set(err, "out of memory");
    l->request_capacity = l->request_capacity ? l->request_capacity : 64;
    if (split(&f, text, err) < 0 || parse_times(call, &f, err) < 0)
        return -1;
    call->name = f.text[0];
    call->call = call_of(l, f.text[0], (size_t)(f.text[1] - f.text[0]));
    const char *arguments = arguments_of(l, call->call, &has_request);
    for (const char *kind = arguments; kind && (*kind || has_request); kind++) {
        const char letter = *kind ? *kind : 'r';
        const bool is_list = letter == 'v' || letter == 'V' || letter == 'x';
        if (at + is_list >= f.n - 1 || !parse_argument(l, &f, letter, f.text[at + is_list]))
            return mpg_error_set(err, "%.40s: argument %td is damaged", call->name, kind - arguments + 1);
        at += 1 + is_list;
        if (!*kind)
            break;
    }
    if (arguments && call->from < 0)
        call->from = negative_source(call, call->from);
    if (arguments && !set_bytes(l, &f))
        return mpg_error_set(err, "%.40s: sizes are damaged", call->name);
    if (call->call < MPG_CALL_COUNT && mpg_call_kind(call->call) == MPG_KIND_CONSTRUCTOR) {
        if (call->comm < 0)
            call->call = MPG_CALL_COUNT; /* a constructor from two communicators: the members of the new communicator are
                                          * unknown */
        call->constructor.rule = rule_of(call->call);
        call->constructor.parent = call->comm;
        call->constructor.handle = -1;
    }
    return 0;
}

void mpg_lap_clear(struct lap_line *l)
{
    free(l->requests);
    free(l->counts);
}
