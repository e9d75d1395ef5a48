/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of return addresses (TAP): functions, files and lines of this program, also inlined ones, and the message
 * for a file that differs from the traced one. */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/stat/symbols.h"

static uintptr_t bias;
static struct mpg_module self;
static char path[4096];

/* Gets the program's own load bias and build id. */
static int find_self(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *p = (const char *)info->dlpi_addr + segment->p_vaddr;
        const char *end = p + segment->p_memsz;
        while (segment->p_type == PT_NOTE && p + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)p;
            const char *name = p + sizeof *note;
            const char *data = name + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && strcmp(name, "GNU") == 0 &&
                note->n_descsz <= sizeof self.build_id) {
                self.build_id_size = note->n_descsz;
                memcpy(self.build_id, data, note->n_descsz);
            }
            p = data + ((note->n_descsz + 3) & ~3u);
        }
    }
    return 1; /* stops at the first object, the program */
}

__attribute__((noinline)) static uintptr_t here(void)
{
    return (uintptr_t)__builtin_return_address(0);
}

static int line_inside;

__attribute__((always_inline)) static inline uintptr_t inside(void)
{
    line_inside = __LINE__ + 1;
    return here();
}

__attribute__((noinline)) static uintptr_t around(int *line)
{
    *line = __LINE__ + 1;
    uintptr_t address = inside();
    *line += address == 0; /* prevents a tail call, so that the return address lies in this function */
    return address;
}

static bool is_place(const struct mpg_symbol *s, const char *function, int line)
{
    const char *slash = s->file ? strrchr(s->file, '/') : NULL;
    if (strcmp(s->function, function) == 0 && s->line == line && s->file &&
        strcmp(slash ? slash + 1 : s->file, "test-symbols.c") == 0)
        return true;
    printf("# got %s (%s:%d), expected %s (line %d)\n", s->function, s->file ? s->file : "?",
           s->line, function, line);
    return false;
}

/* Looks up OFFSET in MODULE, which is this program, under any name and with any build id. */
static int look_up(const char *debug_path, const struct mpg_module *module, uint64_t offset,
                   struct mpg_symbols **symbols, const struct mpg_symbol **places)
{
    struct mpg_error err;
    *symbols = mpg_symbols_new(debug_path, &err);
    return *symbols ? mpg_symbols_look_up(*symbols, module, offset, places, &err) : -1;
}

static void test_names(void)
{
    int line = 0;
    uint64_t offset = around(&line) - bias;
    struct mpg_symbols *s;
    const struct mpg_symbol *places = NULL, *again = NULL;
    int n = look_up(NULL, &self, offset, &s, &places);
    ok(n == 2, "the inlined function and the one around it");
    ok(n == 2 && is_place(&places[0], "inside", line_inside), "the inlined one is the first");
    ok(n == 2 && is_place(&places[1], "around", line), "the other says where it was inlined");
    ok(n > 0 && strcmp(places[0].module, "test-symbols") == 0, "and both in which module");
    ok(mpg_symbols_look_up(s, &self, offset, &again, NULL) == n && again == places,
       "asked again, the same is told");
    mpg_symbols_free(s);
}

static void test_unknown(void)
{
    int line;
    uint64_t offset = around(&line) - bias;
    char expected[64], folder[] = "/tmp/test-symbols.XXXXXX", name[128];
    struct mpg_symbols *s;
    const struct mpg_symbol *places = NULL;
    snprintf(expected, sizeof expected, "test-symbols+0x%llx", (unsigned long long)offset);

    struct mpg_module other = self;
    other.build_id[0] ^= 1;
    int n = look_up(NULL, &other, offset, &s, &places);
    ok(n == 1 && strcmp(places[0].function, expected) == 0 && !places[0].file,
       "a file with another build-id says nothing");
    mpg_symbols_free(s);

    struct mpg_module moved = self;
    moved.path = (char[]){"/nowhere/test-symbols"};
    n = look_up(NULL, &moved, offset, &s, &places);
    ok(n == 1 && strcmp(places[0].function, expected) == 0, "nor does one that is not there");
    mpg_symbols_free(s);

    ok(mkdtemp(folder) && snprintf(name, sizeof name, "%s/test-symbols", folder) > 0 &&
           symlink(path, name) == 0,
       "a folder with the module");
    n = look_up(folder, &moved, offset, &s, &places);
    ok(n == 2 && is_place(&places[0], "inside", line_inside), "where the debug path leads to it");
    mpg_symbols_free(s);
    unlink(name);

    char byte[128], id[256];
    snprintf(byte, sizeof byte, "%s/.build-id", folder);
    mkdir(byte, 0777);
    snprintf(byte, sizeof byte, "%s/.build-id/%02x", folder, self.build_id[0]);
    mkdir(byte, 0777);
    int length = snprintf(id, sizeof id, "%s/", byte);
    for (uint32_t i = 1; i < self.build_id_size; i++)
        length += snprintf(id + length, sizeof id - (size_t)length, "%02x", self.build_id[i]);
    snprintf(id + length, sizeof id - (size_t)length, ".debug");
    ok(symlink(path, id) == 0, "a folder with the module by its build-id");
    n = look_up(folder, &moved, offset, &s, &places);
    ok(n == 2 && is_place(&places[1], "around", line), "that leads to it, too");
    mpg_symbols_free(s);
    unlink(id);
    rmdir(byte);
    snprintf(byte, sizeof byte, "%s/.build-id", folder);
    rmdir(byte);
    rmdir(folder);

    n = look_up(NULL, NULL, 0x1234, &s, &places);
    ok(n == 1 && strcmp(places[0].function, "?+0x1234") == 0, "no module at all");
    mpg_symbols_free(s);
}

int main(void)
{
#ifndef HAVE_DW
    printf("1..0 # SKIP built without libdw\n");
    return 0;
#endif
    dl_iterate_phdr(find_self, NULL);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || self.build_id_size < 2) {
        printf("1..0 # SKIP no build-id in this program\n");
        return 0;
    }
    self.path = path;
    test_names();
    test_unknown();
    return done();
}
