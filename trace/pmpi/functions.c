/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the function of an address in the full symbol table of the module's file, which includes static functions: dladdr(3)
 * finds exported names only. */
#include "trace/pmpi/functions.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/modules.h"

enum { MAX_NAME = 448 }; /* bytes; longer names are cut */

struct image {
    const char *bytes;
    size_t size;
};

/* Returns whether COUNT items of BYTES bytes from OFFSET on are within IMAGE. */
static bool holds(const struct image *image, uint64_t offset, uint64_t count, uint64_t bytes)
{
    return offset <= image->size && (count == 0 || bytes <= (image->size - offset) / count);
}

/* Returns the section headers of IMAGE, a file of this machine's word size; *NUMBER: number of headers; NULL: none. */
static const ElfW(Shdr) *sections(const struct image *image, size_t *number)
{
    const ElfW(Ehdr) *head = (const void *)image->bytes;
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (image->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != class ||
        head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff % _Alignof(ElfW(Shdr)) != 0 ||
        !holds(image, head->e_shoff, head->e_shnum, sizeof(ElfW(Shdr))))
        return NULL;
    *number = head->e_shnum;
    return (const void *)(image->bytes + head->e_shoff);
}

/* Writes SYMBOL of LENGTH bytes into NAME of SIZE bytes: a C++ function that is in no template and no operator as space::solve,
 * without its arguments (Itanium C++ ABI, 5.1.2: _ZN5space5solveEi), other symbols as they are. The C++ library's demangler would
 * use the program's heap. */
static void write_name(const char *symbol, size_t length, char *name, size_t size)
{
    const char *p = symbol + 2, *const end = symbol + length;
    const bool is_cxx = length > 2 && symbol[0] == '_' && symbol[1] == 'Z', is_nested = is_cxx && p < end && *p == 'N';
    size_t n = 0;
    p += is_nested;
    while (is_cxx && p < end && *p >= '1' && *p <= '9' && (is_nested || n == 0)) {
        size_t part = 0;
        while (p < end && *p >= '0' && *p <= '9' && part < length)
            part = 10 * part + (size_t)(*p++ - '0');
        if (part > (size_t)(end - p) || n + part + 2 >= size)
            break;
        n += (size_t)snprintf(name + n, size - n, "%s%.*s", n > 0 ? "::" : "", (int)part, p);
        p += part;
    }
    const bool is_whole = is_nested ? p < end && *p == 'E' : p < end && *p != 'I';
    if (n == 0 || !is_whole)
        snprintf(name, size, "%.*s", (int)length, symbol);
}

/* Writes function and offset of ADDRESS, an address in the file, by the symbol table TABLE of IMAGE with the names NAMES. Returns
 * false if no function contains ADDRESS. */
static bool find_in(const struct image *image, const ElfW(Shdr) *table, const ElfW(Shdr) *names, uintptr_t address, char *text,
                    size_t size)
{
    const size_t number = table->sh_size / sizeof(ElfW(Sym));
    if (table->sh_offset % _Alignof(ElfW(Sym)) != 0 || !holds(image, table->sh_offset, number, sizeof(ElfW(Sym))) ||
        !holds(image, names->sh_offset, names->sh_size, 1))
        return false;
    const ElfW(Sym) *symbol = (const void *)(image->bytes + table->sh_offset);
    for (size_t i = 0; i < number; i++) {
        const char *name = image->bytes + names->sh_offset + symbol[i].st_name;
        if ((symbol[i].st_info & 0xf) != STT_FUNC || symbol[i].st_name >= names->sh_size || address < symbol[i].st_value ||
            address - symbol[i].st_value >= symbol[i].st_size)
            continue;
        const size_t room = names->sh_size - symbol[i].st_name, length = strnlen(name, room);
        if (length == 0 || length == room)
            return false;
        char function[MAX_NAME];
        write_name(name, length, function, sizeof function);
        snprintf(text, size, "%s+0x%lx", function, (unsigned long)(address - symbol[i].st_value));
        return true;
    }
    return false;
}

static bool find(const struct image *image, uintptr_t address, char *text, size_t size)
{
    size_t number = 0;
    const ElfW(Shdr) *section = sections(image, &number);
    for (size_t i = 0; section && i < number; i++)
        if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < number &&
            find_in(image, &section[i], &section[section[i].sh_link], address, text, size))
            return true;
    return false;
}

void functions_place(const void *address, char *text, size_t size)
{
    const struct mpg_frame frame = modules_frame(address, NULL);
    if (frame.module < 0) {
        snprintf(text, size, "0x%lx", (unsigned long)(uintptr_t)address);
        return;
    }
    const char *path = modules_get(frame.module)->path, *slash = strrchr(path, '/');
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool found = false;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            const struct image image = {bytes, (size_t)st.st_size};
            found = find(&image, (uintptr_t)frame.offset, text, size);
            munmap(bytes, image.size);
        }
    }
    if (fd >= 0)
        close(fd);
    if (!found)
        snprintf(text, size, "%s+0x%lx", slash ? slash + 1 : path, (unsigned long)frame.offset);
}
