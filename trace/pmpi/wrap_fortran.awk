# SPDX-License-Identifier: GPL-3.0-or-later
# With calls.awk: reads trace/calls.def, writes the Fortran wrappers, mpi_x_ for mpif.h
# and `use mpi`, mpi_x_f08_ for `use mpi_f08` (MPI-3.1, chapter 17). Each wrapper passes the
# program's own arguments to the real function, so that special addresses (MPI_IN_PLACE and
# others) keep their meaning, and makes C values of them for the record only.
#
# MPI=openmpi: both bindings have real functions of their own, pmpi_x_ and pmpi_x_f08_. Since Open MPI 6, mpi_f08 passes
# choice buffers as descriptors (mpi_x_f08ts_), and has large counts (mpi_x_c_f08ts_, mpi_x_c_f08_).
# MPI=openmpi-names: functions that call mpi_x_, with the names that other compilers, or other settings of this one, give
# mpi_x_ (mpi_x, mpi_x__, MPI_X). They are in a library by themselves, since C programs have functions of their own with
# these names (Rmpi's mpi_comm_rank).
# MPI=mpich: mpi_x_ and the functions of mpi_f08 with a choice buffer (mpi_x_f08ts_) call C's
# MPI_X, whose wrapper records them. Only the other functions of mpi_f08, which call C's
# PMPI_X, need wrappers. Functions with large counts are mpi_x_f08_large_.

{ text = text "\n" $0 }

END {
    words("removed", "Address Attr_delete Attr_get Attr_put Errhandler_create Errhandler_get " \
        "Errhandler_set Keyval_create Keyval_free Type_extent Type_hindexed Type_hvector " \
        "Type_lb Type_struct Type_ub") # before mpi_f08 came
    words("cptr", "Alloc_mem Win_allocate Win_allocate_shared Win_shared_query")
    read_calls(text)
    print "/* Made by trace/pmpi/wrap_fortran.awk. */"
    print "#include \"trace/pmpi/fortran.h\""
    for (i = 1; i <= calls; i++)
        both(call_name[i])
}

function words(set, list,    parts, i) {
    for (i = split(list, parts, " "); i > 0; i--)
        member[set, parts[i]] = 1
}

# The wrappers of CALL that this MPI library needs.
function both(call,    lower) {
    if (call ~ /_(c2f|f2c|toint|fromint)$|^T_/ || kind[call] ~ /^(FLUSH|UNRECORDED|REGION_BEGIN|REGION_END|PCONTROL|UNKNOWN)$/)
        return
    if (call != plain_name[call]) {
        if (MPI == "mpich" && !has_choice_buffer(call))
            wrapper(call, "mpi_" tolower(plain_name[call]) "_f08_large_", "pmpir_" tolower(plain_name[call]) "_f08_large_")
        if (MPI == "openmpi" && has_choice_buffer(call))
            described(call, "mpi_" tolower(call) "_f08ts_", "pmpi_" tolower(call) "_f08ts_")
        else if (MPI == "openmpi")
            wrapper(call, "mpi_" tolower(call) "_f08_", "pmpi_" tolower(call) "_f08_")
        return
    }
    lower = tolower(call)
    if (MPI == "openmpi-names") {
        other_names(call, lower)
        if (kind[call] ~ /(COLLECTIVE|NEIGHBOR)_INIT/)
            other_names(call, lower, "X")
        if (("cptr", call) in member)
            other_names(call, lower "_cptr")
    } else if (MPI == "openmpi") {
        wrapper(call, "mpi_" lower "_", "pmpi_" lower "_")
        if (kind[call] ~ /(COLLECTIVE|NEIGHBOR)_INIT/) { # extensions, before the standard had them
            wrapper(call, "mpix_" lower "_", "pmpix_" lower "_")
            wrapper(call, "mpix_" lower "_f08_", "pmpix_" lower "_f08_")
        }
        if (("cptr", call) in member) { # what `use mpi` calls with a TYPE(C_PTR)
            wrapper(call, "mpi_" lower "_cptr_", "pmpi_" lower "_cptr_")
        }
        if (!(("removed", call) in member) && result[call] != "double") {
            wrapper(call, "mpi_" lower "_f08_", "pmpi_" lower "_f08_")
            if (has_choice_buffer(call))
                described(call, "mpi_" lower "_f08ts_", "pmpi_" lower "_f08ts_")
        }
    } else if (!(("removed", call) in member) && !has_choice_buffer(call))
        wrapper(call, "mpi_" lower "_f08_", "pmpir_" lower "_f08_")
}

# Prints a wrapper that takes descriptors in place of choice buffers.
function described(call, ours, real) {
    print "\n#undef IN_PLACE\n#define IN_PLACE(x) fortran_in_place(DESCRIBED(x))\n#undef BUFFER\n#define BUFFER(x) DESCRIBED(x)"
    wrapper(call, ours, real)
    print "#undef IN_PLACE\n#define IN_PLACE(x) fortran_in_place(x)\n#undef BUFFER\n#define BUFFER(x) (x)"
}

function has_choice_buffer(call,    i) {
    for (i = 1; i <= parameters[call]; i++)
        if (type[call, i] ~ /void \*/ &&
            parameter[call, i] !~ /^(extra_state|attribute_val|baseptr|buffer_addr|logical_(true|false))$/)
            return 1
    return 0
}

# Returns the index of CALL's first parameter in Fortran, whose MPI_Init has no argc and argv.
function first(call) {
    return kind[call] == "INIT" ? 3 : 1
}

# Returns the declaration of parameter I of CALL in Fortran's form: by address.
function declared(call, i,    t) {
    t = type[call, i]
    sub(/const /, "", t)
    if (t ~ /^char/)
        return "char *" parameter[call, i]
    if (t ~ /^MPI_(Aint|Offset|Count)/)
        return substr(t, 1, match(t, /( |$)/) - 1) " *" parameter[call, i]
    if (t ~ /^void|_function \*/)
        return "void *" parameter[call, i]
    return "F *" parameter[call, i]
}

# Returns the parameters (NAMES 0) or arguments (NAMES 1) of CALL; lengths of strings come last, by value.
function list(call, names,    i, p, t, lengths) {
    for (i = first(call); i <= parameters[call]; i++) {
        p = parameter[call, i]
        if (type[call, i] ~ /char/)
            lengths = lengths (names ? ", " : ", size_t ") p "_length"
        if (!names)
            p = declared(call, i)
        else if (p ~ /status(es)?$/ && given(call))
            p = "given.use"
        t = t p ", "
    }
    if (result[call] == "int")
        return t (names ? "ierr" : "F *ierr") lengths
    sub(/, $/, "", t)
    return t == "" && !names ? "void" : t
}

# Whether before() declares a status.
function given(call) {
    return given_statuses(call) || gives_status(call)
}

function wrapper(call, ours, real,    value) {
    value = result[call] == "int" ? "void" : result[call]
    print "\nextern " value " " real "(" list(call, 0) ") __attribute__((weak));"
    print "WRAPPER " value " " ours "(" list(call, 0) ")"
    print "{"
    if (may_be_untimed(call))
        untimed(call, real, value)
    print "    struct tracer_scope s = TRACER_ENTER(MPG_CALL_" call ");"
    if (value == "void")
        body(call, "REAL(" real ")(" list(call, 1) ");\n")
    else {
        indented(value " value = REAL(" real ")(" list(call, 1) ");\n")
        indented("if (tracer_leave(&s, MPI_SUCCESS))\n    " record(call) ";\nreturn value;\n")
    }
    print "}"
}

# Prints the begin of the wrapper of a local call, which may be counted without being timed.
function untimed(call, real, value,    call_real) {
    call_real = "REAL(" real ")(" list(call, 1) ");\n"
    if (value == "void")
        indented("F unasked_too;\nierr = ierr ? ierr : &unasked_too;\n")
    indented("struct local_sum *sum = LOCAL_BEGIN(MPG_CALL_" call ");\nif (sum) {\n" \
        "    const struct tracer_scope s = {.return_address = __builtin_return_address(0)};\n")
    if (value == "void")
        indented("    " call_real "    local_end(sum, " (outcome(call) == "rc" ? "*ierr" : outcome(call)) ");\n    return;\n}\n")
    else
        indented("    " value " value = " call_real "    local_end(sum, MPI_SUCCESS);\n    return value;\n}\n")
}

# Prints functions with the other names of mpi_NAME_ (mpix_NAME_ if X is given), which call it.
function other_names(call, name, x,    value, lower, upper, n, i, of) {
    value = result[call] == "int" ? "void" : result[call]
    lower = "mpi" tolower(x) "_" name
    n = split(lower " " lower "__ MPI" x "_" toupper(name), of, " ")
    print "\nextern " value " " lower "_(" list(call, 0) ");"
    for (i = 1; i <= n; i++) {
        print "WRAPPER " value " " of[i] "(" list(call, 0) ")"
        print "{"
        print "    " (value == "void" ? "" : "return ") lower "_(" passed(call) ");"
        print "}"
    }
}
# Returns the names of CALL's parameters, as the arguments of a call that passes them on.
function passed(call,    text, parts, n, i, arguments) {
    text = list(call, 0)
    if (text == "void")
        return ""
    n = split(text, parts, /, */)
    for (i = 1; i <= n; i++)
        arguments = arguments (i > 1 ? ", " : "") identifier(parts[i])
    return arguments
}

function body(call, real,    k) {
    k = kind[call]
    indented("F unasked;\nierr = ierr ? ierr : &unasked;\n")
    if (k == "INIT") {
        indented("tracer_before_init();\n" real "tracer_leave(&s, *ierr);\nif (*ierr == MPI_SUCCESS)\n")
        indented("    tracer_init(&s, " (has(call, "provided") ? "*provided" : "MPI_THREAD_SINGLE") ");\n")
    } else if (k == "FINALIZE")
        indented("tracer_finalize(&s);\n" real "if (tracer_leave(&s, *ierr))\n    tracer_finalized(&s);\n")
    else if (k == "ABORT")
        indented("tracer_end_early(\"MPI_Abort\");\n" real "tracer_leave(&s, *ierr);\n")
    else {
        indented(before(call) real "int rc = *ierr;\n")
        indented("if (tracer_leave(&s, " outcome(call) "))\n    " buffers(call) record(call) ";\n")
        if (unrecorded(call) != "")
            indented("else\n    " unrecorded(call) ";\n")
        if (given_statuses(call))
            indented("fortran_statuses_drop(&given);\n")
    }
}

function indented(lines) {
    gsub(/\n/, "\n    ", lines)
    sub(/\n    $/, "", lines)
    print "    " lines
}
