/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing "rank enter leave Name key=value ...". */
#include "trace/text_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum list { LIST_REQUESTS, LIST_PERSISTENT, LIST_DONE, LIST_CANCELLED, LIST_COUNTS };

/* Keys, as bits of what a line gave. */
enum key {
    KEY_COMM = 1,
    KEY_TO = 2,
    KEY_FROM = 4,
    KEY_TAG = 8,
    KEY_BYTES = 16,
    KEY_RECVTAG = 32,
    KEY_RECVBYTES = 64,
    KEY_ANY = 128,
    KEY_REQUESTS = 256,
    KEY_DONE = 512,
    KEY_CANCELLED = 1024,
    KEY_ROOT = 2048,
    KEY_NEWCOMM = 4096,
    KEY_PERSISTENT = 8192,
    KEY_MATCHED = 16384,
    KEY_FOUND = 32768
};

static const struct {
    const char *name;
    enum key key;
} keys[] = {{"comm", KEY_COMM},         {"to", KEY_TO},
            {"from", KEY_FROM},         {"tag", KEY_TAG},
            {"bytes", KEY_BYTES},       {"recvtag", KEY_RECVTAG},
            {"recvbytes", KEY_RECVBYTES}, {"any", KEY_ANY},
            {"request", KEY_REQUESTS},  {"requests", KEY_REQUESTS},
            {"done", KEY_DONE},         {"cancelled", KEY_CANCELLED},
            {"root", KEY_ROOT},         {"newcomm", KEY_NEWCOMM},
            {"persistent", KEY_PERSISTENT}, {"matched", KEY_MATCHED},
            {"found", KEY_FOUND}};

/* What each kind of call must say, and may say besides. */
static const struct {
    unsigned required, optional;
} grammar[] = {
    [MPG_KIND_INIT] = {0, 0},
    [MPG_KIND_FINALIZE] = {0, 0},
    [MPG_KIND_SEND] = {KEY_TO | KEY_BYTES, KEY_COMM | KEY_TAG},
    [MPG_KIND_RECV] = {KEY_FROM | KEY_BYTES, KEY_COMM | KEY_TAG | KEY_ANY},
    [MPG_KIND_SENDRECV] = {KEY_TO | KEY_BYTES | KEY_FROM,
                           KEY_COMM | KEY_TAG | KEY_RECVTAG | KEY_RECVBYTES | KEY_ANY},
    [MPG_KIND_ISEND] = {KEY_TO | KEY_BYTES | KEY_REQUESTS, KEY_COMM | KEY_TAG},
    [MPG_KIND_IRECV] = {KEY_BYTES | KEY_REQUESTS, KEY_FROM | KEY_COMM | KEY_TAG | KEY_ANY},
    [MPG_KIND_COMPLETE] = {KEY_REQUESTS, KEY_DONE | KEY_CANCELLED},
    [MPG_KIND_PROBE] = {0, KEY_FROM | KEY_COMM | KEY_TAG | KEY_ANY | KEY_BYTES | KEY_FOUND},
    [MPG_KIND_REQUEST_FREE] = {0, KEY_REQUESTS | KEY_PERSISTENT},
    [MPG_KIND_CANCEL] = {KEY_REQUESTS, 0},
    [MPG_KIND_SEND_INIT] = {KEY_TO | KEY_BYTES | KEY_PERSISTENT, KEY_COMM | KEY_TAG},
    [MPG_KIND_RECV_INIT] = {KEY_BYTES | KEY_PERSISTENT, KEY_FROM | KEY_COMM | KEY_TAG | KEY_ANY},
    [MPG_KIND_START] = {KEY_PERSISTENT | KEY_REQUESTS, KEY_MATCHED},
    [MPG_KIND_COLLECTIVE] = {0, KEY_COMM | KEY_ROOT | KEY_BYTES},
    [MPG_KIND_CONSTRUCTOR] = {0, KEY_COMM | KEY_NEWCOMM},
    [MPG_KIND_COMM_FREE] = {0, KEY_COMM},
};

void mpg_text_event_clear(struct mpg_text_event *t)
{
    for (size_t i = 0; i < sizeof t->lists / sizeof *t->lists; i++)
        free(t->lists[i]);
    free(t->resolutions);
    memset(t, 0, sizeof *t);
}

static int parse_int64(const char *text, int64_t minimum, int64_t maximum, int64_t *value,
                       struct mpg_error *err)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < minimum || v > maximum)
        return mpg_error_set(err, "'%s' is not a whole number from %lld to %lld", text,
                             (long long)minimum, (long long)maximum);
    *value = v;
    return 0;
}

static int parse_int32(const char *text, int32_t minimum, int32_t *value, struct mpg_error *err)
{
    int64_t v;
    if (parse_int64(text, minimum, INT32_MAX, &v, err) < 0)
        return -1;
    *value = (int32_t)v;
    return 0;
}

static int parse_peer(const char *text, int32_t *rank, struct mpg_error *err)
{
    if (strcmp(text, "null") == 0)
        *rank = MPG_PROC_NULL;
    else if (strcmp(text, "root") == 0)
        *rank = MPG_ROOT;
    else
        return parse_int32(text, 0, rank, err);
    return 0;
}

static int parse_list(struct mpg_text_event *t, enum list which, char *text, int64_t minimum,
                      uint32_t *count, struct mpg_error *err)
{
    uint32_t n = 0;
    for (char *p = text; *p;) {
        char *comma = strchr(p, ',');
        if (comma)
            *comma = '\0';
        if (n == t->capacity[which]) {
            size_t capacity = n ? 2 * (size_t)n : 8;
            int64_t *grown = realloc(t->lists[which], capacity * sizeof *grown);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            t->lists[which] = grown;
            t->capacity[which] = capacity;
        }
        if (parse_int64(p, minimum, INT64_MAX / 4, &t->lists[which][n], err) < 0)
            return -1;
        n++;
        if (!comma)
            break;
        p = comma + 1;
    }
    *count = n;
    return 0;
}

static int parse_any(char *text, uint32_t *any, struct mpg_error *err)
{
    char *state = NULL;
    for (char *word = strtok_r(text, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        if (strcmp(word, "source") == 0)
            *any |= MPG_ANY_SOURCE;
        else if (strcmp(word, "tag") == 0)
            *any |= MPG_ANY_TAG;
        else
            return mpg_error_set(err, "any=%s is not source or tag", word);
    }
    return 0;
}

/* "REQUEST:SOURCE:TAG,..." */
static int parse_matched(struct mpg_text_event *t, char *text, struct mpg_error *err)
{
    uint32_t n = 0;
    char *state = NULL;
    for (char *word = strtok_r(text, ",", &state); word; word = strtok_r(NULL, ",", &state), n++) {
        if (n == t->resolution_capacity) {
            size_t capacity = n ? 2 * (size_t)n : 8;
            void *grown = realloc(t->resolutions, capacity * sizeof *t->resolutions);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            t->resolutions = grown;
            t->resolution_capacity = capacity;
        }
        long long request;
        char rest;
        struct mpg_resolution *r = &t->resolutions[n];
        if (sscanf(word, "%lld:%d:%d%c", &request, &r->source, &r->tag, &rest) != 3)
            return mpg_error_set(err, "matched=%s is not REQUEST:SOURCE:TAG", word);
        r->request = request;
    }
    t->event.resolutions = t->resolutions;
    t->event.resolution_number = n;
    return 0;
}

static int parse_value(struct mpg_text_event *t, enum key key, char *text, struct mpg_error *err)
{
    struct mpg_event *e = &t->event;
    switch (key) {
    case KEY_COMM:
        return parse_int32(text, 0, &e->comm, err);
    case KEY_TO:
        return parse_peer(text, &e->to, err);
    case KEY_FROM:
        return parse_peer(text, &e->from, err);
    case KEY_TAG:
        return parse_int32(text, INT32_MIN, &e->tag, err);
    case KEY_RECVTAG:
        return parse_int32(text, INT32_MIN, &e->recvtag, err);
    case KEY_RECVBYTES:
        return parse_int64(text, 0, INT64_MAX / 4, &e->recvbytes, err);
    case KEY_ROOT:
        return parse_peer(text, &e->root, err);
    case KEY_ANY:
        return parse_any(text, &e->any, err);
    case KEY_MATCHED:
        return parse_matched(t, text, err);
    case KEY_FOUND:
        e->found = strcmp(text, "0") != 0;
        return 0;
    case KEY_NEWCOMM:
        t->has_newcomm = true;
        if (strcmp(text, "null") == 0)
            return 0;
        return parse_int32(text, 0, &e->newcomm, err);
    case KEY_REQUESTS:
        return parse_list(t, LIST_REQUESTS, text, 1, &e->request_number, err);
    case KEY_PERSISTENT:
        return parse_list(t, LIST_PERSISTENT, text, 1, &t->persistent_number, err);
    case KEY_DONE:
        e->done_all = false;
        return parse_list(t, LIST_DONE, text, 1, &e->done_number, err);
    case KEY_CANCELLED:
        return parse_list(t, LIST_CANCELLED, text, 1, &e->cancelled_number, err);
    case KEY_BYTES:
        if (!strchr(text, ','))
            return parse_int64(text, 0, INT64_MAX / 4, &e->bytes, err);
        return parse_list(t, LIST_COUNTS, text, 0, &e->count_number, err);
    }
    return 0;
}

static enum key find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, name) == 0)
            return keys[i].key;
    return 0;
}

static int parse_keys(struct mpg_text_event *t, char *text, unsigned *given, struct mpg_error *err)
{
    unsigned allowed = grammar[mpg_call_kind(t->event.call)].required |
                       grammar[mpg_call_kind(t->event.call)].optional;
    char *state = NULL;
    for (char *word = strtok_r(text, " \t", &state); word;
         word = strtok_r(NULL, " \t", &state)) {
        char *value = strchr(word, '=');
        if (!value)
            return mpg_error_set(err, "'%s' is not KEY=VALUE", word);
        *value++ = '\0';
        enum key key = find_key(word);
        if (!(key & allowed))
            return mpg_error_set(err, "MPI_%s has no '%s'", mpg_call_name(t->event.call), word);
        if (*given & key)
            return mpg_error_set(err, "'%s' is given twice", word);
        *given |= key;
        if (parse_value(t, key, value, err) < 0)
            return mpg_error_prefix(err, "%s", word);
    }
    return 0;
}

static bool is_among(int64_t value, const int64_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == value)
            return true;
    return false;
}

static int check_keys(struct mpg_text_event *t, unsigned given, struct mpg_error *err)
{
    struct mpg_event *e = &t->event;
    const char *name = mpg_call_name(e->call);
    enum mpg_kind kind = mpg_call_kind(e->call);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key & grammar[kind].required & ~given)
            return mpg_error_set(err, "MPI_%s needs '%s'", name, keys[i].name);
    bool single = kind == MPG_KIND_ISEND || kind == MPG_KIND_IRECV || kind == MPG_KIND_CANCEL;
    if (single && e->request_number != 1)
        return mpg_error_set(err, "MPI_%s needs one request", name);
    if (kind == MPG_KIND_IRECV || kind == MPG_KIND_RECV_INIT || kind == MPG_KIND_PROBE) {
        if (!(given & KEY_FROM)) {
            if (!(e->any & MPG_ANY_SOURCE))
                return mpg_error_set(err, "MPI_%s needs 'from' or 'any=source'", name);
            e->from = MPG_UNKNOWN;
        }
        if (!(given & KEY_TAG) && (e->any & MPG_ANY_TAG))
            e->tag = MPG_UNKNOWN;
    }
    if (e->count_number && kind != MPG_KIND_COLLECTIVE)
        return mpg_error_set(err, "MPI_%s takes one number of bytes", name);
    for (uint32_t i = 0; i < e->done_number; i++)
        if (!is_among(e->done[i], e->requests, e->request_number))
            return mpg_error_set(err, "done=%lld is not among the requests",
                                 (long long)e->done[i]);
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        if (!is_among(e->cancelled[i], e->requests, e->request_number))
            return mpg_error_set(err, "cancelled=%lld is not among the requests",
                                 (long long)e->cancelled[i]);
    if (kind == MPG_KIND_START && t->persistent_number != e->request_number)
        return mpg_error_set(err, "MPI_%s needs as many requests as persistent ones", name);
    if ((kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_RECV_INIT) && t->persistent_number != 1)
        return mpg_error_set(err, "MPI_%s needs one persistent request", name);
    if (kind == MPG_KIND_REQUEST_FREE && t->persistent_number + e->request_number != 1)
        return mpg_error_set(err, "MPI_%s needs one 'request' or 'persistent'", name);
    return 0;
}

static void point_to_lists(struct mpg_text_event *t, unsigned given)
{
    struct mpg_event *e = &t->event;
    e->requests = t->lists[LIST_REQUESTS];
    e->done = t->lists[LIST_DONE];
    e->cancelled = t->lists[LIST_CANCELLED];
    e->counts = t->lists[LIST_COUNTS];
    if (given & KEY_PERSISTENT)
        e->persistent = t->lists[LIST_PERSISTENT];
}

int mpg_text_parse_event(char *line, struct mpg_text_event *t, int32_t *rank,
                         struct mpg_error *err)
{
    char *words[4], *state = NULL;
    t->event = (struct mpg_event){
        .site = MPG_NO_SITE, .newcomm = MPG_NO_COMM, .done_all = true, .found = true};
    t->has_newcomm = false;
    t->persistent_number = 0;
    for (int i = 0; i < 4; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " \t", &state)))
            return mpg_error_set(err, "an event is: RANK ENTER LEAVE NAME [KEY=VALUE]...");
    if (parse_int32(words[0], 0, rank, err) < 0 ||
        parse_int64(words[1], INT64_MIN / 4, INT64_MAX / 4, &t->event.enter_ns, err) < 0 ||
        parse_int64(words[2], INT64_MIN / 4, INT64_MAX / 4, &t->event.leave_ns, err) < 0)
        return -1;
    t->event.call = mpg_call_by_name(words[3]);
    if (t->event.call == MPG_CALL_COUNT)
        return mpg_error_set(err, "unknown call '%s'", words[3]);
    unsigned given = 0;
    char *rest = state ? state : "";
    if (parse_keys(t, rest, &given, err) < 0)
        return -1;
    point_to_lists(t, given);
    enum mpg_kind kind = mpg_call_kind(t->event.call);
    t->has_comm = (grammar[kind].required | grammar[kind].optional) & KEY_COMM;
    t->event.done_all = kind == MPG_KIND_COMPLETE && !(given & KEY_DONE);
    t->event.found = kind == MPG_KIND_PROBE && t->event.found;
    return check_keys(t, given, err);
}
