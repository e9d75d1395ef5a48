#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Callsites of recorded calls (TAP): the same on all ranks and in every run, wherever
# the program and its libraries are loaded; in a library that is loaded late.
# shellcheck disable=SC2086,SC2094
. "$(dirname "$0")/traced.sh"
sums=$build/tests/trace/profile/profile_sums
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"

# stacks TRACE RANK: prints call, number and stack of each row.
stacks() {
    "$sums" "$1" | awk -v rank="$2" '$1 == rank { $1 = $4 = $5 = ""; print }' | sort
}

cat >library.c <<'END'
#include <mpi.h>
void library_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); __asm__ volatile(""); }
END
cat >program.c <<'END'
#include <alloca.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
static void (*barrier)(void);
static void inner(int n) {
    volatile char *room = alloca(16 + 100 * (n % 7)); /* its frame has many sizes */
    room[0] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    barrier();
    room[0] = 2;
}
__attribute__((noinline)) static void even(int n) { inner(n); __asm__ volatile(""); }
__attribute__((noinline)) static void odd(int n) { inner(n); __asm__ volatile(""); }
int main(int argc, char **argv) {
    void *library = dlopen("./liblate.so", RTLD_NOW);
    barrier = (void (*)(void))(uintptr_t)dlsym(library, "library_barrier");
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++) { if (i % 2) odd(i); else even(i); }
    printf("%p\n", (void *)(uintptr_t)main);
    MPI_Finalize();
}
END
ok "the programs compile" $mpicc -g -O1 -fno-optimize-sibling-calls -o program program.c -ldl
ok "... and the library" $mpicc -g -O1 -shared -fPIC -o liblate.so library.c

ok "4 ranks" traced 4 a.trace ./program
places=$(sort -u out | wc -l)
if [ "$places" -gt 1 ]; then
    echo "# main() was in $places places"
    for rank in 1 2 3; do
        is "rank $rank has the stacks of rank 0" "$(stacks a.trace $rank)" "$(stacks a.trace 0)"
    done
    ok "another run" traced 4 b.trace ./program
    is "... has the same" "$("$sums" b.trace)" "$("$sums" a.trace)"
else
    skip "stacks are the same on all ranks" "all programs are loaded at one address"
fi
is "each barrier comes from two places" \
    "$("$sums" a.trace | awk '$1 == 0 && $2 == "Barrier" { print $3 }' | tr '\n' ' ')" "50 50 50 50 "
is "... half of them in the library that was loaded late" \
    "$("$sums" a.trace | grep -c '^0 Barrier .* liblate.so+0x[0-9a-f]* program+')" 2
is "the innermost frame is never MPI's, nor the tracer's" \
    "$("$sums" a.trace | awk '{ print $6 }' | grep -c '^lib\(mpi\|mpg\)')" 0
for depth in 1 2 64; do
    ok "$depth frames" traced 1 $depth.trace --callsites=$depth ./program
done
is "one frame at most" "$("$sums" 1.trace | awk '{ print NF - 5 }' | sort -u)" 1
is "two at most" "$("$sums" 2.trace | awk '{ print NF - 5 }' | sort -n | tail -1)" 2
ok "64: all there are" test "$("$sums" 64.trace | awk '{ print NF - 5 }' | sort -n | tail -1)" -ge 5
ok "without callsites" traced 1 none.trace --callsites=0 ./program
is "... there are none" "$("$sums" none.trace | awk '{ print $6 }' | sort -u)" "?"
folder=$'two\nlines'
mkdir "$folder"
cp program liblate.so "$folder"
ok "a program in a folder whose name has a line end" traced 2 line.trace "./$folder/program"
is "... is traced with its callsites" "$("$sums" line.trace | awk '$1 == 0 && $2 == "Barrier" { print $3 }' | tr '\n' ' ')" "50 50 50 50 "
like "... whose module has another one" "$("$MPGTRACE" print line.trace)" "*#module * \"*/two[?]lines/program\"*"
# The pages of the program's call frame information are present after MPI_Init: 30 000 functions have some 200 of them, and the
# search for a few of their entries makes less than a half present.
cat >many.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
static int find(struct dl_phdr_info *info, size_t size, void *data) { /* the first module is the program */
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            *(uintptr_t *)data = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    return size > 0;
}
__asm__(".text\n.rept 30000\n.cfi_startproc\nret\n.cfi_endproc\n.endr\n");
int main(int argc, char **argv) {
    uintptr_t table = 0;
    uint32_t present = 0, pages = 0;
    MPI_Init(&argc, &argv);
    int fd = open("/proc/self/pagemap", O_RDONLY);
    dl_iterate_phdr(find, &table);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = table / page, to = (table + 12 + 30000 * (8 + 20)) / page;
    for (uintptr_t i = from; i <= to; i++) {
        uint64_t entry = 0;
        if (pread(fd, &entry, sizeof entry, (off_t)(i * sizeof entry)) != sizeof entry) return 1;
        pages++;
        present += entry >> 63;
    }
    printf("%u of %u\n", present, pages);
    MPI_Finalize();
}
END
ok "a program of many functions" $mpicc -O1 -o many many.c
if [ "$(printf '%s\n' 5.14 "$(uname -r)" | sort -V | head -n 1)" = 5.14 ]; then
    ok "... traced" traced 1 many.trace ./many
    is "... has its call frame information in memory after MPI_Init" "$(sed 's/ of / - /' out | { read -r sum; echo $((sum)); })" 0
    like "... some 200 pages" "$(cat out)" "20[0-9] of 20[0-9]"
else
    skip "pages are present after MPI_Init" "the kernel cannot make them present"
fi
# The program's call frame information is damaged: the program runs, and its calls are recorded.
if has_python; then
    python3 - program <<'END'
import random, struct, sys
good = open(sys.argv[1], "rb").read()
random.seed(5)
at, size, n, names = struct.unpack_from("<Q", good, 40)[0], *struct.unpack_from("<3H", good, 58)
sections = [struct.unpack_from("<IIQQQQ", good, at + i * size) for i in range(n)]
text = sections[names][4]
where = {good[text + s[0]:good.index(b"\0", text + s[0])]: (s[4], s[5]) for s in sections}
begin, length = where[b".eh_frame"]
fdes = []
p = begin
while p < begin + length and (entry := struct.unpack_from("<I", good, p)[0]) > 0:
    fdes += [p] if struct.unpack_from("<I", good, p + 4)[0] else []
    p += 4 + entry
def write(name, change):
    data = bytearray(good)
    for fde in fdes:
        change(data, fde)
    open(name, "wb").write(bytes(data))
def put(offset, value):
    return lambda data, fde: data.__setitem__(fde + offset, value)
write("damaged-0", put(7, 0x7f))    # where the common information entry is
write("damaged-1", put(4, 0xff))
write("damaged-2", put(3, 0x7f))    # its length
write("damaged-3", put(0, 0))
write("damaged-4", put(16, 0xff))   # the length of the augmentation data
write("damaged-5", put(17, 0x3f))   # an undefined instruction
write("damaged-6", put(19, 0xff))
for i in range(7, 20): # a fraction of all of it
    data = bytearray(good)
    for k in range(begin, begin + length):
        if random.random() < 0.03:
            data[k] = random.randrange(256)
    open(f"damaged-{i}", "wb").write(bytes(data))
header, bytes_of = where[b".eh_frame_hdr"]
data = bytearray(good)
data[header + 8:header + 12] = b"\xff" * 4
open("damaged-20", "wb").write(bytes(data))
data = bytearray(good)
data[header + 12:header + bytes_of] = bytes(random.randrange(256) for _ in range(bytes_of - 12))
open("damaged-21", "wb").write(bytes(data))
END
    chmod +x damaged-*
    for i in $(seq 0 21); do
        rm -rf d.trace
        traced 1 d.trace "./damaged-$i"
        is "damaged call frame information, $i: the program ends well, and is recorded" \
            "$? $("$MPGTRACE" print d.trace | grep -c Barrier)" "0 200"
    done
else
    skip "damaged call frame information" "no python3"
fi
"$MPGTRACE" record --callsites=65 ./program >out 2>err
is "65 frames are too many" $? 2
done_testing
