/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loaded modules, from the dynamic linker's list (dl_iterate_phdr(3)). */
#define _GNU_SOURCE
#include "trace/pmpi/modules.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/pmpi/paths.h"
#include "trace/pmpi/unwind_rule.h"
#include "trace/store/chunk.h"

/* A loaded object (program or library), found by the dynamic linker for an address. */
struct object {
    const void *map; /* address of the linker's entry for the object (struct link_map); NULL: unknown */
    uintptr_t begin, frames; /* begin of the mapping, and address of the call frame information */
};

struct segment {
    uintptr_t low, high, bias;
    struct object object;
    struct module_unwinding unwinding;
    int32_t module;
    bool mpi; /* whether the module belongs to MPI */
};

static struct {
    pthread_mutex_t lock;
    struct module **modules;
    struct segment *segments; /* sorted by address */
    int32_t module_number;
    /* Number of segments; while a new list is made, the first OLD_SEGMENTS are from the last list. */
    size_t segment_number, old_segments;
    unsigned long long adds, subs; /* numbers of objects loaded and closed by the dynamic linker until the list was made */
    const void *address;           /* the last looked-up address */
    const struct segment *segment; /* the segment that contains ADDRESS */
} loaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Finds the object that holds the byte at ADDRESS. Returns false without an object. Takes no lock, and some ten ns.
 * dl_iterate_phdr(3) would take a microsecond, since it visits the entries of all modules to find the caller's namespace. */
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#define HAVE_FIND_OBJECT 1
static bool find_object(uintptr_t address, struct object *object)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *object = (struct object){found.dlfo_link_map, (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_eh_frame};
    return true;
}
#endif
#endif
#ifndef HAVE_FIND_OBJECT
#define HAVE_FIND_OBJECT 0
static bool find_object(uintptr_t address, struct object *object)
{
    (void)address;
    *object = (struct object){NULL, 0, 0};
    return true;
}
#endif

/* Returns the absolute path of the module NAME, allocated; NULL without memory. The program itself has no name in the list. */
static char *full_path(const char *name)
{
    char path[PATH_MAX];
    if (*name)
        return strdup(paths_real(name, path, sizeof path) ? path : name);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return strdup(path);
}

/* Returns true for libraries of MPI: names of Open MPI's, MPICH's and related libraries begin with one of these names. */
static bool is_mpi(const char *path)
{
    static const char *const names[] = {"libmpi.", "libmpi_", "libmpich", "libmpifort", "libmpicxx",
                                        "libpmpi", "libmpgtrace"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Reads the build-id from the notes at NOTE .. END, each aligned to ALIGN bytes. */
static void read_notes(struct module *m, const uint8_t *note, const uint8_t *end, size_t align)
{
    while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        const size_t mask = align - 1, left = (size_t)(end - note) - sizeof head;
        const size_t name = ((size_t)head.n_namesz + mask) & ~mask;
        const size_t text = ((size_t)head.n_descsz + mask) & ~mask;
        note += sizeof head;
        if (name > left || head.n_descsz > left - name)
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(note, "GNU", 4) == 0 &&
            head.n_descsz <= sizeof m->build_id) {
            m->build_id_size = head.n_descsz;
            memcpy(m->build_id, note + name, head.n_descsz);
            return;
        }
        if (text > left - name)
            return;
        note += name + text;
    }
}

/* Returns true if the notes of segment P are loaded. */
static bool in_memory(const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *q = &info->dlpi_phdr[i];
        if (q->p_type == PT_LOAD && p->p_vaddr >= q->p_vaddr &&
            p->p_vaddr + p->p_memsz <= q->p_vaddr + q->p_filesz)
            return true;
    }
    return false;
}

static struct module *make_module(const struct dl_phdr_info *info)
{
    struct module *m = calloc(1, sizeof *m);
    char *path = m ? full_path(info->dlpi_name) : NULL;
    if (!path) {
        free(m);
        return NULL;
    }
    m->path = path;
    m->mpi = is_mpi(path);
    for (size_t i = 0; i < info->dlpi_phnum && m->build_id_size == 0; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE && in_memory(info, p)) {
            const uint8_t *notes = (const uint8_t *)(info->dlpi_addr + p->p_vaddr);
            read_notes(m, notes, notes + p->p_memsz, p->p_align == 8 ? 8 : 4);
        }
    }
    return m;
}

/* Makes PATH fit for a trace: one line of at most MPG_TRACE_MAX_TEXT bytes. Folder names may contain line ends. */
static void clean(char *path)
{
    for (char *p = path; *p; p++)
        if (*p == '\n')
            *p = '?';
    if (strlen(path) > MPG_TRACE_MAX_TEXT)
        path[MPG_TRACE_MAX_TEXT] = '\0';
}

/* Returns the number of module M: an equal module's number in the list, or a new number. The list takes over M. -1: M is NULL, or
 * no memory. */
static int32_t intern(struct module *m)
{
    if (!m)
        return -1;
    clean((char *)m->path);
    int32_t i = 0;
    while (i < loaded.module_number &&
           (strcmp(loaded.modules[i]->path, m->path) != 0 ||
            loaded.modules[i]->build_id_size != m->build_id_size ||
            memcmp(loaded.modules[i]->build_id, m->build_id, m->build_id_size) != 0))
        i++;
    struct module **grown = loaded.modules;
    if (i == loaded.module_number)
        grown = realloc(loaded.modules, ((size_t)i + 1) * sizeof *grown);
    if (grown)
        loaded.modules = grown;
    if (!grown || i < loaded.module_number) {
        free((char *)m->path);
        free(m);
        return grown ? i : -1;
    }
    loaded.modules[loaded.module_number++] = m;
    return i;
}

static const struct segment *find(const struct segment *segments, size_t number, uintptr_t address)
{
    size_t first = 0, end = number; /* binary search for the first segment above ADDRESS */
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (segments[middle].low <= address)
            first = middle + 1;
        else
            end = middle;
    }
    return first > 0 && address < segments[first - 1].high ? &segments[first - 1] : NULL;
}

bool modules_bounds(const struct dl_phdr_info *module, uintptr_t address, uintptr_t *low, uintptr_t *high)
{
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &module->dlpi_phdr[i];
        const uintptr_t begin = module->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && address >= begin && address - begin < p->p_filesz) {
            *low = begin;
            *high = begin + p->p_filesz;
            return true;
        }
    }
    return false;
}

static struct module_unwinding unwinding_of(const struct dl_phdr_info *info)
{
    struct module_unwinding u = {.table = 0};
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            u.table = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    return modules_bounds(info, u.table, &u.low, &u.high) ? u : (struct module_unwinding){.table = 0};
}

/* Returns whether INFO's module names a library of MPI among the needed libraries. */
static bool needs_mpi(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t names = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) /* glibc has converted most of these offsets to addresses */
            names = d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + d->d_un.d_ptr : d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = dynamic; names && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_mpi((const char *)(names + d->d_un.d_val)))
            return true;
    return false;
}

/* Makes the pages of the call frame information of INFO's module present, if the module is the program or calls MPI. */
static int prepare(struct dl_phdr_info *info, size_t size, void *data)
{
#ifdef MADV_POPULATE_READ
    enum { MAX_BYTES = 16 << 20 };
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const struct module_unwinding u = unwinding_of(info);
    uintptr_t low, high;
    if ((info->dlpi_name[0] && !needs_mpi(info)) || !unwind_rule_extent(&u, &low, &high))
        return 0;
    low &= ~(page - 1);
    if (high - low <= MAX_BYTES)
        (void)madvise((void *)low, high - low, MADV_POPULATE_READ);
#endif
    (void)info, (void)size, (void)data;
    return 0;
}

void modules_prepare(void)
{
    dl_iterate_phdr(prepare, NULL);
}

static int add(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const struct module_unwinding unwinding = unwinding_of(info);
    /* Objects were closed, and another object may be at an address in the old list. */
    const bool closed = info->dlpi_subs != loaded.subs;
    int32_t module = -1;
    bool mpi = false;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        const uintptr_t low = info->dlpi_addr + p->p_vaddr;
        const struct segment *old = closed ? NULL : find(loaded.segments, loaded.old_segments, low);
        struct object object;
        if (module < 0) {
            module = old ? old->module : intern(make_module(info));
            mpi = module >= 0 && loaded.modules[module]->mpi;
        }
        struct segment *grown = module < 0 ? NULL : realloc(loaded.segments, (loaded.segment_number + 1) * sizeof *grown);
        if (!grown)
            return 1;
        loaded.segments = grown;
        if (!find_object(low, &object))
            object.map = NULL;
        grown[loaded.segment_number++] = (struct segment){.low = low,
                                                          .high = low + p->p_memsz,
                                                          .bias = info->dlpi_addr,
                                                          .object = object,
                                                          .unwinding = unwinding,
                                                          .module = module,
                                                          .mpi = mpi};
    }
    return 0;
}

/* An insertion sort, because qsort(3) would allocate. NUMBER is some hundred segments at most. */
static void sort(struct segment *segments, size_t number)
{
    for (size_t i = 1; i < number; i++) {
        const struct segment s = segments[i];
        size_t j = i;
        for (; j > 0 && segments[j - 1].low > s.low; j--)
            segments[j] = segments[j - 1];
        segments[j] = s;
    }
}

static int changed(struct dl_phdr_info *info, size_t size, void *data)
{
    unsigned long long *now = data;
    (void)size;
    now[0] = info->dlpi_adds;
    now[1] = info->dlpi_subs;
    return info->dlpi_adds != loaded.adds || info->dlpi_subs != loaded.subs ? 1 : 2;
}

/* Makes a new list of segments if libraries were loaded or closed. add() appends the new segments to the old segments, which are
 * removed at the end. */
static void refresh(void)
{
    unsigned long long now[2];
    if (dl_iterate_phdr(changed, now) != 1)
        return;
    loaded.old_segments = loaded.segment_number;
    dl_iterate_phdr(add, NULL);
    loaded.segment_number -= loaded.old_segments;
    if (loaded.old_segments > 0)
        memmove(loaded.segments, loaded.segments + loaded.old_segments, loaded.segment_number * sizeof *loaded.segments);
    sort(loaded.segments, loaded.segment_number);
    loaded.adds = now[0];
    loaded.subs = now[1];
}

/* Returns true if S, the listed segment around an address, belongs to NOW, the current object at the address. An object loaded in
 * place of a closed object is mistaken for the closed object only if both have the same entry in the linker's list, the same
 * begin and the same address of the call frame information. */
static bool is_current(const struct segment *s, const struct object *now)
{
    return HAVE_FIND_OBJECT && s && s->object.map == now->map && s->object.begin == now->begin &&
           s->object.frames == now->frames;
}

/* Returns the segment of the call before the return address ADDRESS, which may be unmapped by now; NULL: none. */
static const struct segment *segment_locked(const void *address)
{
    const uintptr_t call = (uintptr_t)address - 1;
    struct object now;
    const struct segment *s = NULL;
    if (find_object(call, &now)) {
        s = find(loaded.segments, loaded.segment_number, call);
        if (!is_current(s, &now)) {
            refresh();
            s = find(loaded.segments, loaded.segment_number, call);
        }
    }
    loaded.address = address;
    loaded.segment = s;
    return s;
}

struct mpg_frame modules_frame(const void *address, bool *mpi)
{
    pthread_mutex_lock(&loaded.lock);
    const struct segment *s = segment_locked(address);
    if (mpi)
        *mpi = s && s->mpi;
    struct mpg_frame frame = {.module = s ? s->module : -1,
                              .offset = s ? (uintptr_t)address - s->bias : 0};
    pthread_mutex_unlock(&loaded.lock);
    return frame;
}

bool modules_unwinding(const void *address, struct module_unwinding *unwinding)
{
    pthread_mutex_lock(&loaded.lock);
    const struct segment *s = loaded.address == address ? loaded.segment : segment_locked(address);
    if (s)
        *unwinding = s->unwinding;
    pthread_mutex_unlock(&loaded.lock);
    return s;
}

int32_t modules_named(const char *path)
{
    struct module *m = calloc(1, sizeof *m);
    if (m && !(m->path = strdup(path))) {
        free(m);
        m = NULL;
    }
    pthread_mutex_lock(&loaded.lock);
    const int32_t number = intern(m);
    pthread_mutex_unlock(&loaded.lock);
    return number;
}

const struct module *modules_get(int32_t number)
{
    pthread_mutex_lock(&loaded.lock);
    const struct module *m = loaded.modules[number];
    pthread_mutex_unlock(&loaded.lock);
    return m;
}
