/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/table/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/table/escape.h"

static void begin_line(const struct mpg_json *j, int indent)
{
    fprintf(j->out, "\n%*s", j->indent + indent, "");
}

/* Writes the separator, line end, indentation and key before a value. */
static void put_key(struct mpg_json *j, const char *key)
{
    struct mpg_json_level *level = j->depth > 0 ? &j->level[j->depth - 1] : NULL;
    if (level) {
        const bool in_line = level->in_line ? j->line_indent == 0 : j->stays_in_line;
        if (level->n++ > 0)
            fputs(in_line ? ", " : ",", j->out);
        if (!in_line)
            begin_line(j, level->in_line ? j->line_indent - 1 : j->depth);
    }
    j->line_indent = 0;
    j->stays_in_line = false;
    if (!key)
        return;
    if (j->style == MPG_JSON_RECORD)
        mpg_json_write_text(j->out, key, strlen(key));
    else
        mpg_json_write_string(j->out, key);
    fputs(": ", j->out);
}

static void begin(struct mpg_json *j, const char *key, char open, char end)
{
    enum { LINES_OF_ROWS = 2 };
    assert(j->depth < MPG_JSON_DEPTH);
    put_key(j, key);
    putc(open, j->out);
    const bool in_line = j->in_line || j->style == MPG_JSON_RECORD || (j->style == MPG_JSON_ROWS && j->depth >= LINES_OF_ROWS) ||
                         (j->depth > 0 && j->level[j->depth - 1].in_line);
    j->level[j->depth++] = (struct mpg_json_level){.end = end, .in_line = in_line};
    j->in_line = false;
}

void mpg_json_object(struct mpg_json *j, const char *key)
{
    begin(j, key, '{', '}');
}

void mpg_json_array(struct mpg_json *j, const char *key)
{
    begin(j, key, '[', ']');
}

void mpg_json_close(struct mpg_json *j)
{
    const struct mpg_json_level *level = &j->level[--j->depth];
    if (!level->in_line && (level->n > 0 || j->style == MPG_JSON_ROWS))
        begin_line(j, j->depth);
    putc(level->end, j->out);
    j->line_indent = 0;
}

void mpg_json_close_line(struct mpg_json *j)
{
    if (j->level[j->depth - 1].n > 0)
        begin_line(j, 2 * (j->depth - 1));
    mpg_json_close(j);
}

void mpg_json_number(struct mpg_json *j, const char *key, double value)
{
    put_key(j, key);
    if (j->style == MPG_JSON_LINES)
        mpg_json_write_real(j->out, value, !j->whole);
    else if (j->style == MPG_JSON_RECORD)
        mpg_json_write_shortest(j->out, value);
    else
        mpg_json_write_number(j->out, value);
}

void mpg_json_integer(struct mpg_json *j, const char *key, int64_t value)
{
    put_key(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void mpg_json_count(struct mpg_json *j, const char *key, uint64_t value)
{
    put_key(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void mpg_json_bool(struct mpg_json *j, const char *key, bool value)
{
    mpg_json_raw(j, key, value ? "true" : "false");
}

void mpg_json_null(struct mpg_json *j, const char *key)
{
    mpg_json_raw(j, key, "null");
}

void mpg_json_string(struct mpg_json *j, const char *key, const char *text)
{
    if (!text) {
        mpg_json_null(j, key);
        return;
    }
    put_key(j, key);
    mpg_json_write_string(j->out, text);
}

void mpg_json_text(struct mpg_json *j, const char *key, const char *text)
{
    if (text)
        mpg_json_bytes(j, key, text, strlen(text));
}

void mpg_json_bytes(struct mpg_json *j, const char *key, const char *text, size_t bytes)
{
    put_key(j, key);
    mpg_json_write_text(j->out, text, bytes);
}

void mpg_json_lines(struct mpg_json *j, const char *key, const char *text)
{
    mpg_json_array(j, key);
    for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        put_key(j, NULL);
        mpg_json_write_part(j->out, line, end ? (size_t)(end - line) : strlen(line));
    }
    mpg_json_close(j);
}

void mpg_json_raw(struct mpg_json *j, const char *key, const char *text)
{
    put_key(j, key);
    fputs(text, j->out);
}

void mpg_json_members(struct mpg_json *j, const char *const *names, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpg_json_number(j, names[i], values[i]);
}

void mpg_json_numbers(struct mpg_json *j, const char *key, const double *values, size_t n)
{
    if (j->style != MPG_JSON_RECORD) {
        mpg_json_array(j, key);
        for (size_t i = 0; i < n; i++)
            mpg_json_number(j, NULL, values[i]);
        mpg_json_close(j);
        return;
    }
    mpg_json_break(j);
    put_key(j, key);
    putc('[', j->out);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", j->out);
        mpg_json_write_shortest(j->out, values[i]);
    }
    putc(']', j->out);
    mpg_json_break(j);
}

void mpg_json_new_line(struct mpg_json *j, int indent)
{
    j->line_indent = indent + 1;
}

void mpg_json_break(struct mpg_json *j)
{
    mpg_json_new_line(j, 2 * j->depth);
}

void mpg_json_same_line(struct mpg_json *j)
{
    j->stays_in_line = true;
}

void mpg_json_in_line(struct mpg_json *j)
{
    j->in_line = true;
}
