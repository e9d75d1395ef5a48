/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/rules.h"

#include <string.h>

static const char *const names[MPG_RULES] = {
    [MPG_RULE_ROWS] = "rows",
    [MPG_RULE_SIZE_SIDES] = "size-sides",
    [MPG_RULE_BEYOND_SIZES] = "beyond-sizes",
    [MPG_RULE_OVERHEADS] = "overheads",
    [MPG_RULE_FURTHER] = "further",
    [MPG_RULE_TRACE_LIMIT] = "trace-limit",
    [MPG_RULE_PROTOCOLS] = "protocols",
    [MPG_RULE_COVERED] = "covered",
    [MPG_RULE_DISTURBED] = "disturbed",
    [MPG_RULE_OFF_CPU] = "off-cpu",
    [MPG_RULE_INTERRUPTIONS] = "interruptions",
    [MPG_RULE_WAITING_CALLS] = "waiting-calls",
    [MPG_RULE_GAPS] = "gaps",
    [MPG_RULE_PROGRESS] = "progress",
    [MPG_RULE_HELD_SENDS] = "held-sends"};

static unsigned left_out; /* before any thread */

static int find(const char *name, size_t length)
{
    for (int i = 0; i < MPG_RULES; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

int mpg_rules_leave_out(const char *list, struct mpg_error *err)
{
    for (const char *name = list; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        const size_t length = strcspn(name, ",");
        const int rule = find(name, length);
        if (rule < 0)
            return mpg_error_set(err, "--without: '%.*s' is no rule that can be left out: mpgsim(1) lists them",
                                 (int)length, name);
        left_out |= 1u << rule;
    }
    return 0;
}

bool mpg_rule_holds(enum mpg_rule rule)
{
    return !(left_out >> rule & 1);
}

unsigned mpg_rules_left_out(void)
{
    return left_out;
}

const char *mpg_rule_name(enum mpg_rule rule)
{
    return names[rule];
}
