/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions parsed and decided. */
#include "common/conditions/conditions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* Probability that one of the conditions fails although nothing has changed. */
static const double ERROR_RATE = 0.05;
/* Largest limit, a change by a factor of ten thousand. */
static const double MAX_RATIO = 1e4;

/* Copies TEXT without blanks into COPY of SIZE bytes. Returns false: too long. */
static bool squeeze(const char *text, char *copy, size_t size)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        if (*text != ' ')
            copy[n++] = *text;
    copy[n] = '\0';
    return *text == '\0';
}

/* Parses the limit TEXT, without blanks and sign, into C. Returns 0, or -1 with ERR. */
static int parse_size(struct mpg_condition *c, char *text, struct mpg_error *err)
{
    const size_t length = strlen(text);
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return mpg_error_set(err, "is not a limit such as '+5 %%', '-10ms' or '-0.02'");
    if (text[length - 1] == '%') {
        text[length - 1] = '\0';
        c->unit = MPG_CONDITION_RATIO;
        if (mpg_units_parse_real(text, &c->limit, err) < 0)
            return -1;
        c->limit /= 100;
        return 0;
    }
    c->unit = isalpha((unsigned char)text[length - 1]) ? MPG_CONDITION_TIME : MPG_CONDITION_NUMBER;
    return c->unit == MPG_CONDITION_TIME ? mpg_units_parse_time(text, &c->limit, err)
                                         : mpg_units_parse_real(text, &c->limit, err);
}

static int parse_limit(struct mpg_condition *c, const char *given, struct mpg_error *err)
{
    enum { LONGEST = 64 };
    char text[LONGEST];
    const char *shown = given + strspn(given, " ");
    if (!squeeze(given, text, sizeof text) || !*text)
        return mpg_error_set(err, "'%s': no limit after %c", c->text, c->above ? '>' : '<');
    const char sign = text[0];
    if (parse_size(c, text + (sign == '+' || sign == '-'), err) < 0)
        return mpg_error_prefix(err, "'%s': '%s'", c->text, shown);
    if (c->limit != 0 && sign != '+' && sign != '-')
        return mpg_error_set(err, "'%s': the limit is a change, and has a sign: '+%s' or '-%s'", c->text, shown, shown);
    if (sign == '-')
        c->limit = -c->limit;
    if (c->unit == MPG_CONDITION_RATIO && (c->limit < -1 || c->limit > MAX_RATIO))
        return mpg_error_set(err, "'%s': the limit is from -100 %% to +%.0f %%", c->text, 100 * MAX_RATIO);
    return 0;
}

int mpg_condition_parse(struct mpg_condition *c, const char *text, struct mpg_error *err)
{
    *c = (struct mpg_condition){.text = text};
    const char *sign = NULL, *name = text + strspn(text, " ");
    for (const char *p = text; *p; p++)
        if (*p == '>' || *p == '<')
            sign = p;
    if (!sign)
        return mpg_error_set(err, "'%s' is not a condition such as 'run > +5 %%'", text);
    size_t length = sign > name ? (size_t)(sign - name) : 0;
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length == 0)
        return mpg_error_set(err, "'%s': no quantity before %c", text, *sign);
    c->above = *sign == '>';
    if (!(c->name = strndup(name, length)))
        return mpg_error_set(err, "out of memory");
    return parse_limit(c, sign + 1, err);
}

int mpg_condition_parse_all(struct mpg_condition *c, const struct mpg_option_list *fail_if, mpg_condition_fit *fit,
                            struct mpg_error *err)
{
    for (size_t i = 0; i < fail_if->n; i++)
        if (mpg_condition_parse(&c[i], fail_if->item[i], err) < 0 || fit(&c[i], err) < 0)
            return mpg_error_prefix(err, "--fail-if");
    return 0;
}

void mpg_condition_clear(struct mpg_condition *c)
{
    free(c->name);
    c->name = NULL;
}

double mpg_condition_confidence(size_t n)
{
    return 1 - ERROR_RATE / (double)n;
}

void mpg_condition_decide(struct mpg_condition_result *r)
{
    const double limit = r->condition->limit;
    const bool above = r->condition->above;
    if (r->why || isnan(r->low) || isnan(r->high))
        r->verdict = MPG_CONDITION_UNDECIDED;
    else if (above ? r->low > limit : r->high < limit)
        r->verdict = MPG_CONDITION_FAILED;
    else
        r->verdict = (above ? r->high <= limit : r->low >= limit) ? MPG_CONDITION_PASSED : MPG_CONDITION_UNDECIDED;
}

int mpg_condition_status(const struct mpg_condition_result *r, size_t n, bool strict)
{
    int status = MPG_EXIT_OK;
    for (size_t i = 0; i < n; i++)
        if (r[i].verdict == MPG_CONDITION_FAILED)
            return MPG_EXIT_CONDITION_FAILED;
        else if (r[i].verdict == MPG_CONDITION_UNDECIDED && strict)
            status = MPG_EXIT_CONDITION_UNDECIDED;
    return status;
}
