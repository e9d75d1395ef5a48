/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the functions and source lines of code addresses. Each address is looked up only once. */
#include "config.h"

#include "trace/stat/symbols.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "trace/python_place.h"
#include "trace/stat/symbols_dwarf.h"

/* The functions and lines at one address; several if functions are inlined. */
struct found {
    struct mpg_symbol *places;
    int number;
    bool failed; /* out of memory: the list is incomplete */
    const char *module;
    struct mpg_symbols *symbols;
};

struct module {
    const struct mpg_module *module;
    struct mpg_dwarf *dwarf;
};

struct mpg_symbols {
    char *debug_path;
    struct mpg_map modules; /* address of a struct mpg_module -> 1 + index in MODULE */
    struct module *module;
    size_t module_number;
    struct mpg_map known; /* (address of a struct mpg_module, offset) -> 1 + index in FOUND */
    struct found *found;
    size_t found_number;
    void *cxx; /* handle of the C++ library, for the demangler */
    char *(*demangle)(const char *, char *, size_t *, int *);
};

struct mpg_symbols *mpg_symbols_new(const char *debug_path, struct mpg_error *err)
{
    struct mpg_symbols *s = calloc(1, sizeof *s);
    if (!s || (debug_path && !(s->debug_path = strdup(debug_path)))) {
        free(s);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    /* Loaded at run time: only traces of C++ programs need the C++ library, and machines that run C++ programs have this
     * library. */
    s->cxx = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (s->cxx)
        s->demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(s->cxx,
                                                                             "__cxa_demangle");
    return s;
}

void mpg_symbols_free(struct mpg_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->found_number; i++) {
        for (int j = 0; j < s->found[i].number; j++) {
            free((char *)s->found[i].places[j].function);
            free((char *)s->found[i].places[j].file);
        }
        free(s->found[i].places);
    }
#ifdef HAVE_DW
    for (size_t i = 0; i < s->module_number; i++)
        mpg_dwarf_close(s->module[i].dwarf);
#endif
    free(s->found);
    free(s->module);
    free(s->debug_path);
    mpg_map_clear(&s->modules);
    mpg_map_clear(&s->known);
    if (s->cxx)
        dlclose(s->cxx);
    free(s);
}

/* Cuts "(int, char) const" off the name of a C++ function, without the parentheses of operator(). */
static void cut_arguments(char *name)
{
    char *end = strrchr(name, ')');
    int depth = 0;
    for (char *p = end; p && p > name; p--) {
        depth += *p == ')';
        depth -= *p == '(';
        if (depth == 0) {
            *p = '\0';
            break;
        }
    }
}

/* Returns NAME as written in the source: demangles C++ names and procedures of gfortran modules. */
static char *readable(const struct mpg_symbols *s, const char *name)
{
    int status = -1;
    if (s->demangle && strncmp(name, "_Z", 2) == 0) {
        char *demangled = s->demangle(name, NULL, NULL, &status);
        if (demangled && status == 0) {
            cut_arguments(demangled);
            return demangled;
        }
        free(demangled);
    }
    const char *procedure = strstr(name, "_MOD_");
    if (strncmp(name, "__", 2) == 0 && procedure && procedure > name + 2) {
        char *joined = malloc(strlen(name) + 1);
        if (joined)
            sprintf(joined, "%.*s::%s", (int)(procedure - name - 2), name + 2, procedure + 5);
        return joined;
    }
    return strdup(name);
}

static void add_place(void *context, const char *name, const char *file, int line, uint64_t offset)
{
    struct found *f = context;
    struct mpg_symbol *grown = realloc(f->places, (size_t)(f->number + 1) * sizeof *grown);
    if (grown)
        f->places = grown;
    char *function = grown ? readable(f->symbols, name) : NULL;
    char *copy = file && function ? strdup(file) : NULL;
    if (!function || (file && !copy)) {
        free(function);
        f->failed = true;
        return;
    }
    f->places[f->number++] = (struct mpg_symbol){function, copy, line, offset ? offset + 1 : 0, f->module};
}

/* Returns the entry of M, whose file is opened on first use; NULL: out of memory. */
static struct module *find_module(struct mpg_symbols *s, const struct mpg_module *m)
{
    uint64_t *place = mpg_map_add(&s->modules, (uint64_t)(uintptr_t)m, 0);
    if (place && *place)
        return &s->module[*place - 1];
    struct module *grown = realloc(s->module, (s->module_number + 1) * sizeof *grown);
    if (grown)
        s->module = grown;
    if (!place || !grown)
        return NULL;
    grown[s->module_number] = (struct module){.module = m};
#ifdef HAVE_DW
    grown[s->module_number].dwarf = mpg_dwarf_open(m, s->debug_path);
#endif
    *place = ++s->module_number;
    return &grown[*place - 1];
}

static struct found *add_found(struct mpg_symbols *s)
{
    struct found *grown = realloc(s->found, (s->found_number + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    s->found = grown;
    grown[s->found_number] = (struct found){.symbols = s, .module = "?"};
    return &grown[s->found_number++];
}

/* Adds the line LINE of M, a Python function; M's path contains the names of function and file. */
static void add_python(struct found *f, const struct mpg_module *m, uint64_t line)
{
    const char *file = mpg_python_file(m->path), *slash = strrchr(file, '/');
    const char *function = mpg_python_function(m->path);
    char name[4200];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(function, ":"), function);
    f->module = slash ? slash + 1 : file;
    add_place(f, name, file, line > INT_MAX ? 0 : (int)line, 0);
}

static void look_up(struct mpg_symbols *s, struct found *f, const struct mpg_module *m,
                    uint64_t offset)
{
    if (m && mpg_is_python(m->path)) {
        add_python(f, m, offset);
        return;
    }
    struct module *module = m ? find_module(s, m) : NULL;
    if (m && !module) {
        f->failed = true;
        return;
    }
    if (m) {
        const char *slash = strrchr(m->path, '/');
        f->module = slash ? slash + 1 : m->path;
    }
#ifdef HAVE_DW
    /* The return address may belong to the next line: look up the byte before. */
    if (module && module->dwarf && offset > 0)
        mpg_dwarf_look_up(module->dwarf, offset - 1, add_place, f);
#endif
    if (f->number == 0 && !f->failed) {
        char name[4200];
        snprintf(name, sizeof name, "%s+0x%" PRIx64, f->module, offset);
        add_place(f, name, NULL, 0, 0);
    }
}

int mpg_symbols_look_up(struct mpg_symbols *s, const struct mpg_module *m, uint64_t offset,
                        const struct mpg_symbol **places, struct mpg_error *err)
{
    uint64_t *known = mpg_map_add(&s->known, (uint64_t)(uintptr_t)m, offset);
    struct found *f = known && *known ? &s->found[*known - 1] : NULL;
    if (known && !f && (f = add_found(s))) {
        *known = s->found_number;
        look_up(s, f, m, offset);
    }
    if (!f || f->failed)
        return mpg_error_set(err, "out of memory");
    *places = f->places;
    return f->number;
}
