/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of events in the text form, and the keys of each kind of call. */
#include "trace/text/keys.h"

#include <string.h>

#define FIELD(name) offsetof(struct mpg_event, name), 0
#define FIELDS(name, number) offsetof(struct mpg_event, name), offsetof(struct mpg_event, number)

static const struct mpg_text_key_info infos[MPG_TEXT_KEYS] = {
    [MPG_TEXT_END] = {"", MPG_TEXT_TYPE_FLAG, 0, 0},
    [MPG_TEXT_COMM] = {"comm", MPG_TEXT_TYPE_LABEL, FIELD(comm)},
    [MPG_TEXT_WINDOW] = {"win", MPG_TEXT_TYPE_LABEL, FIELD(object)},
    [MPG_TEXT_FILE] = {"file", MPG_TEXT_TYPE_LABEL, FIELD(object)},
    [MPG_TEXT_ROOT] = {"root", MPG_TEXT_TYPE_PEER, FIELD(root)},
    [MPG_TEXT_PARTITIONS] = {"partitions", MPG_TEXT_TYPE_INT32, FIELD(root)},
    [MPG_TEXT_PARTITION] = {"partition", MPG_TEXT_TYPE_INT32, FIELD(root)},
    [MPG_TEXT_READY] = {"ready", MPG_TEXT_TYPE_LIST, FIELDS(counts, count_number)},
    [MPG_TEXT_ASSERT] = {"assert", MPG_TEXT_TYPE_INT32, FIELD(root)},
    [MPG_TEXT_EXCLUSIVE] = {"exclusive", MPG_TEXT_TYPE_INT32, FIELD(root)},
    [MPG_TEXT_GROUP] = {"group", MPG_TEXT_TYPE_LIST, FIELDS(counts, count_number)},
    [MPG_TEXT_LEVEL] = {"level", MPG_TEXT_TYPE_INT32, FIELD(to)},
    [MPG_TEXT_NAME] = {"name", MPG_TEXT_TYPE_STRING, FIELD(string)},
    [MPG_TEXT_TO] = {"to", MPG_TEXT_TYPE_PEER, FIELD(to)},
    [MPG_TEXT_FROM] = {"from", MPG_TEXT_TYPE_PEER, FIELD(from)},
    [MPG_TEXT_TAG] = {"tag", MPG_TEXT_TYPE_INT32, FIELD(tag)},
    [MPG_TEXT_RECVTAG] = {"recvtag", MPG_TEXT_TYPE_INT32, FIELD(recvtag)},
    [MPG_TEXT_BYTES] = {"bytes", MPG_TEXT_TYPE_BYTES, FIELD(bytes)},
    [MPG_TEXT_RECVBYTES] = {"recvbytes", MPG_TEXT_TYPE_INT64, FIELD(recvbytes)},
    [MPG_TEXT_ANY] = {"any", MPG_TEXT_TYPE_ANY, FIELD(any)},
    [MPG_TEXT_DEVICE] = {"device", MPG_TEXT_TYPE_DEVICE, FIELD(device)},
    [MPG_TEXT_FOUND] = {"found", MPG_TEXT_TYPE_FLAG, FIELD(found)},
    [MPG_TEXT_MESSAGE] = {"message", MPG_TEXT_TYPE_ID, FIELD(message)},
    [MPG_TEXT_PERSISTENT] = {"persistent", MPG_TEXT_TYPE_LIST, FIELDS(persistent, request_number)},
    [MPG_TEXT_REQUEST] = {"request", MPG_TEXT_TYPE_LIST, FIELDS(requests, request_number)},
    [MPG_TEXT_REQUESTS] = {"requests", MPG_TEXT_TYPE_LIST, FIELDS(requests, request_number)},
    [MPG_TEXT_DONE] = {"done", MPG_TEXT_TYPE_LIST, FIELDS(done, done_number)},
    [MPG_TEXT_CANCELLED] = {"cancelled", MPG_TEXT_TYPE_LIST, FIELDS(cancelled, cancelled_number)},
    [MPG_TEXT_MATCHED] = {"matched", MPG_TEXT_TYPE_MATCHED, FIELD(resolutions)},
    [MPG_TEXT_KILLED] = {"killed", MPG_TEXT_TYPE_FLAG, FIELD(killed)},
    [MPG_TEXT_NEWCOMM] = {"newcomm", MPG_TEXT_TYPE_LABEL, FIELD(newcomm)},
    [MPG_TEXT_CALLS] = {"calls", MPG_TEXT_TYPE_ID, FIELD(sum.calls)},
    [MPG_TEXT_TIME] = {"time", MPG_TEXT_TYPE_INT64, FIELD(sum.time_ns)},
    [MPG_TEXT_LEAST] = {"least", MPG_TEXT_TYPE_INT64, FIELD(sum.min_ns)},
    [MPG_TEXT_MOST] = {"most", MPG_TEXT_TYPE_INT64, FIELD(sum.max_ns)},
    [MPG_TEXT_FAILED] = {"failed", MPG_TEXT_TYPE_FLAG, FIELD(failed)},
    [MPG_TEXT_SITE] = {"site", MPG_TEXT_TYPE_LABEL, FIELD(site)},
    [MPG_TEXT_VALUES] = {"values", MPG_TEXT_TYPE_LIST, FIELDS(values, value_number)},
    [MPG_TEXT_OFF] = {"off", MPG_TEXT_TYPE_INT64, FIELD(off_before_ns)},
    [MPG_TEXT_OFF_CALL] = {"off_call", MPG_TEXT_TYPE_INT64, FIELD(off_in_ns)},
};

enum { MAX_KEYS = 10 };
#define NEED(key) (MPG_TEXT_##key | MPG_TEXT_NEEDED)
#define MAY(key) MPG_TEXT_##key

static const unsigned char grammar[MPG_KIND_OTHER + 1][MAX_KEYS + 1] = {
    [MPG_KIND_UNRECORDED] = {MAY(COMM), MAY(WINDOW), MAY(TO), MAY(TAG), MAY(BYTES), MAY(RECVBYTES)},
    [MPG_KIND_REGION_BEGIN] = {NEED(NAME)},
    [MPG_KIND_REGION_END] = {NEED(NAME)},
    [MPG_KIND_FINALIZE] = {MAY(KILLED)},
    [MPG_KIND_SEND] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), MAY(DEVICE)},
    [MPG_KIND_RECV] = {MAY(COMM), NEED(FROM), MAY(TAG), NEED(BYTES), MAY(ANY), MAY(DEVICE)},
    [MPG_KIND_SENDRECV] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), NEED(FROM), MAY(RECVTAG),
                           MAY(RECVBYTES), MAY(ANY), MAY(DEVICE)},
    [MPG_KIND_ISEND] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_IRECV] = {MAY(COMM), MAY(FROM), MAY(TAG), NEED(BYTES), MAY(ANY), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_COMPLETE] = {NEED(REQUESTS), MAY(DONE), MAY(CANCELLED)},
    [MPG_KIND_PROBE] = {MAY(COMM), MAY(FROM), MAY(TAG), MAY(BYTES), MAY(ANY), MAY(FOUND)},
    [MPG_KIND_MPROBE] = {MAY(COMM), MAY(FROM), MAY(TAG), MAY(BYTES), MAY(ANY), MAY(FOUND),
                         MAY(MESSAGE)},
    [MPG_KIND_MRECV] = {MAY(COMM), NEED(FROM), MAY(TAG), NEED(BYTES), MAY(MESSAGE), MAY(DEVICE)},
    [MPG_KIND_IMRECV] = {MAY(COMM), NEED(FROM), MAY(TAG), NEED(BYTES), MAY(MESSAGE),
                         NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_REQUEST_FREE] = {MAY(PERSISTENT), MAY(REQUEST)},
    [MPG_KIND_CANCEL] = {NEED(REQUEST)},
    [MPG_KIND_REQUEST] = {NEED(REQUEST)},
    [MPG_KIND_SEND_INIT] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_RECV_INIT] = {MAY(COMM), MAY(FROM), MAY(TAG), NEED(BYTES), MAY(ANY),
                            NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_ISENDRECV] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), MAY(FROM), MAY(RECVTAG),
                            MAY(RECVBYTES), MAY(ANY), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_COLLECTIVE_INIT] = {MAY(COMM), MAY(ROOT), MAY(BYTES), NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_NEIGHBOR_INIT] = {MAY(COMM), MAY(BYTES), NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_PSEND_INIT] = {MAY(COMM), NEED(TO), MAY(TAG), NEED(BYTES), NEED(PARTITIONS),
                             NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_PRECV_INIT] = {MAY(COMM), NEED(FROM), MAY(TAG), NEED(BYTES), NEED(PARTITIONS),
                             NEED(PERSISTENT), MAY(DEVICE)},
    [MPG_KIND_PREADY] = {NEED(REQUEST), NEED(READY)},
    [MPG_KIND_PARRIVED] = {NEED(REQUEST), NEED(PARTITION), MAY(FOUND)},
    [MPG_KIND_START] = {NEED(PERSISTENT), NEED(REQUESTS), MAY(MATCHED)},
    [MPG_KIND_COLLECTIVE] = {MAY(COMM), MAY(ROOT), MAY(BYTES), MAY(DEVICE)},
    [MPG_KIND_ICOLLECTIVE] = {MAY(COMM), MAY(ROOT), MAY(BYTES), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_NEIGHBOR] = {MAY(COMM), MAY(BYTES), MAY(DEVICE)},
    [MPG_KIND_INEIGHBOR] = {MAY(COMM), MAY(BYTES), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_CONSTRUCTOR] = {MAY(COMM), MAY(NEWCOMM)},
    [MPG_KIND_ICONSTRUCTOR] = {MAY(COMM), MAY(NEWCOMM), NEED(REQUEST)},
    [MPG_KIND_DYNAMIC] = {MAY(COMM), MAY(NEWCOMM)},
    [MPG_KIND_COMM_FREE] = {MAY(COMM)},
    [MPG_KIND_WIN_CONSTRUCTOR] = {MAY(COMM), NEED(WINDOW), MAY(BYTES)},
    [MPG_KIND_WIN_FREE] = {NEED(WINDOW)},
    [MPG_KIND_WIN_FENCE] = {NEED(WINDOW), MAY(ASSERT)},
    [MPG_KIND_WIN_GROUP] = {NEED(WINDOW), NEED(GROUP)},
    [MPG_KIND_WIN_EPOCH] = {NEED(WINDOW), MAY(FOUND)},
    [MPG_KIND_WIN_TARGET] = {NEED(WINDOW), NEED(TO), MAY(EXCLUSIVE)},
    [MPG_KIND_WIN_ALL] = {NEED(WINDOW)},
    [MPG_KIND_RMA] = {NEED(WINDOW), NEED(TO), MAY(BYTES), MAY(RECVBYTES), MAY(DEVICE)},
    [MPG_KIND_IRMA] = {NEED(WINDOW), NEED(TO), MAY(BYTES), MAY(RECVBYTES), NEED(REQUEST), MAY(DEVICE)},
    [MPG_KIND_FILE_OPEN] = {MAY(COMM), NEED(FILE)},
    [MPG_KIND_FILE_CLOSE] = {NEED(FILE)},
    [MPG_KIND_FILE] = {NEED(FILE), MAY(BYTES)},
    [MPG_KIND_IFILE] = {NEED(FILE), MAY(BYTES), NEED(REQUEST)},
    [MPG_KIND_FILE_COLLECTIVE] = {NEED(FILE)},
    [MPG_KIND_PCONTROL] = {NEED(LEVEL)},
    [MPG_KIND_UNKNOWN] = {NEED(NAME)},
    [MPG_KIND_OTHER] = {MAY(CALLS), MAY(TIME), MAY(LEAST), MAY(MOST)},
};

const struct mpg_text_key_info *mpg_text_key_info(enum mpg_text_key key)
{
    return &infos[key];
}

enum mpg_text_key mpg_text_key_by_name(const char *name)
{
    int key = MPG_TEXT_KEYS - 1;
    while (key > MPG_TEXT_END && (infos[key].name[0] != name[0] || strcmp(infos[key].name, name) != 0))
        key--;
    return (enum mpg_text_key)key;
}

enum mpg_text_key mpg_text_kind_key(enum mpg_kind kind, const char *name)
{
    for (const unsigned char *k = grammar[kind]; *k; k++) {
        const char *p = infos[*k & ~MPG_TEXT_NEEDED].name, *q = name;
        while (*p && *p == *q)
            p++, q++;
        if (*p == *q)
            return (enum mpg_text_key)(*k & ~MPG_TEXT_NEEDED);
    }
    return MPG_TEXT_END;
}

const unsigned char *mpg_text_kind_keys(enum mpg_kind kind)
{
    return grammar[kind];
}

bool mpg_text_kind_has(enum mpg_kind kind, enum mpg_text_key key)
{
    const unsigned char *keys = grammar[kind];
    while (*keys && (*keys & ~MPG_TEXT_NEEDED) != key)
        keys++;
    return *keys;
}

bool mpg_text_key_is_shown(const struct mpg_event *e, enum mpg_text_key key)
{
    switch (key) {
    case MPG_TEXT_ROOT:
        return mpg_call_has_root(e->call) && e->root != MPG_UNKNOWN;
    case MPG_TEXT_EXCLUSIVE:
        return e->call == MPG_CALL_Win_lock && e->root != 0;
    case MPG_TEXT_TO:
        return e->to != MPG_UNKNOWN;
    case MPG_TEXT_FROM:
        return e->from != MPG_UNKNOWN;
    case MPG_TEXT_TAG:
        return e->tag != MPG_UNKNOWN || !(e->any & MPG_ANY_TAG);
    case MPG_TEXT_BYTES:
        return e->call != MPG_CALL_Barrier && e->call != MPG_CALL_Ibarrier &&
               e->call != MPG_CALL_Barrier_init;
    case MPG_TEXT_RECVTAG:
        return e->recvtag != MPG_UNKNOWN || !(e->any & MPG_ANY_TAG);
    case MPG_TEXT_ANY:
        return e->any != 0;
    case MPG_TEXT_DEVICE:
        return e->device != 0;
    case MPG_TEXT_FOUND:
        return !e->found && e->call != MPG_CALL_Win_complete && e->call != MPG_CALL_Win_wait;
    case MPG_TEXT_MESSAGE:
        return e->message > 0;
    case MPG_TEXT_PERSISTENT:
        return e->persistent;
    case MPG_TEXT_REQUEST:
        return e->request_number > 0;
    case MPG_TEXT_DONE:
        return !e->done_all;
    case MPG_TEXT_CANCELLED:
        return e->cancelled_number > 0;
    case MPG_TEXT_MATCHED:
        return e->resolution_number > 0;
    case MPG_TEXT_KILLED:
        return e->killed;
    case MPG_TEXT_CALLS:
    case MPG_TEXT_TIME:
    case MPG_TEXT_LEAST:
    case MPG_TEXT_MOST:
        return e->sum.calls > 0;
    case MPG_TEXT_FAILED:
        return e->failed;
    case MPG_TEXT_SITE:
        return e->site != MPG_NO_SITE;
    case MPG_TEXT_VALUES:
        return e->value_number > 0;
    case MPG_TEXT_OFF:
        return e->off_before_ns > 0;
    case MPG_TEXT_OFF_CALL:
        return e->off_in_ns > 0;
    default:
        return true;
    }
}
