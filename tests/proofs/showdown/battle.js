// Battles of Showdown: set up from plain data, choices as numbers, copies with other chance.
'use strict';

const { Battle, PRNG, State, toID } = require('@pkmn/sim');
const { team } = require('./position');

const FORMAT = 'gen1customgame';
const STAT_IDS = ['hp', 'atk', 'def', 'spe', 'spa'];
// Choices as the turn engine has them; below are the slots of moves.
const SEND = 4; // and the place in the team
const GO_ON = 11; // no move is chosen: asleep, frozen, trapped, or in the middle of a move
const STRUGGLE = 12;

// A small generator (mulberry32), so that a seed gives the same battles everywhere.
class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  real() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit) {
    return Math.floor(this.real() * limit);
  }

  between(low, high) {
    return low + this.below(high - low + 1);
  }

  pick(values) {
    return values[this.below(values.length)];
  }

  seed() {
    return [0, 0, 0, 0].map(() => this.below(0x10000)).join(',');
  }
}

let dex = null;
const byNumber = { moves: new Map(), species: new Map(), numbers: new Map() };

function tables() {
  if (!dex) {
    dex = new Battle({ formatid: FORMAT, seed: '1,1,1,1' }).dex;
    for (const kind of ['moves', 'species']) {
      for (const each of dex[kind].all()) {
        if (each.gen === 1 && each.num > 0 && !byNumber[kind].has(each.num)) byNumber[kind].set(each.num, each);
      }
    }
    for (const [move, each] of byNumber.moves) byNumber.numbers.set(each.id, move);
  }
  return byNumber;
}

// `dvs` and `trained` (the root of stat experience) are HP, attack, defense, speed, special.
function asSet(member, at) {
  const { moves, species } = tables();
  const spread = (values) => ({ ...Object.fromEntries(STAT_IDS.map((id, i) => [id, values[i]])), spd: values[4] });
  return {
    name: String(at),
    species: species.get(member.species).name,
    level: member.level,
    moves: member.moves.map((move) => moves.get(move).name),
    ivs: spread(member.dvs.map((dv) => 2 * dv)),
    evs: spread(member.trained),
    ability: 'No Ability', item: '', nature: '',
  };
}

function begin(teams, seed) {
  const [p1, p2] = teams.map((members, side) => ({ name: `side ${side}`, team: members.map(asSet) }));
  const battle = new Battle({ formatid: FORMAT, seed, p1, p2 });
  battle.debugMode = false;
  battle.sides.forEach((side, at) => teams[at].forEach((member, i) => prepare(team(side)[i], member)));
  battle.makeRequest('move');
  return battle;
}

// HP, status and PP with which a member comes; the one that is out has its status's lowered stats.
function prepare(pokemon, member) {
  if (member.hp !== undefined) pokemon.hp = member.hp;
  if (member.status) {
    pokemon.status = member.status;
    pokemon.statusState = pokemon.battle.initEffectState({ id: member.status, target: pokemon });
    if (member.status === 'slp') {
      pokemon.statusState.time = member.sleep;
      pokemon.statusState.startTime = member.sleep;
    }
    if (member.status === 'par') pokemon.modifyStat('spe', 0.25);
    if (member.status === 'brn') pokemon.modifyStat('atk', 0.5);
  }
  (member.pp ?? []).forEach((pp, slot) => {
    pokemon.baseMoveSlots[slot].pp = pp;
    pokemon.moveSlots[slot].pp = pp;
  });
}

// The legal choices as [text for Showdown, number], without a switch unless one is forced or asked for.
function choices(side, { switches = true } = {}) {
  const request = side.activeRequest;
  const bench = side.pokemon.map((pokemon, at) => [pokemon, at]).filter(([each, at]) => at > 0 && !each.fainted);
  const sends = bench.map(([each, at]) => [`switch ${at + 1}`, SEND + Number(each.name)]);
  if (request.wait) return [];
  if (request.forceSwitch) return sends;
  const active = request.active[0];
  const moves = active.moves
    .map((move, at) => [`move ${at + 1}`, at, move])
    .filter(([, , move]) => !move.disabled && move.pp !== 0);
  const found = moves.map(([text, at]) => [text, at]);
  if (!found.length) found.push(['move 1', 0]);
  return switches && !active.trapped ? [...found, ...sends] : found;
}

// What the choice came to: the slot of a move, or that there was none to choose.
function chosen(side, wanted) {
  const action = side.choice.actions[0];
  if (!action || action.choice !== 'move') return wanted;
  if (action.moveid === 'struggle') return STRUGGLE;
  return typeof action.moveSlot === 'number' ? action.moveSlot : GO_ON;
}

function choose(side, choice) {
  if (!side.choose(choice[0])) throw new Error(`${choice[0]}: ${side.choice.error}`);
  return chosen(side, choice[1]);
}

// Copies by Showdown's own serialization; the log is left out, since it grows with every turn.
function freeze(battle) {
  battle.log.length = 0;
  battle.inputLog.length = 0;
  battle.sentLogPos = 0;
  return JSON.stringify(State.serializeBattle(battle));
}

// Showdown cannot read a Pokemon that transformed into one with fewer moves: take out the others, and say whose they are.
function withoutLostMoves(state) {
  const found = [];
  state.sides.forEach((side, at) =>
    side.pokemon.forEach(({ moveSlots, baseMoveSlots }, place) => {
      if (baseMoveSlots?.length > moveSlots.length) found.push([at, place, baseMoveSlots.splice(moveSlots.length)]);
    }),
  );
  return found;
}

function thaw(text, seed) {
  const state = JSON.parse(text);
  const lost = withoutLostMoves(state);
  const battle = State.deserializeBattle(state);
  for (const [at, place, slots] of lost) battle.sides[at].pokemon[place].baseMoveSlots.push(...slots);
  battle.debugMode = false;
  battle.prng = new PRNG(seed);
  return battle;
}

module.exports = { Chance, SEND, begin, choices, choose, freeze, tables, thaw, toID };
