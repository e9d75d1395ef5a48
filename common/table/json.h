/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON, written as it comes: objects and arrays are begun and ended, members are put in between. Commas, line ends and
 * indentation are this writer's. The stream's error flag tells whether writing failed. */
#ifndef MPG_TABLE_JSON_H
#define MPG_TABLE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum mpg_json_style {
    MPG_JSON_LINES, /* each member in a line; an empty array is []; numbers have a point or an exponent, but for integers */
    MPG_JSON_ROWS,  /* containers deeper than the third level are in one line, as rows of a table are */
    MPG_JSON_RECORD /* members follow each other in a line but for mpg_json_break(); keys are written as they are; numbers have
                       the fewest digits that read back as the same double; an array of numbers is a line of its own, without
                       blanks */
};

enum { MPG_JSON_DEPTH = 16 };

struct mpg_json {
    FILE *out;
    enum mpg_json_style style;
    bool whole; /* of MPG_JSON_LINES: numbers that are whole have no point */
    int depth; /* containers that are open */
    int indent; /* blanks before all of it but the first line: where it is to be put into another one */
    struct mpg_json_level {
        char end;
        bool in_line; /* its members are in one line */
        size_t n;
    } level[MPG_JSON_DEPTH];
    int line_indent; /* 1 more than mpg_json_new_line() has said for the next member */
    bool stays_in_line, in_line; /* the next member: mpg_json_same_line(), mpg_json_in_line() */
};

/* A writer to OUT; there is nothing to clear. */
static inline struct mpg_json mpg_json_to(FILE *out, enum mpg_json_style style)
{
    return (struct mpg_json){.out = out, .style = style};
}

/* KEY: in an array, or the whole of it, NULL; it is a name of ours, and, but in MPG_JSON_RECORD, made fit all the same. */
void mpg_json_object(struct mpg_json *json, const char *key);
void mpg_json_array(struct mpg_json *json, const char *key);
/* Ends what was begun last; the outermost one without a line end. */
void mpg_json_close(struct mpg_json *json);
/* The same, of MPG_JSON_RECORD: the bracket begins a line, unless nothing is in front of it. */
void mpg_json_close_line(struct mpg_json *json);

/* VALUE, exactly; null if it is no number. */
void mpg_json_number(struct mpg_json *json, const char *key, double value);
void mpg_json_integer(struct mpg_json *json, const char *key, int64_t value);
void mpg_json_count(struct mpg_json *json, const char *key, uint64_t value);
void mpg_json_bool(struct mpg_json *json, const char *key, bool value);
void mpg_json_null(struct mpg_json *json, const char *key);
/* TEXT, made fit (common/table/escape.h); NULL: null. */
void mpg_json_string(struct mpg_json *json, const char *key, const char *text);
/* TEXT as it is, lines and all; NULL: not a member. BYTES of TEXT likewise. */
void mpg_json_text(struct mpg_json *json, const char *key, const char *text);
void mpg_json_bytes(struct mpg_json *json, const char *key, const char *text, size_t bytes);
/* An array of the lines of TEXT, parted by '\n'. */
void mpg_json_lines(struct mpg_json *json, const char *key, const char *text);
/* TEXT is JSON itself, written at the same depth. */
void mpg_json_raw(struct mpg_json *json, const char *key, const char *text);
/* N numbers, which are called as NAMES say. */
void mpg_json_members(struct mpg_json *json, const char *const *names, const double *values, size_t n);
/* An array of N numbers. */
void mpg_json_numbers(struct mpg_json *json, const char *key, const double *values, size_t n);

/* Of the next member alone, where the style has it otherwise: it begins a line, after INDENT blanks; stays in the line of the
 * one before; is a container whose members are in one line. */
void mpg_json_new_line(struct mpg_json *json, int indent);
/* The same after two blanks for each level: the next member begins a line in MPG_JSON_RECORD. */
void mpg_json_break(struct mpg_json *json);
void mpg_json_same_line(struct mpg_json *json);
void mpg_json_in_line(struct mpg_json *json);

#endif
