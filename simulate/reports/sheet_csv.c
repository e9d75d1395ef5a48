/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as CSV; of --tolerate what is tolerated. Numbers are whole precision, times ns. */
#include <inttypes.h>
#include <math.h>

#include "common/table/escape.h"
#include "simulate/reports/sheet.h"

/* NAN: an empty field. */
static void put(double value, FILE *out)
{
    putc(',', out);
    if (!isnan(value))
        fprintf(out, "%.17g", value);
}

static void print_tolerances(const struct mpg_sheet *rows, FILE *out)
{
    fputs("signature,parameter,unit,slowdown,of_run_ns,which,value,low,high\n", out);
    for (size_t i = 0; i < rows->tolerances; i++) {
        const struct mpg_tolerance *t = &rows->tolerance[i];
        if (t->signature)
            mpg_csv_write_string(out, t->signature);
        fprintf(out, ",%s,%s,%.17g", rows->sought.name, rows->sought.unit, t->slowdown);
        put(t->base_ns > 0 ? t->base_ns : rows->row->traced_ns, out);
        fprintf(out, ",%s", t->none ? "none" : isnan(t->value) ? "any" : "up to");
        put(t->value, out);
        put(t->low, out);
        put(t->high, out);
        putc('\n', out);
    }
}

/* "latency_ns"; of words and plain numbers the name alone. */
static void print_name(const struct mpg_column *column, FILE *out)
{
    fputs(column->name, out);
    if (column->unit && (column->unit[0] == 'n' || column->unit[0] == 'b'))
        fprintf(out, "_%s", column->unit);
}

void mpg_sheet_csv(const struct mpg_sheet *rows, FILE *out)
{
    if (rows->tolerances > 0) {
        print_tolerances(rows, out);
        return;
    }
    fputs("row", out);
    for (size_t c = 0; c < rows->columns; c++) {
        putc(',', out);
        print_name(&rows->column[c], out);
    }
    fputs(",traced_ns,median_ns,low_ns,high_ns,p5_ns,p95_ns,slowdown", out);
    fputs(rows->compares ? ",faster_than_next\n" : "\n", out);
    for (size_t i = 0; i < rows->n; i++) {
        const struct mpg_row *row = &rows->row[i];
        fprintf(out, "%zu", i + 1);
        for (size_t c = 0; c < rows->columns; c++)
            if (row->cell[c].word) {
                putc(',', out);
                mpg_csv_write_string(out, row->cell[c].word);
            } else
                put(row->cell[c].number, out);
        const double values[] = {row->traced_ns, row->run.median, row->run.low, row->run.high, row->run.p5, row->run.p95,
                                 row->traced_ns > 0 ? row->run.median / row->traced_ns : NAN};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            put(values[k], out);
        if (rows->compares)
            put(i + 1 < rows->n && row[1].point == row->point ? mpg_sheet_faster(rows, i, i + 1) : NAN, out);
        putc('\n', out);
    }
}
