# SPDX-License-Identifier: GPL-3.0-or-later
# Reads the preprocessed mpi.h. Writes pointers to the functions and objects of the real MPI, and pointers to the functions that
# the wrappers call next (trace/pmpi/real.h says why):
# with -v PART=header their structs and a macro for each name, with -v PART=source their initial values and a table of names.

{ text = text " " $0 }

# Adds NAME, a function or an object, once.
function add(name) {
    if (!(name in seen)) {
        seen[name] = 1
        names[++count] = name
    }
}

function functions(rest,    name) {
    while (match(rest, /[^A-Za-z_0-9]PMPI_[A-Z][A-Za-z_0-9]* *\(/)) {
        name = substr(rest, RSTART + 1, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/ *\($/, "", name)
        # mpi.h may declare conversions that the library was built without.
        if (name !~ /^PMPI_Status_.*f08/)
            add(name)
    }
}

function objects(declarations,    n, i, parts, d) {
    n = split(declarations, parts, ";")
    for (i = 1; i <= n; i++) {
        d = parts[i]
        gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", d)
        if (d !~ /(^|[^A-Za-z_])extern / || d ~ /\(/)
            continue
        sub(/ *(\[[^]]*\])? *$/, "", d)
        match(d, /[A-Za-z_][A-Za-z_0-9]*$/)
        # The tracer needs none of mpi_f08's objects, which are in MPICH's Fortran library since 4.2.
        if (substr(d, RSTART, RLENGTH) !~ /^MPI_F08_/)
            add(substr(d, RSTART, RLENGTH))
    }
}

END {
    gsub(/[ \t]+/, " ", text)
    functions(text)
    objects(text)
    print "/* Made by trace/pmpi/real.awk. */"
    if (PART == "header") {
        print "struct tracer_real {"
        for (i = 1; i <= count; i++)
            print "    __typeof__(&" names[i] ") " names[i] ";"
        print "};"
        print "extern struct tracer_real tracer_real __attribute__((visibility(\"hidden\")));"
        print "struct tracer_behind {"
        for (i = 1; i <= count && names[i] ~ /^PMPI_/; i++)
            print "    __typeof__(&" names[i] ") " substr(names[i], 2) ";"
        print "};"
        print "extern struct tracer_behind tracer_behind __attribute__((visibility(\"hidden\")));"
        for (i = 1; i <= count; i++) # MPICH 5's mpi.h has macros for conversions, too
            print "#undef " names[i] "\n#define " names[i] " (*tracer_real." names[i] ")"
        exit
    }
    print "#include \"trace/pmpi/real.h\""
    for (i = 1; i <= count; i++)
        print "#undef " names[i]
    print "#ifndef TRACER_IS_LINKED"
    for (i = 1; i <= count; i++)
        print "#pragma weak " names[i]
    print "#endif"
    print "struct tracer_real tracer_real = {"
    for (i = 1; i <= count; i++)
        print "    ." names[i] " = &" names[i] ","
    print "};"
    print "struct tracer_behind tracer_behind = {"
    for (i = 1; i <= count && names[i] ~ /^PMPI_/; i++)
        print "    ." substr(names[i], 2) " = &" names[i] ","
    print "};"
    print "const struct tracer_real_name tracer_real_names[] = {"
    for (i = 1; i <= count; i++)
        print "    {\"" names[i] "\", offsetof(struct tracer_real, " names[i] "), " \
            (names[i] ~ /^PMPI_/ ? "offsetof(struct tracer_behind, " substr(names[i], 2) ")" : "-1") "},"
    print "    {NULL, 0, -1}};"
}
