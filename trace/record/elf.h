/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an executable file that determine how the kernel starts the file, read by mpgtrace record before running a
 * program. Files of a foreign word size or byte order have kind MPG_ELF_OTHER. */
#ifndef MPG_RECORD_ELF_H
#define MPG_RECORD_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum mpg_elf_kind {
    MPG_ELF_OTHER,  /* for example a script without #!, or a program for another machine */
    MPG_ELF_SCRIPT, /* begins with #! */
    MPG_ELF_STATIC, /* a program without dynamic linker */
    MPG_ELF_DYNAMIC,
};

/* A file mapped into memory. */
struct mpg_elf {
    const uint8_t *bytes;
    size_t size;
    enum mpg_elf_kind kind;
    /* NULL and 0 unless the file is a dynamic program or a library: */
    const char *interpreter;
    const char *names; /* names of libraries and symbols, each with a trailing 0 byte */
    size_t names_size;
    size_t dynamic, dynamic_size; /* offset in the file and size of the dynamic section, bytes */
};

/* Maps PATH, a regular file. Checks sizes and offsets against the file and leaves invalid fields empty. After a failure ELF
 * must not be closed. */
int mpg_elf_open(struct mpg_elf *elf, const char *path, struct mpg_error *err);
void mpg_elf_close(struct mpg_elf *elf);

/* Returns whether a dynamic symbol, defined or undefined, or a needed library of the file is named NAME. */
bool mpg_elf_names(const struct mpg_elf *elf, const char *name);

/* Returns the I-th directly needed library, from 0; NULL after the last. */
const char *mpg_elf_needed(const struct mpg_elf *elf, size_t i);

/* Returns the library's own name (SONAME); NULL: none. */
const char *mpg_elf_soname(const struct mpg_elf *elf);

/* Returns whether the bytes of TEXT occur anywhere in the file. */
bool mpg_elf_holds(const struct mpg_elf *elf, const char *text);

/* Copies the words after #! to PROGRAM and ARGUMENT (PATH_MAX bytes each; empty: none). Returns false without words after #!. */
bool mpg_script_words(const struct mpg_elf *elf, char *program, char *argument);

#endif
