// Simple policies of a side: a legal choice out of `legal`, pairs of a text and a number.
'use strict';

const { SEND } = require('./battle');

const moves = (legal) => {
  const found = legal.filter(([, code]) => code < SEND);
  return found.length ? found : legal.slice(0, 1); // the next member is the first that stands
};

function random(side, legal, chance) {
  return chance.pick(moves(legal));
}

// The move with the most power x accuracy x type x same type x stat ratio; the first of equals.
function worth(side, code) {
  const user = side.active[0];
  const target = side.foe.active[0];
  const slot = user.moveSlots[code];
  if (!slot) return 0;
  const move = side.battle.dex.moves.get(slot.id);
  if (move.category === 'Status' || !side.battle.dex.getImmunity(move.type, target.types)) return 0;
  const [attack, defense] = move.category === 'Physical' ? ['atk', 'def'] : ['spa', 'spd'];
  const effective = 2 ** side.battle.dex.getEffectiveness(move.type, target.types);
  const same = user.types.includes(move.type) ? 1.5 : 1;
  const accuracy = move.accuracy === true ? 100 : move.accuracy;
  return (move.basePower * accuracy * effective * same * user.modifiedStats[attack]) / target.modifiedStats[defense];
}

function greedy(side, legal) {
  const found = moves(legal);
  const values = found.map(([, code]) => (code < SEND ? worth(side, code) : 0));
  return found[values.indexOf(Math.max(...values))];
}

module.exports = { policies: { greedy, random } };
