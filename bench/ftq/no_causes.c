/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The causes of detours in an mpgkit that was built without libtracefs: an error. */
#include "config.h"

#include "bench/ftq/causes.h"

void mpg_causes_remove(void)
{
}

struct mpg_causes *mpg_causes_start(const int *core, int n, const struct mpg_timer *timer, double duration_ns,
                                    struct mpg_error *err)
{
    (void)core, (void)n, (void)timer, (void)duration_ns;
    mpg_error_set(err, "--causes: this mpgkit was built without libtracefs (Debian packages libtracefs-dev, libtraceevent-dev)");
    return NULL;
}

void mpg_causes_measured_by_me(struct mpg_causes *c, int i)
{
    (void)c, (void)i;
}

int mpg_causes_stop(struct mpg_causes *c, struct mpg_error *err)
{
    (void)c, (void)err;
    return 0;
}

int mpg_causes_of(struct mpg_causes *c, int i, const struct mpg_cause_span *detour, const struct mpg_cause_span **part)
{
    (void)c, (void)i, (void)detour, (void)part;
    return -1;
}

int mpg_causes_names(const struct mpg_causes *c, const char (**name)[MPG_CAUSE_BYTES])
{
    (void)c;
    *name = NULL;
    return 0;
}

uint64_t mpg_causes_lost(const struct mpg_causes *c, int i)
{
    (void)c, (void)i;
    return 0;
}

void mpg_causes_free(struct mpg_causes *c)
{
    (void)c;
}
