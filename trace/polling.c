/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/polling.h"

bool mpg_event_found_nothing(const struct mpg_event *e)
{
    switch (e->call) {
    case MPG_CALL_Test:
    case MPG_CALL_Testall:
    case MPG_CALL_Testany:
    case MPG_CALL_Testsome:
        return !e->failed && e->request_number > 0 && !e->done_all && e->done_number == 0;
    case MPG_CALL_Iprobe:
    case MPG_CALL_Improbe:
    case MPG_CALL_Parrived:
    case MPG_CALL_Win_test:
        return !e->failed && !e->found;
    default:
        return false;
    }
}
