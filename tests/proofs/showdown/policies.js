// Simple policies of a side, the same as those of the turn engine: a legal choice out of pairs of a text and a number.
'use strict';

const { SEND } = require('./battle');

const isMove = ([, code]) => code < SEND;

function random(side, legal, chance) {
  return chance.pick(legal.some(isMove) ? legal.filter(isMove) : legal);
}

// The damage of a hit with the highest roll, not critical; the first type of the target is applied first.
function fullDamage(side, move) {
  const user = side.active[0];
  const target = side.foe.active[0];
  const { dex } = side.battle;
  if (!dex.getImmunity(move.type, target.types)) return 0;
  const physical = move.category === 'Physical';
  let attack = user.modifiedStats[physical ? 'atk' : 'spa'];
  let defense = target.modifiedStats[physical ? 'def' : 'spd'];
  if (target.volatiles[physical ? 'reflect' : 'lightscreen']) defense *= 2;
  if (attack > 255 || defense > 255) {
    attack = Math.max(Math.floor(attack / 4) % 256, 1);
    defense = Math.floor(defense / 4) % 256;
  }
  if (move.selfdestruct) defense = Math.floor(defense / 2);
  const level = Math.floor((2 * user.level) / 5) + 2;
  const base = Math.floor(Math.floor((level * move.basePower * attack) / Math.max(defense, 1)) / 50);
  let damage = Math.min(base, 997) + 2;
  if (user.types.includes(move.type)) damage += Math.floor(damage / 2);
  for (const type of new Set(target.types)) damage = Math.floor(damage * 2 ** dex.getEffectiveness(move.type, type));
  return damage;
}

// Damage that does not come from stats; undefined for other moves.
function setDamage(side, move) {
  const user = side.active[0];
  const target = side.foe.active[0];
  if (move.id === 'superfang') return Math.floor(target.hp / 2);
  if (move.damage === 'level') return user.level;
  if (typeof move.damage === 'number') return move.damage;
  if (move.ohko) return user.modifiedStats.spe >= target.modifiedStats.spe ? target.hp : 0;
  return undefined;
}

function scaledAccuracy(side, move) {
  const ratios = [25, 28, 33, 40, 50, 66, 100, 150, 200, 250, 300, 350, 400];
  let accuracy = Math.floor(((move.accuracy === true ? 100 : move.accuracy) * 255) / 100);
  for (const stage of [side.active[0].boosts.accuracy, -side.foe.active[0].boosts.evasion]) {
    accuracy = Math.max(Math.floor((accuracy * ratios[stage + 6]) / 100), 1);
  }
  return Math.min(accuracy, 255);
}

function worth(side, code) {
  const slot = side.active[0].moveSlots[code];
  const move = side.battle.dex.moves.get(slot ? slot.id : 'splash');
  if (move.category === 'Status' || move.id === 'mimic') return 0;
  const hits = Array.isArray(move.multihit) ? 3 : move.multihit ?? 1;
  const damage = setDamage(side, move) ?? fullDamage(side, move) * hits;
  return Math.min(damage, side.foe.active[0].hp) * (scaledAccuracy(side, move) + 1);
}

// The move with the most expected damage, and the next member: the first of equals.
function greedy(side, legal) {
  const found = legal.some(isMove) ? legal.filter(isMove) : [...legal].sort(([, a], [, b]) => a - b);
  const values = found.map(([, code]) => (code < SEND ? worth(side, code) : 0));
  return found[values.indexOf(Math.max(...values))];
}

// --- what poke-env's SimpleHeuristicsPlayer decides by, as far as generation 1 has it

const LEVELLING = 0.1; // of the faster one
const HEALTH = 0.4; // of all HP
const BAD = -2; // matchup from which one leaves
const LOWERED = -3; // stage from which one leaves

function multiplier(dex, attacking, target) {
  return dex.getImmunity(attacking, target.types) ? 2 ** dex.getEffectiveness(attacking, target.types) : 0;
}

function matchup(dex, one, other) {
  const most = (user, target) => Math.max(...user.types.map((type) => multiplier(dex, type, target)));
  const faster = Math.sign(one.species.baseStats.spe - other.species.baseStats.spe);
  const health = one.hp / one.maxhp - other.hp / other.maxhp;
  return most(one, other) - most(other, one) + faster * LEVELLING + health * HEALTH;
}

function estimated(pokemon, stat) {
  const stage = pokemon.boosts[stat];
  return (2 * pokemon.species.baseStats[stat] + 36) * (stage > 1 ? (2 + stage) / 2 : 2 / (2 - stage));
}

function leaves(dex, user, target, members) {
  if (!members.some((member) => matchup(dex, member, target) > 0)) return false;
  const { boosts, storedStats } = user;
  const stronger = storedStats.atk >= storedStats.spa ? ['atk'] : ['spa'];
  const lowered = ['def', 'spd', ...stronger].some((stat) => boosts[stat] <= LOWERED);
  return lowered || matchup(dex, user, target) < BAD;
}

const setsUp = (move) => move.target === 'self' && Object.values(move.boosts ?? {}).reduce((sum, by) => sum + by, 0) > 1;

function heuristics(side, legal) {
  const { dex } = side.battle;
  const [user, target] = [side.active[0], side.foe.active[0]];
  const moves = legal.filter(isMove);
  const sends = legal.filter(([, code]) => code >= SEND && code < SEND + side.pokemon.length);
  const member = ([, code]) => side.pokemon.find((each) => Number(each.name) === code - SEND);
  if (moves.length && !(sends.length && leaves(dex, user, target, sends.map(member)))) {
    const known = moves.map(([, code]) => dex.moves.get((user.moveSlots[code] ?? { id: 'splash' }).id));
    if (user.hp === user.maxhp && matchup(dex, user, target) > 0) {
      const at = known.findIndex((move) => setsUp(move) && Object.keys(move.boosts).some((stat) => user.boosts[stat] < 6));
      if (at >= 0) return moves[at];
    }
    const values = known.map((move) => {
      const ratio = move.category === 'Physical'
        ? estimated(user, 'atk') / estimated(target, 'def') : estimated(user, 'spa') / estimated(target, 'spd');
      const accuracy = move.accuracy === true ? 1 : move.accuracy / 100;
      const hits = Array.isArray(move.multihit) ? 3 : move.multihit ?? 1;
      const same = user.types.includes(move.type) ? 1.5 : 1;
      return move.basePower * same * ratio * accuracy * hits * multiplier(dex, move.type, target);
    });
    return moves[values.indexOf(Math.max(...values))];
  }
  if (!sends.length) return legal[0];
  const values = sends.map((choice) => matchup(dex, member(choice), target));
  return sends[values.indexOf(Math.max(...values))];
}

module.exports = { policies: { greedy, heuristics, random }, switching: new Set(['heuristics']) };
