# SPDX-License-Identifier: GPL-3.0-or-later
"""What messages, calls and collectives take on the target, in one replica of predict mode (docs/MODEL.md, section 5,
"Costs on T")."""

from oracle_costs import NEXT_INDEX
from oracle_draws import (ACK, BYTE, COLLECTIVE, LATENCY, LAUNCH, RECEIVE,
                          ROUND_LATENCY, ROW, SEND, Draws)
from oracle_exact import Fraction
from oracle_places import Paths
from oracle_plans import expands_rest
from oracle_scales import Scales
from oracle_signature import FIT, u_in_row
from oracle_trace import OracleError

ZERO = Fraction(0)


def sloped(sizes, launch, size_bytes, u, slope=None):
    """Returns a quantity that continues with a slope above the largest measured size. SLOPE: that of other sizes, if
    not its own."""
    value = sizes(launch, size_bytes, u)
    if size_bytes <= sizes.sizes[-1]:
        return value
    if slope is None:
        slope = sizes.slope() if len(sizes.sizes) > 1 else 0.0
    return value + (size_bytes - sizes.sizes[-1]) * slope


def round_keys(part, n):
    """Returns the indices of the draws of n rounds."""
    return [(i + part.index * NEXT_INDEX) & 0xffffffff for i in range(n)]


class Target:
    """Times on the target."""

    def __init__(self, settings, ranks):
        self.settings = settings
        self.signature = settings.signature
        self.draw = Draws(settings.seed, settings.replica)
        self.launch = None
        if settings.measurement != "fixed":
            self.launch = Draws(settings.seed, settings.replica // 2)(0, 0, LAUNCH)
        self.path = Paths(self.signature, settings.places, settings.path, ranks)
        self.noisy = settings.noise is None and self.signature and any(
            core.get("span_ns") for core in self.signature.cores)
        self.replaced = settings.latency is not None or settings.byte is not None
        self.all_replaced = None not in (settings.latency, settings.byte)
        self.path.fits = self.serves
        self.check_models()

    def between(self, message):
        return self.path(message.send.call.rank, message.send.receiver)

    def limit(self):
        """Returns the eager limit; None: unknown."""
        if self.settings.eager_limit is not None:
            return self.settings.eager_limit
        path = self.path.farthest()
        return path.eager_limit if path else None

    # Flights

    def drawn_from(self, model):
        return FIT if model == "fit" else self.launch

    def flight_by(self, model, path, size_bytes, u):
        """Returns X_T by one model, or None."""
        launch = self.drawn_from(model)
        if path and path.latency:
            slope = path.slope()
            return sloped(path.latency, launch, size_bytes, u, slope)
        if path and path.transfer:
            return sloped(path.transfer, launch, size_bytes, u)
        return None

    def flight(self, path, size_bytes, u):
        """Returns X_T, or None."""
        latency, byte = self.settings.latency_model, self.settings.byte_model
        whole = self.flight_by(byte, path, size_bytes, u)
        if latency == byte or whole is None:
            return whole
        return max(0.0, self.flight_by(latency, path, 0, u) + whole
                   - self.flight_by(byte, path, 0, u))

    def check_models(self):
        """A time that is to be drawn from a fit must have fits at every size."""
        settings = self.settings
        models = settings.latency_model, settings.byte_model
        if "fit" not in models:
            return
        taken = self.path.taken()
        for wrong in map(self.lack_of_fits, taken) if taken else ["no times to draw from"]:
            if wrong:
                raise OracleError(wrong)

    def lack_of_fits(self, path):
        """Returns what a path lacks for fits, or None."""
        models = self.settings.latency_model, self.settings.byte_model
        if models[0] == "fit" and not path.latency:
            return "--models=latency=fit: no latencies to draw from"
        lists = [path.latency] if path.latency else [path.transfer]
        if "fit" in models and not path.latency and not path.transfer:
            return "--models=byte=fit: no times to draw from"
        fits = all(quantity.fit for sizes in lists for quantity in sizes.quantities)
        return None if fits or "fit" not in models else "no family is fitted to it"

    def serves(self, path):
        """Returns whether messages can take the path."""
        flies = path.latency or path.transfer or self.settings.latency is not None
        return flies and not self.lack_of_fits(path)

    def parts(self, path, size_bytes, u, latency, byte):
        """Returns (lambda, tau(d)). LATENCY, BYTE: draws from the command line's distributions, or None."""
        model = self.settings.byte_model
        whole, least = (self.flight_by(model, path, size, u) for size in (size_bytes, 0))
        if latency is None:
            latency = self.flight_by(self.settings.latency_model, path, 0, u) or ZERO
        latency = max(ZERO, latency)
        if byte is not None:
            return latency, max(ZERO, size_bytes * byte)
        return latency, ZERO if whole is None else max(0.0, whole - least)

    def purpose(self, usual):
        """Returns the purpose of the draw u of a message or a round."""
        return usual if self.settings.latency is None else BYTE

    def given(self, rank, call, index, purpose=LATENCY):
        """Returns what the command line gives for a message: (lambda or None, time of a byte or None)."""
        latency, byte = self.settings.latency, self.settings.byte
        return (latency and latency(self.draw(rank, call, purpose, index)),
                byte and byte(self.draw(rank, call, BYTE, index)))

    def u(self, message):
        send, path = message.send, self.between(message)
        own = self.draw(send.call.rank, send.call.index, self.purpose(LATENCY),
                        send.index)
        rows = path and path.latency and path.latency.rows_near(message.bytes)
        if not rows or send.k is None:
            return own
        turn = send.k // len(rows[0])
        v = self.draw(send.call.rank, turn + (send.row_thread << 40), ROW, send.receiver)
        return u_in_row(rows, v, send.k, own)

    def message(self, message):
        """Returns (lambda, tau(d))."""
        send = message.send
        return self.parts(self.between(message), message.bytes, self.u(message),
                          *self.given(send.call.rank, send.call.index, send.index))

    def typical(self, message):
        """Returns X_T(d; 1/2) over all launches, or 0 without one-way times."""
        path = self.between(message)
        if self.replaced or not path or not path.latency:
            return 0.0
        return path.flight(None, message.bytes, 0.5)

    def waiting(self, message):
        """Returns W(d), or None."""
        send, path = message.send, self.between(message)
        if self.all_replaced or not path or not path.sender:
            return None
        if path.eager_limit is not None and message.bytes <= path.eager_limit:
            return None
        u = self.draw(send.call.rank, send.call.index, ACK, send.index)
        return sloped(path.sender, self.launch, message.bytes, u)

    def way_back(self, message):
        """Returns the time of the empty message that answers this one."""
        send = message.send
        back, _ = self.given(send.call.rank, send.call.index, send.index, ACK)
        if back is None:
            u = self.draw(send.call.rank, send.call.index, ACK, send.index)
            back = self.flight(self.between(message), 0, u) or ZERO
        return max(ZERO, back)

    def gap(self, message):
        path = self.between(message)
        if self.all_replaced or not path or not path.streaming:
            return 0.0
        return sloped(path.streaming, None, message.bytes, 0.5)

    def overlaps(self, message):
        """Returns whether the message progresses while its receiver computes."""
        path = self.between(message)
        return (not self.all_replaced and bool(path) and bool(path.overlap)
                and path.overlap(None, message.bytes, 0.5) > 0.5)

    def round_trip(self, call, size_bytes):
        """Returns the round trip of all one-sided transfers for which a call waits."""
        path = self.path.farthest()
        u = self.draw(call.rank, call.index, self.purpose(LATENCY))
        there = self.parts(path, size_bytes, u, *self.given(call.rank, call.index, 0))
        back, _ = self.given(call.rank, call.index, 0, ACK)
        if back is None:
            back = self.flight(path, 0, self.draw(call.rank, call.index, ACK)) or ZERO
        return sum(there) + max(ZERO, back)

    # Overheads

    def undisturbed(self, sizes, size_bytes, u):
        value = sizes(self.launch, size_bytes, u)
        if not self.noisy:
            return value
        return min(value, 20 * sizes(None, size_bytes, 0.5))

    def send_overhead(self, path, size_bytes, eager, u):
        """Returns o_s(d), or None."""
        if self.all_replaced or not path:
            return None
        sizes = path.send_overhead or (eager and path.sender)
        if not sizes:
            return None
        return self.undisturbed(sizes, size_bytes, u)

    def sends(self, message, eager):
        send = message.send
        u = self.draw(send.call.rank, send.call.index, SEND, send.index)
        return self.send_overhead(self.between(message), message.bytes, eager, u)

    def receives(self, message, further):
        """Returns o_r(d), or None. FURTHER: the same call completed another message of this sender before."""
        send, path = message.send, self.between(message)
        if self.all_replaced or not path or not path.receive_overhead:
            return None
        u = self.draw(send.call.rank, send.call.index, RECEIVE, send.index)

        def whole(size_bytes):
            return self.undisturbed(path.receive_overhead, size_bytes, u)

        return max(0.0, whole(message.bytes) - whole(0)) if further else whole(
            message.bytes)

    def root(self, call, size_bytes):
        """Returns o_s(d) of a call whose rank sends to, or for, the members of a collective."""
        return self.send_overhead(self.path.farthest(), size_bytes, True,
                                  self.draw(call.rank, call.index, SEND))

    # Collectives

    def measured(self, group, j):
        """Returns what a measured collective takes for member j, or None: it is computed from rounds."""
        operation, p, size = group[0].name.lower(), len(group), group[j].terms.own_bytes()
        if not self.signature or self.replaced or self.settings.collectives in ("rounds", "expand"):
            return None
        if not self.signature.has_near(operation, p, size):
            return None
        first = group[0]
        u = self.draw(first.call.rank, first.call.index, COLLECTIVE, first.index)
        return self.undisturbed(self.signature.collectives[operation, p], size, u)

    def scales(self, table, limit):
        """Returns the factors of collectives that are expanded because no near size was measured, or None."""
        path = self.path.farthest()
        flies = path and (path.latency or path.transfer)
        if not self.signature or not flies or not expands_rest(self.settings, perturbs=False):
            return None
        return Scales(table, limit, self.signature, None)

    def kappa(self, part, number):
        """Returns the noise of a call that a message of a collective stands for."""
        return self.settings.round_kappa(part.call, (number + part.index * NEXT_INDEX) & 0xffffffff)

    def kappas(self, part, n):
        """Returns the noise of n rounds."""
        return sum(self.settings.round_kappa(part.call, key)
                   for key in round_keys(part, n))

    def rounds(self, part, n, size_bytes):
        """Returns n rounds without kappa."""
        path, total, rank, call = self.path.farthest(), ZERO, part.call.rank, part.call.index
        for key in round_keys(part, n):
            u = self.draw(rank, call, self.purpose(ROUND_LATENCY), key)
            latency, _ = self.given(rank, call, key, ROUND_LATENCY)
            latency, transfer = self.parts(path, Fraction(size_bytes) / n, u, latency, None)
            total += latency
            if self.settings.byte is None:
                total += transfer
        if self.settings.byte is not None and n:
            _, byte = self.given(rank, call, part.index)
            total += max(ZERO, size_bytes * byte)
        return total
