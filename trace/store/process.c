/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies processes by id and start time (proc(5)), as ids are reused. */
#include "trace/store/process.h"

#include <stdio.h>
#include <string.h>

#include "common/peek.h"

/* ID_BITS: number of bits of a process id; STATE_TO_START: number of fields of /proc/PID/stat from the state to the start
 * time. */
enum { ID_BITS = 22, STATE_TO_START = 19 };

static uint64_t hash(uint64_t h, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) /* FNV-1a */
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

uint64_t mpg_process_mark(pid_t pid)
{
    char path[64], text[1024], boot[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    (void)mpg_peek(path, text, sizeof text);
    const char *p = strrchr(text, ')'); /* the process name can contain any character */
    if (!p || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X')
        return 0;
    p += 2;
    for (int i = 0; i < STATE_TO_START && p; i++)
        if ((p = strchr(p, ' ')))
            p++;
    (void)mpg_peek("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (!p || !boot[0])
        return 0;
    uint64_t h = hash(hash(0xcbf29ce484222325u, boot, strlen(boot)), p, strcspn(p, " "));
    return h << ID_BITS | (uint64_t)pid;
}

bool mpg_process_runs(uint64_t mark)
{
    return mark != 0 && mpg_process_mark((pid_t)(mark & ((1u << ID_BITS) - 1))) == mark;
}
