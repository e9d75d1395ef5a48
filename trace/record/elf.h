/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As much of an executable file as tells how it is started: what mpgtrace record looks at
 * before it runs a program. Files of another word size or byte order are of no known kind. */
#ifndef MPG_RECORD_ELF_H
#define MPG_RECORD_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_elf_kind {
    MPG_ELF_OTHER,  /* a script without #!, another machine's program */
    MPG_ELF_SCRIPT, /* begins with #! */
    MPG_ELF_STATIC, /* a program that no dynamic linker is asked for */
    MPG_ELF_DYNAMIC,
};

/* A file that is mapped into memory. */
struct mpg_elf {
    const uint8_t *bytes;
    size_t size;
    enum mpg_elf_kind kind;
    /* Of a dynamic program or a library; NULL and 0 for none: */
    const char *interpreter;
    const char *names; /* of libraries and symbols, each ended by a 0 */
    size_t names_size;
    size_t dynamic, dynamic_size; /* offset in the file and bytes of the dynamic section */
};

/* Maps PATH, a regular file. Sizes and offsets are checked against the file; what does not
 * hold is left out. On failure nothing is to be closed. */
int mpg_elf_open(struct mpg_elf *elf, const char *path, struct mpg_error *err);
void mpg_elf_close(struct mpg_elf *elf);

/* Whether NAME is among the names of its symbols, defined or not. */
bool mpg_elf_names(const struct mpg_elf *elf, const char *name);

/* The I-th library that it needs itself, from 0; NULL after the last. */
const char *mpg_elf_needed(const struct mpg_elf *elf, size_t i);

/* Whether it has TEXT anywhere. */
bool mpg_elf_holds(const struct mpg_elf *elf, const char *text);

/* The words after #!, the program and up to one argument, into PROGRAM and ARGUMENT of
 * PATH_MAX bytes each (empty: none); false if it has none. */
bool mpg_script_words(const struct mpg_elf *elf, char *program, char *argument);

#endif
