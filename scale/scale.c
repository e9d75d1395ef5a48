/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/scale.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *mpg_scale_label_of(const struct scale_run *run, const char *key)
{
    for (size_t i = 0; i < run->label_number; i++)
        if (strcmp(run->labels[i].key, key) == 0)
            return run->labels[i].value;
    return NULL;
}

const char *mpg_scale_program_of(const struct scale_run *run, size_t *length)
{
    const char *text = run->program ? run->program : "";
    const size_t end = strcspn(text, " ");
    size_t from = end;
    while (from > 0 && text[from - 1] != '/')
        from--;
    *length = end - from;
    return text + from;
}

/* Returns the number at the begin of TEXT, of LENGTH bytes. *DIGITS: number of digits; 0: no number. */
static long number_at(const char *text, size_t length, size_t *digits)
{
    long number = 0;
    for (*digits = 0; *digits < length && *digits < 9 && isdigit((unsigned char)text[*digits]); ++*digits)
        number = 10 * number + (text[*digits] - '0');
    return number;
}

/* Returns whether the program names of A and B are equal except for the number of ranks in each name: "bt.W.4" and "bt.W.16"
 * for runs of 4 and 16 ranks. */
static bool differ_by_ranks(const struct scale_run *a, const struct scale_run *b)
{
    size_t of_a, of_b, i = 0, k = 0;
    const char *name_a = mpg_scale_program_of(a, &of_a), *name_b = mpg_scale_program_of(b, &of_b);
    while (i < of_a && k < of_b) {
        size_t digits_a, digits_b;
        const long number_a = number_at(name_a + i, of_a - i, &digits_a), number_b = number_at(name_b + k, of_b - k, &digits_b);
        const bool numbers = digits_a > 0 && digits_b > 0;
        if (!(numbers && number_a == a->ranks && number_b == b->ranks)) {
            if (name_a[i] != name_b[k] || (numbers && number_a != number_b))
                return false;
            digits_a = digits_b = numbers ? digits_a : 1;
        }
        i += digits_a;
        k += digits_b;
    }
    return i == of_a && k == of_b;
}

bool mpg_scale_has_same_name(const struct scale_run *a, const struct scale_run *b)
{
    size_t of_a, of_b;
    const char *name_a = mpg_scale_program_of(a, &of_a), *name_b = mpg_scale_program_of(b, &of_b);
    return of_a == 0 || of_b == 0 || (of_a == of_b && memcmp(name_a, name_b, of_a) == 0);
}

bool mpg_scale_is_same_program(const struct scale_run *a, const struct scale_run *b)
{
    return mpg_scale_has_same_name(a, b) || differ_by_ranks(a, b);
}

void mpg_scale_run_clear(struct scale_run *run)
{
    for (size_t i = 0; i < run->label_number; i++) {
        free(run->labels[i].key);
        free(run->labels[i].value);
    }
    free(run->labels);
    free(run->path);
    free(run->program);
    free(run->date);
    free(run->host);
    free(run->crowded_on);
}

static void clear_site(struct scale_site *site)
{
    free(site->name);
    free(site->function);
    free(site->file);
}

void mpg_scale_set_clear(struct scale_set *set)
{
    for (size_t i = 0; i < set->run_number; i++)
        mpg_scale_run_clear(&set->runs[i]);
    for (size_t i = 0; i < set->other_number; i++)
        mpg_scale_run_clear(&set->others[i]);
    for (size_t i = 0; i < set->site_number; i++)
        clear_site(&set->sites[i]);
    for (size_t i = 0; i < set->counter_number; i++)
        free(set->counter_names[i]);
    free(set->runs);
    free(set->others);
    free(set->sites);
    free(set->cells);
    free(set->counter_names);
    free(set->counters);
    free(set->details);
    *set = (struct scale_set){.run_number = 0};
}

void mpg_scale_set_keep(struct scale_set *set, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->site_number; i++) {
        if (!keep[i]) {
            clear_site(&set->sites[i]);
            continue;
        }
        set->sites[kept] = set->sites[i];
        set->sites[kept].parent = -1;
        memmove(scale_cell_of(set, kept, 0), scale_cell_of(set, i, 0), set->run_number * sizeof *set->cells);
        if (set->counter_number > 0)
            memmove(scale_counters_of(set, kept, 0), scale_counters_of(set, i, 0),
                    set->run_number * set->counter_number * sizeof *set->counters);
        kept++;
    }
    set->site_number = kept;
}
