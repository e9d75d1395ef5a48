# SPDX-License-Identifier: GPL-3.0-or-later
# Reads trace/calls.def (-v table=...) and the preprocessed mpi.h; writes a wrapper for
# every MPI function that mpi.h declares: one that records where the table knows the
# function, else one that counts it and passes it through, unless its arguments are open.
# Used with calls.awk.

{ header = header " " $0 }

function read_table(    line, text) {
    while ((getline line < table) > 0)
        text = text line "\n"
    read_calls(text)
}

# "int v[]" with the name NEW.
function renamed(p, new,    i, tail) {
    i = index(p, "[")
    tail = i ? substr(p, i) : ""
    if (i)
        p = substr(p, 1, i - 1)
    gsub(/ +$/, "", p)
    p = substr(p, 1, length(p) - length(identifier(p)))
    return p new tail
}

# The prototype in mpi.h with the table's names for parameters, and the arguments of the
# real call into ARGUMENTS; mpi.h's own names where the table does not know it.
function prototype(returns, name, list,    n, i, parts, p, text) {
    arguments = ""
    n = list ~ /^ *(void)? *$/ ? 0 : split(list, parts, /, */)
    for (i = 1; i <= n; i++) {
        p = name in kind ? parameter[name, i] : identifier(parts[i])
        text = text (i > 1 ? ", " : "") renamed(parts[i], p)
        if (name in kind && gives_status(name) && p == "status")
            p = "status_given"
        else if (name in kind && p == "array_of_statuses")
            p = "statuses_given"
        arguments = arguments (i > 1 ? ", " : "") p
    }
    return "__attribute__((visibility(\"default\"))) " returns " MPI_" name "(" \
        (n ? text : "void") ")"
}

function indented(lines, by) {
    gsub(/\n/, "\n" by, lines)
    return by substr(lines, 1, length(lines) - length(by))
}

function wrapper(returns, name, head,    first, otherwise) {
    first = before(name)
    otherwise = unrecorded(name)
    print head
    print "{"
    print "    struct tracer_scope s = TRACER_ENTER(MPG_CALL_" name ");"
    if (first != "")
        printf "%s", indented(first, "    ")
    print "    " returns " rc = PMPI_" name "(" arguments ");"
    print "    if (tracer_leave(&s, " outcome(name) "))"
    print "        " record(name) ";"
    if (otherwise != "") {
        print "    else"
        print "        " otherwise ";"
    }
    if (has(name, "array_of_statuses"))
        print "    tracer_statuses_drop(&statuses);"
    print "    return rc;"
    print "}"
    print ""
}

END {
    read_table()
    counted = 0
    split("Init Init_thread Finalize Abort Pcontrol", by_hand, " ")
    for (i in by_hand)
        skip[by_hand[i]] = 1
    print "/* Made by trace/pmpi/wrap.awk. */"
    print "#include \"trace/pmpi/wrap.h\""
    print ""
    gsub(/[ \t]+/, " ", header)
    while (match(header, /[A-Za-z_]+ MPI_[A-Z][A-Za-z_0-9]* ?\([^()]*\)/)) {
        proto = substr(header, RSTART, RLENGTH)
        header = substr(header, RSTART + RLENGTH)
        returns = substr(proto, 1, index(proto, " ") - 1)
        open = index(proto, "(")
        name = substr(proto, index(proto, " ") + 5, open - index(proto, " ") - 5)
        sub(/ $/, "", name)
        list = substr(proto, open + 1, length(proto) - open - 1)
        # mpi.h may declare conversions that the library was built without.
        if (returns ~ /^(return|typedef)$/ || name in seen || name in skip || list ~ /\.\.\./ ||
            name ~ /^Status_.*f08/)
            continue
        seen[name] = 1
        head = prototype(returns, name, list)
        print "#undef MPI_" name
        if (name in kind) {
            wrapper(returns, name, head)
            continue
        }
        untraced[counted] = name
        print head
        print "{"
        print "    tracer_count(" counted++ ");"
        print "    return PMPI_" name "(" arguments ");"
        print "}"
        print ""
    }
    print "const char *const mpg_untraced_names[] = {"
    for (i = 0; i < counted; i++)
        print "    \"MPI_" untraced[i] "\","
    print "    0};"
    print "_Static_assert(" counted " <= MPG_UNTRACED_COUNT, \"raise MPG_UNTRACED_COUNT\");"
}
