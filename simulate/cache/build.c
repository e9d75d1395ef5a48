/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "config.h"

#include "simulate/cache/build.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ID = 64 };

struct id {
    size_t size;
    const uint8_t *bytes;
};

/* Finds the build id among the notes from NOTE to END. */
static struct id find_id(const uint8_t *note, const uint8_t *end)
{
    while ((size_t)(end - note) > sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        const size_t name = (head.n_namesz + 3u) & ~(size_t)3, text = (head.n_descsz + 3u) & ~(size_t)3;
        const uint8_t *at = note + sizeof head;
        if (name + text > (size_t)(end - at))
            break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(at, "GNU", 4) == 0)
            return (struct id){head.n_descsz, at + name};
        note = at + name + text;
    }
    return (struct id){0, NULL};
}

/* Callback: takes the build id of the first object, the program. */
static int take_program(struct dl_phdr_info *info, size_t size, void *id)
{
    struct id found = {0, NULL};
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !found.bytes; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uint8_t *notes = (const uint8_t *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE)
            found = find_id(notes, notes + part->p_memsz);
    }
    *(struct id *)id = found;
    return 1;
}

size_t mpg_build_text(char *text)
{
    struct id id = {0, NULL};
    int used = snprintf(text, MPG_BUILD_BYTES, "%.20s", PACKAGE_VERSION);
    (void)dl_iterate_phdr(take_program, &id);
    for (size_t i = 0; i < id.size && i < MAX_ID; i++)
        used += snprintf(text + used, MPG_BUILD_BYTES - (size_t)used, "%s%02x", i ? "" : " ", id.bytes[i]);
    return (size_t)used;
}
