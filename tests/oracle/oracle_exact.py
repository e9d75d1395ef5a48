# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference implementation's exact numbers: fractions.Fraction, with its most frequent operations written out for
speed, for two fractions and for a fraction with an int or a float. Everything else is inherited."""

import fractions
from math import gcd

Base = fractions.Fraction
blank = object.__new__


class Fraction(Base):
    """Always in lowest terms, with a positive denominator."""

    __slots__ = ()

    def __new__(cls, numerator=0, denominator=None):
        if denominator is None:
            if type(numerator) is int:
                self = blank(Fraction)
                self._numerator, self._denominator = numerator, 1
                return self
            if type(numerator) is Fraction:
                return numerator
        return Base.__new__(cls, numerator, denominator)

    def __add__(self, other):
        d = self._denominator
        if type(other) is Fraction:
            if not other._numerator:
                return self
            if not self._numerator:
                return other
            e = other._denominator
            if d == e:
                n = self._numerator + other._numerator
            else:
                n = self._numerator * e + other._numerator * d
                d *= e
            if d != 1:
                g = gcd(n, d)
                if g != 1:
                    n, d = n // g, d // g
        elif type(other) is int:
            n = self._numerator + other * d
        elif type(other) is float:
            return self._numerator / d + other
        else:
            return Base.__add__(self, other)
        self = blank(Fraction)
        self._numerator, self._denominator = n, d
        return self

    def __radd__(self, other):
        return self + other if type(other) is int or type(other) is float else Base.__radd__(self, other)

    def __sub__(self, other):
        d = self._denominator
        if type(other) is Fraction:
            if not other._numerator:
                return self
            e = other._denominator
            if d == e:
                n = self._numerator - other._numerator
            else:
                n = self._numerator * e - other._numerator * d
                d *= e
            if d != 1:
                g = gcd(n, d)
                if g != 1:
                    n, d = n // g, d // g
        elif type(other) is int:
            n = self._numerator - other * d
        elif type(other) is float:
            return self._numerator / d - other
        else:
            return Base.__sub__(self, other)
        self = blank(Fraction)
        self._numerator, self._denominator = n, d
        return self

    def __rsub__(self, other):
        if type(other) is float:
            return other - self._numerator / self._denominator
        if type(other) is not int:
            return Base.__rsub__(self, other)
        result, d = blank(Fraction), self._denominator
        result._numerator, result._denominator = other * d - self._numerator, d
        return result

    def __neg__(self):
        result = blank(Fraction)
        result._numerator, result._denominator = -self._numerator, self._denominator
        return result

    def __abs__(self):
        return -self if self._numerator < 0 else self

    def __mul__(self, other):
        n, d = self._numerator, self._denominator
        if type(other) is Fraction:
            n, d = n * other._numerator, d * other._denominator
        elif type(other) is int:
            n *= other
        elif type(other) is float:
            return n / d * other
        else:
            return Base.__mul__(self, other)
        if d != 1:
            g = gcd(n, d)
            if g != 1:
                n, d = n // g, d // g
        self = blank(Fraction)
        self._numerator, self._denominator = n, d
        return self

    def __rmul__(self, other):
        return self * other if type(other) is int or type(other) is float else Base.__rmul__(self, other)

    def __truediv__(self, other):
        if type(other) is int:
            return Fraction(self._numerator, self._denominator * other)
        if type(other) is not Fraction:
            return Base.__truediv__(self, other)
        return Fraction(self._numerator * other._denominator, self._denominator * other._numerator)

    def __rtruediv__(self, other):
        if type(other) is not int:
            return Base.__rtruediv__(self, other)
        return Fraction(self._denominator * other, self._numerator)

    def __eq__(self, other):
        if type(other) is Fraction:
            return self._numerator == other._numerator and self._denominator == other._denominator
        if type(other) is int:
            return self._denominator == 1 and self._numerator == other
        return Base.__eq__(self, other)

    __hash__ = Base.__hash__

    def __float__(self):
        return self._numerator / self._denominator

    def __lt__(self, other):
        if type(other) is Fraction:
            return self._numerator * other._denominator < other._numerator * self._denominator
        if type(other) is int:
            return self._numerator < other * self._denominator
        return Base.__lt__(self, other)

    def __gt__(self, other):
        if type(other) is Fraction:
            return self._numerator * other._denominator > other._numerator * self._denominator
        if type(other) is int:
            return self._numerator > other * self._denominator
        return Base.__gt__(self, other)

    def __le__(self, other):
        if type(other) is Fraction:
            return self._numerator * other._denominator <= other._numerator * self._denominator
        if type(other) is int:
            return self._numerator <= other * self._denominator
        return Base.__le__(self, other)

    def __ge__(self, other):
        if type(other) is Fraction:
            return self._numerator * other._denominator >= other._numerator * self._denominator
        if type(other) is int:
            return self._numerator >= other * self._denominator
        return Base.__ge__(self, other)
