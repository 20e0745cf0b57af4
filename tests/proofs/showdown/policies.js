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

module.exports = { policies: { greedy, random } };
