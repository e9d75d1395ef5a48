# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes signatures whose numbers are as small, as large or as equal as the format permits, one file each: extremes.py
FOLDER. Programs that show or draw them must end."""
import itertools
import json
import sys

TINY, SMALL, LARGE = 5e-324, 1e-310, 1e150


def distribution(values):
    return {"n": 1000, "mean": values[len(values) // 2], "quantiles": values}


def sizes(key, spans):
    return [{"size_bytes": size, key: distribution(values)} for size, values in spans]


def network(values, sizes_bytes):
    spans = [(size, values) for size in sizes_bytes]
    return [{"path": "core complex", "latency": sizes("one_way_ns", spans),
             "round_trip": sizes("round_trip_ns", spans),
             "bandwidth": sizes("transfer_ns", spans), "sender": sizes("send_ns", spans),
             "streaming": sizes("message_ns", spans), "window_messages": 64,
             "eager_limit_bytes": sizes_bytes[-1]}]


def core(low, high, step):
    longest = min(high, LARGE / 8)
    span = max(longest * 4, TINY * 64)
    pair = {"mean_ns": [low, high, low, high], "most_ns": [high, high, low, high]}
    density = {"mean_ns2_per_hz": [low, low, high, low], "most_ns2_per_hz": [high, high, high, low]}
    return [{"core": 0, "threshold_ns": low, "span_ns": span,
             "detours": {"start_ns": [0, span / 2], "duration_ns": [min(low, longest), longest]},
             "ftq": {"quantum_ns": max(high, TINY),
                     "lost_ns": distribution([low, low, high])},
             "series": {"step_ns": step, **pair}, "spectrum": {"step_hz": step, **density},
             "lines": [{"frequency_hz": LARGE, "amplitude_ns": high, "false_alarm": 0},
                       {"frequency_hz": TINY, "amplitude_ns": high, "false_alarm": 1}],
             "autocorrelation": [1, -1]}]


def collectives(values):
    return [{"operation": operation, "processes": 2, "size_bytes": size,
             "time_ns": distribution(values)}
            for operation in ("allreduce", "barrier") for size in (0, 2 ** 62)]


def signature(**parts):
    return {"format": "mpgkit-signature", "version": [2, 0], "header": {"host": "x"}, **parts}


def extremes():
    numbers = (0, TINY, SMALL, 1, LARGE)
    for low, high in itertools.combinations_with_replacement(numbers, 2):
        values = [low, low, high]
        name = f"{low:g}-{high:g}"
        yield f"times-{name}", signature(
            network=network(values, [0, 1, 2 ** 62]), collectives=collectives(values),
            reductions=collectives(values),
            compute=[{"kernel": "integer", "unit": "operation/s", "core": 0, "cores_at_once": 1,
                      "rate_per_s": distribution(values)}])
        for step in (TINY, 1, LARGE):
            yield f"noise-{name}-{step:g}", signature(noise=core(low, high, step))
    # searching all of them for each line would take longer than the test waits
    for name, of in (("one-fundamental", lambda i: 1 if i else 0),
                     ("no-fundamental", lambda i: 0.5), ("fundamentals", lambda i: 0)):
        yield f"many-lines-{name}", signature(noise=[{"core": 0, "lines": [
            {"frequency_hz": 1 + i, "amplitude_ns": 1, "harmonic_of_hz": of(i), "false_alarm": 0}
            for i in range(65536)]}])
    # the least sample is 0 but no median is: a logarithmic axis has no beginning
    yield "no-least", signature(network=network([0, 218, 281.4, 5062.9], [0]))
    yield "many-processes", signature(collectives=[
        {"operation": "barrier", "processes": 1 + i, "size_bytes": 0,
         "time_ns": distribution([1, 2])} for i in range(1000)])


for name, made in extremes():
    with open(f"{sys.argv[1]}/{name}.sig", "w", encoding="utf-8") as file:
        json.dump(made, file)
