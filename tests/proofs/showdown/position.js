// A battle of Showdown as a row of integers: the position in the terms of the cartridge.
'use strict';

const MEMBERS = 6;
const SLOTS = [0, 1, 2, 3];
const STATS = [['attack', 'atk'], ['defense', 'def'], ['speed', 'spe'], ['special', 'spa']];
const STAGES = [...STATS, ['accuracy', 'accuracy'], ['evasion', 'evasion']];
const STATUS = { psn: 8, tox: 8, brn: 16, frz: 32, par: 64 };
const TYPES = ['Normal', 'Fighting', 'Flying', 'Poison', 'Ground', 'Rock', 'Bird', 'Bug', 'Ghost'];
const SPECIAL_TYPES = ['Fire', 'Water', 'Grass', 'Electric', 'Psychic', 'Ice', 'Dragon'];
const FIRST_SPECIAL = 0x14;

const CANNOT_MOVE = 0xff;

const number = (battle, id) => (id ? battle.dex.moves.get(id.id ?? id).num : 0);
const counter = (state, name = 'time') => (state ? state[name] : 0);

const typeNumber = (name) => (TYPES.includes(name) ? TYPES.indexOf(name) : FIRST_SPECIAL + SPECIAL_TYPES.indexOf(name));

function statusByte(pokemon) {
  if (pokemon.fainted || !pokemon.status) return 0;
  return pokemon.status === 'slp' ? pokemon.statusState.time : STATUS[pokemon.status];
}

// What each member of a team has, whether it is out or not.
const MEMBER = {
  species: (_, p) => p.baseSpecies.num,
  level: (_, p) => p.level,
  hp: (_, p) => p.hp,
  max_hp: (_, p) => p.baseMaxhp,
  status: (_, p) => statusByte(p),
  ...Object.fromEntries(STATS.map(([name, id]) => [name, (_, p) => p.baseStoredStats[id]])),
  ...Object.fromEntries(SLOTS.map((i) => [`move${i}`, (b, p) => number(b, p.baseMoveSlots[i]?.id)])),
  ...Object.fromEntries(SLOTS.map((i) => [`pp${i}`, (_, p) => p.baseMoveSlots[i]?.pp ?? 0])),
};

// What the one that is out has besides; `v` are its volatiles, `s` is its side.
const ACTIVE = {
  species: ({ p }) => p.species.num,
  type1: ({ p }) => typeNumber(p.types[0]),
  type2: ({ p }) => typeNumber(p.types[1] ?? p.types[0]),
  ...Object.fromEntries(STATS.map(([name, id]) => [name, ({ p }) => p.modifiedStats[id]])),
  ...Object.fromEntries(STATS.map(([name, id]) => [`plain_${name}`, ({ p }) => p.storedStats[id]])),
  ...Object.fromEntries(STAGES.map(([name, id]) => [`stage_${name}`, ({ p }) => p.boosts[id]])),
  ...Object.fromEntries(SLOTS.map((i) => [`move${i}`, ({ b, p }) => number(b, p.moveSlots[i]?.id)])),
  ...Object.fromEntries(SLOTS.map((i) => [`pp${i}`, ({ p }) => p.moveSlots[i]?.pp ?? 0])),
  confusion: ({ v }) => counter(v.confusion),
  toxic: ({ v }) => +!!v.residualdmg, // which outlasts the status, as the bit of the cartridge does
  toxic_counter: ({ v }) => counter(v.residualdmg, 'counter'),
  bide: ({ v }) => counter(v.bide),
  bide_damage: ({ v }) => counter(v.bide, 'damage'),
  thrash: ({ v }) => counter(v.lockedmove),
  thrash_move: ({ b, v }) => number(b, v.lockedmove?.move),
  thrash_accuracy: ({ v }) => counter(v.lockedmove, 'accuracy'),
  charging: ({ b, v }) => number(b, v.twoturnmove?.move),
  invulnerable: ({ v }) => +!!v.invulnerability,
  trapping: ({ v }) => counter(v.partialtrappinglock, 'duration'),
  trapping_move: ({ b, v }) => number(b, v.partialtrappinglock?.move),
  trapping_damage: ({ v }) => counter(v.partialtrappinglock, 'damage'),
  trapped: ({ v }) => +!!v.partiallytrapped,
  substitute: ({ v }) => counter(v.substitute, 'hp'),
  recharge: ({ v }) => +!!v.mustrecharge,
  rage: ({ v }) => +!!v.rage,
  rage_accuracy: ({ v }) => counter(v.rage, 'accuracy'),
  seeded: ({ v }) => +!!v.leechseed,
  mist: ({ v }) => +!!v.mist,
  focused: ({ v }) => +!!v.focusenergy,
  light_screen: ({ v }) => +!!v.lightscreen,
  reflect: ({ v }) => +!!v.reflect,
  disabled_slot: ({ v }) => (v.disable ? v.disable.slotIndex + 1 : 0),
  disabled: ({ v }) => counter(v.disable),
  transformed: ({ p }) => +!!p.transformed,
  flinched: ({ v }) => +!!v.flinch,
  mimicked: ({ p }) => p.moveSlots.reduce((bits, slot, i) => bits | (+!!slot.virtual << i), 0),
  last_move: ({ b, p }) => number(b, p.lastMove),
  used: ({ b, s }) => number(b, s.lastMove),
  selected: ({ b, s }) => (s.lastSelectedMove === 'cannotmove' ? CANNOT_MOVE : number(b, s.lastSelectedMove)),
  selected_slot: ({ s }) => s.lastSelectedMoveSlot,
};

function columns() {
  const names = ['turn', 'last_damage'];
  for (const side of [0, 1]) {
    names.push(`${side}.members`, `${side}.out`);
    for (let i = 0; i < MEMBERS; i++) names.push(...Object.keys(MEMBER).map((name) => `${side}.${i}.${name}`));
    names.push(...Object.keys(ACTIVE).map((name) => `${side}.${name}`));
  }
  return names;
}

const team = (side) => [...side.pokemon].sort((one, other) => one.name - other.name);

function row(battle) {
  const values = [battle.turn, battle.lastDamage];
  for (const side of battle.sides) {
    const members = team(side);
    const out = side.active[0];
    values.push(members.length, members.indexOf(out));
    for (let i = 0; i < MEMBERS; i++) {
      for (const read of Object.values(MEMBER)) values.push(i < members.length ? read(battle, members[i]) : 0);
    }
    const seen = { b: battle, s: side, p: out, v: out.volatiles };
    for (const read of Object.values(ACTIVE)) values.push(read(seen));
  }
  return values.map((value) => value ?? 0);
}

module.exports = { columns, row, team };
