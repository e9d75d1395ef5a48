# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up signatures of version 2 for tests: source it, call signature. All
# distributions are uniform, so that their quantiles are known.

# shellcheck disable=SC2016 # for awk
uniform='function uniform(n, low, width, fits, k) {
        printf "{\"n\": %d, \"mean\": %.17g, \"sd\": %.17g, \"lag1\": 0.01, \"quantiles\": [",
            n, low + width / 2, width / sqrt(12)
        for (k = 0; k <= 256; k++)
            printf "%s%.17g", k ? "," : "", low + width * k / 256
        printf "]%s}", fits }'

# distribution N LOW WIDTH [FITS]: prints a uniform distribution from LOW to LOW + WIDTH.
distribution() {
    awk -v n="$1" -v low="$2" -v width="$3" -v fits="${4-}" "$uniform"' BEGIN { uniform(n, low, width, fits) }'
}

# sizes KEY TIMES SHIFT SIZE...: prints a list of sizes with uniform times from SHIFT + 300 + SIZE / 10 ns on, 10 %
# wide.
sizes() {
    local key=$1 times=$2 shift=$3
    shift 3
    awk -v key="$key" -v times="$times" -v shift=$((shift)) -v sizes="$*" -v fits="${fits-}" "$uniform"' BEGIN {
        printf "\"%s\": [", key
        n = split(sizes, size, " ")
        for (i = 1; i <= n; i++) {
            printf "%s{\"size_bytes\": %d, \"%s\": ", (i > 1 ? "," : ""), size[i], times
            uniform(4000, shift + 300 + int(size[i] / 10), 30 + int(size[i] / 100), fits)
            printf "}"
        }
        print "]" }'
}

# core NUMBER PERIOD: prints a core with a detour of 5 to 9 us every PERIOD us in 0.2 s, with series and spectrum.
core() {
    awk -v core="$1" -v period="$2" 'BEGIN {
        print "{\"core\": " core ", \"cores_at_once\": 2, \"threshold_ns\": 100, \"span_ns\": 200000000,"
        n = int(200000 / period)
        for (i = 0; i < n; i++) {
            start = start (i ? "," : "") i * period * 1000 + 250
            long = long (i ? "," : "") 5000 + 1000 * (i % 5)
        }
        print "\"detours\": {\"start_ns\": [" start "], \"duration_ns\": [" long "]},"
        for (i = 0; i < 200; i++) {
            mean = mean (i ? "," : "") 7000 + 10 * (i % 7)
            most = most (i ? "," : "") 9000 + 100 * (i % 11)
        }
        print "\"series\": {\"step_ns\": 1000000, \"mean_ns\": [" mean "], \"most_ns\": [" most "]},"
        mean = most = ""
        for (i = 0; i <= 100; i++) {
            mean = mean (i ? "," : "") 10 + 90 * (i == 50)
            most = most (i ? "," : "") 12 + 990 * (i == 50 || i == 100)
        }
        print "\"spectrum\": {\"step_hz\": 5, \"mean_ns2_per_hz\": [" mean "], \"most_ns2_per_hz\": [" most "]}," }'
    cat <<END
"false_alarm": 0.001,
"lines": [{"frequency_hz": ${line_hz-250.25}, "amplitude_ns": 2385, "harmonic_of_hz": 0, "false_alarm": 1e-12},
    {"frequency_hz": 100.5, "amplitude_ns": 717, "harmonic_of_hz": 0, "false_alarm": 1e-6},
    {"frequency_hz": 500.5, "amplitude_ns": 338, "harmonic_of_hz": ${line_hz-250.25}, "false_alarm": 1e-5}],
"autocorrelation": [0.231, 0.01, -0.02, 0.412],
"events": {"context_switches": "17", "interrupts": "LOC 1502, RES 12", "steal_ns": "30000000"},
"ftq": {"quantum_ns": 1000000, "lost_ns": $(distribution 4000 5000 4000)},
"fwq": {"quantum_ns": 500000, "lost_ns": $(distribution 3000 2000 1000)}}
END
}

# launches MEDIAN...: prints launches with these medians for 8 bytes; a median above 400 is an outlier.
launches() {
    local median comma='' i=0
    printf '"launches": ['
    for median; do
        printf '%s{"name": "launch %d", "n": 800, "size_bytes": 8, "median_ns": %s, "score": %s, "outlier": %d}' \
            "$comma" $i "$median" $((median / 100)).25 $((median > 400))
        comma=,
        i=$((i + 1))
    done
    echo '],'
}

# path CLASS SHIFT: prints a network path. Variables: eager, launch, window.
path() {
    echo "{\"path\": \"$1\", \"one_way\": \"synchronised clocks\", \"one_way_error_ns\": 23.85,"
    echo "${eager-\"eager_limit_bytes\": 4096,}"
    # shellcheck disable=SC2086 # a list
    launches ${launch-310 312 317 430}
    cat <<END
"pairs": [{"name": "ranks 0 and 1; hosts vm and vm; cores 0 and 1", "n": 4000, "size_bytes": 8, "median_ns": 315, "score": 0, "outlier": 0}],
"loggp": {"overhead_ns": 123.5, "gap_ns": 238.5, "segments": [
    {"from_bytes": 0, "to_bytes": 4096, "latency_ns": 315, "latency_error_ns": 1.5, "gap_per_byte_ns": 0.105, "gap_per_byte_error_ns": 0.0002, "residual_sd_ns": 2.5, "worst_relative": 0.0125},
    {"from_bytes": 4096, "to_bytes": 1048576, "latency_ns": 317, "latency_error_ns": 3.5, "gap_per_byte_ns": 0.1055, "gap_per_byte_error_ns": 0.0003, "residual_sd_ns": 12.5, "worst_relative": 0.025}]},
END
    sizes latency one_way_ns "$2" 0 8 64 1024 65536 1048576
    echo ,
    sizes round_trip round_trip_ns $((2 * $2)) 0 8
    echo ,
    sizes bandwidth transfer_ns "$2" 8 1024 65536 1048576
    echo ,
    sizes sender send_ns 0 8 1024
    echo ', "window_messages": 64,'
    sizes streaming message_ns -200 8 1024 65536 1048576
    echo '}'
}

# signature: prints a complete signature. Variables: kernel, shift (additional ns of each message), period (us between
# detours), without (sections to omit: noise network collectives reductions compute), fits, eager, launch, line_hz.
signature() {
    local fits=', "fits": [{"family": "gamma", "location": 290, "distance": 0.0425, "tail_fraction": 1,
        "parameters": [{"name": "shape", "value": 2.385, "low": 2.3, "high": 2.47},
                       {"name": "scale", "value": 13.5, "low": 13, "high": 14}]},
       {"family": "exponential", "location": 290, "distance": 0.1425, "tail_fraction": 1,
        "parameters": [{"name": "mean", "value": 25.5, "low": 24, "high": 27}]},
       {"family": "pareto tail", "location": 320, "distance": 0.0625, "tail_fraction": 0.05,
        "parameters": [{"name": "exponent", "value": 3.5, "low": 3, "high": 4}]}]'
    cat <<END
{"format": "mpgkit-signature", "version": [2, 0],
"header": {"host": "vm", "cpu": "A CPU: fast", "kernel": "${kernel-6.1}", "mpi": "Some MPI",
    "date": "2026-11-20T10:00:00Z", "odd": "line $(printf '%0200d' 7)"},
"results": {"ftq-core0.samples": "crc32 0badcafe"}
END
    case ${without-} in *noise*) ;; *)
        echo ', "noise": ['
        core 0 "${period-400}"
        echo ,
        core 1 "${period-400}"
        echo ']' ;;
    esac
    case ${without-} in *network*) ;; *)
        echo ', "network": ['
        path node "${shift-0}"
        echo ,
        path "between nodes" $((20000 + ${shift-0}))
        echo ']' ;;
    esac
    case ${without-} in *collectives*) ;; *)
        cat <<END
, "collectives": [
{"operation": "allreduce", "processes": 2, "size_bytes": 8, "time_ns": $(distribution 500 1000 300)},
{"operation": "allreduce", "processes": 2, "size_bytes": 1024, "time_ns": $(distribution 500 2000 300)},
{"operation": "allreduce", "processes": 4, "size_bytes": 8, "time_ns": $(distribution 500 3000 300)},
{"operation": "barrier", "processes": 2, "size_bytes": 0, "time_ns": $(distribution 500 700 300)}]
END
        ;;
    esac
    case ${without-} in *reductions*) ;; *)
        cat <<END
, "reductions": [
{"operation": "reduce_local", "processes": 2, "size_bytes": 8, "time_ns": $(distribution 400 20 5)},
{"operation": "reduce_local", "processes": 2, "size_bytes": 65536, "time_ns": $(distribution 400 1600 50)}]
END
        ;;
    esac
    case ${without-} in *compute*) ;; *)
        cat <<END
, "compute": [
{"kernel": "floating_point", "unit": "flop/s", "core": 0, "cores_at_once": 1, "rate_per_s": $(distribution 200 3.5e9 1e8)},
{"kernel": "memory_bandwidth", "unit": "B/s", "core": 1, "cores_at_once": 2, "rate_per_s": $(distribution 200 12.5e9 1e9)}]
END
        ;;
    esac
    echo '}'
}
