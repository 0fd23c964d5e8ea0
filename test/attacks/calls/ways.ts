/** The forms of sending statements: the messages, inside or outside of a transaction block. */
import type { Random } from '../../helpers/random.ts';
import { q, run, s } from '../../helpers/wire-script.ts';

/** Messages that are sent together. */
export interface Said {
  readonly bytes: Buffer;
  /** The number of ReadyForQuery in the response. */
  readonly ready: number;
  readonly words: string;
}

type Way = (statements: readonly string[]) => Said[];

const query = (text: string): Said => ({ bytes: q(text), ready: 1, words: `${text};` });
const batch = (...texts: string[]): Said => ({
  bytes: Buffer.concat([...texts.map((text) => run(text)), s]),
  ready: 1,
  words: `-- Parse, Bind, Execute of each, and a Sync\n${texts.map((text) => `${text};`).join('\n')}`,
});

const staged = `UPDATE item SET v = 'staged' WHERE id = 5`;

const outside: Readonly<Record<string, Way>> = {
  simple: (statements) => statements.map(query),
  'one message': (statements) => [query(['SELECT 1', ...statements, 'SELECT 2'].join('; '))],
  extended: (statements) => statements.map((text) => batch(text)),
  pipelined: (statements) => [batch('SELECT 1', ...statements, 'SELECT 2')],
};

const inside: Readonly<Record<string, Way>> = {
  block: (statements) => [query('BEGIN'), ...statements.map(query), query('COMMIT')],
  'extended block': (statements) => [
    batch('BEGIN'),
    ...statements.map((text) => batch(text)),
    batch('COMMIT'),
  ],
  'block with a staged write before': (statements) => [
    query('BEGIN'),
    query(staged),
    ...statements.map(query),
    query('COMMIT'),
  ],
  'block READ ONLY': (statements) => [
    query('BEGIN READ ONLY'),
    ...statements.map(query),
    query('COMMIT'),
  ],
  'block with a savepoint': (statements) => [
    ...['BEGIN', 'SAVEPOINT a', ...statements, 'RELEASE a', 'COMMIT'].map(query),
  ],
  'pipelined block': (statements) => [batch('BEGIN', ...statements, 'COMMIT')],
  'block in one message': (statements) => [query(['BEGIN', ...statements, 'COMMIT'].join('; '))],
};

/** Draws a form. */
export function send(
  random: Random,
  statements: readonly string[],
  needsBlock: boolean,
): { readonly way: string; readonly said: readonly Said[] } {
  const [way, make] = random.pick(
    Object.entries(needsBlock || random.chance(0.4) ? inside : outside),
  );
  return { way, said: make(statements) };
}
