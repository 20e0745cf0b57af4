// The oracle's commands: a request as JSON on stdin, an answer as JSON lines on stdout.
//   turns: random battles, each turn with the positions before and after it
//   duels: whole battles of given teams under given policies
//   playouts: positions of random battles played out from a thawed copy and by playouts.js, with the same chance
'use strict';

const fs = require('fs');
const { Chance, SEND, begin, choices, choose, freeze, tables, thaw, toID } = require('./battle');
const { columns, row } = require('./position');
const { ANY_SEED, Playouts, best, bestOfAll, playOut } = require('./playouts');
const { policies } = require('./policies');

const STRUGGLE_MOVE = 165;
const LARGEST = 3; // team
const LONGEST = 120;
const TIES = 1000;

const say = (answer) => fs.writeSync(1, `${JSON.stringify(answer)}\n`);

// --- turns

function randomMember(chance, uses, level) {
  const rarest = [...uses.keys()].filter((move) => move !== STRUGGLE_MOVE).sort((a, b) => uses.get(a) - uses.get(b));
  const moves = new Set();
  while (moves.size < 4) moves.add(chance.below(2) ? chance.pick(rarest.slice(0, 40)) : chance.pick(rarest));
  const dvs = [0, 1, 2, 3].map(() => chance.below(16));
  const health = dvs.reduce((bits, dv) => (bits << 1) | (dv & 1), 0);
  const trained = chance.below(2);
  const member = {
    species: chance.between(1, 151),
    level: Math.min(Math.max(level + chance.between(-4, 4), 5), 100),
    moves: [...moves],
    dvs: [health, ...dvs],
    trained: [0, 1, 2, 3, 4].map(() => (trained ? chance.below(256) : 0)),
  };
  if (!chance.below(8)) member.pp = [0, 1, 2, 3].map(() => chance.below(3));
  if (!chance.below(30)) member.pp = [0, 0, 0, 0];
  if (!chance.below(6)) Object.assign(member, { status: chance.pick(['slp', 'par', 'psn', 'brn', 'frz']), sleep: chance.between(1, 7) });
  return member;
}

function randomTeams(chance, uses) {
  const level = chance.between(5, 100);
  return [0, 1].map(() => Array.from({ length: chance.between(1, LARGEST) }, () => randomMember(chance, uses, level)));
}

// Half of the time a legal choice at random, else the move that was used least.
function randomChoice(chance, uses, side) {
  const legal = choices(side);
  if (!legal.length) return null;
  const moves = legal.filter(([, code]) => code < SEND);
  if (!moves.length) return chance.pick(legal);
  if (!chance.below(10)) return chance.pick(legal);
  const slots = side.active[0].moveSlots;
  const rarity = ([, code]) => uses.get(tables().numbers.get(slots[code]?.id)) ?? 0;
  return chance.below(2) ? chance.pick(moves) : moves.reduce((a, b) => (rarity(b) < rarity(a) ? b : a));
}

function count(uses, log) {
  for (const line of log) {
    const [, kind, , name] = line.split('|');
    const move = kind === 'move' ? tables().numbers.get(toID(name)) : undefined;
    if (move) uses.set(move, uses.get(move) + 1);
  }
}

// The protocol log of a step, after the HP that both had: each `split` line is followed by the exact line and a public one.
function spoken(battle, before) {
  const lines = [...before];
  for (let i = 0; i < battle.log.length; i++) {
    const line = battle.log[i];
    if (line.startsWith('|split|')) {
      lines.push(battle.log[i + 1]);
      i += 2;
    } else if (!/^\|(t:|turn|upkeep|$)/.test(line) && line) lines.push(line);
  }
  return lines;
}

const hpLines = (battle) => battle.sides.map((side, at) => `|hp|p${at + 1}a|${side.active[0].hp}/${side.active[0].maxhp}`);

function again(saved, wanted, replays, chance) {
  return Array.from({ length: replays }, () => {
    const battle = thaw(saved, chance.seed());
    const hp = hpLines(battle);
    battle.sides.forEach((side, at) => wanted[at] && choose(side, wanted[at]));
    battle.commitChoices();
    return { after: row(battle), log: spoken(battle, hp) };
  });
}

function step(battle, state) {
  const { chance, uses, repeated, request } = state;
  const before = row(battle);
  const hp = hpLines(battle);
  const send = battle.requestState === 'switch';
  const wanted = battle.sides.map((side) => randomChoice(chance, uses, side));
  const moves = battle.sides.map((side, at) => (wanted[at] && wanted[at][1] < SEND ? side.active[0].moveSlots[wanted[at][1]]?.id : null));
  const rare = moves.filter((move) => move && (repeated.get(move) ?? 0) < request.repeats);
  const saved = !send && rare.length ? freeze(battle) : null;
  battle.log.length = 0;
  const made = battle.sides.map((side, at) => (wanted[at] ? choose(side, wanted[at]) : -1));
  battle.commitChoices();
  const record = { battle: state.battles, send, before, choices: made, after: row(battle), log: spoken(battle, hp) };
  count(uses, battle.log);
  if (saved) {
    for (const move of new Set(rare)) repeated.set(move, (repeated.get(move) ?? 0) + 1);
    record.again = again(saved, wanted, request.replays, chance);
  }
  say(record);
}

function turns(request) {
  const chance = new Chance(request.seed);
  const uses = new Map([...tables().moves.keys()].map((move) => [move, 0]));
  const state = { chance, uses, repeated: new Map(), request, battles: 0 };
  say({ columns: columns(), moves: Object.fromEntries([...tables().moves].map(([number, move]) => [move.name, number])) });
  let made = 0;
  while (made < request.turns || Math.min(...uses.values()) < request.uses) {
    const teams = randomTeams(chance, uses);
    state.battles += 1;
    say({ battle: state.battles, teams });
    const battle = begin(teams, chance.seed());
    while (!battle.ended && battle.turn < LONGEST) {
      made += battle.requestState === 'move';
      step(battle, state);
    }
  }
  say({ uses: Object.fromEntries(uses) });
}

// --- duels

function play(teams, chosenBy, chance) {
  const battle = begin(teams, chance.seed());
  while (!battle.ended && battle.turn < TIES) {
    battle.sides.forEach((side, at) => {
      const legal = choices(side, { switches: false });
      if (legal.length) choose(side, policies[chosenBy[at]](side, legal, chance));
    });
    battle.commitChoices();
    battle.log.length = 0;
  }
  const left = battle.sides.map((side) => side.pokemon.reduce((sum, each) => sum + each.hp / each.maxhp, 0) / side.pokemon.length);
  const alive = battle.sides.map((side) => side.pokemon.some((each) => each.hp > 0));
  return { winner: alive[0] === alive[1] ? -1 : Number(alive[1]), left, turns: battle.turn };
}

// Each duel: `teams`, `policies` (one a side), `games` and a `seed`.
function duels(request) {
  for (const duel of request.duels) {
    const chance = new Chance(duel.seed);
    say({ games: Array.from({ length: duel.games }, () => play(duel.teams, duel.policies, chance)) });
  }
}

// --- playouts

const TIMES = 6; // of each choice, where all are compared

const ended = (battle) => ({ row: row(battle), seed: battle.prng.getSeed() });

function compare(battle, at, legal, chance) {
  const players = [0, 1].map(() => chance.pick(['greedy', 'random']));
  const choice = chance.pick(legal);
  const [seed, other] = [0, 1].map(() => chance.below(2 ** 32));
  const playouts = new Playouts(battle, at, players);
  const thawed = thaw(freeze(battle), ANY_SEED);
  say({
    plain: ended(playOut(thawed, at, choice, players, new Chance(seed))),
    quick: ended(playouts.end(choice, new Chance(seed))),
    all: bestOfAll(playouts, legal, TIMES, new Chance(other)),
    best: best(playouts, legal, TIMES, new Chance(other)),
  });
}

function playouts(request) {
  const chance = new Chance(request.seed);
  const uses = new Map([...tables().moves.keys()].map((move) => [move, 0]));
  let left = request.positions;
  while (left > 0) {
    const battle = begin(randomTeams(chance, uses), chance.seed());
    while (!battle.ended && battle.turn < LONGEST && left > 0) {
      battle.sides.forEach((side, at) => {
        const legal = choices(side);
        if (legal.length < 2) return;
        compare(battle, at, legal, chance);
        left -= 1;
      });
      const wanted = battle.sides.map((side) => randomChoice(chance, uses, side));
      battle.sides.forEach((side, at) => wanted[at] && choose(side, wanted[at]));
      battle.commitChoices();
      count(uses, battle.log);
      battle.log.length = 0;
    }
  }
}

const commands = { turns, duels, playouts };
commands[process.argv[2]](JSON.parse(fs.readFileSync(0, 'utf8')));
