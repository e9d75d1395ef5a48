/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON as a stream: the caller opens and closes objects and arrays and adds members. The writer adds commas, line ends
 * and indentation. The stream's error flag reports write errors. */
#ifndef MPG_TABLE_JSON_H
#define MPG_TABLE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum mpg_json_style {
    MPG_JSON_LINES, /* one member per line; an empty array is []; non-integer types have a point or an exponent */
    MPG_JSON_ROWS,  /* containers below the third level are on one line, like table rows */
    MPG_JSON_RECORD /* members share a line except after mpg_json_break(); keys are written unchanged; numbers have the fewest
                       digits that read back as the same double; an array of numbers is a separate line without blanks */
};

enum { MPG_JSON_DEPTH = 16 };

struct mpg_json {
    FILE *out;
    enum mpg_json_style style;
    bool whole; /* MPG_JSON_LINES: whole numbers have no point */
    int depth; /* number of open containers */
    int indent; /* blanks before all lines except the first, for JSON that is inserted into other JSON */
    struct mpg_json_level {
        char end;
        bool in_line; /* the members are on one line */
        size_t n;
    } level[MPG_JSON_DEPTH];
    int line_indent; /* 1 + the indentation set by mpg_json_new_line() for the next member; 0: none */
    bool stays_in_line, in_line; /* for the next member: set by mpg_json_same_line(), mpg_json_in_line() */
};

/* Returns a writer to OUT. Needs no cleanup. */
static inline struct mpg_json mpg_json_to(FILE *out, enum mpg_json_style style)
{
    return (struct mpg_json){.out = out, .style = style};
}

/* Open an object or array. KEY is NULL for an array member and for the outermost value. KEY is a constant of the program; all
 * styles except MPG_JSON_RECORD escape it nevertheless. */
void mpg_json_object(struct mpg_json *json, const char *key);
void mpg_json_array(struct mpg_json *json, const char *key);
/* Closes the innermost open container; writes no line end after the outermost one. */
void mpg_json_close(struct mpg_json *json);
/* Like mpg_json_close(), for MPG_JSON_RECORD: the bracket begins a line unless the container is empty. */
void mpg_json_close_line(struct mpg_json *json);

/* Write a number exactly; null for NaN and infinity. */
void mpg_json_number(struct mpg_json *json, const char *key, double value);
void mpg_json_integer(struct mpg_json *json, const char *key, int64_t value);
void mpg_json_count(struct mpg_json *json, const char *key, uint64_t value);
void mpg_json_bool(struct mpg_json *json, const char *key, bool value);
void mpg_json_null(struct mpg_json *json, const char *key);
/* Writes TEXT, escaped (common/table/escape.h); null if NULL. */
void mpg_json_string(struct mpg_json *json, const char *key, const char *text);
/* Write TEXT, or BYTES bytes of TEXT, unchanged, including line ends. mpg_json_text() omits the member if TEXT is NULL. */
void mpg_json_text(struct mpg_json *json, const char *key, const char *text);
void mpg_json_bytes(struct mpg_json *json, const char *key, const char *text, size_t bytes);
/* Writes the lines of TEXT, separated by '\n', as an array. */
void mpg_json_lines(struct mpg_json *json, const char *key, const char *text);
/* Writes TEXT, which is JSON, at the current depth. */
void mpg_json_raw(struct mpg_json *json, const char *key, const char *text);
/* Writes N numbers with the keys NAMES. */
void mpg_json_members(struct mpg_json *json, const char *const *names, const double *values, size_t n);
/* Writes an array of N numbers. */
void mpg_json_numbers(struct mpg_json *json, const char *key, const double *values, size_t n);

/* Override the style for the next member only. mpg_json_new_line() begins a line with INDENT blanks; mpg_json_same_line()
 * continues the current line; mpg_json_in_line() writes the container's members on one line. */
void mpg_json_new_line(struct mpg_json *json, int indent);
/* Like mpg_json_new_line(), indented by two blanks per level: the next member of MPG_JSON_RECORD begins a line. */
void mpg_json_break(struct mpg_json *json);
void mpg_json_same_line(struct mpg_json *json);
void mpg_json_in_line(struct mpg_json *json);

#endif
