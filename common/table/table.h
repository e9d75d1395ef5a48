/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result table: described once by its columns, filled cell by cell, and written as text, CSV or JSON. CONTRIBUTING.md
 * explains how to add a table. */
#ifndef MPG_TABLE_H
#define MPG_TABLE_H

#include "common/error.h"
#include "common/table/json.h"

enum mpg_table_format { MPG_TABLE_TEXT, MPG_TABLE_CSV, MPG_TABLE_JSON };

/* Formats VALUE for people into TEXT of SIZE bytes and returns TEXT: mpg_units_format_time() or a function below. */
typedef char *mpg_table_formatter(char *text, size_t size, double value);
mpg_table_formatter mpg_table_format_time_if_any; /* a time in ns; empty if not positive */
mpg_table_formatter mpg_table_format_size;        /* a size in bytes */
mpg_table_formatter mpg_table_format_size_if_any;
mpg_table_formatter mpg_table_format_percent;     /* a fraction as a percentage, "12.34 %" */

struct mpg_table_column {
    const char *key;     /* CSV heading with unit ("time_ns"); a range has two ("low_ns,high_ns"); NULL: not in CSV */
    const char *json;    /* JSON key; NULL: KEY; "": not in JSON */
    const char *group;   /* key of the JSON object that holds this and adjacent columns with the same group (a column without
                            key creates the object even if it stays empty); NULL: none */
    const char *heading; /* heading in text; NULL: not in text */
    /* Format of a number in text: */
    mpg_table_formatter *formatter; /* NULL: by FORMAT */
    const char *format;  /* a printf format for double; NULL, as FORMATTER: whole number or six digits */
    double scale;        /* factor applied before formatting; 0: 1 */
    const char *missing; /* text of a missing value; NULL: the table's */
    /* Layout in text: */
    int gap;             /* blanks before the column; 0: the table's gap */
    int width;           /* minimum width in characters */
    bool fits; /* the column grows with its content; otherwise (unless all columns of the table grow) longer content shifts
                  the rest of its row */
    bool left;           /* cells are left-aligned */
    char sign;           /* character in the middle of the gap before each cell; 0: none */
    int digits;          /* digits of numbers in CSV; 0: 17 */
    bool quoted;         /* always quoted in CSV */
    bool optional;       /* omitted in JSON if missing; otherwise null */
    const char *joint;   /* separator between the lines of a cell in CSV; NULL: a backslash and n */
};

struct mpg_table_cell {
    enum mpg_table_kind { MPG_CELL_MISSING, MPG_CELL_NUMBER, MPG_CELL_COUNT, MPG_CELL_INTEGER, MPG_CELL_RANGE, MPG_CELL_BOOLEAN,
                          MPG_CELL_TEXT, MPG_CELL_LINES, MPG_CELL_REST } kind;
    union {
        double number[2];
        uint64_t count;
        int64_t integer;
        char *text; /* printable text */
    };
};

/* Initialises a table's columns from an array. */
#define MPG_TABLE_COLUMNS(LIST) .column = (LIST), .columns = sizeof (LIST) / sizeof *(LIST)

struct mpg_table {
    const struct mpg_table_column *column;
    size_t columns;
    int indent, gap;       /* text: blanks before each line; blanks before each further column, 0: 2 */
    bool fits, trims;      /* text: all columns grow with their content; no trailing blanks */
    const char *missing;   /* text: for missing values; NULL: empty */
    char separator;        /* CSV: separator; 0: a comma */
    bool own_rows;         /* JSON: the caller opens and closes each row's object and adds other members */
    int row_indent;        /* JSON on one line: each row begins a line with this indentation; 0: no line ends */
    /* Private members: */
    enum mpg_table_format format;
    FILE *out;
    struct mpg_json *json;
    struct mpg_table_cell *cell; /* all cells if text columns grow; otherwise one row */
    size_t used, capacity, rows;
    int *width;
    bool stores, failed;
};

/* Begins TABLE, whose description is set and all other members are 0. CSV and text begin with the headings. The columns must
 * outlive the table. */
void mpg_table_begin(struct mpg_table *table, enum mpg_table_format format, FILE *out);
/* Begins TABLE with rows as objects of the JSON array that is open in JSON. */
void mpg_table_begin_json(struct mpg_table *table, struct mpg_json *json);

/* Add the next cell of a row, in column order; the last cell completes the row. TEXT and LINES (separated by '\n') are
 * copied. NULL and NAN are missing values; in text a range without lower end is missing, too. */
void mpg_table_number(struct mpg_table *table, double value);
void mpg_table_count(struct mpg_table *table, uint64_t value);
void mpg_table_integer(struct mpg_table *table, int64_t value);
void mpg_table_range(struct mpg_table *table, double low, double high);
void mpg_table_boolean(struct mpg_table *table, bool value); /* "yes" or "no"; in JSON true or false */
void mpg_table_text(struct mpg_table *table, const char *text);
void mpg_table_printf(struct mpg_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mpg_table_lines(struct mpg_table *table, const char *lines);
void mpg_table_missing(struct mpg_table *table);
void mpg_table_numbers(struct mpg_table *table, const double *values, size_t n);
/* Ends the row; in text with TEXT after a gap of two blanks. */
void mpg_table_end_row(struct mpg_table *table, const char *text);

/* Writes the remaining rows and frees TABLE's memory. Error: out of memory at any time since the beginning. OUT's error flag
 * reports write errors. */
int mpg_table_end(struct mpg_table *table, struct mpg_error *err);

#endif
