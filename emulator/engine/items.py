"""Items that we use in battle: balls, medicine, PP, what raises stats; and the battles of the Safari Zone."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below, happens
from emulator.engine.stages import put, raise_stage
from emulator.rules import arithmetic, codes
from emulator.rules.arithmetic import BYTE
from emulator.rules.effects import ATTACK_UP_1
from emulator.rules.position import Position, Tables

MASTER_BALL: Final = 1
GREAT_BALL: Final = 3
POKE_BALL: Final = 4
GREAT_BALL_BYTES: Final = (
    201  # equally likely first bytes; the game draws again until it has one of them
)
OTHER_BYTES: Final = 151  # Ultra Ball, Safari Ball
HELPLESS: Final = 25
ILL: Final = 12
FIVE: Final = 5

catch_threshold = compiled(arithmetic.catch_threshold)


@compiled
def throw_ball(position: Position, ball: int) -> bool:
    """Draw whether a ball catches the foe (ItemUseBall)."""
    foe = position.sides[codes.THEIRS]
    if ball == MASTER_BALL:
        return True
    first = BYTE if ball == POKE_BALL else OTHER_BYTES
    if ball == GREAT_BALL:
        first = GREAT_BALL_BYTES
    drawn = below(position, first)
    if foe.status:
        drawn -= HELPLESS if foe.status & (codes.ASLEEP | codes.FROZEN) else ILL
    if drawn < 0:
        return True
    factor = 8 if ball == GREAT_BALL else 12
    threshold = catch_threshold(int(foe.max_hp), int(foe.hp), factor)
    return bool(drawn <= position.catch_rate) and happens(position, threshold)


@compiled
def play_safari_turn(position: Position, choice: int, tables: Tables) -> int:
    """Throw a ball (any choice but the others), bait or a rock, or run; then the foe may leave."""
    if choice == codes.RUN:
        return codes.RAN
    if choice == codes.BAIT:
        position.catch_rate //= 2
        position.rock = 0
        position.bait = min(int(position.bait) + 1 + below(position, FIVE), BYTE - 1)
    elif choice == codes.ROCK:
        position.catch_rate = min(int(position.catch_rate) * 2, BYTE - 1)
        position.bait = 0
        position.rock = min(int(position.rock) + 1 + below(position, FIVE), BYTE - 1)
    else:
        position.balls -= 1
        if throw_ball(position, choice):
            return codes.CAUGHT
    if position.balls == 0:
        return codes.RAN
    return codes.FOE_LEFT if leaves_safari(position, tables) else codes.GOES_ON


@compiled
def leaves_safari(position: Position, tables: Tables) -> bool:
    """Count down bait and anger, and draw whether the foe leaves."""
    foe = position.sides[codes.THEIRS]
    if position.bait:
        position.bait -= 1
    elif position.rock:
        position.rock -= 1
        if position.rock == 0:
            position.catch_rate = tables.species[foe.species].catch_rate
    odds = int(foe.stats[codes.SPEED]) % BYTE * 2
    if odds >= BYTE:
        return True
    if position.bait:
        odds //= 4
    if position.rock:
        odds = min(odds * 2, BYTE - 1)
    return happens(position, odds)


FIRST_BALL: Final = 1
LAST_BALL: Final = 4
SAFARI_BALL: Final = 8
ANTIDOTE: Final = 11
BURN_HEAL: Final = 12
ICE_HEAL: Final = 13
AWAKENING: Final = 14
PARALYZE_HEAL: Final = 15
FULL_RESTORE: Final = 16
MAX_POTION: Final = 17
HYPER_POTION: Final = 18
SUPER_POTION: Final = 19
POTION: Final = 20
X_ACCURACY: Final = 46
POKE_DOLL: Final = 51
FULL_HEAL: Final = 52
REVIVE: Final = 53
MAX_REVIVE: Final = 54
GUARD_SPEC: Final = 55
DIRE_HIT: Final = 58
FRESH_WATER: Final = 60
SODA_POP: Final = 61
LEMONADE: Final = 62
X_ATTACK: Final = 65
X_SPECIAL: Final = 68
POKE_FLUTE: Final = 73
ETHER: Final = 80
MAX_ETHER: Final = 81
ELIXIR: Final = 82
MAX_ELIXIR: Final = 83

ALL: Final = 999
ANY_STATUS: Final = 0xFF
ETHER_PP: Final = 10


@compiled
def place_of(position: Position, item: int) -> int:
    """Return where the bag has an item, or NO_ONE."""
    for at in range(len(position.bag_items)):
        if position.bag_items[at] == item and position.bag_counts[at] > 0:
            return at
    return codes.NO_ONE


@compiled
def hp_restored(item: int) -> int:
    """Return how many HP an item restores, or 0."""
    if item in (FULL_RESTORE, MAX_POTION):
        return ALL
    if item == HYPER_POTION:
        return 200
    if item in (SUPER_POTION, FRESH_WATER):
        return 50
    if item == POTION:
        return 20
    if item == SODA_POP:
        return 60
    return 80 if item == LEMONADE else 0


@compiled
def status_cured(item: int) -> int:
    """Return the bits of the status that an item cures, or 0."""
    if item == ANTIDOTE:
        return codes.POISONED
    if item == BURN_HEAL:
        return codes.BURNED
    if item == ICE_HEAL:
        return codes.FROZEN
    if item == AWAKENING:
        return codes.ASLEEP
    if item == PARALYZE_HEAL:
        return codes.PARALYZED
    return ANY_STATUS if item in (FULL_HEAL, FULL_RESTORE) else 0


@compiled
def has_use(position: Position, item: int, place: int, slot: int) -> bool:
    """Return whether the game would let us use an item of the bag on a member of the team."""
    ours = position.sides[codes.OURS]
    member = ours.team[place]
    hp = int(ours.hp) if place == ours.out else int(member.hp)
    status = int(ours.status) if place == ours.out else int(member.status)
    if FIRST_BALL <= item <= LAST_BALL or item == POKE_DOLL:
        return bool(position.kind == codes.WILD)
    if item in (X_ACCURACY, GUARD_SPEC, DIRE_HIT, POKE_FLUTE) or X_ATTACK <= item <= X_SPECIAL:
        return True
    if place >= ours.count or not needs_member(item):
        return False
    if item in (REVIVE, MAX_REVIVE):
        return hp == 0
    if ETHER <= item <= MAX_ELIXIR:
        return lacks_pp(position, item, place, slot)
    if hp == 0:
        return False
    heals = hp_restored(item) > 0 and hp < member.max_hp
    return bool(heals or status & status_cured(item))


@compiled
def needs_member(item: int) -> bool:
    """Return whether an item is used on a member of the team."""
    heals = hp_restored(item) > 0 or status_cured(item) > 0
    return heals or item in (REVIVE, MAX_REVIVE) or ETHER <= item <= MAX_ELIXIR


@compiled
def lacks_pp(position: Position, item: int, place: int, slot: int) -> bool:
    """Return whether a move, or any move for an elixir, has lost PP."""
    member = position.sides[codes.OURS].team[place]
    if item < ELIXIR:
        return bool(member.pp[slot] < member.max_pp[slot])
    for each in range(codes.SLOTS):  # noqa: SIM110  # numba compiles no generator
        if member.pp[each] < member.max_pp[each]:
            return True
    return False


@compiled
def use_bag_item(position: Position, choice: int, tables: Tables) -> bool:
    """Use an item of the bag as a choice says; return whether the game lets us, which uses the turn."""
    item = (choice - codes.ITEM) // codes.PER_ITEM
    place, slot = (choice - codes.ITEM) % codes.PER_ITEM // codes.SLOTS, choice % codes.SLOTS
    at = place_of(position, item)
    if at == codes.NO_ONE or not has_use(position, item, place, slot):
        return False
    if item != POKE_FLUTE:
        position.bag_counts[at] -= 1
    if FIRST_BALL <= item <= LAST_BALL:
        if throw_ball(position, item):
            position.outcome = codes.CAUGHT
    elif item == POKE_DOLL:
        position.outcome = codes.RAN
    elif ETHER <= item <= MAX_ELIXIR:
        restore_pp(position, item, place, slot)
    elif item in (X_ACCURACY, GUARD_SPEC, DIRE_HIT, POKE_FLUTE) or item >= X_ATTACK:
        use_on_battle(position, item, tables)
    else:
        use_medicine(position, item, place)
    return True


@compiled
def use_on_battle(position: Position, item: int, tables: Tables) -> None:
    """Use an item that needs no member: it works on the Pokemon in battle, or wakes everyone up."""
    ours = position.sides[codes.OURS]
    if item == X_ACCURACY:
        ours.volatile |= codes.ALWAYS_HITS
    elif item == GUARD_SPEC:
        ours.volatile |= codes.MIST
    elif item == DIRE_HIT:
        ours.volatile |= codes.FOCUSED  # with the same bug as Focus Energy
    elif item == POKE_FLUTE:
        wake_everyone(position)
    else:
        raise_stage(position, codes.OURS, ATTACK_UP_1 + item - X_ATTACK, tables)


@compiled
def wake_everyone(position: Position) -> None:
    """Wake up both teams; of a wild battle the one that is out."""
    for side in (codes.OURS, codes.THEIRS):
        mon = position.sides[side]
        mon.status &= ~codes.ASLEEP
        for place in range(mon.count):
            mon.team[place].status &= ~codes.ASLEEP


@compiled
def use_medicine(position: Position, item: int, place: int) -> None:
    """Restore HP, cure a status, or revive a member of the team."""
    ours = position.sides[codes.OURS]
    member, is_out = ours.team[place], place == ours.out
    if is_out:
        member.hp, member.status = ours.hp, ours.status
    revives = item in (REVIVE, MAX_REVIVE)
    if revives:
        member.hp = member.max_hp if item == MAX_REVIVE else member.max_hp // 2
        if position.participants >> place & 1:
            position.gainers |= 1 << place
    restored = hp_restored(item)
    # Full Restore forgets what it would do as a Full Heal when it restores HP: bad poison, and the penalties, stay.
    cures = member.status & status_cured(item) and (restored == 0 or member.hp >= member.max_hp)
    if item == FULL_RESTORE:
        member.status = 0
    member.hp = min(int(member.hp) + restored, int(member.max_hp))
    if cures:
        member.status = 0
    if not is_out:
        return
    ours.hp, ours.status = member.hp, member.status
    if cures:
        ours.volatile &= ~codes.BADLY_POISONED
        # Without stages and badges, which stay unused until the next change.
        put(ours.stats, member.stats)


@compiled
def restore_pp(position: Position, item: int, place: int, slot: int) -> None:
    """Restore PP of one move, or of all for an elixir; in battle as well if the member is out."""
    ours = position.sides[codes.OURS]
    member = ours.team[place]
    restored = ALL if item in (MAX_ETHER, MAX_ELIXIR) else ETHER_PP
    for each in range(codes.SLOTS):
        if item >= ELIXIR or each == slot:
            member.pp[each] = min(int(member.pp[each]) + restored, int(member.max_pp[each]))
    if place == ours.out:
        put(ours.pp, member.pp)
