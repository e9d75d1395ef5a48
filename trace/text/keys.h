/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for print and import: the keys of each kind of call in the order of printing, and the field of struct mpg_event for
 * each key. Private to trace/. */
#ifndef MPG_TEXT_KEYS_H
#define MPG_TEXT_KEYS_H

#include <stddef.h>

#include "trace/event.h"

enum mpg_text_key {
    MPG_TEXT_END, /* end of a list of keys */
    MPG_TEXT_COMM,
    MPG_TEXT_WINDOW,
    MPG_TEXT_FILE,
    MPG_TEXT_ROOT,
    MPG_TEXT_PARTITIONS,
    MPG_TEXT_PARTITION,
    MPG_TEXT_READY,
    MPG_TEXT_ASSERT,
    MPG_TEXT_EXCLUSIVE,
    MPG_TEXT_GROUP,
    MPG_TEXT_LEVEL,
    MPG_TEXT_NAME,
    MPG_TEXT_TO,
    MPG_TEXT_FROM,
    MPG_TEXT_TAG,
    MPG_TEXT_RECVTAG,
    MPG_TEXT_BYTES,
    MPG_TEXT_RECVBYTES,
    MPG_TEXT_ANY,
    MPG_TEXT_DEVICE,
    MPG_TEXT_FOUND,
    MPG_TEXT_MESSAGE,
    MPG_TEXT_PERSISTENT,
    MPG_TEXT_REQUEST,
    MPG_TEXT_REQUESTS,
    MPG_TEXT_DONE,
    MPG_TEXT_CANCELLED,
    MPG_TEXT_MATCHED,
    MPG_TEXT_KILLED,
    MPG_TEXT_NEWCOMM,
    MPG_TEXT_CALLS,
    MPG_TEXT_TIME,
    MPG_TEXT_LEAST,
    MPG_TEXT_MOST,
    MPG_TEXT_FAILED,
    MPG_TEXT_SITE,
    MPG_TEXT_VALUES,
    MPG_TEXT_OFF,
    MPG_TEXT_OFF_CALL,
    MPG_TEXT_KEYS
};

/* Flag of a key required by a call. */
enum { MPG_TEXT_NEEDED = 0x80 };

/* Syntax of a value. */
enum mpg_text_type {
    MPG_TEXT_TYPE_LABEL,  /* int32_t: number of a definition, or null (-1) */
    MPG_TEXT_TYPE_PEER,   /* int32_t: a rank, null or root */
    MPG_TEXT_TYPE_INT32,
    MPG_TEXT_TYPE_INT64,  /* 0 or more */
    MPG_TEXT_TYPE_ID,     /* int64_t, 1 or more */
    MPG_TEXT_TYPE_FLAG,   /* bool: 0 or 1 */
    MPG_TEXT_TYPE_LIST,   /* int64_t *, with the length in the uint32_t at `number` */
    MPG_TEXT_TYPE_BYTES,  /* an INT64; or, if the call has counts, a LIST of counts */
    MPG_TEXT_TYPE_ANY,    /* names of MPG_ANY_ flags */
    MPG_TEXT_TYPE_DEVICE, /* names of MPG_DEVICE_ flags */
    MPG_TEXT_TYPE_MATCHED, /* list of resolutions: sources and tags of wildcard receives */
    MPG_TEXT_TYPE_STRING  /* quoted string */
};

struct mpg_text_key_info {
    const char *name;
    enum mpg_text_type type;
    size_t field, number; /* offsets in struct mpg_event */
};

const struct mpg_text_key_info *mpg_text_key_info(enum mpg_text_key key);
/* Returns the key named NAME; MPG_TEXT_END: none. */
enum mpg_text_key mpg_text_key_by_name(const char *name);
/* Returns the key named NAME of KIND; MPG_TEXT_END: KIND has none of this name. */
enum mpg_text_key mpg_text_kind_key(enum mpg_kind kind, const char *name);
/* Returns the keys of KIND, terminated by MPG_TEXT_END; required keys have the flag MPG_TEXT_NEEDED. All calls also have
 * MPG_TEXT_FAILED, _SITE, _VALUES, _OFF and _OFF_CALL. */
const unsigned char *mpg_text_kind_keys(enum mpg_kind kind);
/* Returns whether KIND has KEY. */
bool mpg_text_kind_has(enum mpg_kind kind, enum mpg_text_key key);
/* Returns whether KEY applies to EVENT and differs from the default of an absent key. */
bool mpg_text_key_is_shown(const struct mpg_event *event, enum mpg_text_key key);

#endif
