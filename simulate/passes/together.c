/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/passes/together.h"

#include <stdlib.h>

#include "simulate/passes/private.h"

int mpg_together_tell(struct mpg_together *t, int status, struct mpg_bytes *found, struct mpg_error *err)
{
    uint64_t size = found->size;
    if (!t)
        return status;
    if (mpg_processes_agree(t->processes, 0, 0, err) < 0)
        return -1;
    if (t->processes->messenger->min(status == 0 && !found->failed) == 0) {
        t->refused = "an error";
        return status < 0 ? -1 : mpg_error_set(err, "the first process has failed");
    }
    mpg_processes_broadcast(t->processes, &size, sizeof size);
    uint8_t *data = t->processes->rank == 0 ? found->data : malloc(size ? size : 1);
    status = data || size == 0 ? 0 : mpg_error_set(err, "out of memory");
    if (mpg_processes_agree(t->processes, status, 0, err) < 0) {
        if (t->processes->rank > 0)
            free(data);
        return -1;
    }
    mpg_processes_broadcast(t->processes, data, size);
    if (t->processes->rank > 0)
        *found = (struct mpg_bytes){.data = data, .size = size, .capacity = size};
    return 0;
}

void mpg_together_gather(const struct mpg_together *t, void *rows, size_t bytes)
{
    const struct mpg_processes *p = t->processes;
    int32_t ranks[2] = {t->first, t->ranks};
    if (p->rank > 0) {
        p->messenger->send(ranks, 1, sizeof ranks);
        p->messenger->send((char *)rows + (size_t)t->first * bytes, (size_t)t->ranks, bytes);
    }
    for (int i = 1; i < p->size && p->rank == 0; i++) {
        p->messenger->receive(i, ranks, 1, sizeof ranks, sizeof ranks);
        p->messenger->receive(i, (char *)rows + (size_t)ranks[0] * bytes, (size_t)ranks[1], bytes, bytes);
    }
}

void mpg_together_sum(const struct mpg_together *t, struct mpg_passed *passed)
{
    const struct mpg_processes *p = t->processes;
    struct mpg_passed other;
    if (p->rank > 0)
        p->messenger->send(passed, 1, sizeof *passed);
    for (int i = 1; i < p->size && p->rank == 0; i++) {
        p->messenger->receive(i, &other, 1, sizeof other, sizeof other);
        mpg_passed_add(passed, &other);
    }
    mpg_processes_broadcast(p, passed, sizeof *passed);
}
