/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the delay budget of a rank as text. All figures have one unit and number of decimals, and are rounded to add up exactly
 * as printed. */
#include <math.h>

#include "common/units.h"
#include "simulate/reports/report.h"
#include "simulate/rounding.h"

/* Addends of the net delay, in the order of terms[]; the last two are subtracted. */
enum { COMPUTE, CALLS, MESSAGES, COLLECTIVES, PROPAGATED, WAITED, HIDDEN, TERMS };

struct figures {
    double quantum_ns; /* value of one unit of the last digit, ns */
    double unit_ns;
    const char *unit;
    int decimals;
    double term[TERMS]; /* terms in quanta, with their sign in the sum */
    double left;
};

/* Chooses a unit in which the largest number has five digits, and quanta at least as large as the rounding errors of sums: a
 * smaller term is not a delay, and is printed as 0. */
static void choose_unit(struct figures *f, double largest_ns)
{
    f->unit_ns = mpg_units_of_time(largest_ns, &f->unit);
    double whole = largest_ns / f->unit_ns;
    f->decimals = largest_ns < MPG_ROUNDING_NS ? 0
                  : whole >= 1000       ? 1
                  : whole >= 100        ? 2
                  : whole >= 10         ? 3
                  : whole >= 1          ? 4
                                        : 3;
    f->quantum_ns = f->unit_ns * pow(10, -f->decimals);
}

/* Rounds all terms. Then changes the terms with the largest rounding errors by one quantum, until their sum is the net delay. */
static void round_terms(struct figures *f, const double *exact_ns, double left_ns)
{
    double over = 0;
    for (int i = 0; i < TERMS; i++)
        over += f->term[i] = round(exact_ns[i] / f->quantum_ns);
    f->left = round(left_ns / f->quantum_ns);
    for (over -= f->left; fabs(over) >= 0.5; over -= over > 0 ? 1 : -1) {
        int farthest = 0;
        double max = -INFINITY, sign = over > 0 ? 1 : -1;
        for (int i = 0; i < TERMS; i++) {
            double error = sign * (f->term[i] - exact_ns[i] / f->quantum_ns);
            if (error > max) {
                max = error;
                farthest = i;
            }
        }
        if (max < -1)  /* the difference exceeds rounding errors: prints the terms unchanged */
            return;
        f->term[farthest] -= sign;
    }
}

static struct figures round_account(const struct mpg_delay_account *a)
{
    const double exact_ns[TERMS] = {a->compute_ns,    a->call_ns,  a->message_ns,
                                    a->collective_ns, a->taken_ns, -a->waited_ns,
                                    -a->hidden_ns};
    struct figures f;
    double largest_ns = fabs(a->left_ns);
    for (int i = 0; i < TERMS; i++)
        largest_ns = fmax(largest_ns, fabs(exact_ns[i]));
    largest_ns = fmax(largest_ns, fabs(mpg_delay_injected(a)));
    choose_unit(&f, largest_ns);
    round_terms(&f, exact_ns, a->left_ns);
    return f;
}

static void print_figure(const struct figures *f, double quanta, FILE *out)
{
    double value = quanta * f->quantum_ns / f->unit_ns;
    fprintf(out, "%.*f", f->decimals, value == 0 ? 0 : value);
}

static void print_total(const struct figures *f, const char *what, char sign, double quanta,
                        FILE *out)
{
    double value = quanta * f->quantum_ns / f->unit_ns;
    fprintf(out, "  %-13s %c %9.*f %s  ", what, sign, f->decimals, value == 0 ? 0 : value, f->unit);
}

void mpg_report_account(const struct mpg_result *result, FILE *out)
{
    static const char *const put[] = {"computation", "calls", "messages", "collectives"};
    struct mpg_delay_account mean = mpg_result_account(result);
    struct figures f = round_account(&mean);
    double put_in = 0;
    for (int i = COMPUTE; i <= COLLECTIVES; i++)
        put_in += f.term[i];
    fputs("\nDelay budget of a rank, mean of ranks and replicas\n", out);
    print_total(&f, "injected", ' ', put_in, out);
    for (int i = COMPUTE; i <= COLLECTIVES; i++) {
        fprintf(out, "%s%s ", i > COMPUTE ? " + " : "", put[i]);
        print_figure(&f, f.term[i], out);
    }
    fputc('\n', out);
    print_total(&f, "propagated", '+', f.term[PROPAGATED], out);
    fputs("from other ranks, by waiting for them\n", out);
    print_total(&f, "absorbed", '-', -f.term[WAITED] - f.term[HIDDEN], out);
    fputs("by recorded waiting ", out);
    print_figure(&f, -f.term[WAITED], out);
    fputs(" + hidden, as other events are even later ", out);
    print_figure(&f, -f.term[HIDDEN], out);
    fputc('\n', out);
    print_total(&f, "net", '=', f.left, out);
    fputs("at the rank's end\n", out);
}
