"""Build roms/demo.gb from the C in src/ and the tables in world/.

    python roms/demo/build.py            compile, link, place the tables, write the image
        python roms/demo/build.py --check    do the same in a temporary folder, and fail if the committed image differs
        python roms/demo/build.py --waits random --out FILE    every wait takes up to 40 more frames

Needs only Debian's sdcc 4.2 and the standard library. The same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

if TYPE_CHECKING:
    from world.compile import Placement

HERE: Final = Path(__file__).resolve().parent
SOURCES: Final = HERE / "src"
BUILD: Final = HERE / "build"
IMAGE: Final = HERE.parent / "demo.gb"
BUILT_FROM: Final = (
    HERE / "built_from.txt"
)  # the image, and the sources that gave it when it was last built
TITLE: Final = "RED AGENT DEMO"
ROM_SIZE: Final = 1 << 20
BANK_SIZE: Final = 0x4000
HOME_START: Final = 0x1900
VARIABLES: Final = range(0xA000, 0xA598)  # up to sHallOfFame
CODE_BANKS: Final = (45, 46, 47, *range(56, 64))
HEADER_CHECKSUM: Final = 0x14D
GLOBAL_CHECKSUM: Final = 0x14E
EXTRA_WAITS: Final = (
    0x68  # one byte: frames that each wait takes longer; at random up to so many with bit 7
)
AT_RANDOM: Final = 0x80
LONGEST_EXTRA: Final = 40
TOOLS: Final = ("sdcc", "sdasgb", "sdldgb", "makebin")


class BuildError(Exception):
    """The image cannot be built; the message says why and what to do."""


class Chunk(NamedTuple):
    """Bytes that the linker placed at a file offset."""

    offset: int
    data: bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when the image is written, or equals the committed one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed image")
    parser.add_argument("--out", type=Path, default=IMAGE, metavar="FILE", help="where to write")
    parser.add_argument(
        "--waits",
        type=extra_waits,
        default=0,
        metavar="N",
        help=f"frames that each wait of the game takes longer, 0 to {LONGEST_EXTRA}, or 'random'",
    )
    options = parser.parse_args(arguments)
    if options.waits and options.out == IMAGE:
        parser.error("--waits needs --out: the committed image waits as the game does")
    try:
        image = lengthened(build(BUILD), options.waits)
        if options.check:
            check(image, BUILD / "check.gb")
        else:
            write_atomically(options.out, image)
        if options.out == IMAGE:
            write_atomically(BUILT_FROM, digests().encode())
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


def extra_waits(text: str) -> int:
    """Return the byte for `--waits`."""
    if text == "random":
        return AT_RANDOM | LONGEST_EXTRA
    frames = int(text)
    if frames not in range(LONGEST_EXTRA + 1):
        raise ValueError(text)
    return frames


def lengthened(image: bytes, waits: int) -> bytes:
    """Return an image whose waits are longer, as the byte `waits` says."""
    changed = bytearray(image)
    changed[EXTRA_WAITS] = waits
    fix_checksums(changed)
    return bytes(changed)


def complain(message: str) -> NoReturn:
    """Raise a BuildError with a message for the terminal."""
    raise BuildError(message)


def build(folder: Path) -> bytes:
    """Return the finished image, leaving objects, map and listings in `folder`."""
    for tool in TOOLS:
        if shutil.which(tool) is None:
            complain(f"{tool} not found: install Debian's sdcc 4.2 (apt-get install sdcc)")
    folder.mkdir(parents=True, exist_ok=True)
    tables = write_world(folder)
    sources = sorted(SOURCES.glob("*.[cs]"))
    objects = compile_all(sources, folder)
    check_calls(sources, folder)
    link(objects, {bank for source in sources if (bank := bank_of(source))}, folder)
    check_areas(folder / "demo.map")
    image = bytearray(pack(folder))
    place(tables, image, list(code_chunks(folder / "demo.ihx")))
    fix_checksums(image)
    return bytes(image)


def write_world(folder: Path) -> list[Placement]:
    """Write world.h and return the tables of the world."""
    sys.path.insert(0, str(HERE))
    from world.compile import placements, write_headers
    from world.errors import WorldError

    try:
        write_headers(folder)
        return list(placements())
    except WorldError as error:
        complain(str(error))


def compile_all(sources: Iterable[Path], folder: Path) -> list[Path]:
    """Compile or assemble files in parallel, one per core."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(compile_source, folder=folder), sources))


def compile_source(source: Path, folder: Path) -> Path:
    """Compile or assemble one file into its bank."""
    target = folder / f"{source.stem}.rel"
    if source.suffix == ".s":
        run("sdasgb", "-plosgff", "-o", str(target), str(source))
        return target
    bank = bank_of(source)
    area = ["--codeseg", f"CODE_{bank}", "--constseg", f"CODE_{bank}"] if bank else []
    run(
        "sdcc", "-msm83", "--std-c11", "--opt-code-speed", "--fomit-frame-pointer",
        f"-I{folder}", f"-I{SOURCES}", *area, "-c", str(source), "-o", str(target),
    )  # fmt: skip
    return target


def bank_of(source: Path) -> int:
    """Return the code bank that `#pragma bank` names, or 0 for code that is always mapped."""
    pragma = re.search(r"^#pragma bank (\d+)$", source.read_text(encoding="ascii"), re.MULTILINE)
    bank = int(pragma[1]) if pragma else 0
    if bank and bank not in CODE_BANKS:
        complain(f"{source.name}: bank {bank} is not for code; use one of {CODE_BANKS}")
    return bank


def check_calls(sources: Sequence[Path], folder: Path) -> None:
    """Reject calls into another bank that are not declared BANKED."""
    written = [source for source in sources if source.suffix == ".c"]
    code = {path.stem: (folder / f"{path.stem}.asm").read_text("utf-8") for path in written}
    banks = {path.stem: bank_of(path) for path in written}
    bank_of_name = {
        name: banks[stem]
        for stem, text in code.items()
        for name in re.findall(r"^(_\w+)::", text, re.MULTILINE)
    }
    for stem, text in code.items():
        own = set(re.findall(r"^(_\w+):", text, re.MULTILINE))
        for name in re.findall(r"^\s+(?:call|jp)\s+(_\w+)$", text, re.MULTILINE):
            if name not in own and bank_of_name.get(name, 0) not in {0, banks[stem]}:
                complain(
                    f"{stem}.c calls {name[1:]} of bank {bank_of_name[name]}: declare it BANKED"
                )


def link(objects: Iterable[Path], banks: Iterable[int], folder: Path) -> None:
    """Link everything at the file offset of its bank."""
    commands = [
        "-mjxi",
        str(folder / "demo.ihx"),
        f"-b _CODE=0x{HOME_START:04X}",
        f"-b _DATA=0x{VARIABLES.start:04X}",
        *(f"-b _CODE_{bank}=0x{bank:02X}4000" for bank in sorted(banks)),
        "-k /usr/share/sdcc/lib/sm83",
        "-l sm83",
        *sorted(map(str, objects), key=lambda name: not name.endswith("crt0.rel")),
        "-e",
    ]
    script = folder / "demo.lk"
    script.write_text("\n".join(commands) + "\n", encoding="ascii")
    run("sdldgb", "-f", str(script))


def check_areas(map_file: Path) -> None:
    """Reject code or variables that exceed the space the contract leaves them."""
    pattern = re.compile(r"^(_\w+)\s+([0-9A-F]{8})\s+([0-9A-F]{8}) = ", re.MULTILINE)
    for name, address, size in pattern.findall(map_file.read_text(encoding="ascii")):
        start, end = int(address, 16), int(address, 16) + int(size, 16)
        if start == end or name.startswith("_VECTORS"):
            continue
        limit = VARIABLES.stop if VARIABLES.start <= start < 0xE000 else (start | 0x3FFF) + 1
        if name.startswith("_CODE_"):
            limit = (start & ~0xFFFF) + 0x8000
        if end > limit:
            complain(f"area {name} ends at {end:#x}, past {limit:#x}: move a file elsewhere")


def pack(folder: Path) -> bytes:
    """Return the linked program as an image with a header, unused bytes 0xFF."""
    target = folder / "program.gb"
    banks = str(ROM_SIZE // BANK_SIZE)
    run(
        "makebin", "-Z", "-s", str(ROM_SIZE), "-yo", banks, "-yt", "19", "-ya", "4",
        "-yn", TITLE, str(folder / "demo.ihx"), str(target),
    )  # fmt: skip
    return target.read_bytes()


def code_chunks(program: Path) -> Iterator[Chunk]:
    """Yield the linked chunks, read from the linker's Intel HEX file."""
    base = 0
    for line in program.read_text(encoding="ascii").split():
        record = bytes.fromhex(line[1:])
        size, address, kind = record[0], int.from_bytes(record[1:3]), record[3]
        data = record[4 : 4 + size]
        if kind == 4:
            base = int.from_bytes(data) << 16
        elif kind == 0:
            yield Chunk(base + address, data)


def place(tables: Iterable[Placement], image: bytearray, code: Iterable[Chunk]) -> None:
    """Write the tables of the world into `image`, never over code."""
    used = bytearray(ROM_SIZE)
    for chunk in code:
        used[chunk.offset : chunk.offset + len(chunk.data)] = b"\1" * len(chunk.data)
    used[0x100:0x150] = b"\1" * 0x50
    for table in tables:
        place_in = slice(table.offset, table.offset + len(table.data))
        if any(used[place_in]):
            complain(f"{table.name!r} at {table.offset:#x} overlaps code or another table")
        used[place_in] = b"\1" * len(table.data)
        image[place_in] = table.data


def fix_checksums(image: bytearray) -> None:
    """Write both header checksums."""
    total = 0
    for byte in image[0x134:HEADER_CHECKSUM]:
        total = (total - byte - 1) & 0xFF
    image[HEADER_CHECKSUM] = total
    image[GLOBAL_CHECKSUM : GLOBAL_CHECKSUM + 2] = bytes(2)
    image[GLOBAL_CHECKSUM : GLOBAL_CHECKSUM + 2] = (sum(image) & 0xFFFF).to_bytes(2)


def check(image: bytes, built: Path) -> None:
    """Raise BuildError naming the first byte that differs from the committed image."""
    built.write_bytes(image)
    committed = IMAGE.read_bytes() if IMAGE.exists() else b""
    if image == committed:
        return
    pairs = enumerate(zip(image, committed, strict=False))
    first = next((at for at, (ours, theirs) in pairs if ours != theirs), len(committed))
    complain(f"{IMAGE.name} differs from its sources at {first:#x}: run build.py and commit")


def digests() -> str:
    """Return a digest of the image, and one of the sources that it is built from."""
    files = [Path(__file__), *SOURCES.rglob("*"), *(HERE / "world").rglob("*")]
    kept = [each for each in sorted(files) if each.is_file() and "__pycache__" not in each.parts]
    sources = hashlib.sha256()
    for each in kept:
        sources.update(each.relative_to(HERE).as_posix().encode() + b"\0" + each.read_bytes())
    return f"{hashlib.sha256(IMAGE.read_bytes()).hexdigest()}\n{sources.hexdigest()}\n"


def write_atomically(target: Path, image: bytes) -> None:
    """Replace `target` in one step, as other processes may be reading it."""
    fresh = target.with_suffix(".new")
    fresh.write_bytes(image)
    fresh.replace(target)


def run(*command: str) -> None:
    """Run a tool in the build folder; raise its error output as a BuildError."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=BUILD)
    if result.returncode or "warning" in result.stderr:
        complain(f"{command[0]} failed:\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    sys.exit(main())
