// Battles whose choices are asked for: all that wait in one line of JSON on stdout, the answers in one line on stdin.
// The first line that is read is the request: `battles` (teams, players, seed) and how many are played `at_once`. A
// player is "asked", a policy of policies.js, or the number of playouts by which it searches.
'use strict';

const fs = require('fs');
const { Chance, begin, choices, choose } = require('./battle');
const { Playouts, best, finished, winner } = require('./playouts');
const { columns, row } = require('./position');
const { policies, switching } = require('./policies');

const say = (answer) => fs.writeSync(1, `${JSON.stringify(answer)}\n`);

let rest = '';
const buffer = Buffer.alloc(1 << 20);

function hear() {
  while (!rest.includes('\n')) {
    const read = fs.readSync(0, buffer);
    if (!read) throw new Error('stdin ended');
    rest += buffer.toString('utf8', 0, read);
  }
  const end = rest.indexOf('\n');
  const line = rest.slice(0, end);
  rest = rest.slice(end + 1);
  return JSON.parse(line);
}

// The simplest policies never switch unless they must; the others choose out of everything.
const offered = (side, player) => choices(side, { switches: !(player in policies) || switching.has(player) });

// A reference: every choice is played out on this engine, greedily against the policy of the other side.
function searched(battle, at, legal, players, chance) {
  if (legal.length === 1) return legal[0];
  return best(new Playouts(battle, at, players), legal, players[at], chance);
}

// --- all battles, some at once

function turn(running, asked) {
  const { battle, players, chance } = running;
  // A search needs the battle as it is, before any side has chosen.
  const wanted = battle.sides.map((side, at) => {
    const legal = offered(side, players[at]);
    if (!legal.length) return null;
    if (players[at] === 'asked') {
      if (legal.length > 1) asked.push({ running, at, legal });
      return legal[0];
    }
    const policy = policies[players[at]];
    return policy ? policy(side, legal, chance) : searched(battle, at, legal, players, chance);
  });
  running.wanted = wanted;
}

function answer(asked) {
  if (!asked.length) return;
  say({
    asked: asked.map(({ running, at, legal }) => ({
      battle: running.number,
      side: at,
      send: running.battle.requestState === 'switch',
      row: row(running.battle),
      legal: legal.map(([, code]) => code),
    })),
  });
  hear().forEach((code, i) => {
    const { running, at, legal } = asked[i];
    running.wanted[at] = legal.find(([, each]) => each === code);
  });
}

function commit({ battle, wanted }) {
  battle.sides.forEach((side, at) => wanted[at] && choose(side, wanted[at]));
  battle.commitChoices();
  battle.log.length = 0;
}

const request = hear();
say({ columns: columns() });
const waiting = request.battles.map(({ teams, players, seed }, number) => ({ teams, players, seed, number })).reverse();
let running = [];
while (waiting.length || running.length) {
  while (waiting.length && running.length < request.at_once) {
    const { teams, players, seed, number } = waiting.pop();
    const chance = new Chance(seed);
    running.push({ number, players, chance, battle: begin(teams, chance.seed()) });
  }
  const asked = [];
  running.forEach((each) => turn(each, asked));
  answer(asked);
  running.forEach(commit);
  for (const { battle, number } of running.filter((each) => finished(each.battle))) {
    say({ ended: number, winner: winner(battle), turns: battle.turn });
  }
  running = running.filter((each) => !finished(each.battle));
}
