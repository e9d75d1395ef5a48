# SPDX-License-Identifier: GPL-3.0-or-later
"""How much more messages, calls and collectives cost on the target than on the traced machine: docs/MODEL.md, section
3, for one replica."""

from collections import namedtuple

from oracle_draws import (ACK, BYTE, COLLECTIVE, LATENCY, LAUNCH, RECEIVE,
                          ROUND_LATENCY, ROW, SEND, Draws)
from oracle_exact import Fraction
from oracle_signature import FIT, u_in_row
from oracle_trace import OracleError

ZERO = Fraction(0)
NEXT_INDEX = 0x9e3779b1


# On the target, on the source; the least on the target, the median on the source.
Overhead = namedtuple("Overhead", "target source least typical")


class Machine:
    """A signature's path and collectives, of one launch or of all."""

    def __init__(self, signature, path, launch, noise_given):
        self.signature = signature
        self.noisy = not noise_given and any(
            core.get("span_ns") for core in signature.cores)
        self.path = path
        self.launch = launch

    def drawn_from(self, model):
        return FIT if model == "fit" else self.launch

    def flight(self, size_bytes, u, model):
        return self.path.flight(self.drawn_from(model), size_bytes, u)

    def transfer_only(self, size_bytes, u, model):
        return self.path.transfer_only(self.drawn_from(model), size_bytes, u)

    def collective(self, operation, processes, size_bytes, u):
        sizes = self.signature.collectives[operation, processes]
        return self.undisturbed(sizes, self.launch, size_bytes, u)

    def undisturbed(self, sizes, launch, size_bytes, u):
        """Limits a value to 20 medians if noise is replayed or removed."""
        value = sizes(launch, size_bytes, u)
        if not self.noisy:
            return value
        return min(value, 20 * sizes(None, size_bytes, 0.5))


def can_use(settings, paths):
    """Returns whether these paths of target and source have what messages need."""
    try:
        Costs(settings, paths)
    except OracleError:
        return False
    return True


class Costs:
    """All perturbations of communication, in one replica."""

    def __init__(self, settings, paths=None):
        """PATHS: of target and source, if not those of the farthest ranks."""
        self.settings = settings
        self.ways = {}
        self.draw = Draws(settings.seed, settings.replica)
        launch = None
        if settings.measurement != "fixed":
            launch = Draws(settings.seed, settings.replica // 2)(0, 0, LAUNCH)
        self.target = self.source = None
        given = settings.noise is not None
        if settings.signature:
            there, here = paths or (settings.target_path(), settings.source_path())
            self.target = Machine(settings.signature, there, launch, given)
            if settings.source:
                self.source = Machine(settings.source, here, launch, given)
        self.replaced = settings.latency is not None or settings.byte is not None
        self.all_replaced = None not in (settings.latency, settings.byte)
        self.value, self.flight_source = self.choose_flights()
        self.check_models()

    def of(self, message):
        """Returns the costs for the path between the message's two ranks."""
        ranks = message.send.call.rank, message.send.receiver
        paths = self.settings.paths(*ranks)
        if not paths:
            return self
        key = tuple(map(id, paths))
        if key not in self.ways:
            self.ways[key] = Costs(self.settings, paths)
        return self.ways[key]

    # Flights

    def choose_flights(self):
        """Chooses how the time of a flight is determined, and the source for it."""
        target = self.target and self.target.path
        source = self.source and self.source.path
        if not target:
            return None, None
        if target.latency and source and source.latency:
            return Machine.flight, self.source
        if target.transfer.above(0) and source and source.transfer.above(0):
            return Machine.transfer_only, self.source
        if target.latency:
            return Machine.flight, None
        return (Machine.transfer_only if target.transfer.above(0) else None), None

    def check_models(self):
        """A time that is to be drawn from a fit must have fits at every size."""
        latency, byte = (model == "fit" for model in (self.settings.latency_model,
                                                      self.settings.byte_model))
        if latency and self.value is not Machine.flight:
            raise OracleError("--models=latency=fit: no latencies to draw from")
        if byte and not self.value:
            raise OracleError("--models=byte=fit: no times to draw from")
        if not latency and not byte:
            return
        for machine in filter(None, (self.target, self.flight_source)):
            absolute = machine is self.target and not self.replaced and machine.path.latency
            lists = [machine.path.latency] * (self.value is Machine.flight or bool(absolute))
            for sizes in lists + [machine.path.transfer] * (self.value is Machine.transfer_only):
                if not all(quantity.fit for quantity in sizes.quantities):
                    raise OracleError("no family is fitted to it")

    def flies(self):
        """Returns whether X_T(d; u) is known and no option replaces part of it."""
        return bool(self.target and self.target.path and self.target.path.latency
                    and not self.replaced)

    def typical(self, size_bytes):
        """Returns the median of X_T over all launches."""
        return self.target.path.flight(None, size_bytes, 0.5)

    def delta(self, size_bytes, u, model):
        if not self.value:
            return ZERO
        value = self.value(self.target, size_bytes, u, model)
        if self.flight_source:
            return value - self.value(self.flight_source, size_bytes, u, model)
        return value - self.value(self.target, size_bytes, 0, model)

    def absolute(self, size_bytes, u):
        """Returns X_T(d; u)."""
        models = self.settings.latency_model, self.settings.byte_model
        if models[0] == models[1]:
            return self.target.flight(size_bytes, u, models[0])
        latency = self.target.flight(0, u, models[0])
        transfer = (self.target.flight(size_bytes, u, models[1])
                    - self.target.flight(0, u, models[1]))
        return max(0, latency + transfer)

    def parts(self, size_bytes, u):
        """Returns (lambda, tau), with what the command line replaces."""
        latency = self.delta(0, u, self.settings.latency_model)
        model = self.settings.byte_model
        least = latency if model == self.settings.latency_model else self.delta(0, u, model)
        transfer = self.delta(size_bytes, u, model) - least
        if self.settings.latency is not None:
            latency = self.settings.latency
        if self.settings.byte is not None:
            transfer = size_bytes * self.settings.byte
        return latency, transfer

    def own_u(self, call, index=0):
        """Returns the draw for a call's message, or for its round trip."""
        purpose = LATENCY if self.settings.latency is None else BYTE
        return self.draw(call.rank, call.index, purpose, index)

    def u(self, message):
        """Returns the quantile of a message, the same for all its parts."""
        send = message.send
        own = self.own_u(send.call, send.index)
        rows = None
        if self.target and self.target.path and self.target.path.latency:
            rows = self.target.path.latency.rows_near(message.bytes)
        if not rows or send.k is None:
            return own
        turn = send.k // len(rows[0])
        v = self.draw(send.call.rank, turn + (send.row_thread << 40), ROW, send.receiver)
        return u_in_row(rows, v, send.k, own)

    def message(self, message, size_bytes=None):
        """Returns (lambda, tau(d)), for the message's size or for SIZE_BYTES."""
        return self.parts(message.bytes if size_bytes is None else size_bytes, self.u(message))

    def u_back(self, message):
        send = message.send
        return self.draw(send.call.rank, send.call.index, ACK, send.index)

    def acknowledgement(self, message):
        """Returns lambda2, the latency of the acknowledgement."""
        return self.parts(0, self.u_back(message))[0]

    # Overheads

    def send_overheads(self, message, eager):
        """Returns (o_s of the target, o_s of the source), or None."""
        target, source = self.overhead_lists("send_overhead")
        if not target or (self.source and not source):
            target, source = self.overhead_lists("sender")
            if not eager:
                return None
        return self.overheads(target, source, message, SEND)

    def receive_overheads(self, message, further):
        """FURTHER: the same call completed another message of this sender before."""
        target, source = self.overhead_lists("receive_overhead")
        return self.overheads(target, source, message, RECEIVE, further)

    def overhead_lists(self, name):
        return [machine and machine.path and getattr(machine.path, name)
                for machine in (self.target, self.source)]

    def overheads(self, target, source, message, purpose, further=False):
        if not target or (self.source and not source) or self.all_replaced:
            return None
        send = message.send
        u = self.draw(send.call.rank, send.call.index, purpose, send.index)

        def value(machine, sizes, u, launch=self.target.launch):
            whole = machine.undisturbed(sizes, launch, message.bytes, u)
            if not further:
                return whole
            return max(0, whole - machine.undisturbed(sizes, launch, 0, u))

        ours, theirs = value(self.target, target, u), None
        least, typical = value(self.target, target, 0), None
        if source:
            theirs = value(self.source, source, u)
            typical = value(self.source, source, 0.5, None)
        return Overhead(ours, theirs, least, typical)

    # Collectives

    def measured(self, group, j):
        """Returns Delta of the whole collective for member j, or None: it is computed from rounds."""
        operation, p = group[0].name.lower(), len(group)
        if not self.target or self.replaced or self.settings.collectives in ("rounds", "expand"):
            return None
        size = group[j].terms.own_bytes()
        machines = [machine.signature for machine in (self.target, self.source) if machine]
        if not all(machine.has_near(operation, p, size) for machine in machines):
            return None
        first = group[0]
        u = self.draw(first.call.rank, first.call.index, COLLECTIVE, first.index)
        value = self.target.collective(operation, p, size, u)
        if self.source:
            value -= self.source.collective(operation, p, size, u)
        else:
            value -= self.target.collective(operation, p, size, 0)
        return value

    def rounds(self, part, n, size_bytes):
        """Returns the n rounds of l_j without kappa."""
        total, each = ZERO, Fraction(size_bytes) / n if n else ZERO
        for i in range(n):
            key = (i + part.index * NEXT_INDEX) & 0xffffffff
            purpose = ROUND_LATENCY if self.settings.latency is None else BYTE
            u = self.draw(part.call.rank, part.call.index, purpose, key)
            latency, transfer = self.parts(each, u)
            total += latency
            if self.settings.byte is None:
                total += transfer
        if self.settings.byte is not None:
            total += size_bytes * self.settings.byte
        return total
