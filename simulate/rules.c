/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/rules.h"

static const char *const names[MPG_RULES] = {
    [MPG_RULE_ROWS] = "rows",
    [MPG_RULE_SIZE_SIDES] = "size-sides",
    [MPG_RULE_BEYOND_SIZES] = "beyond-sizes",
    [MPG_RULE_OVERHEADS] = "overheads",
    [MPG_RULE_ONE_SIDED] = "one-sided",
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
    [MPG_RULE_OVERLAP] = "overlap",
    [MPG_RULE_HELD_SENDS] = "held-sends"};

static unsigned left_out; /* set before threads start */

void mpg_rule_leave_out(enum mpg_rule rule)
{
    left_out |= 1u << rule;
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
