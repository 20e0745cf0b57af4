// Playouts: one position of Showdown, played to the end again and again with other chance.
// What makes them fast changes no outcome: a copy of the battle that is set back, no log and no requests for clients,
// names that are looked up once, and no search for handlers where no effect has one.
'use strict';

const { Battle, Pokemon, PRNG } = require('@pkmn/sim');
const { Chance, choices, choose, freeze, thaw } = require('./battle');
const { policies } = require('./policies');

const TIES = 300; // turns
const ANY_SEED = '1,1,1,1'; // before the first chance is taken

const finished = (battle) => battle.ended || battle.turn >= TIES;

const winner = (battle) => {
  const alive = battle.sides.map((side) => side.pokemon.some((each) => each.hp > 0));
  return alive[0] === alive[1] ? -1 : Number(alive[1]);
};

function remembered(make) {
  const found = new Map();
  const get = (key) => {
    let value = found.get(key);
    if (value === undefined) found.set(key, (value = make(key)));
    return value;
  };
  return Object.assign(get, { forget: () => found.clear() });
}

// --- a battle that is set back

const SHARED = new Set(['Format', 'ModdedDex', 'RuleTable', 'Species']); // what no battle writes to

// Each object of the battle, with the names and values of what it holds.
function contents(battle) {
  const found = new Map();
  const visit = (value) => {
    if (value === null || typeof value !== 'object' || found.has(value) || SHARED.has(value.constructor.name)) return;
    const values = value instanceof Set ? [...value] : Object.values(value);
    found.set(value, { value, names: Object.keys(value), values });
    values.forEach(visit);
  };
  visit(battle);
  return [...found.values()];
}

function setBack(saved) {
  for (const { value, names, values } of saved) {
    if (value instanceof Set) {
      value.clear();
      for (const each of values) value.add(each);
    } else if (Array.isArray(value)) {
      value.length = values.length;
      for (let i = 0; i < values.length; i++) value[i] = values[i];
    } else {
      for (let i = 0; i < names.length; i++) value[names[i]] = values[i];
      const now = Object.keys(value);
      if (now.length !== names.length) for (const name of now) if (!names.includes(name)) delete value[name];
    }
  }
}

// --- shortcuts of the engine: what Showdown's own methods come to where no effect has a handler, and else themselves

const PREFIXED = ['onAlly', 'onAny', 'onFoe', 'onSource'];

const effects = new Map(); // statuses and volatiles that a copy has had, by name
const handlers = remembered((event) => {
  const handling = (name) => [...effects].filter(([, effect]) => effect[name] !== undefined).map(([id]) => id);
  const name = `on${event}`;
  const others = PREFIXED.some((prefix) => handling(prefix + event).length);
  return { name, by: new Set(handling(name)), others };
});

function note(effect) {
  if (effects.has(effect.id)) return;
  effects.set(effect.id, effect);
  handlers.forget();
}

function hears(pokemon, by) {
  if (!by.size) return false;
  if (by.has(pokemon.status)) return true;
  for (const id in pokemon.volatiles) if (by.has(id)) return true;
  return false;
}

const { findEventHandlers, runEvent, singleEvent } = Battle.prototype;
const nothing = () => {};

const shortcuts = {
  add: nothing,
  addMove: nothing,
  addSplit: nothing,
  attrLastMove: nothing,
  debug: nothing,
  hint: nothing,
  retargetLastMove: nothing,

  findEventHandlers(target, event, source) {
    const { name, by, others } = handlers(event);
    const isPokemon = target instanceof Pokemon;
    if (others || !(isPokemon || target === this)) return findEventHandlers.call(this, target, event, source);
    const heard = isPokemon && (target.isActive || source?.isActive) && hears(target, by);
    return heard ? this.findPokemonEventHandlers(target, name) : [];
  },

  runEvent(event, target, source, effect, relayed, onEffect, fastExit) {
    if (event === 'TryAddVolatile' || event === 'SetStatus') note(relayed);
    const handled = onEffect && effect[handlers(event).name] !== undefined;
    const by = source instanceof Pokemon ? source : null;
    if (handled || Array.isArray(target) || this.findEventHandlers(target || this, event, by).length) {
      return runEvent.call(this, event, target, source, effect, relayed, onEffect, fastExit);
    }
    if (relayed === undefined || relayed === null) return true;
    if (typeof relayed === 'number' && relayed === Math.abs(Math.floor(relayed))) return this.modify(relayed, 1);
    return relayed;
  },

  singleEvent(event, effect, state, target, source, by, relayed, callback) {
    if (!callback && effect[handlers(event).name] === undefined) return relayed === undefined ? true : relayed;
    return singleEvent.call(this, event, effect, state, target, source, by, relayed, callback);
  },
};

const WRITTEN = ['secondaries', 'secondary', 'self']; // parts of an active move to which the engine writes

// A dex that looks a name up once, and whose active moves take from the move what they do not change.
const quickDex = remembered((dex) => {
  const quick = Object.create(dex);
  for (const kind of ['abilities', 'conditions', 'items', 'moves', 'species', 'types']) {
    const named = remembered((name) => dex[kind].get(name));
    const get = (name) => (typeof name === 'string' ? named(name) : dex[kind].get(name));
    quick[kind] = Object.assign(Object.create(dex[kind]), { get });
  }
  const writable = remembered((move) => {
    const names = WRITTEN.filter((name) => move[name]);
    for (const name of Object.keys(move)) if (!names.includes(name)) dex.deepFreeze(move[name]); // others' writes fail
    return names;
  });
  quick.getActiveMove = (name) => {
    if (name && typeof name.hit === 'number') return name;
    const move = quick.moves.get(name);
    const active = Object.create(move);
    for (const part of writable(move)) active[part] = dex.deepClone(move[part]);
    active.hit = 0;
    return active;
  };
  return quick;
});

const words = remembered((text) => text.split(' '));

const sideShortcuts = {
  getChoice: nothing,
  getRequestData: nothing,
  choose(text) {
    const [kind, place] = words(text);
    this.clearChoice();
    return kind === 'move' ? this.chooseMove(place) : this.chooseSwitch(place);
  },
};

// A copy of the battle with the shortcuts.
function quickCopy(battle) {
  const copy = Object.assign(thaw(freeze(battle), ANY_SEED), shortcuts);
  copy.dex = quickDex(copy.dex);
  copy.actions.dex = copy.dex;
  for (const side of copy.sides) {
    Object.assign(side, sideShortcuts);
    for (const { status, volatiles } of side.pokemon) {
      for (const id of [status, ...Object.keys(volatiles)]) note(copy.dex.conditions.getByID(id));
    }
  }
  return copy;
}

// --- playouts

// Play a battle to its end: a side makes the choice first, and plays greedily against the policy of the other.
function playOut(battle, at, choice, players, chance) {
  battle.prng = new PRNG(chance.seed());
  for (let first = true; !finished(battle); first = false) {
    battle.sides.forEach((side, which) => {
      const legal = choices(side, { switches: false });
      if (!legal.length) return;
      const policy = which === at ? policies.greedy : policies[players[which]] ?? policies.greedy;
      choose(side, first && which === at ? choice : policy(side, legal, chance));
    });
    battle.commitChoices();
    battle.log.length = 0;
  }
  return battle;
}

class Playouts {
  constructor(battle, at, players) {
    this.battle = quickCopy(battle);
    this.saved = contents(this.battle);
    this.at = at;
    this.players = players;
  }

  end(choice, chance) {
    setBack(this.saved);
    return playOut(this.battle, this.at, choice, this.players, chance);
  }

  // What the side does not win of one: 1, or a half for a tie.
  lost(choice, chance) {
    const won = winner(this.end(choice, chance));
    return won === this.at ? 0 : won < 0 ? 0.5 : 1;
  }
}

// What each choice lost, its own chance (so that it does not matter how often others are played), and its playouts left.
const trials = (legal, times, chance) =>
  legal.map((choice) => ({ choice, chance: new Chance(chance.below(2 ** 32)), lost: 0, left: times }));

function again(trial, playouts) {
  trial.lost += playouts.lost(trial.choice, trial.chance);
  trial.left -= 1;
}

const leastLost = (tried) => tried.reduce((least, each) => (each.lost < least.lost ? each : least));

// The first of the choices that win most when each is played out so often. Whichever lost least so far is played on,
// and once it is through it is the best: the others lost as much already, however the rest of their playouts would end.
function best(playouts, legal, times, chance) {
  const tried = trials(legal, times, chance);
  for (;;) {
    const next = leastLost(tried);
    if (!next.left) return next.choice;
    again(next, playouts);
  }
}

// The same with all playouts of every choice, as a measure of the above.
function bestOfAll(playouts, legal, times, chance) {
  const tried = trials(legal, times, chance);
  for (const each of tried) while (each.left) again(each, playouts);
  return leastLost(tried).choice;
}

module.exports = { ANY_SEED, Playouts, best, bestOfAll, finished, playOut, winner };
