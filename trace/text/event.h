/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses event lines of the text form, and words of any line. Private to trace/. */
#ifndef MPG_TEXT_EVENT_H
#define MPG_TEXT_EVENT_H

#include <stddef.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/text/keys.h"

enum { MPG_TEXT_MAX_THREAD = 65535 };

/* An event, with storage for lists, reused from line to line. In `event`, comm, newcomm, object and site are labels of the
 * text. */
struct mpg_text_event {
    struct mpg_event event;
    uint64_t given;     /* bit KEY is set if the line has KEY */
    const char *name;   /* name of a region; points into the line */
    uint32_t persistent_number;
    int64_t *lists[MPG_TEXT_KEYS];
    size_t capacity[MPG_TEXT_KEYS];
    struct mpg_resolution *resolutions;
    size_t resolution_capacity;
};

/* Parses (and modifies) LINE into PARSED (with the thread) and *RANK. PARSED owns the lists. Returns 0, or -1 with ERR:
 * syntax, out of memory. */
int mpg_text_parse_event(char *line, struct mpg_text_event *parsed, int32_t *rank,
                         struct mpg_error *err);
void mpg_text_event_clear(struct mpg_text_event *parsed);

static inline bool mpg_text_is_given(const struct mpg_text_event *t, enum mpg_text_key key)
{
    return t->given >> key & 1;
}

/* Returns the next word of *TEXT, terminated at a blank outside double quotes, and moves *TEXT behind the word. Returns NULL at
 * the end. */
char *mpg_text_word(char **text);
/* Replaces the quoted TEXT by the text between the quotes, with escapes resolved. */
int mpg_text_unquote(char *text, struct mpg_error *err);
int mpg_text_parse_int64(const char *text, int64_t minimum, int64_t maximum, int64_t *value,
                         struct mpg_error *err);
int mpg_text_parse_int32(const char *text, int32_t minimum, int32_t *value,
                         struct mpg_error *err);
/* Parses "RANK" or "RANK.THREAD". */
int mpg_text_parse_rank(const char *text, int32_t *rank, uint32_t *thread, struct mpg_error *err);

#endif
