"""Pointcuts: which calls a handler is for, by method, class, instance, tag or name, and combinations of these.

A glob matches a method when it matches `Class.method` or `package.module.Class.method`, where the class is the one
that defines the method; `*` matches dots too. For pointcuts by class or instance, the object of the call counts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, TypeAlias
from weakref import ref

from memory.errors import NotHookable

METHOD_ATTRIBUTE: Final = "__hookable__"  # of a hookable function; holds its Method


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One method decorated with `@hookable`; compared by identity, which makes it a fast key."""

    name: str  # Class.method
    full_name: str  # package.module.Class.method
    tags: frozenset[str]


def method_of(function: Callable[..., object]) -> Method:
    """Return the Method that `@hookable` attached to a function or bound method."""
    method = getattr(function, METHOD_ATTRIBUTE, None)
    if not isinstance(method, Method):
        raise NotHookable(f"{function!r} cannot be watched; decorate it with @hookable.")
    return method


# True or False when certain, None when it depends on an instance that is not given.
Verdict: TypeAlias = "bool | None"


@dataclass(frozen=True, slots=True, eq=False)
class Pointcut:
    """A predicate on calls; `a & b` matches both, `a | b` either, `~a` all other calls.

    `verdict` returns whether calls of a method on a class, and on an instance or None, match.
    """

    description: str
    verdict: Callable[[Method, type, object], Verdict] = field(repr=False)

    @classmethod
    def pattern(cls, glob: str) -> "Pointcut":
        """Return the pointcut of methods whose short or full name matches `glob`."""
        return cls(
            glob,
            lambda method, _kind, _instance: (
                fnmatchcase(method.name, glob) or fnmatchcase(method.full_name, glob)
            ),
        )

    @classmethod
    def of_class(cls, kind: type) -> "Pointcut":
        """Return the pointcut of calls on instances of `kind` and of its subclasses."""
        return cls(
            f"of_class({kind.__qualname__})",
            lambda _method, each, _instance: issubclass(each, kind),
        )

    @classmethod
    def of_instance(cls, owner: object) -> "Pointcut":
        """Return the pointcut of calls on `owner`, which is held weakly: after its deletion no call matches."""
        held = ref(owner)

        def test(_method: Method, _kind: type, instance: object) -> Verdict:
            alive = held()
            if alive is None:
                return False
            return None if instance is None else instance is alive

        return cls(f"of_instance({type(owner).__qualname__})", test)

    @classmethod
    def tagged(cls, tag: str) -> "Pointcut":
        """Return the pointcut of methods that `hookable` gave this tag."""
        return cls(f"tagged({tag})", lambda method, _kind, _instance: tag in method.tags)

    @classmethod
    def of_method(cls, function: Callable[..., object]) -> "Pointcut":
        """Return the pointcut of calls of exactly this function, on any instance.

        Raises NotHookable when it is not decorated with @hookable.
        """
        target = method_of(function)
        return cls(f"of_method({target.name})", lambda method, _kind, _instance: method is target)

    def __and__(self, other: "Pointcut") -> "Pointcut":
        def test(method: Method, kind: type, instance: object) -> Verdict:
            return _and(self.verdict(method, kind, instance), other.verdict(method, kind, instance))

        return Pointcut(f"({self.description} & {other.description})", test)

    def __or__(self, other: "Pointcut") -> "Pointcut":
        neither = ~self & ~other
        return replace(~neither, description=f"({self.description} | {other.description})")

    def __invert__(self) -> "Pointcut":
        def test(method: Method, kind: type, instance: object) -> Verdict:
            verdict = self.verdict(method, kind, instance)
            return None if verdict is None else not verdict

        return Pointcut(f"~{self.description}", test)


def as_pointcut(pointcut: Pointcut | Callable[..., object] | str) -> Pointcut:
    """Return `pointcut` itself, the pointcut of a hookable method, or that of a glob."""
    if isinstance(pointcut, Pointcut):
        return pointcut
    if isinstance(pointcut, str):
        return Pointcut.pattern(pointcut)
    return Pointcut.of_method(pointcut)


def _and(one: Verdict, two: Verdict) -> Verdict:
    if one is False or two is False:
        return False
    return None if one is None or two is None else True
