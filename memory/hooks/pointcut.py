"""Which calls a handler is for: by method, class, instance, tag or name, and what is combined of these.

A glob fits a method when it fits `Class.method` or `package.module.Class.method`, where the class is the one that
defines the method; `*` stands for dots too. A class and an instance are those that the method is called on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, TypeAlias
from weakref import ref

from memory.errors import NotHookable

OPENED: Final = "__hookable__"  # the attribute by which an opened function tells its Method


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One method that `@hookable` opened; it is itself alone, so that it makes a quick key."""

    name: str  # Class.method
    full_name: str  # package.module.Class.method
    tags: frozenset[str]


def method_of(function: Callable[..., object]) -> Method:
    """Return what `@hookable` made known of a function or bound method."""
    method = getattr(function, OPENED, None)
    if not isinstance(method, Method):
        message = f"{function!r} cannot be watched; open it with @hookable."
        raise NotHookable(message)
    return method


# True or False where it is certain, None where it depends on an instance that is not given.
Verdict: TypeAlias = "bool | None"


@dataclass(frozen=True, slots=True, eq=False)
class Pointcut:
    """A choice of calls; `a & b` are those of both, `a | b` those of either, `~a` all others.

    `verdict` says whether calls of a method on a class, and on an instance or None, are meant.
    """

    says: str
    verdict: Callable[[Method, type, object], Verdict] = field(repr=False)

    @classmethod
    def pattern(cls, glob: str) -> "Pointcut":
        """Return the methods whose name, short or full, fits `glob`."""
        return cls(
            glob,
            lambda method, _kind, _instance: (
                fnmatchcase(method.name, glob) or fnmatchcase(method.full_name, glob)
            ),
        )

    @classmethod
    def of_class(cls, kind: type) -> "Pointcut":
        """Return all calls on instances of `kind` and of its subclasses."""
        return cls(
            f"of_class({kind.__qualname__})",
            lambda _method, each, _instance: issubclass(each, kind),
        )

    @classmethod
    def of_instance(cls, owner: object) -> "Pointcut":
        """Return all calls on `owner` alone, which is held weakly: once it is gone there are none."""
        held = ref(owner)

        def test(_method: Method, _kind: type, instance: object) -> Verdict:
            alive = held()
            if alive is None:
                return False
            return None if instance is None else instance is alive

        return cls(f"of_instance({type(owner).__qualname__})", test)

    @classmethod
    def tagged(cls, tag: str) -> "Pointcut":
        """Return the methods opened with `@hookable(tags={tag})`."""
        return cls(f"tagged({tag})", lambda method, _kind, _instance: tag in method.tags)

    @classmethod
    def of_method(cls, function: Callable[..., object]) -> "Pointcut":
        """Return the calls of this very function, on whatever instance.

        Raises NotHookable when it is not opened by @hookable.
        """
        wanted = method_of(function)
        return cls(f"of_method({wanted.name})", lambda method, _kind, _instance: method is wanted)

    def __and__(self, other: "Pointcut") -> "Pointcut":
        def test(method: Method, kind: type, instance: object) -> Verdict:
            return _both(
                self.verdict(method, kind, instance), other.verdict(method, kind, instance)
            )

        return Pointcut(f"({self.says} & {other.says})", test)

    def __or__(self, other: "Pointcut") -> "Pointcut":
        neither = ~self & ~other
        return replace(~neither, says=f"({self.says} | {other.says})")

    def __invert__(self) -> "Pointcut":
        def test(method: Method, kind: type, instance: object) -> Verdict:
            verdict = self.verdict(method, kind, instance)
            return None if verdict is None else not verdict

        return Pointcut(f"~{self.says}", test)


def as_pointcut(pointcut: Pointcut | Callable[..., object] | str) -> Pointcut:
    """Return `pointcut` itself, the calls of an opened method, or the glob that a plain text is."""
    if isinstance(pointcut, Pointcut):
        return pointcut
    if isinstance(pointcut, str):
        return Pointcut.pattern(pointcut)
    return Pointcut.of_method(pointcut)


def _both(one: Verdict, two: Verdict) -> Verdict:
    if one is False or two is False:
        return False
    return None if one is None or two is None else True
