/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result table: its columns are described once, its rows put cell by cell, and it is written as text for people, as CSV or
 * as JSON. How a new one is added is in CONTRIBUTING.md. */
#ifndef MPG_TABLE_H
#define MPG_TABLE_H

#include "common/error.h"
#include "common/table/json.h"

enum mpg_table_format { MPG_TABLE_TEXT, MPG_TABLE_CSV, MPG_TABLE_JSON };

/* VALUE for people, into TEXT of SIZE bytes, which is returned: mpg_units_format_time(), the functions below. */
typedef char *mpg_table_say(char *text, size_t size, double value);
mpg_table_say mpg_table_say_time_if_any; /* a time of ns, nothing if it is 0 */
mpg_table_say mpg_table_say_size;        /* bytes */
mpg_table_say mpg_table_say_size_if_any;
mpg_table_say mpg_table_say_percent;     /* "12.34 %" of a part of 1 */

struct mpg_table_column {
    const char *key;     /* in CSV, with its unit ("time_ns"), two of a range ("low_ns,high_ns"); NULL: not in CSV */
    const char *json;    /* its member of a row; NULL: KEY; "": not in JSON */
    const char *group;   /* the member, an object, that columns after each other are in (a column without names makes it be there
                            even if no other one is); NULL: the row itself */
    const char *heading; /* in text; NULL: not there */
    /* A number in text: */
    mpg_table_say *say;  /* NULL: by FORMAT, printf's of a double; NULL, too: whole, or with six digits */
    const char *format;
    double scale;        /* it is multiplied by that before; 0: 1 */
    const char *missing; /* in the place of a missing value; NULL: as the table has it */
    /* In text: */
    int gap;             /* blanks before it; 0: as the table has it */
    int width;           /* characters, at least */
    bool fits; /* it grows with what it holds; else, unless all of the table do, what is longer moves the rest of its row */
    bool left;           /* its cells stand to the left */
    char sign;           /* in the middle of the blanks before a cell; 0: none */
    int digits;          /* of numbers in CSV; 0: all 17 */
    bool quoted;         /* in CSV in any case */
    bool optional;       /* not a member of rows that miss it; else null */
    const char *joint;   /* between the lines of a cell in CSV; NULL: \n, written out */
};

struct mpg_table_cell {
    enum mpg_table_kind { MPG_CELL_MISSING, MPG_CELL_NUMBER, MPG_CELL_COUNT, MPG_CELL_INTEGER, MPG_CELL_RANGE, MPG_CELL_TRUTH,
                          MPG_CELL_TEXT, MPG_CELL_LINES, MPG_CELL_REST } kind;
    union {
        double number[2];
        uint64_t count;
        int64_t integer;
        char *text; /* printable */
    };
};

/* The description of a table's columns by an array of them. */
#define MPG_TABLE_COLUMNS(LIST) .column = (LIST), .columns = sizeof (LIST) / sizeof *(LIST)

struct mpg_table {
    const struct mpg_table_column *column;
    size_t columns;
    int indent, gap;       /* of text: blanks before a line; before all other columns, 0: 2 */
    bool fits, trims;      /* of text: all columns grow with what they hold; there are no blanks at the ends of lines */
    const char *missing;   /* of text: in the place of a missing value; NULL: nothing */
    char separator;        /* of CSV; 0: a comma */
    bool own_rows;         /* of JSON: the caller begins and ends each row's object, with other members in it */
    int row_indent;        /* of JSON in one line: each row begins a line of its own, after so many blanks; 0: it does not */
    /* Private: */
    enum mpg_table_format format;
    FILE *out;
    struct mpg_json *json;
    struct mpg_table_cell *cell; /* of text, whose columns grow, all; else one row */
    size_t used, capacity, rows;
    int *width;
    bool stores, failed;
};

/* Begins TABLE, whose description is filled, all else 0: in CSV and text with the headings. Its columns outlive it. */
void mpg_table_begin(struct mpg_table *table, enum mpg_table_format format, FILE *out);
/* Rows as objects of the array that JSON has begun. */
void mpg_table_begin_json(struct mpg_table *table, struct mpg_json *json);

/* The next cell of a row, in the order of columns; the last one of a row ends it. TEXT and LINES, which are parted by '\n', are
 * copied; NULL, and a NAN: missing; a range without a lower end is so in text. */
void mpg_table_number(struct mpg_table *table, double value);
void mpg_table_count(struct mpg_table *table, uint64_t value);
void mpg_table_integer(struct mpg_table *table, int64_t value);
void mpg_table_range(struct mpg_table *table, double low, double high);
void mpg_table_truth(struct mpg_table *table, bool value); /* "yes", "no"; true, false of JSON */
void mpg_table_text(struct mpg_table *table, const char *text);
void mpg_table_printf(struct mpg_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mpg_table_lines(struct mpg_table *table, const char *lines);
void mpg_table_missing(struct mpg_table *table);
void mpg_table_numbers(struct mpg_table *table, const double *values, size_t n);
/* Of text: the rest of the row is TEXT, two blanks after what is there. */
void mpg_table_end_row(struct mpg_table *table, const char *text);

/* Writes what is not yet written, and frees what TABLE holds. Error: out of memory, since it began. OUT's error flag tells
 * whether writing failed. */
int mpg_table_end(struct mpg_table *table, struct mpg_error *err);

#endif
