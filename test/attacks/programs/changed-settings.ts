/**
 * Settings that decide how a text is parsed, changed by code in the middle of a pipeline: proxy and server read two different statements.
 */
import { b, e, h, p, q, run, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup } from './program.ts';

const objects = `
CREATE FUNCTION set_strings() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('standard_conforming_strings', 'off', false)$$;
CREATE FUNCTION set_strings_here() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('standard_conforming_strings', 'off', true)$$;
CREATE FUNCTION set_encoding() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('client_encoding', 'SJIS', false)$$;
CREATE FUNCTION set_quote() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('backslash_quote', 'on', false)$$;
`;

/** Returns a write in which nothing must be looked up once the table is known, so no round trip reveals the change. */
const write = (id: number) => `INSERT INTO t SELECT ${id}, 'y' FROM a`;

type Twin = (id: number) => string;

/** With standard_conforming_strings the first literal ends at the quote after the backslash; without it, at the next quote. */
const byStrings: Twin = (id) =>
  `WITH a AS (SELECT 'x\\' AS q, $c$ ' AS q), b AS (INSERT INTO note VALUES ($$p$$) RETURNING 1) SELECT 1 -- $c$ AS r) ${write(id)}`;

/** The last byte of this letter and the backslash after it are one letter in SJIS, so the literal ends there. */
const byEncoding: Twin = (id) =>
  `WITH a AS (SELECT E'ぃ\\' AS q), b AS (INSERT INTO note VALUES ($$p$$) RETURNING 1) SELECT 1 -- ' AS q) ${write(id)}`;

/** Returns messages after which both have parsed the text in the same way. */
const known = (set: string, text: Twin) => [q('BEGIN'), q(text(6001)), q(set), q('ROLLBACK')];

const ways: Readonly<Record<string, (set: string, text: Twin) => readonly Buffer[]>> = {
  'in a transaction': (set, text) => [
    ...[q('BEGIN'), run(text(6002)), s, run(set), run(text(6003)), run('COMMIT'), s],
  ],
  'in a transaction that has not named the table': (set, text) => [
    ...[q('BEGIN'), run(set), run(text(6004)), run('COMMIT'), s],
  ],
  'in a transaction, set once before': (set, text) => [
    ...[q('BEGIN'), q(text(6005)), q(set), run(set), run(text(6006)), run('COMMIT'), s],
  ],
  'in a transaction that only reads before': (set, text) => [
    ...[q('BEGIN'), q('SELECT 1'), run('SELECT 1'), run(set), run(text(6007)), run('COMMIT'), s],
  ],
  'in a batch with its BEGIN': (set, text) => [
    ...[q(text(6008)), run('BEGIN'), run(set), run(text(6009)), run('COMMIT'), s],
  ],
  'outside of a transaction': (set, text) => [q(text(6010)), run(set), run(text(6011)), s],
  'behind a staged write': (set, text) => [
    ...[run(`INSERT INTO t VALUES (5900, 'x')`), run(set), run(text(6012)), s],
  ],
  'between two': (set, text) => [run(text(6013)), run(set), run(text(6014)), run('COMMIT'), s],
  'before Flush': (set, text) => [
    ...[q('BEGIN'), q(text(6015)), run(set), h, run(text(6016)), h, run('COMMIT'), s],
  ],
  'before a Parse alone': (set, text) => [
    ...[
      q('BEGIN'),
      q(text(6017)),
      run(set),
      p(text(6018), 'later'),
      s,
      b([], 'later'),
      e(),
      run('COMMIT'),
      s,
    ],
  ],
  'before a Parse, executed at once': (set, text) => [
    ...[
      q('BEGIN'),
      q(text(6019)),
      run(set),
      p(text(6020), 'later'),
      b([], 'later'),
      e(),
      run('COMMIT'),
      s,
    ],
  ],
  'before a simple query': (set, text) => [
    ...[q('BEGIN'), q(text(6021)), run(set), q(text(6022)), q('COMMIT')],
    ...[q('BEGIN'), q(`${set}; ${text(6023)}`), q('COMMIT')],
  ],
  'after both were known': (set, text) => [
    ...[
      ...known(set, text),
      q('BEGIN'),
      q(text(6024)),
      run(set),
      run(text(6025)),
      run('COMMIT'),
      s,
    ],
  ],
};

const twins: readonly (readonly [string, string, Twin])[] = [
  ['standard_conforming_strings', 'SELECT set_strings()', byStrings],
  ['standard_conforming_strings for the transaction', 'SELECT set_strings_here()', byStrings],
  ['client_encoding', 'SELECT set_encoding()', byEncoding],
  ['backslash_quote', 'SELECT set_quote()', byStrings],
];

const programs: readonly Program[] = twins.flatMap(([setting, set, text]) =>
  Object.entries(ways).map(([way, messages]) => ({
    name: `${setting}, ${way}`,
    steps: () => messages(set, text),
  })),
);

export const changedSettings: ProgramGroup = {
  name: 'settings changed in a pipeline',
  objects,
  programs,
};
