/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads executable files. Source: System V ABI, chapters 4 and 5. */
#define _GNU_SOURCE
#include "trace/record/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __ELF_NATIVE_CLASS == 64
enum { OUR_CLASS = ELFCLASS64 };
#else
enum { OUR_CLASS = ELFCLASS32 };
#endif
#if __BYTE_ORDER == __LITTLE_ENDIAN
enum { OUR_ORDER = ELFDATA2LSB };
#else
enum { OUR_ORDER = ELFDATA2MSB };
#endif

static bool is_within(const struct mpg_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

/* Copies the I-th program header into SEGMENT. Uses memcpy(), because headers in a file may be unaligned. */
static bool read_segment(const struct mpg_elf *elf, const ElfW(Ehdr) * head, unsigned i,
                         ElfW(Phdr) * segment)
{
    const uint64_t at = head->e_phoff + (uint64_t)i * sizeof *segment;
    if (head->e_phoff > elf->size || !is_within(elf, at, sizeof *segment))
        return false;
    memcpy(segment, elf->bytes + at, sizeof *segment);
    return true;
}

/* Returns the offset in the file of the byte loaded at ADDRESS; SIZE_MAX: not from the file. */
static size_t file_offset(const struct mpg_elf *elf, const ElfW(Ehdr) * head, uint64_t address)
{
    ElfW(Phdr) s;
    for (unsigned i = 0; i < head->e_phnum && read_segment(elf, head, i, &s); i++)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
            return s.p_offset + (address - s.p_vaddr);
    return SIZE_MAX;
}

static bool read_entry(const struct mpg_elf *elf, size_t i, ElfW(Dyn) * entry)
{
    if (i >= elf->dynamic_size / sizeof *entry)
        return false;
    memcpy(entry, elf->bytes + elf->dynamic + i * sizeof *entry, sizeof *entry);
    return entry->d_tag != DT_NULL;
}

static void find_names(struct mpg_elf *elf, const ElfW(Ehdr) * head)
{
    ElfW(Dyn) entry;
    size_t offset = SIZE_MAX, size = 0;
    for (size_t i = 0; read_entry(elf, i, &entry); i++) {
        if (entry.d_tag == DT_STRTAB)
            offset = file_offset(elf, head, entry.d_un.d_ptr);
        if (entry.d_tag == DT_STRSZ)
            size = entry.d_un.d_val;
    }
    if (size == 0 || !is_within(elf, offset, size) || elf->bytes[offset + size - 1] != '\0')
        return;
    elf->names = (const char *)elf->bytes + offset;
    elf->names_size = size;
}

static void look_at(struct mpg_elf *elf)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) s;
    if (elf->size > 2 && memcmp(elf->bytes, "#!", 2) == 0)
        elf->kind = MPG_ELF_SCRIPT;
    if (elf->size < sizeof head || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0)
        return;
    memcpy(&head, elf->bytes, sizeof head);
    if (head.e_ident[EI_CLASS] != OUR_CLASS || head.e_ident[EI_DATA] != OUR_ORDER ||
        head.e_phentsize != sizeof s)
        return;
    for (unsigned i = 0; i < head.e_phnum && read_segment(elf, &head, i, &s); i++) {
        if (!is_within(elf, s.p_offset, s.p_filesz) || s.p_filesz == 0)
            continue;
        if (s.p_type == PT_INTERP && elf->bytes[s.p_offset + s.p_filesz - 1] == '\0')
            elf->interpreter = (const char *)elf->bytes + s.p_offset;
        if (s.p_type == PT_DYNAMIC) {
            elf->dynamic = s.p_offset;
            elf->dynamic_size = s.p_filesz;
        }
    }
    if (elf->dynamic_size > 0)
        find_names(elf, &head);
    elf->kind = elf->interpreter ? MPG_ELF_DYNAMIC : MPG_ELF_STATIC;
}

int mpg_elf_open(struct mpg_elf *elf, const char *path, struct mpg_error *err)
{
    struct stat st;
    *elf = (struct mpg_elf){.kind = MPG_ELF_OTHER};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return mpg_error_errno(err, errno, "%s", path);
    void *bytes = MAP_FAILED;
    int failed = fstat(fd, &st) < 0 ? errno : S_ISREG(st.st_mode) ? 0 : ENOEXEC;
    if (!failed && st.st_size > 0) {
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        failed = bytes == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (failed)
        return mpg_error_errno(err, failed, "%s", path);
    if (st.st_size > 0) {
        elf->bytes = bytes;
        elf->size = (size_t)st.st_size;
        look_at(elf);
    }
    return 0;
}

void mpg_elf_close(struct mpg_elf *elf)
{
    if (elf->bytes)
        munmap((void *)elf->bytes, elf->size);
    *elf = (struct mpg_elf){.kind = MPG_ELF_OTHER};
}

bool mpg_elf_names(const struct mpg_elf *elf, const char *name)
{
    if (!elf->names)
        return false;
    const size_t length = strlen(name) + 1;
    const char *p = elf->names, *end = p + elf->names_size;
    while ((p = memmem(p, (size_t)(end - p), name, length)) != NULL) {
        if (p > elf->names && p[-1] == '\0')
            return true;
        p++;
    }
    return false;
}

/* Returns the I-th name with TAG in the dynamic section, or NULL. */
static const char *find_name(const struct mpg_elf *elf, int64_t tag, size_t i)
{
    ElfW(Dyn) entry;
    for (size_t k = 0; elf->names && read_entry(elf, k, &entry); k++)
        if (entry.d_tag == tag && entry.d_un.d_val < elf->names_size && i-- == 0)
            return elf->names + entry.d_un.d_val;
    return NULL;
}

const char *mpg_elf_needed(const struct mpg_elf *elf, size_t i)
{
    return find_name(elf, DT_NEEDED, i);
}

const char *mpg_elf_soname(const struct mpg_elf *elf)
{
    return find_name(elf, DT_SONAME, 0);
}

bool mpg_elf_holds(const struct mpg_elf *elf, const char *text)
{
    return elf->bytes && memmem(elf->bytes, elf->size, text, strlen(text)) != NULL;
}

bool mpg_script_words(const struct mpg_elf *elf, char *program, char *argument)
{
    char line[PATH_MAX];
    program[0] = argument[0] = '\0';
    if (elf->kind != MPG_ELF_SCRIPT)
        return false;
    size_t n = elf->size - 2 < sizeof line - 1 ? elf->size - 2 : sizeof line - 1;
    memcpy(line, elf->bytes + 2, n);
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *p = line + strspn(line, " \t"), *end = p + strcspn(p, " \t");
    memcpy(program, p, (size_t)(end - p));
    program[end - p] = '\0';
    p = end + strspn(end, " \t");
    for (n = strlen(p); n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t'); n--) {
    }
    memcpy(argument, p, n);
    argument[n] = '\0';
    return program[0] != '\0';
}
