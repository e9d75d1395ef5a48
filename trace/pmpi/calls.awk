# SPDX-License-Identifier: GPL-3.0-or-later
# What the generators of C and Fortran wrappers share: trace/calls.def as arrays, and
# for each call the C text that records it.
#
# The text names parameters as calls.def does, each in a macro. C wrappers (wrap.h) and
# Fortran wrappers (fortran.h) define the macros differently:
#   INT COMM TYPE WIN FH GROUP OP   the value of an argument
#   COUNTS                          a struct tracer_counts
#   SET FLAG                        a number or logical that the call has returned in an argument
#   IN_PLACE                        whether a buffer is MPI_IN_PLACE
#   BUFFER                          the address of a buffer
#   TYPES                           a struct tracer_types
#   REQUESTS                        address of requests, and whether they are Fortran's
#   INDICES                         address of indices, and the number of the first (0 in C, mostly 1 in Fortran)
#   REQUEST                         a request, passed by value, as an MPI_Request
#   REQUEST_VALUE                   a request, passed by value, in the form of REQUESTS
#   TAG                             a number that stands for a string tag
#   MADE_REQUEST MADE_PERSISTENT    a struct tracer_made, after the call
#   MADE_COMM MADE_WIN MADE_FILE MADE_MESSAGE  a handle, after the call
#   LATER_COMM                      address at which a nonblocking call stores a communicator
#                                   when it completes, and whether the handle is Fortran's
#   OLD_COMM OLD_WIN OLD_FILE OLD_MESSAGE OLD_TYPE  a handle, before the call loses it
#   GIVE_STATUS GIVE_STATUSES       declares the statuses that are passed to the call: the
#                                   program's, or the wrapper's own if the program ignores them
#   STATUS STATUSES                 these statuses after the call, as const MPI_Status *
# s is the struct tracer_scope, rc the return code of the call.

# Parses TEXT, the content of calls.def. Sets calls (the number of calls), call_name, kind, result, parameter and type.
function read_calls(text,    entries, n, i) {
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
    gsub(/#[^\n]*/, "", text)
    gsub(/[ \t\n]+/, " ", text)
    calls = 0
    n = split(text, entries, / ?MPG_/)
    for (i = 2; i <= n; i++)
        if (entries[i] ~ /^CALL/)
            read_call(substr(entries[i], 6))
        else
            make_large(substr(entries[i], 7, length(entries[i]) - 7))
}

# "NAME, KIND, RESULT, (PARAMETERS))"
function read_call(entry,    rest, i, parts, name) {
    split(entry, parts, ", ")
    name = parts[1]
    call_name[++calls] = name
    # These calls leave the request to be completed, but theirs may be the only status that names the message's sender.
    kind[name] = name ~ /^Request_get_status/ ? "GET_STATUS" : parts[2]
    result[name] = parts[3]
    plain_name[name] = name
    rest = substr(entry, index(entry, "(") + 1)
    sub(/\)\) *$/, "", rest)
    parameters[name] = rest ~ /^ *void *$/ ? 0 : split(rest, parts, /, */)
    for (i = 1; i <= parameters[name]; i++)
        add_parameter(name, i, identifier(parts[i]), type_of(parts[i]))
}
function add_parameter(name, i, its_name, its_type) {
    parameter[name, i] = its_name
    type[name, i] = its_type
    where[name, its_name] = i
}

# Adds NAME_c, the variant of NAME with large counts (MPI-4.0).
function make_large(name,    large, i) {
    sub(/ *\).*/, "", name)
    large = name "_c"
    call_name[++calls] = large
    kind[large] = kind[name]
    result[large] = result[name]
    plain_name[large] = name
    is_large[name] = 1
    parameters[large] = parameters[name]
    for (i = 1; i <= parameters[name]; i++)
        add_parameter(large, i, parameter[name, i], large_type(name, parameter[name, i], type[name, i]))
}
# Returns the type of parameter P, of type T in CALL, in CALL_c: counts, sizes and positions are MPI_Count, displacements
# (displs, disp_unit) MPI_Aint.
function large_type(call, p, t) {
    if (p == "disp_unit" || p ~ /displs$/)
        sub(/^int/, "MPI_Aint", t) || sub(/^const int/, "const MPI_Aint", t)
    else if (p ~ /counts?$|blocklengths?$|^(in|out)size$|^position$|^array_of_(sizes|subsizes|starts|gsizes)$/ ||
             (p == "size" && call ~ /^(Buffer|Comm|Session|Type|Pack)_/ && call !~ /darray/) ||
             (p ~ /^stride$|displacements$/ && call ~ /^Type_/))
        sub(/int|MPI_Aint/, "MPI_Count", t)
    else if (call ~ /(extent|resized)$/)
        sub(/MPI_Aint/, "MPI_Count", t)
    else if (t ~ /^(MPI_User_function|MPI_Datarep_conversion_function) \*$/)
        sub(/ /, "_c ", t)
    return t
}

# identifier() returns the name in a declaration P, type_of() P without the name: "const int v[]" gives v and "const int []".
function identifier(p) {
    gsub(/\[[^]]*\]/, "", p)
    gsub(/ +$/, "", p)
    match(p, /[A-Za-z_][A-Za-z_0-9]*$/)
    return substr(p, RSTART, RLENGTH)
}
function type_of(p,    name, tail, i) {
    name = identifier(p)
    i = index(p, "[")
    tail = i ? substr(p, i) : ""
    if (i)
        p = substr(p, 1, i - 1)
    gsub(/ +$/, "", p)
    p = substr(p, 1, length(p) - length(name))
    gsub(/ +$/, "", p)
    return tail == "" ? p : p " " tail
}

# Name of the first parameter of CALL with TYPE, or "".
function with_type(call, wanted,    i) {
    for (i = 1; i <= parameters[call]; i++)
        if (type[call, i] == wanted)
            return parameter[call, i]
    return ""
}
function has(call, name) {
    return (call, name) in where
}

function request_of(call,    name) {
    name = with_type(call, "MPI_Request *")
    return name == "" ? "NO_REQUEST" : (kind[call] ~ /_INIT$/ ? "MADE_PERSISTENT(" : "MADE_REQUEST(") name ")"
}
function counts(name) {
    return "COUNTS(" name ")"
}
function comm_of(call) {
    return "COMM(" with_type(call, "MPI_Comm") ")"
}
# The number of requests of a completion or start, and the array of requests.
function count_of(call) {
    return has(call, "count") ? "INT(count)" : has(call, "incount") ? "INT(incount)" : "1"
}
function requests_of(call) {
    if (!has(call, "request"))
        return "REQUESTS(array_of_requests)"
    return (with_type(call, "MPI_Request") == "" ? "REQUESTS" : "REQUEST_VALUE") "(request)"
}

# Returns the statements of the wrapper before the real call, one a line.
function before(call,    k, text) {
    k = kind[call]
    if (k ~ /^(PREADY|PARRIVED)$/)
        return "int64_t id = tracer_request_active(&s, REQUEST(request));\n"
    if (k ~ /^(COMPLETE|GET_STATUS|START|REQUEST_FREE|CANCEL)$/)
        text = "struct tracer_candidates c;\n" \
            "tracer_candidates_take(&c, &s, " count_of(call) ", " requests_of(call) ");\n"
    if (given_statuses(call))
        text = text "GIVE_STATUSES(" count_of(call) ", array_of_statuses);\n"
    else if (gives_status(call))
        text = text "GIVE_STATUS(status);\n"
    if (k == "COMM_FREE")
        text = text "MPI_Comm old = OLD_COMM(comm);\nint32_t number = tracer_comm_number(&s, old);\n"
    else if (k == "WIN_FREE")
        text = text "MPI_Win old = OLD_WIN(win);\nint32_t number = tracer_win_number(&s, old);\n"
    else if (k == "FILE_CLOSE")
        text = text "MPI_File old = OLD_FILE(fh);\nint32_t number = tracer_file_number(&s, old);\n"
    else if (k == "MRECV" || k == "IMRECV")
        text = text "struct tracer_message old = tracer_message(&s, OLD_MESSAGE(message));\n"
    else if (call == "Type_commit")
        text = text "tracer_type_commit(OLD_TYPE(datatype));\n"
    else if (call == "Type_free")
        text = text "tracer_type_forget(OLD_TYPE(datatype));\n"
    else if (call == "Session_init")
        text = text "tracer_before_session();\n"
    return text
}

# Whether the real call must return a status even if the program ignores it.
function gives_status(call) {
    return has(call, "status") && kind[call] ~ /^(RECV|SENDRECV|COMPLETE|GET_STATUS|PROBE|MPROBE|MRECV|FILE)$/
}

# Whether the real call must return an array of statuses even if the program ignores them.
function given_statuses(call) {
    return has(call, "array_of_statuses") && kind[call] ~ /^(COMPLETE|GET_STATUS)$/
}

# Returns the return code that is passed to tracer_leave().
function outcome(call,    k) {
    k = kind[call]
    if (k == "COMPLETE")
        return "tracer_completion_outcome(&c, rc)"
    if (k ~ /^(RECV|SENDRECV|MRECV)$/)
        return "tracer_receive_outcome(rc)"
    return result[call] == "int" && call !~ /_c2f$/ ? "rc" : "MPI_SUCCESS"
}

# Returns the statement that records CALL. (unrecorded() returns the statement for a call
# that is not recorded, or "".) C and Fortran wrappers have the same text, with different macros.
function record(call,    k, name) {
    k = kind[call]
    if (k ~ /^(SEND|RECV|I?SENDRECV|ISEND|IRECV|SEND_INIT|RECV_INIT|PROBE|MPROBE|MRECV|IMRECV)$/)
        return record_point(call, k)
    if (k ~ /^(COMPLETE|GET_STATUS|START|REQUEST_FREE|CANCEL|REQUEST)$/)
        return record_requests(call, k)
    if (k ~ /^P(SEND_INIT|RECV_INIT|READY|ARRIVED)$/)
        return record_partitioned(call, k)
    if (k ~ /^I?(COLLECTIVE|NEIGHBOR)(_INIT)?$/) {
        name = tolower(substr(plain_name[call], k ~ /^I/ ? 2 : 1))
        sub(/_init$/, "", name)
        return record_collective(call, name)
    }
    if (k ~ /^(I?CONSTRUCTOR|DYNAMIC|COMM_FREE)$/)
        return record_comm(call, k)
    if (k ~ /WIN|RMA/)
        return record_window(call, k)
    if (k ~ /FILE/)
        return record_file(call, k)
    return "record_other(&s)"
}
# Returns the expression that notes CALL's buffers, to be put before record(), or "".
function buffers(call,    k, sent, received) {
    k = kind[call]
    if (k !~ /^(I?SEND|I?RECV|I?SENDRECV|I?MRECV|P?SEND_INIT|P?RECV_INIT|I?(COLLECTIVE|NEIGHBOR)(_INIT)?|I?RMA)$/)
        return ""
    sent = has(call, "sendbuf") ? "sendbuf" : has(call, "buffer") ? "buffer" : \
        has(call, "buf") && k ~ /SEND/ ? "buf" : has(call, "origin_addr") && call !~ /^R?[Gg]et(_c)?$/ ? "origin_addr" : ""
    received = has(call, "recvbuf") ? "recvbuf" : has(call, "buffer") ? "buffer" : \
        has(call, "buf") && k ~ /RECV/ ? "buf" : has(call, "result_addr") ? "result_addr" : \
        has(call, "origin_addr") && call ~ /^R?[Gg]et(_c)?$/ ? "origin_addr" : ""
    return sent received == "" ? "" : \
        "tracer_note_buffers(&s, " address_of(sent) ", " address_of(received) "), "
}
function address_of(buffer) {
    return buffer == "" ? "NULL" : "BUFFER(" buffer ")"
}
# Whether CALL is a local one that needs no time (trace/pmpi/local.h).
function may_be_untimed(call) {
    return record(call) == "record_other(&s)" && kind[call] == "OTHER" && before(call) == ""
}
function unrecorded(call) {
    return kind[call] ~ /^(COMPLETE|GET_STATUS|START|REQUEST_FREE|CANCEL)$/ ? "tracer_candidates_drop(&c)" : ""
}

function record_point(call, k,    buffer, from) {
    buffer = "INT(count), TYPE(datatype)"
    from = "INT(source), INT(tag), COMM(comm)"
    if (k == "SEND")
        return "record_send(&s, " buffer ", INT(dest), INT(tag), COMM(comm))"
    if (k == "RECV")
        return "record_recv(&s, " buffer ", " from ", rc, STATUS(status))"
    if (k == "SENDRECV")
        return "record_sendrecv(&s, " \
            (has(call, "count") ? buffer : "INT(sendcount), TYPE(sendtype)") \
            ", INT(dest), INT(sendtag), " (has(call, "count") ? buffer : "INT(recvcount), TYPE(recvtype)") \
            ", INT(source), INT(recvtag), COMM(comm), rc, STATUS(status))"
    if (k == "ISENDRECV")
        return "record_isendrecv(&s, " \
            (has(call, "count") ? buffer : "INT(sendcount), TYPE(sendtype)") ", INT(dest), INT(sendtag), " \
            (has(call, "count") ? buffer : "INT(recvcount), TYPE(recvtype)") ", INT(source), INT(recvtag), " \
            "COMM(comm), " request_of(call) ")"
    if (k == "ISEND" || k == "SEND_INIT")
        return "record_isend(&s, " buffer ", INT(dest), INT(tag), COMM(comm), " \
            request_of(call) ")"
    if (k == "IRECV" || k == "RECV_INIT")
        return "record_irecv(&s, " buffer ", " from ", " request_of(call) ")"
    if (k == "PROBE")
        return "record_probe(&s, " from ", " (has(call, "flag") ? "FLAG(flag)" : "true") \
            ", STATUS(status))"
    if (k == "MPROBE")
        return "record_mprobe(&s, " from ", " (has(call, "flag") ? "FLAG(flag)" : "true") \
            ", MADE_MESSAGE(message), STATUS(status))"
    if (k == "MRECV")
        return "record_mrecv(&s, " buffer ", &old, rc, STATUS(status))"
    return "record_imrecv(&s, " buffer ", &old, " request_of(call) ")"
}

function record_requests(call, k,    done, indices) {
    if (k == "START")
        return "record_start(&s, &c)"
    if (k == "REQUEST_FREE")
        return "record_request_free(&s, &c)"
    if (k == "CANCEL")
        return "record_cancel(&s, &c)"
    if (k == "REQUEST")
        return "record_request(&s, " request_of(call) ")"
    done = call ~ /some$/ ? "SET(outcount)" : call ~ /all$/ ? "INT(count)" : "1"
    if (has(call, "flag"))
        done = "FLAG(flag) ? " done " : 0"
    indices = call ~ /some$/ ? "INDICES(array_of_indices)" : call ~ /any$/ ? "INDICES(indx)" : "NULL, 0"
    return (k == "GET_STATUS" ? "record_get_status" : "record_completion") "(&s, &c, " done ", " indices ", " \
        (has(call, "status") ? "STATUS(status)" : "STATUSES(array_of_statuses)") ")"
}

function record_partitioned(call, k,    which) {
    if (k == "PARRIVED")
        return "record_parrived(&s, id, INT(partition), FLAG(flag))"
    if (k == "PREADY") {
        which = call ~ /_list$/ ? "INT(length), array_of_partitions" : call ~ /_range$/ ? \
            "2, ((int[]){INT(partition_low), INT(partition_high)})" : "1, ((int[]){INT(partition)})"
        return "record_pready(&s, id, " which ")"
    }
    return "record_" tolower(k) "(&s, INT(partitions), INT(count), TYPE(datatype), " \
        (has(call, "dest") ? "INT(dest)" : "INT(source)") ", INT(tag), COMM(comm), " request_of(call) ")"
}

# NAME: of the blocking collective, lower-case.
function record_collective(call, name,    one, two, end) {
    one = "INT(count), TYPE(datatype)"
    two = "INT(sendcount), TYPE(sendtype), INT(recvcount), TYPE(recvtype)"
    end = comm_of(call) ", " request_of(call) ")"
    if (name == "barrier")
        return "record_collective(&s, 0, 0, MPI_BYTE, " end
    if (name ~ /^(bcast|reduce)$/)
        return "record_collective(&s, INT(root), " one ", " end
    if (name ~ /^(allreduce|scan|exscan)$/)
        return "record_collective(&s, 0, " one ", " end
    if (name == "gather")
        return "record_gather(&s, IN_PLACE(sendbuf), " two ", INT(root), " end
    if (name == "gatherv")
        return "record_gatherv(&s, IN_PLACE(sendbuf), INT(sendcount), TYPE(sendtype), " \
            counts("recvcounts") ", TYPE(recvtype), INT(root), " end
    if (name == "scatter")
        return "record_scatter(&s, " two ", INT(root), " end
    if (name == "scatterv")
        return "record_scatterv(&s, " counts("sendcounts") ", TYPE(sendtype), INT(recvcount), " \
            "TYPE(recvtype), INT(root), " end
    if (name ~ /^(allgather|alltoall)$/)
        return "record_allgather(&s, IN_PLACE(sendbuf), " two ", " end
    if (name == "allgatherv")
        return "record_allgatherv(&s, IN_PLACE(sendbuf), INT(sendcount), TYPE(sendtype), " \
            counts("recvcounts") ", TYPE(recvtype), " end
    if (name == "alltoallv")
        return "record_alltoallv(&s, IN_PLACE(sendbuf), " counts("sendcounts") ", TYPE(sendtype), " \
            counts("recvcounts") ", TYPE(recvtype), " end
    if (name == "alltoallw")
        return "record_alltoallw(&s, IN_PLACE(sendbuf), " counts("sendcounts") ", TYPES(sendtypes), " \
            counts("recvcounts") ", TYPES(recvtypes), " end
    if (name == "reduce_scatter")
        return "record_reduce_scatter(&s, " counts("recvcounts") ", TYPE(datatype), " end
    if (name == "reduce_scatter_block")
        return "record_reduce_scatter_block(&s, INT(recvcount), TYPE(datatype), " end
    if (name == "neighbor_alltoallv")
        return "record_neighbor_alltoallv(&s, " counts("sendcounts") ", TYPE(sendtype), " end
    if (name == "neighbor_alltoallw")
        return "record_neighbor_alltoallw(&s, " counts("sendcounts") ", TYPES(sendtypes), " end
    return "record_neighbor(&s, INT(sendcount), TYPE(sendtype), " end
}

function record_comm(call, k,    made) {
    made = with_type(call, "MPI_Comm *")
    if (k == "COMM_FREE")
        return "record_comm_free(&s, old, number)"
    if (k == "ICONSTRUCTOR")
        return "record_iconstructor(&s, " comm_of(call) ", LATER_COMM(" made "), " \
            request_of(call) ")"
    if (k == "DYNAMIC" && with_type(call, "MPI_Comm") == "")
        return "record_constructor(&s, MPI_COMM_NULL, MADE_COMM(" made "))"
    if (has(call, "stringtag"))
        return "record_create_group(&s, MPI_COMM_NULL, TAG(stringtag), MADE_COMM(" made "))"
    if (tolower(call) == "comm_create_group")
        return "record_create_group(&s, COMM(comm), INT(tag), MADE_COMM(" made "))"
    return "record_constructor(&s, " comm_of(call) ", MADE_COMM(" made "))"
}

function record_window(call, k,    out, back, made) {
    if (k == "WIN_CONSTRUCTOR")
        return "record_win_constructor(&s, COMM(comm), " (has(call, "size") ? "AINT(size)" : "0") \
            ", MADE_WIN(win))"
    if (k == "WIN_FREE")
        return "record_win_free(&s, old, number)"
    if (k == "WIN_FENCE")
        return "record_win_fence(&s, INT(assert), WIN(win))"
    if (k == "WIN_GROUP")
        return "record_win_group(&s, GROUP(group), WIN(win))"
    if (k == "WIN_EPOCH")
        return "record_win_epoch(&s, " (has(call, "flag") ? "FLAG(flag)" : "true") ", WIN(win))"
    if (k == "WIN_TARGET")
        return "record_win_target(&s, INT(rank), " \
            (has(call, "lock_type") ? "INT(lock_type) == MPI_LOCK_EXCLUSIVE" : "false") ", WIN(win))"
    if (k == "WIN_ALL")
        return "record_win_all(&s, WIN(win))"
    made = request_of(call)
    call = plain_name[call]
    out = "INT(origin_count), TYPE(origin_datatype)"
    back = "0, MPI_BYTE"
    if (call == "Get" || call == "Rget") {
        back = out
        out = "0, MPI_BYTE"
    } else if (call ~ /et_accumulate$/) {
        out = "OP(op) == MPI_NO_OP ? 0 : " out
        back = "INT(result_count), TYPE(result_datatype)"
    } else if (call == "Fetch_and_op") {
        out = "OP(op) == MPI_NO_OP ? 0 : 1, TYPE(datatype)"
        back = "1, TYPE(datatype)"
    } else if (call == "Compare_and_swap") {
        out = "2, TYPE(datatype)"
        back = "1, TYPE(datatype)"
    }
    return "record_rma(&s, " out ", " back ", INT(target_rank), WIN(win), " made ")"
}

function record_file(call, k) {
    if (k == "FILE_OPEN")
        return "record_file_open(&s, COMM(comm), MADE_FILE(fh))"
    if (k == "FILE_CLOSE")
        return "record_file_close(&s, old, number)"
    if (k == "IFILE")
        return "record_ifile(&s, INT(count), TYPE(datatype), FH(fh), " request_of(call) ")"
    if (k == "FILE" && gives_status(call))
        return "record_file(&s, FH(fh), STATUS(status))"
    return "record_file(&s, FH(fh), NULL)"
}
