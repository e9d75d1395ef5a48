/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a line with an event, "rank enter leave Name key=value ...". */
#include "trace/text/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t limit = INT64_MAX / 4; /* largest time (ns), number of bytes and request number */

void mpg_text_event_clear(struct mpg_text_event *t)
{
    for (size_t i = 0; i < sizeof t->lists / sizeof *t->lists; i++)
        free(t->lists[i]);
    free(t->resolutions);
    memset(t, 0, sizeof *t);
}

/* Parses a peer: "null", "root" or a rank. */
static int parse_peer(const char *text, int32_t *rank, struct mpg_error *err)
{
    if (*text >= '0' && *text <= '9')
        return mpg_text_parse_int32(text, 0, rank, err);
    if (strcmp(text, "null") == 0)
        *rank = MPG_PROC_NULL;
    else if (strcmp(text, "root") == 0)
        *rank = MPG_ROOT;
    else
        return mpg_text_parse_int32(text, 0, rank, err);
    return 0;
}

static int parse_label(const char *text, int32_t *label, struct mpg_error *err)
{
    if (*text != 'n' || strcmp(text, "null") != 0)
        return mpg_text_parse_int32(text, 0, label, err);
    *label = -1;
    return 0;
}

static int64_t min_of(enum mpg_text_key key)
{
    switch (key) {
    case MPG_TEXT_VALUES:
        return -limit;
    case MPG_TEXT_BYTES:
    case MPG_TEXT_GROUP:
    case MPG_TEXT_READY:
        return 0;
    default:
        return 1;
    }
}

/* Parses TEXT, numbers separated by commas, into T's list for KEY; *COUNT: number of elements. */
static int parse_list(struct mpg_text_event *t, enum mpg_text_key key, char *text, uint32_t *count,
                      struct mpg_error *err)
{
    uint32_t n = 0;
    char *p = text;
    do {
        char *comma = p + strcspn(p, ",");
        char *next = *comma ? comma + 1 : NULL;
        if (n == t->capacity[key]) {
            size_t capacity = n ? 2 * (size_t)n : 8;
            int64_t *grown = realloc(t->lists[key], capacity * sizeof *grown);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            t->lists[key] = grown;
            t->capacity[key] = capacity;
        }
        *comma = '\0';
        if ((n > 0 || next || *p) &&
            mpg_text_parse_int64(p, min_of(key), limit, &t->lists[key][n++], err) < 0)
            return -1;
        p = next;
    } while (p);
    *count = n;
    return 0;
}

/* Parses a list of the words FIRST, for flag 1, and SECOND, for flag 2, the value of key NAME. */
static int parse_flags(char *text, const char *name, const char *first, const char *second, uint32_t *flags,
                       struct mpg_error *err)
{
    char *state = NULL;
    for (char *word = strtok_r(text, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        if (strcmp(word, first) == 0)
            *flags |= 1;
        else if (strcmp(word, second) == 0)
            *flags |= 2;
        else
            return mpg_error_set(err, "%s=%s is not %s or %s", name, word, first, second);
    }
    return 0;
}

/* Parses the sources of wildcard receives, "REQUEST:SOURCE:TAG,...". */
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

static int parse_value(struct mpg_text_event *t, enum mpg_text_key key, char *text,
                       struct mpg_error *err)
{
    const struct mpg_text_key_info *info = mpg_text_key_info(key);
    struct mpg_event *e = &t->event;
    void *field = (char *)e + info->field;
    uint32_t *number = key == MPG_TEXT_PERSISTENT ? &t->persistent_number
                                                  : (uint32_t *)(void *)((char *)e + info->number);
    switch (info->type) {
    case MPG_TEXT_TYPE_LABEL:
        return parse_label(text, field, err);
    case MPG_TEXT_TYPE_PEER:
        return parse_peer(text, field, err);
    case MPG_TEXT_TYPE_INT32:
        return mpg_text_parse_int32(text, INT32_MIN, field, err);
    case MPG_TEXT_TYPE_INT64:
        return mpg_text_parse_int64(text, 0, limit, field, err);
    case MPG_TEXT_TYPE_ID:
        return mpg_text_parse_int64(text, 1, limit, field, err);
    case MPG_TEXT_TYPE_FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return mpg_error_set(err, "'%s' is not 0 or 1", text);
        *(bool *)field = *text == '1';
        return 0;
    case MPG_TEXT_TYPE_LIST:
        if (parse_list(t, key, text, number, err) < 0)
            return -1;
        *(const int64_t **)field = t->lists[key];
        return 0;
    case MPG_TEXT_TYPE_BYTES:
        if (!strchr(text, ','))
            return mpg_text_parse_int64(text, 0, limit, field, err);
        if (parse_list(t, key, text, &e->count_number, err) < 0)
            return -1;
        e->counts = t->lists[key];
        return 0;
    case MPG_TEXT_TYPE_ANY:
        return parse_flags(text, "any", "source", "tag", field, err);
    case MPG_TEXT_TYPE_DEVICE:
        return parse_flags(text, "device", "send", "receive", field, err);
    case MPG_TEXT_TYPE_MATCHED:
        return parse_matched(t, text, err);
    case MPG_TEXT_TYPE_STRING:
        t->name = text;
        return mpg_text_unquote(text, err);
    }
    return 0;
}

/* Returns the key NAME of calls of KIND; MPG_TEXT_END: none. `request` and `requests` are synonyms. */
static enum mpg_text_key find_key(enum mpg_kind kind, const char *name)
{
    enum mpg_text_key key = mpg_text_kind_key(kind, name);
    if (key != MPG_TEXT_END)
        return key;
    key = mpg_text_key_by_name(name);
    if (key >= MPG_TEXT_FAILED)
        return key;
    if (key == MPG_TEXT_REQUEST && mpg_text_kind_has(kind, MPG_TEXT_REQUESTS))
        return MPG_TEXT_REQUESTS;
    if (key == MPG_TEXT_REQUESTS && mpg_text_kind_has(kind, MPG_TEXT_REQUEST))
        return MPG_TEXT_REQUEST;
    return mpg_text_kind_has(kind, key) ? key : MPG_TEXT_END;
}

static int parse_keys(struct mpg_text_event *t, char *text, struct mpg_error *err)
{
    enum mpg_kind kind = mpg_call_kind(t->event.call);
    for (char *word; (word = mpg_text_word(&text));) {
        char *value = strchr(word, '=');
        if (!value)
            return mpg_error_set(err, "'%s' is not KEY=VALUE", word);
        *value++ = '\0';
        enum mpg_text_key key = find_key(kind, word);
        if (key == MPG_TEXT_END)
            return mpg_error_set(err, "%s%s has no '%s'", mpg_call_prefix(t->event.call),
                                 mpg_call_name(t->event.call), word);
        if (mpg_text_is_given(t, key))
            return mpg_error_set(err, "'%s' is given twice", word);
        t->given |= UINT64_C(1) << key;
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

/* A receive or probe with a wildcard may lack source or tag: sets them to MPG_UNKNOWN. Returns -1 with ERR if the source
 * is missing without a wildcard. */
static int check_open(struct mpg_text_event *t, struct mpg_error *err)
{
    struct mpg_event *e = &t->event;
    if (!mpg_text_is_given(t, MPG_TEXT_FROM)) {
        if (!(e->any & MPG_ANY_SOURCE))
            return mpg_error_set(err, "MPI_%s needs 'from' or 'any=source'",
                                 mpg_call_name(e->call));
        e->from = MPG_UNKNOWN;
    }
    bool both = mpg_call_kind(e->call) == MPG_KIND_ISENDRECV;
    if (!mpg_text_is_given(t, both ? MPG_TEXT_RECVTAG : MPG_TEXT_TAG) && (e->any & MPG_ANY_TAG))
        *(both ? &e->recvtag : &e->tag) = MPG_UNKNOWN;
    return 0;
}

static int check_lists(const struct mpg_text_event *t, struct mpg_error *err)
{
    const struct mpg_event *e = &t->event;
    const char *name = mpg_call_name(e->call);
    enum mpg_kind kind = mpg_call_kind(e->call);
    bool several = kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE ||
                   kind == MPG_KIND_COLLECTIVE_INIT || mpg_kind_has_neighbors(kind);
    if (e->count_number && mpg_text_is_given(t, MPG_TEXT_BYTES) && !several)
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
    if (kind == MPG_KIND_REQUEST_FREE && t->persistent_number + e->request_number != 1)
        return mpg_error_set(err, "MPI_%s needs one 'request' or 'persistent'", name);
    if (mpg_text_is_given(t, MPG_TEXT_REQUEST) && e->request_number != 1)
        return mpg_error_set(err, "MPI_%s needs one request", name);
    if (mpg_text_is_given(t, MPG_TEXT_PERSISTENT) && kind != MPG_KIND_START &&
        t->persistent_number != 1)
        return mpg_error_set(err, "MPI_%s needs one persistent request", name);
    return 0;
}

/* Checks that an aggregated event has all four keys and a plausible sum. */
static int check_sum(const struct mpg_text_event *t, struct mpg_error *err)
{
    const struct mpg_event *e = &t->event;
    const char *name = mpg_call_name(e->call);
    int given = 0;
    for (int key = MPG_TEXT_CALLS; key <= MPG_TEXT_MOST; key++)
        given += mpg_text_is_given(t, (enum mpg_text_key)key);
    if (given == 0)
        return 0;
    if (given < 4)
        return mpg_error_set(err, "a sum of MPI_%s has 'calls', 'time', 'least' and 'most'", name);
    if (e->enter_ns != e->leave_ns)
        return mpg_error_set(err, "a sum of MPI_%s must enter and leave at the same time", name);
    return mpg_sum_is_consistent(&e->sum)
               ? 0
               : mpg_error_set(err, "MPI_%s: %lld calls of %lld to %lld ns do not take %lld ns", name,
                               (long long)e->sum.calls, (long long)e->sum.min_ns,
                               (long long)e->sum.max_ns, (long long)e->sum.time_ns);
}

/* Returns an error if KEY is null but the call needs a definition. */
static int check_null(const struct mpg_event *e, enum mpg_text_key key, struct mpg_error *err)
{
    const struct mpg_text_key_info *info = mpg_text_key_info(key);
    enum mpg_kind kind = mpg_call_kind(e->call);
    int32_t label;
    if (info->type != MPG_TEXT_TYPE_LABEL || key == MPG_TEXT_NEWCOMM ||
        (key == MPG_TEXT_COMM && (kind == MPG_KIND_DYNAMIC || kind == MPG_KIND_CONSTRUCTOR || kind == MPG_KIND_UNRECORDED) &&
         mpg_call_may_lack_comm(e->call)) ||
        (key == MPG_TEXT_FILE && kind == MPG_KIND_FILE_OPEN) || (key == MPG_TEXT_WINDOW && kind == MPG_KIND_UNRECORDED))
        return 0;
    memcpy(&label, (const char *)e + info->field, sizeof label);
    return label >= 0 ? 0 : mpg_error_set(err, "MPI_%s: no '%s' is null", mpg_call_name(e->call),
                                          info->name);
}

static int check_keys(struct mpg_text_event *t, struct mpg_error *err)
{
    const struct mpg_event *e = &t->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    if (e->failed) {
        uint64_t other_keys = t->given & ((UINT64_C(1) << MPG_TEXT_FAILED) - 1);
        return other_keys == 0 ? 0
                            : mpg_error_set(err, "an MPI_%s that failed has no keys but 'site', "
                                                 "'values', 'off' and 'off_call'",
                                            mpg_call_name(e->call));
    }
    if (e->killed && (e->off_before_ns | e->off_in_ns))
        return mpg_error_set(err, "an MPI_%s that was killed has no 'off' and 'off_call'",
                             mpg_call_name(e->call));
    for (const unsigned char *k = mpg_text_kind_keys(kind); *k; k++) {
        enum mpg_text_key key = *k & ~MPG_TEXT_NEEDED;
        bool given = mpg_text_is_given(t, key);
        if ((*k & MPG_TEXT_NEEDED) && !given)
            return mpg_error_set(err, "%s%s needs '%s'", mpg_call_prefix(e->call),
                                 mpg_call_name(e->call), mpg_text_key_info(key)->name);
        if (given && check_null(e, key, err) < 0)
            return -1;
    }
    if ((kind == MPG_KIND_IRECV || kind == MPG_KIND_RECV_INIT || kind == MPG_KIND_PROBE ||
         kind == MPG_KIND_MPROBE || kind == MPG_KIND_ISENDRECV) &&
        check_open(t, err) < 0)
        return -1;
    if (kind == MPG_KIND_OTHER && check_sum(t, err) < 0)
        return -1;
    return check_lists(t, err);
}

int mpg_text_parse_event(char *line, struct mpg_text_event *t, int32_t *rank,
                         struct mpg_error *err)
{
    char *words[4];
    struct mpg_event *e = &t->event;
    *e = (struct mpg_event){
        .newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT, .site = MPG_NO_SITE, .found = true};
    t->given = 0;
    t->name = NULL;
    t->persistent_number = 0;
    for (int i = 0; i < 4; i++)
        if (!(words[i] = mpg_text_word(&line)))
            return mpg_error_set(err, "an event is: RANK ENTER LEAVE NAME [KEY=VALUE]...");
    if (mpg_text_parse_rank(words[0], rank, &e->thread, err) < 0 ||
        mpg_text_parse_int64(words[1], -limit, limit, &e->enter_ns, err) < 0 ||
        mpg_text_parse_int64(words[2], -limit, limit, &e->leave_ns, err) < 0)
        return -1;
    e->call = mpg_call_by_name(words[3]);
    if (e->call == MPG_CALL_COUNT)
        return mpg_error_set(err, "unknown call '%s'", words[3]);
    enum mpg_kind kind = mpg_call_kind(e->call);
    if (parse_keys(t, line, err) < 0)
        return -1;
    e->done_all = kind == MPG_KIND_COMPLETE && !mpg_text_is_given(t, MPG_TEXT_DONE);
    e->found = e->found && mpg_text_kind_has(kind, MPG_TEXT_FOUND);
    return check_keys(t, err);
}
