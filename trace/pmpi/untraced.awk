# SPDX-License-Identifier: GPL-3.0-or-later
# Reads trace/calls.def, then the preprocessed mpi.h; writes wrappers that count
# every other MPI function and pass it through.

FNR == NR {
    if (match($0, /^MPG_CALL\([A-Za-z_]+/) && ++known <= 67)
        traced["MPI_" substr($0, 10, RLENGTH - 9)] = 1
    next
}

{ text = text " " $0 }

# The parameter names of a prototype's list, separated by commas.
function names(list,    n, parts, i, p, result) {
    if (list ~ /^[ \t]*void[ \t]*$/)
        return ""
    n = split(list, parts, ",")
    for (i = 1; i <= n; i++) {
        p = parts[i]
        gsub(/\[[^]]*\]/, "", p)
        gsub(/[ \t]+$/, "", p)
        match(p, /[A-Za-z_][A-Za-z_0-9]*$/)
        result = result (i > 1 ? ", " : "") substr(p, RSTART, RLENGTH)
    }
    return result
}

END {
    split("MPI_Pcontrol MPI_Abort MPI_Init MPI_Init_thread MPI_Finalize", special, " ")
    for (i in special)
        traced[special[i]] = 1
    print "/* Made by trace/pmpi/untraced.awk. */"
    print "#include \"trace/pmpi/tracer.h\""
    print "#include \"trace/pmpi/untraced.h\""
    print ""
    print "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\""
    print ""
    gsub(/[ \t]+/, " ", text)
    count = 0
    while (match(text, /int MPI_[A-Z][A-Za-z_0-9]*\([^()]*\)/)) {
        proto = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        name = substr(proto, 5, index(proto, "(") - 5)
        list = substr(proto, index(proto, "(") + 1)
        sub(/\)$/, "", list)
        if (name ~ /^MPI_Aint_/ || name in traced || name in seen || list ~ /\.\.\./)
            continue
        seen[name] = 1
        order[count++] = name
        protos[name] = proto
        calls[name] = "P" name "(" names(list) ")"
    }
    print "const char *const mpg_untraced_names[] = {"
    for (i = 0; i < count; i++)
        print "    \"" order[i] "\","
    print "    0};"
    print ""
    for (i = 0; i < count; i++) {
        name = order[i]
        print "__attribute__((visibility(\"default\"))) " protos[name]
        print "{"
        print "    tracer_count(" i ");"
        print "    return " calls[name] ";"
        print "}"
        print ""
    }
    print "_Static_assert(" count " <= MPG_UNTRACED_COUNT, \"raise MPG_UNTRACED_COUNT\");"
}
