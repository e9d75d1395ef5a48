/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a module's file, and functions, files and lines in the file, by libdwfl of elfutils. */
#include "trace/stat/symbols_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mpg_dwarf {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwfl_Callbacks callbacks;
    char *debug_path; /* search path of libdwfl for separate files with debugging information */
};

/* Returns whether D's file has the build-id of M, the module in the trace. */
static bool is_same_build(const struct mpg_dwarf *d, const struct mpg_module *m)
{
    const unsigned char *bits;
    GElf_Addr where;
    int size = dwfl_module_build_id(d->module, &bits, &where);
    if (m->build_id_size == 0)
        return size <= 0;
    return size == (int)m->build_id_size && memcmp(bits, m->build_id, m->build_id_size) == 0;
}

/* Opens PATH if it is a regular file: opening a pipe would wait for a writer, and opening a device may have effects.
 * Returns the descriptor, or -1. */
static int open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool try_file(struct mpg_dwarf *d, const struct mpg_module *m, const char *path)
{
    int fd = open_regular(path);
    if (fd < 0)
        return false;
    d->dwfl = dwfl_begin(&d->callbacks);
    if (!d->dwfl) {
        close(fd);
        return false;
    }
    d->module = dwfl_report_offline(d->dwfl, "", path, fd);
    if (!d->module) /* on success, libdwfl closes FD later */
        close(fd);
    GElf_Addr bias;
    if (d->module && dwfl_report_end(d->dwfl, NULL, NULL) == 0 &&
        dwfl_module_getelf(d->module, &bias) && is_same_build(d, m))
        return true;
    dwfl_end(d->dwfl);
    d->dwfl = NULL;
    return false;
}

/* Tries the file ".build-id/ab/cdef.debug" below FOLDER. */
static bool try_build_id(struct mpg_dwarf *d, const struct mpg_module *m, const char *folder)
{
    char path[4400];
    int n = snprintf(path, sizeof path, "%s/.build-id/", folder);
    if (m->build_id_size < 2 || n < 0 || n >= 4200)
        return false;
    for (uint32_t i = 0; i < m->build_id_size; i++)
        n += snprintf(path + n, sizeof path - (size_t)n, i == 0 ? "%02x/" : "%02x",
                      m->build_id[i]);
    snprintf(path + n, sizeof path - (size_t)n, ".debug");
    return try_file(d, m, path);
}

static bool try_folder(struct mpg_dwarf *d, const struct mpg_module *m, const char *folder)
{
    char path[8400];
    const char *slash = strrchr(m->path, '/');
    snprintf(path, sizeof path, "%s/%s", folder, m->path);
    if (try_build_id(d, m, folder) || try_file(d, m, path))
        return true;
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : m->path);
    return try_file(d, m, path);
}

struct mpg_dwarf *mpg_dwarf_open(const struct mpg_module *m, const char *debug_path)
{
    static const char standard[] = ":.debug:/usr/lib/debug";
    struct mpg_dwarf *d = calloc(1, sizeof *d);
    size_t size = sizeof standard + 1 + (debug_path ? strlen(debug_path) : 0);
    if (!d || !(d->debug_path = malloc(size)))
        goto fail;
    snprintf(d->debug_path, size, "%s%s%s", standard, debug_path ? ":" : "",
             debug_path ? debug_path : "");
    d->callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = &d->debug_path};
    if ((debug_path && try_folder(d, m, debug_path)) || try_file(d, m, m->path) ||
        try_build_id(d, m, "/usr/lib/debug"))
        return d;
fail:
    mpg_dwarf_close(d);
    return NULL;
}

void mpg_dwarf_close(struct mpg_dwarf *d)
{
    if (!d)
        return;
    dwfl_end(d->dwfl);
    free(d->debug_path);
    free(d);
}

/* Returns the compilation unit of ADDRESS. Searches all units, since many compilers write no address index. */
static Dwarf_Die *find_unit(struct mpg_dwarf *d, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(d->module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(d->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

/* Returns the mangled name, with namespaces and argument types, if known; else the plain name. */
static const char *name_of(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(function);
}

static int number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0
               ? (int)value
               : 0;
}

/* Sets *SCOPES to the scopes (DWARF entries) that contain ADDRESS, innermost first; the caller frees the array. Returns the
 * number of scopes. The parent of an inlined function is the function that contains the inlined code, not the scope of the
 * definition. */
static int find_scopes(struct mpg_dwarf *d, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Addr bias;
    Dwarf_Die innermost, *around = NULL;
    int n = dwarf_getscopes(unit, address, &around);
    Dwarf *dwarf = dwfl_module_getdwarf(d->module, &bias);
    bool ok = n > 0 && dwarf_offdie(dwarf, dwarf_dieoffset(&around[0]), &innermost);
    free(around);
    return ok ? dwarf_getscopes_die(&innermost, scopes) : 0;
}

static bool look_up_dwarf(struct mpg_dwarf *d, Dwarf_Addr address,
                          void (*found)(void *, const char *, const char *, int, uint64_t), void *context)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = find_unit(d, address, &bias), *scopes = NULL;
    if (!unit)
        return false;
    Dwarf_Line *source = dwarf_getsrc_die(unit, address - bias);
    const char *file = source ? dwarf_linesrc(source, NULL, NULL) : NULL;
    int line = 0, n = find_scopes(d, unit, address - bias, &scopes);
    bool any = false;
    if (source && dwarf_lineno(source, &line) != 0)
        line = 0;
    Dwarf_Files *files = NULL;
    size_t file_number = 0;
    if (dwarf_getsrcfiles(unit, &files, &file_number) != 0)
        file_number = 0;
    for (int i = 0; i < n; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        const char *name = name_of(&scopes[i]);
        if (name) {
            found(context, name, file, line, 0);
            any = true;
        }
        if (tag == DW_TAG_subprogram)
            break;
        size_t index = (size_t)number_of(&scopes[i], DW_AT_call_file);
        file = index < file_number ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
        line = number_of(&scopes[i], DW_AT_call_line);
    }
    free(scopes);
    return any;
}

void mpg_dwarf_look_up(struct mpg_dwarf *d, uint64_t address,
                       void (*found)(void *context, const char *name, const char *file, int line, uint64_t offset),
                       void *context)
{
    GElf_Addr bias = 0;
    GElf_Off offset;
    GElf_Sym symbol;
    if (!dwfl_module_getelf(d->module, &bias) || look_up_dwarf(d, address + bias, found, context))
        return;
    const char *name = dwfl_module_addrinfo(d->module, address + bias, &offset, &symbol, NULL,
                                            NULL, NULL);
    /* Procedures of Fortran modules have line numbers, but dwarf_getscopes() does not find these procedures by address. */
    Dwfl_Line *source = dwfl_module_getsrc(d->module, address + bias);
    int line = 0;
    const char *file = source ? dwfl_lineinfo(source, NULL, &line, NULL, NULL, NULL) : NULL;
    if (name)
        found(context, name, file, line, file ? 0 : offset);
}
