# SPDX-License-Identifier: GPL-3.0-or-later
# Reads trace/calls.def, the table (-v table=...), and the preprocessed mpi.h. Writes a
# wrapper for every MPI function that mpi.h declares, except functions with variable
# arguments. Calls of functions in the table are recorded with their arguments. Of the other
# functions, those that may communicate are recorded by their name; the rest is counted.
# MPIX_Allreduce_init and the other persistent collectives, extensions before the standard
# had them, are recorded like their MPI_ functions.
# The wrapper of MPI_X is wrapped_MPI_X. The program calls an entry named MPI_X, which takes every argument as a register
# holds it and goes on to the wrapper, or to the MPI_X of another family's MPI (trace/pmpi/real.h, tracer_real_other()).
# Used with calls.awk.

{ header = header " " $0 }

function read_table(    line, text) {
    while ((getline line < table) > 0)
        text = text line "\n"
    read_calls(text)
}

# Returns the declaration P, such as "int v[]", with the name NEW.
function renamed(p, new,    i, tail) {
    i = index(p, "[")
    tail = i ? substr(p, i) : ""
    if (i)
        p = substr(p, 1, i - 1)
    gsub(/ +$/, "", p)
    p = substr(p, 1, length(p) - length(identifier(p)))
    return p new tail
}

# Returns the prototype of the wrapper. Parameters have the table's names if KNOWN, else the
# names in mpi.h. Sets `arguments` (of the real call) and `declared` (the parameters).
function prototype(returns, name, list, known,    n, i, parts, p, text) {
    arguments = ""
    n = split_list(list, parts)
    for (i = 1; i <= n; i++) {
        p = known ? parameter[name, i] : identifier(parts[i])
        text = text (i > 1 ? ", " : "") renamed(parts[i], p)
        if (known && gives_status(name) && p == "status")
            p = "status_given"
        else if (known && given_statuses(name) && p == "array_of_statuses")
            p = "statuses_given"
        arguments = arguments (i > 1 ? ", " : "") p
    }
    declared = (n ? text : "void")
    return returns " wrapped_" prefix name "(" declared ")"
}

# Prints the entry of the function NAME, which has N parameters.
function entry(returns, name, n,    i, long_type, types, values) {
    long_type = returns == "double" ? returns : "long"
    for (i = 1; i <= n; i++) {
        types = types (i > 1 ? ", " : "") "long a" i
        values = values (i > 1 ? ", " : "") "a" i
    }
    types = n ? types : "void"
    print "extern " long_type " after_" name "(" types ") __asm__(\"wrapped_" name "\") __attribute__((visibility(\"hidden\")));"
    print long_type " entry_" name "(" types ") __asm__(\"" name "\");"
    print "ENTRY " long_type " entry_" name "(" types ")"
    print "{"
    print "    " long_type " (*other)(" types ");"
    print "    if (__builtin_expect(tracer_may_be_other, false) &&"
    print "        (other = (" long_type " (*)(" types "))tracer_real_other(\"" name "\", __builtin_return_address(0))))"
    print "        return other(" values ");"
    print "    return after_" name "(" values ");"
    print "}"
    print ""
}
function split_list(list, parts) {
    return list ~ /^ *(void)? *$/ ? 0 : split(list, parts, /, */)
}

# Whether the table has the function. Of extensions (MPIX_) only the persistent collectives,
# which the standard took over unchanged.
function is_known(name, list,    parts) {
    if (!(name in kind) || kind[name] ~ /^(FLUSH|UNRECORDED|REGION_BEGIN|REGION_END|UNKNOWN)$/)
        return 0
    return split_list(list, parts) == parameters[name] && (prefix == "MPI_" || kind[name] ~ /(COLLECTIVE|NEIGHBOR)_INIT/)
}

# Whether a function that the table lacks may communicate: it takes a communicator, window, file, request or the like.
function may_communicate(name, list) {
    return list ~ /MPIX?_(Comm|Win|File|Request|Message|Session|Stream)/ &&
        name !~ /^T_|_(c2f|f2c|c2f08|f082c|toint|fromint)$/
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
    if (may_be_untimed(name)) {
        print "    struct local_sum *sum = LOCAL_BEGIN(MPG_CALL_" name ");"
        print "    if (sum) {"
        print "        " returns " rc = " real(name) "(" arguments ");"
        print "        local_end(sum, " outcome(name) ");"
        print "        return rc;"
        print "    }"
    }
    print "    struct tracer_scope s = TRACER_ENTER(MPG_CALL_" name ");"
    if (first != "")
        printf "%s", indented(first, "    ")
    print "    " returns " rc = " real(name) "(" arguments ");"
    print "    if (tracer_leave(&s, " outcome(name) "))"
    print "        " buffers(name) record(name) ";"
    if (otherwise != "") {
        print "    else"
        print "        " otherwise ";"
    }
    if (given_statuses(name))
        print "    tracer_statuses_drop(&statuses);"
    print "    return rc;"
    print "}"
    print ""
}

# Returns the C text of the function that the wrapper calls.
function real(name) {
    return prefix == "MPI_" ? "NEXT(" name ")" : "EXTENSION(" name ")"
}

function pass_through(returns, name, head, list) {
    print head
    print "{"
    if (!may_communicate(name, list)) {
        print "    tracer_count(" counted ", __builtin_return_address(0));"
        print "    return " real(name) "(" arguments ");"
    } else {
        print "    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Unknown);"
        if (returns != "void")
            print "    " returns " result = " real(name) "(" arguments ");"
        else
            print "    " real(name) "(" arguments ");"
        print "    if (tracer_leave(&s, MPI_SUCCESS))"
        print "        record_unknown(&s, " counted ");"
        if (returns != "void")
            print "    return result;"
    }
    print "}"
    print ""
    untraced[counted++] = "\"" prefix name "\", " (may_communicate(name, list) ? "false" : "true")
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
    while (match(header, /[A-Za-z_]+ MPIX?_[A-Z][A-Za-z_0-9]* ?\([^()]*\)/)) {
        proto = substr(header, RSTART, RLENGTH)
        header = substr(header, RSTART + RLENGTH)
        returns = substr(proto, 1, index(proto, " ") - 1)
        open = index(proto, "(")
        name = substr(proto, index(proto, " ") + 1, open - index(proto, " ") - 1)
        prefix = substr(name, 1, index(name, "_"))
        name = substr(name, length(prefix) + 1)
        sub(/ $/, "", name)
        list = substr(proto, open + 1, length(proto) - open - 1)
        # mpi.h may declare conversions that the library was built without.
        if (returns ~ /^(return|typedef)$/ || (prefix name) in seen || list ~ /\.\.\./ || name ~ /^Status_.*f08/)
            continue
        seen[prefix name] = 1
        entry(returns, prefix name, split_list(list, parts))
        if (prefix == "MPI_" && name in skip)
            continue
        known = is_known(name, list)
        head = prototype(returns, name, list, known)
        print "#undef " prefix name
        if (prefix != "MPI_") {
            print "#undef P" prefix name
            print "extern " returns " P" prefix name "(" declared ") __attribute__((weak));"
        }
        if (known)
            wrapper(returns, name, head)
        else
            pass_through(returns, name, head, list)
    }
    print "const struct mpg_untraced mpg_untraced[] = {"
    for (i = 0; i < counted; i++)
        print "    {" untraced[i] "},"
    print "    {0, false}};"
    print "_Static_assert(" counted " <= MPG_UNTRACED_COUNT, \"raise MPG_UNTRACED_COUNT\");"
}
