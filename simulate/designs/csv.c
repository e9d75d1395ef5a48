/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as CSV: names are quoted, times are ns. */
#include <inttypes.h>
#include <string.h>

#include "common/table/escape.h"
#include "simulate/designs/designs.h"

static void put_quoted(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\""))
        fputc('"', out);
    mpg_csv_write_string(out, text);
    if (!strpbrk(text, ",\""))
        fputc('"', out);
}

static void put_row(const struct mpg_designs *x, const struct mpg_design_row *r, FILE *out)
{
    const double numbers[] = {r->run.median, r->run.low, r->run.high, r->run.mean, r->work_ns, r->noise_ns, r->wait_ns, r->service_ns,
                              r->barrier_ns, r->processor_ns, r->call_ns, mpg_design_speedup(r),
                              mpg_design_speedup(r) / r->processors, mpg_design_utilisation(r)};
    put_quoted(x->trace[r->trace].path, out);
    fprintf(out, ",%d,%d,", (int)x->trace[r->trace].ranks, (int)r->processors);
    put_quoted(x->target[r->design], out);
    for (size_t i = 0; i < x->keys->axes; i++) {
        fputc(',', out);
        put_quoted(x->keys->axis[i].value[mpg_key_sweep_place(x->keys, i, r->design % x->keys->points)], out);
    }
    fprintf(out, ",%zu", r->place);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, ",%.17g", numbers[i]);
    if (r->against_ns > 0)
        fprintf(out, ",%.17g,%.17g,%.17g", r->against_ns, mpg_design_speedup_against(r),
                mpg_design_speedup_against(r) / r->processors);
    else
        fputs(",,,", out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g\n", r->messages, r->gets, r->puts, r->barriers,
            r->bytes);
}

void mpg_designs_csv(const struct mpg_designs *x, FILE *out)
{
    fputs("trace,ranks,processors,target", out);
    for (size_t i = 0; i < x->keys->axes; i++)
        fprintf(out, ",%s", x->keys->axis[i].key);
    fputs(",place,run_ns,run_low_ns,run_high_ns,run_mean_ns,work_ns,noise_ns,wait_ns,service_ns,barrier_ns,processor_ns,call_ns,"
          "speedup,efficiency,utilisation,against_ns,speedup_against,efficiency_against,messages,gets,puts,barriers,bytes\n",
          out);
    for (size_t i = 0; i < x->n; i++)
        put_row(x, &x->row[i], out);
}
