/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a function's call frame information and runs the instructions up to a return address. Reads only within the segment that
 * contains the information. libgcc's own search (_Unwind_Find_FDE) trusts every byte: a wrong byte would crash a program that
 * never unwinds a stack. */
#define _GNU_SOURCE
#include "trace/pmpi/unwind_rule.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "trace/pmpi/modules.h"

/* Constants of DWARF 5, section 7, and the GNU extensions. */
enum { /* call frame instructions */
    DW_CFA_nop = 0x00, DW_CFA_advance_loc1 = 0x02, DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04, DW_CFA_offset_extended = 0x05, DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07, DW_CFA_same_value = 0x08, DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a, DW_CFA_restore_state = 0x0b, DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d, DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f, DW_CFA_expression = 0x10, DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12, DW_CFA_def_cfa_offset_sf = 0x13, DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15, DW_CFA_val_expression = 0x16, DW_CFA_GNU_window_save = 0x2d,
    DW_CFA_GNU_args_size = 0x2e, DW_CFA_GNU_negative_offset_extended = 0x2f,
    DW_CFA_advance_loc = 0x40, DW_CFA_offset = 0x80, DW_CFA_restore = 0xc0
};
enum { /* operations in expressions */
    DW_OP_deref = 0x06, DW_OP_breg0 = 0x70
};
enum { /* encodings of code addresses (LSB 10.5.1) */
    DW_EH_PE_absptr = 0x00, DW_EH_PE_udata2 = 0x02, DW_EH_PE_udata4 = 0x03,
    DW_EH_PE_udata8 = 0x04
};

#if defined __x86_64__
enum { FRAME_REGISTER = 6, STACK_REGISTER = 7, ADDRESS_REGISTER = 16 };
#elif defined __aarch64__
enum { FRAME_REGISTER = 29, STACK_REGISTER = 31, ADDRESS_REGISTER = 30 };
#else
enum { FRAME_REGISTER = -1, STACK_REGISTER = -1, ADDRESS_REGISTER = -1 };
#endif

/* Location of the entry (FDE, frame description entry) of the function that contains ADDRESS. */
struct found {
    uintptr_t address;
    uintptr_t fde, low, high; /* FDE lies within LOW .. HIGH; reads must stay within these bounds */
    uintptr_t function;
};

/* Where a register of the caller is stored. */
struct location {
    enum { SAME, UNDEFINED, AT_CFA, AT_FRAME_POINTER, ELSEWHERE } kind;
    int64_t offset;
};

/* A row of the table described by call frame instructions: rule for the CFA (canonical frame address), and locations of the
 * caller's frame pointer and return address. */
struct row {
    enum { CFA_REGISTER, CFA_LOADED, CFA_ELSEWHERE } kind;
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct location frame, address;
};

enum { MAX_REMEMBERED = 8 };

/* State of running call frame instructions. P .. END: instructions still to run. */
struct program {
    const uint8_t *p, *end;
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* form of code addresses in the function's entry */
    /* Current row; row after the instructions of the common part (CIE); stack of rows saved by instructions. */
    struct row row, initial, remembered[MAX_REMEMBERED];
    int remembered_number;
    bool is_invalid, of_signal;
};

/* Resets S except for the stack of saved rows, the largest part of S. */
static void begin_program(struct program *s)
{
    memset(s, 0, offsetof(struct program, remembered));
    s->row.kind = CFA_ELSEWHERE;
    s->remembered_number = 0;
    s->is_invalid = s->of_signal = false;
}

static uint64_t take(struct program *s, size_t bytes)
{
    uint64_t v = 0;
    if ((size_t)(s->end - s->p) < bytes) {
        s->is_invalid = true;
        s->p = s->end;
        return 0;
    }
    memcpy(&v, s->p, bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v >>= 8 * (8 - bytes);
#endif
    s->p += bytes;
    return v;
}

static inline uint64_t take_uleb(struct program *s)
{
    uint64_t v = 0;
    if (s->p < s->end && *s->p < 128) /* fast path: most values have one byte */
        return *s->p++;
    for (unsigned shift = 0; s->p < s->end; shift += 7) {
        uint8_t byte = *s->p++;
        if (shift < 64)
            v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
    s->is_invalid = true;
    return v;
}

static int64_t take_sleb(struct program *s)
{
    uint64_t v = 0;
    for (unsigned shift = 0; s->p < s->end;) {
        uint8_t byte = *s->p++;
        if (shift < 64)
            v |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte < 128)
            return (int64_t)(byte & 64 && shift < 64 ? v | ~(uint64_t)0 << shift : v);
    }
    s->is_invalid = true;
    return (int64_t)v;
}

/* Returns the size in bytes of a code address in ENCODING (LSB 10.5); 0 for variable sizes. */
static size_t encoded_bytes(uint8_t encoding)
{
    switch (encoding & 7) {
    case DW_EH_PE_absptr: return sizeof(void *);
    case DW_EH_PE_udata2: return 2;
    case DW_EH_PE_udata4: return 4;
    case DW_EH_PE_udata8: return 8;
    default: return 0;
    }
}

static struct location *location_of(struct row *row, uint64_t reg)
{
    return reg == (uint64_t)FRAME_REGISTER     ? &row->frame
           : reg == (uint64_t)ADDRESS_REGISTER ? &row->address
                                               : NULL;
}

static void set_location(struct program *s, uint64_t reg, int kind, int64_t offset)
{
    struct location *location = location_of(&s->row, reg);
    if (location) {
        location->kind = kind;
        location->offset = offset;
    }
}

static void restore_location(struct program *s, uint64_t reg)
{
    struct location *location = location_of(&s->row, reg);
    if (location)
        *location = *location_of(&s->initial, reg);
}

/* Reads the expression of a rule. Returns whether the expression is "frame pointer + *OFFSET"; *LOADED: whether the value is then
 * read from this address. */
static bool frame_expression(struct program *s, int64_t *offset, bool *loaded)
{
    uint64_t size = take_uleb(s);
    if (size > (size_t)(s->end - s->p)) {
        s->is_invalid = true;
        return false;
    }
    struct program e = {.p = s->p, .end = s->p + size};
    s->p += size;
    if (take(&e, 1) != DW_OP_breg0 + FRAME_REGISTER)
        return false;
    *offset = take_sleb(&e);
    *loaded = e.p < e.end && *e.p == DW_OP_deref;
    return !e.is_invalid && e.p + *loaded == e.end;
}

static void expression_place(struct program *s, uint64_t reg)
{
    int64_t offset = 0;
    bool loaded = false;
    bool simple = frame_expression(s, &offset, &loaded) && !loaded;
    set_location(s, reg, simple ? AT_FRAME_POINTER : ELSEWHERE, offset);
}

static void expression_cfa(struct program *s)
{
    bool loaded = false;
    bool simple = frame_expression(s, &s->row.cfa_offset, &loaded);
    s->row.kind = !simple ? CFA_ELSEWHERE : loaded ? CFA_LOADED : CFA_REGISTER;
    s->row.cfa_register = FRAME_REGISTER;
}

static void def_cfa(struct program *s, uint64_t reg, int64_t offset)
{
    s->row.kind = CFA_REGISTER;
    s->row.cfa_register = reg;
    s->row.cfa_offset = offset;
}

static void remember(struct program *s)
{
    if (s->remembered_number == MAX_REMEMBERED)
        s->is_invalid = true;
    else
        s->remembered[s->remembered_number++] = s->row;
}

static void recall(struct program *s)
{
    if (s->remembered_number == 0)
        s->is_invalid = true;
    else
        s->row = s->remembered[--s->remembered_number];
}

/* Returns the number of bytes of code by which the instruction OP advances. */
static uint64_t advance(struct program *s, uint8_t op)
{
    switch (op) {
    case DW_CFA_advance_loc1: return take(s, 1) * s->code_align;
    case DW_CFA_advance_loc2: return take(s, 2) * s->code_align;
    default: return take(s, 4) * s->code_align;
    }
}

static void run_extended(struct program *s, uint8_t op)
{
    uint64_t reg;
    switch (op) {
    case DW_CFA_nop:
    case DW_CFA_GNU_window_save: /* AArch64: toggles signing of the return address */
        break;
    case DW_CFA_offset_extended:
        reg = take_uleb(s);
        set_location(s, reg, AT_CFA, (int64_t)take_uleb(s) * s->data_align);
        break;
    case DW_CFA_offset_extended_sf:
        reg = take_uleb(s);
        set_location(s, reg, AT_CFA, take_sleb(s) * s->data_align);
        break;
    case DW_CFA_GNU_negative_offset_extended:
        reg = take_uleb(s);
        set_location(s, reg, AT_CFA, -(int64_t)take_uleb(s) * s->data_align);
        break;
    case DW_CFA_restore_extended: restore_location(s, take_uleb(s)); break;
    case DW_CFA_undefined: set_location(s, take_uleb(s), UNDEFINED, 0); break;
    case DW_CFA_same_value: set_location(s, take_uleb(s), SAME, 0); break;
    case DW_CFA_register:
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        set_location(s, take_uleb(s), ELSEWHERE, 0);
        take_uleb(s);
        break;
    case DW_CFA_remember_state: remember(s); break;
    case DW_CFA_restore_state: recall(s); break;
    case DW_CFA_def_cfa:
        reg = take_uleb(s);
        def_cfa(s, reg, (int64_t)take_uleb(s));
        break;
    case DW_CFA_def_cfa_sf:
        reg = take_uleb(s);
        def_cfa(s, reg, take_sleb(s) * s->data_align);
        break;
    case DW_CFA_def_cfa_register: s->row.cfa_register = take_uleb(s); break;
    case DW_CFA_def_cfa_offset_sf: s->row.cfa_offset = take_sleb(s) * s->data_align; break;
    case DW_CFA_def_cfa_expression: expression_cfa(s); break;
    case DW_CFA_expression: expression_place(s, take_uleb(s)); break;
    case DW_CFA_val_expression: {
        int64_t offset;
        bool loaded;
        set_location(s, take_uleb(s), ELSEWHERE, 0);
        frame_expression(s, &offset, &loaded);
        break;
    }
    case DW_CFA_GNU_args_size: take_uleb(s); break;
    default: s->is_invalid = true;
    }
}

/* Reads an operand as take_uleb(). Most operands have one byte. */
static inline uint64_t take_operand(struct program *s)
{
    return s->p < s->end && *s->p < 128 ? *s->p++ : take_uleb(s);
}

static inline bool is_followed(uint64_t reg)
{
    return reg == (uint64_t)FRAME_REGISTER || reg == (uint64_t)ADDRESS_REGISTER;
}

/* Runs the instructions up to END that apply to the byte at OFFSET in the function. */
static void run(struct program *s, const uint8_t *end, uint64_t offset)
{
    uint64_t at = 0;
    s->end = end;
    while (s->p < s->end && !s->is_invalid) {
        const uint8_t op = *s->p++, reg = op & 63;
        switch (op & 0xc0) {
        case DW_CFA_offset: {
            const uint64_t factor = take_operand(s);
            if (is_followed(reg))
                set_location(s, reg, AT_CFA, (int64_t)factor * s->data_align);
            continue;
        }
        case DW_CFA_restore:
            if (is_followed(reg))
                restore_location(s, reg);
            continue;
        case DW_CFA_advance_loc:
            at += reg * s->code_align;
            break;
        default:
            if (op == DW_CFA_def_cfa_offset)
                s->row.cfa_offset = (int64_t)take_operand(s);
            else if (op >= DW_CFA_advance_loc1 && op <= DW_CFA_advance_loc4)
                at += advance(s, op);
            else
                run_extended(s, op);
        }
        if (at > offset)
            return;
    }
}

/* Reads the length at *P and moves *P behind the length. Returns the end of the entry; NULL: shorter than two words or not within
 * IN. */
static const uint8_t *entry(const uint8_t **p, const struct found *in)
{
    const uintptr_t at = (uintptr_t)*p;
    uint32_t length;
    if (at < in->low || at > in->high || in->high - at < 8)
        return NULL;
    memcpy(&length, *p, 4);
    *p += 4; /* 64-bit entries (length UINT32_MAX) do not occur in .eh_frame */
    return length < 4 || length > in->high - at - 4 ? NULL : *p + length;
}

/* Reads the letters after 'z' in the augmentation string. Returns false for a frame of an unknown kind. */
static bool read_augmentation(struct program *s, const char *augmentation)
{
    for (; *augmentation; augmentation++)
        switch (*augmentation) {
        case 'R': s->encoding = (uint8_t)take(s, 1); break;
        case 'L': take(s, 1); break;
        case 'P': {
            size_t bytes = encoded_bytes((uint8_t)take(s, 1));
            if (bytes == 0)
                return false;
            take(s, bytes);
            break;
        }
        case 'B': break; /* AArch64: signed with key B */
        case 'S': s->of_signal = true; return false;
        default: return false;
        }
    return !s->is_invalid;
}

/* The last common part (CIE), and the state after its instructions. Most functions of a module share a CIE. */
enum { KNOWN_BYTES = 32 };
static __thread struct {
    uint32_t bytes; /* number of bytes of the CIE; 0: no CIE is stored */
    uint8_t content[KNOWN_BYTES];
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding;
    struct row row;
} known __attribute__((tls_model("initial-exec")));

static bool is_known(const uint8_t *cie, const uint8_t *end)
{
    return (size_t)(end - cie) == known.bytes && memcmp(cie, known.content, known.bytes) == 0;
}

static void recall_common(struct program *s)
{
    s->code_align = known.code_align;
    s->data_align = known.data_align;
    s->encoding = known.encoding;
    s->row = s->initial = known.row;
}

/* Stores the common part CIE .. END and the state S after the instructions, which depends only on these bytes. */
static void keep_common(const struct program *s, const uint8_t *cie, const uint8_t *end)
{
    known.bytes = 0;
    if (end - cie > KNOWN_BYTES)
        return;
    memcpy(known.content, cie, (size_t)(end - cie));
    known.code_align = s->code_align;
    known.data_align = s->data_align;
    known.encoding = s->encoding;
    known.row = s->row;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    known.bytes = (uint32_t)(end - cie);
}

/* Reads the common part (CIE) of the entry IN and runs the instructions. Returns false if damaged. */
static bool run_common(struct program *s, const uint8_t *cie, const struct found *in)
{
    const uint8_t *end = entry(&cie, in);
    if (!end)
        return false;
    if (is_known(cie, end)) {
        recall_common(s);
        return true;
    }
    s->p = cie;
    s->end = end;
    if (take(s, 4) != 0)
        return false;
    uint8_t version = (uint8_t)take(s, 1);
    const char *augmentation = (const char *)s->p;
    const size_t length = strnlen(augmentation, (size_t)(end - s->p));
    if (length == (size_t)(end - s->p))
        return false;
    s->p += length + 1;
    s->code_align = take_uleb(s);
    s->data_align = take_sleb(s);
    uint64_t address_register = version == 1 ? take(s, 1) : take_uleb(s);
    if (s->is_invalid || *augmentation != 'z' || address_register != (uint64_t)ADDRESS_REGISTER)
        return false;
    uint64_t size = take_uleb(s);
    const uint8_t *instructions = s->p + size;
    if (s->is_invalid || size > (size_t)(end - s->p) || !read_augmentation(s, augmentation + 1))
        return false;
    s->p = instructions;
    run(s, end, 0);
    s->initial = s->row;
    if (!s->is_invalid)
        keep_common(s, cie, end);
    return !s->is_invalid;
}

static bool run_function(struct program *s, const struct found *in, uint64_t offset)
{
    const uint8_t *fde = (const uint8_t *)in->fde, *end = entry(&fde, in);
    uint32_t back;
    if (!end)
        return false;
    memcpy(&back, fde, 4);
    if (back > (uintptr_t)fde - in->low)
        return false;
    if (!run_common(s, fde - back, in))
        return false;
    size_t bytes = encoded_bytes(s->encoding);
    s->p = fde + 4;
    s->end = end;
    take(s, bytes);
    if (bytes == 0 || take(s, bytes) <= offset) /* the address lies behind the function's end */
        return false;
    uint64_t size = take_uleb(s);
    if (s->is_invalid || size > (size_t)(end - s->p))
        return false;
    s->p += size;
    run(s, end, offset);
    return !s->is_invalid;
}

/* --- search --- */

/* The bounds of the segment that contains ENTRY, if different from the table's segment. */
struct bounds {
    uintptr_t entry, low, high;
};

static int find_bounds(struct dl_phdr_info *info, size_t size, void *data)
{
    struct bounds *b = data;
    (void)size;
    return modules_bounds(info, b->entry, &b->low, &b->high);
}

enum { HEAD_BYTES = 12, PAIR_BYTES = 8 }; /* sizes in the search table: head, and entry of two offsets from the head */

/* Returns the number of entries of M's search table; 0: not of the form made by linkers. */
static uint32_t entries(const struct module_unwinding *m)
{
    enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };
    static const uint8_t usual[] = {1, PCREL_SDATA4, UDATA4, DATAREL_SDATA4};
    uint32_t n;
    if (!m->table || m->high - m->table < HEAD_BYTES || memcmp((const void *)m->table, usual, sizeof usual) != 0)
        return 0;
    memcpy(&n, (const void *)(m->table + 8), sizeof n);
    return n <= (m->high - m->table - HEAD_BYTES) / PAIR_BYTES ? n : 0;
}

/* Finds in the table of M, which linkers sort by address (LSB 10.6.2), the entry for f->address. Returns false without an
 * entry. */
static bool search(const struct module_unwinding *m, struct found *f)
{
    const uintptr_t pairs = m->table + HEAD_BYTES;
    const uint32_t n = entries(m);
    int32_t pair[2];
    uint32_t first = 0, end = n; /* binary search for the first entry that begins after the address */
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        /* Prefetches both possible next entries: entries of a new function are seldom cached, and the search would wait for
         * each. */
        __builtin_prefetch((const void *)(pairs + (first + (middle - first) / 2) * sizeof pair));
        __builtin_prefetch((const void *)(pairs + (middle + (end - middle) / 2) * sizeof pair));
        memcpy(pair, (const void *)(pairs + middle * sizeof pair), sizeof pair);
        if (m->table + (uintptr_t)(intptr_t)pair[0] <= f->address)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == 0)
        return false;
    memcpy(pair, (const void *)(pairs + (first - 1) * sizeof pair), sizeof pair);
    f->function = m->table + (uintptr_t)(intptr_t)pair[0];
    f->fde = m->table + (uintptr_t)(intptr_t)pair[1];
    f->low = m->low;
    f->high = m->high;
    if (f->fde >= f->low && f->fde < f->high)
        return true;
    struct bounds b = {.entry = f->fde};
    if (!dl_iterate_phdr(find_bounds, &b))
        return false;
    f->low = b.low;
    f->high = b.high;
    return true;
}

bool unwind_rule_extent(const struct module_unwinding *m, uintptr_t *low, uintptr_t *high)
{
    const uint32_t n = entries(m);
    *low = m->table;
    *high = m->table + HEAD_BYTES + (uintptr_t)n * PAIR_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        int32_t offset;
        memcpy(&offset, (const void *)(m->table + HEAD_BYTES + (uintptr_t)i * PAIR_BYTES + sizeof offset), sizeof offset);
        const uintptr_t entry = m->table + (uintptr_t)(intptr_t)offset;
        if (entry < m->low || entry >= m->high) /* in another segment, or damaged */
            continue;
        *low = entry < *low ? entry : *low;
        *high = entry >= *high ? entry + 1 : *high;
    }
    return n > 0;
}

static bool fits(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

struct unwind_rule unwind_rule_of(const void *address)
{
    struct unwind_rule rule = {.kind = UNWIND_END};
    struct program s;
    struct module_unwinding unwinding;
    /* The call precedes the return address, which may belong to the next function. */
    struct found found = {.address = (uintptr_t)address - 1};
    begin_program(&s);
    if (FRAME_REGISTER < 0 || !modules_unwinding(address, &unwinding)) {
        rule.kind = UNWIND_NOWHERE;
        return rule;
    }
    /* An unknown instruction may be damaged data. libgcc's unwinder would trust this data and is not asked. */
    if (!search(&unwinding, &found) || !run_function(&s, &found, (uint64_t)(found.address - found.function))) {
        rule.kind = s.of_signal ? UNWIND_SIGNAL : UNWIND_END;
        return rule;
    }
    if (s.row.address.kind != AT_CFA || !fits(s.row.address.offset) || !fits(s.row.cfa_offset) ||
        !fits(s.row.frame.offset) || s.row.frame.kind == ELSEWHERE || s.row.kind == CFA_ELSEWHERE)
        return rule;
    if (s.row.kind == CFA_LOADED)
        rule.kind = UNWIND_LOADED;
    else if (s.row.cfa_register == (uint64_t)STACK_REGISTER)
        rule.kind = UNWIND_STACK;
    else if (s.row.cfa_register == (uint64_t)FRAME_REGISTER)
        rule.kind = UNWIND_FRAME;
    rule.pointer = s.row.frame.kind == AT_CFA             ? UNWIND_AT_CFA
                   : s.row.frame.kind == AT_FRAME_POINTER ? UNWIND_AT_FRAME
                                                          : UNWIND_SAME;
    rule.cfa = (int32_t)s.row.cfa_offset;
    rule.address = (int32_t)s.row.address.offset;
    rule.frame = (int32_t)s.row.frame.offset;
    return rule;
}
