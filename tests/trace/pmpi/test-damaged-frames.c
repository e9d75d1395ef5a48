/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program with one wrong byte in its call frame information, for each byte in turn (TAP). For each byte a child
 * process captures call stacks, and must end normally. DAMAGED_VALUES: number of values for each byte (default 3). */
#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/pmpi/callsites.h"

enum { DEPTH = 16, SECONDS = 20 };

/* the sections that are damaged: the program's table of functions, and its entries */
struct section {
    uint8_t *begin;
    size_t size;
};
static struct section header, entries;

static int find_sections(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_GNU_EH_FRAME)
            header = (struct section){(uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz};
    }
    int32_t offset;
    if (!header.begin || header.begin[1] != 0x1b) /* relative, 4 bytes */
        return 1;
    memcpy(&offset, header.begin + 4, sizeof offset);
    entries.begin = header.begin + 4 + offset;
    for (uint32_t length = 1; length > 0; entries.size += 4 + length)
        memcpy(&length, entries.begin + entries.size, sizeof length);
    return 1; /* the first object is the program itself */
}

static bool make_writable(const struct section *s)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)s->begin / page * page;
    const uintptr_t end = ((uintptr_t)s->begin + s->size + page - 1) / page * page;
    return mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) == 0;
}

/* --- stacks of several kinds --- */

static volatile int sink;

__attribute__((noinline)) static void plain(int depth)
{
    if (depth > 0)
        plain(depth - 1);
    else
        sink = CALLSITES_HERE();
    sink++;
}

__attribute__((noinline)) static void with_frame(int depth)
{
    char *room = __builtin_alloca((size_t)(16 + depth));
    memset(room, depth, 16);
    plain(room[0]);
    sink++;
}

__attribute__((noinline)) static void realigned(int depth)
{
    _Alignas(64) volatile char room[64];
    room[0] = (char)depth;
    with_frame(room[0]);
    sink++;
}

static void on_signal(int number)
{
    (void)number;
    realigned(1);
}

static void capture(void)
{
    callsites_start(DEPTH, NULL);
    plain(2);
    realigned(1);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    const stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
}

/* Returns how a process ends in which the byte at AT has the value VALUE: 0 if normally. */
static int status_with(uint8_t *at, uint8_t value)
{
    const pid_t child = fork();
    int status;
    if (child == 0) {
        alarm(SECONDS);
        *at = value;
        capture();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void damage(const char *name, const struct section *s)
{
    const char *asked = getenv("DAMAGED_VALUES");
    const int values = asked ? atoi(asked) : 3;
    unsigned long runs = 0, died = 0;
    srand(7);
    for (size_t i = 0; i < s->size; i++)
        for (int k = 0; k < values; k++) {
            const uint8_t value = (uint8_t)(values >= 256 ? k : k == 0 ? 'S' : k == 1 ? ~s->begin[i] : rand());
            const int status = status_with(s->begin + i, value);
            runs++;
            if (status != 0 && died++ < 5)
                printf("# byte %zu of %zu, %02x for %02x: status %x\n", i, s->size, value, s->begin[i], (unsigned)status);
        }
    ok(runs > 0 && died == 0, "%s: of %lu programs with a wrong byte %lu die", name, runs, died);
}

int main(void)
{
#if defined __SANITIZE_ADDRESS__
    puts("1..0 # SKIP what is between the program's variables is read, within its segments, where pointers are damaged");
    return 0;
#endif
    dl_iterate_phdr(find_sections, NULL);
    if (!entries.begin || !make_writable(&header) || !make_writable(&entries)) {
        puts("1..0 # SKIP no table of call frame information");
        return 0;
    }
    fflush(stdout);
    damage("the table of functions", &header);
    damage("their entries", &entries);
    return done();
}
