/** Reads a specification of PostgreSQL's isolation tests: what is set up, and the orders in which the steps of its sessions run. */
import type { Step } from '../helpers/interleaving.ts';

export interface Spec {
  readonly setup: string;
  readonly teardown: string;
  /** The first statement of each session; null for none. */
  readonly begun: readonly (string | null)[];
  readonly permutations: readonly (readonly Step[])[];
}

const token = /#[^\n]*|\{([^}]*)\}|"([^"]*)"|\([^)]*\)|([^\s{}"#()]+)/g;

const keywords = new Set(['setup', 'teardown', 'session', 'step', 'permutation']);

/** The parts that have been read so far. */
interface Parts {
  word: string;
  name: string;
  setup: string;
  teardown: string;
  readonly begun: (string | null)[];
  readonly steps: Map<string, Step>;
  readonly orders: string[][];
}

/** @throws Error for a permutation of steps that do not exist */
export function readSpec(text: string): Spec {
  const parts: Parts = {
    word: '',
    name: '',
    setup: '',
    teardown: '',
    begun: [],
    steps: new Map(),
    orders: [],
  };
  for (const [, block, quoted, bare] of text.matchAll(token)) {
    if (block !== undefined) readBlock(parts, block.trim());
    else if (bare !== undefined && keywords.has(bare)) readWord(parts, bare);
    else readName(parts, quoted ?? bare);
  }
  const { setup, teardown, begun, steps, orders } = parts;
  const permutations = orders.map((order) =>
    order.map((name) => {
      const step = steps.get(name);
      if (step === undefined) throw new Error(`there is no step ${name}`);
      return step;
    }),
  );
  const sessions = begun.map((_, connection) =>
    [...steps.values()].filter(([of]) => of === connection),
  );
  return {
    setup,
    teardown,
    begun,
    permutations: orders.length > 0 ? permutations : merged(sessions),
  };
}

function readWord(parts: Parts, word: string): void {
  parts.word = word;
  if (word === 'permutation') parts.orders.push([]);
}

function readName(parts: Parts, name: string | undefined): void {
  if (name === undefined) return;
  parts.name = name;
  if (parts.word === 'session') parts.begun.push(null);
  if (parts.word === 'permutation') parts.orders.at(-1)?.push(name);
}

function readBlock(parts: Parts, block: string): void {
  const connection = parts.begun.length - 1;
  if (parts.word === 'step') parts.steps.set(parts.name, [connection, block]);
  else if (parts.word === 'setup' && connection >= 0) parts.begun[connection] = block;
  else if (parts.word === 'setup') parts.setup += `${block};`;
  // what a session does at its end changes nothing
  else if (connection < 0) parts.teardown += `${block};`;
}

/** Returns all orders that keep the order in each session: without permutations these run. */
function merged(sessions: readonly (readonly Step[])[]): Step[][] {
  if (sessions.every((steps) => steps.length === 0)) return [[]];
  return sessions.flatMap(([first, ...more], index) => {
    if (first === undefined) return [];
    const rest = sessions.map((steps, place) => (place === index ? more : steps));
    return merged(rest).map((later) => [first, ...later]);
  });
}
