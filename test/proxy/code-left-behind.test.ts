/** Code that a function called by a read leaves in its connection does not run where writes are possible. */
import { attack, evil, stage } from '../helpers/attack.ts';
import { b, e, p, q, run, s } from '../helpers/wire-script.ts';

/** Runs any SQL by a function, where nothing can be written. */
const anything = (sql: string) => q(`SELECT anything($$${sql}$$)`);
const supplant = (name: string, body = evil) => [
  anything(`DEALLOCATE ${name}`),
  anything(`PREPARE ${name} AS ${body}`),
];
const hold = `DECLARE held CURSOR WITH HOLD FOR ${evil}`;
const ours = [
  'once',
  'begin',
  'commit',
  'savepoint',
  'read_only',
  'release',
  'resolve',
  'volatile',
  'enter',
  'enter_0',
  'enter_1',
];

const attempts: Record<string, readonly Buffer[]> = {
  'with statements of ours supplanted': ours.flatMap((name) => [
    ...[q('BEGIN'), q('SELECT 1'), q(stage), q('COMMIT'), run(`UPDATE item SET name = $1`, 'x'), s],
    ...supplant(`_stage_${name}`),
    ...[
      q('BEGIN'),
      q('SELECT 1'),
      q(evil),
      q('COMMIT'),
      q('BEGIN'),
      q(stage),
      q(evil),
      q('COMMIT'),
    ],
    ...[q(stage), q('COMMIT'), q('UPDATE item SET name = lower(name)'), q('DELETE FROM item')],
    ...[
      run(`UPDATE item SET name = $1`, 'x'),
      s,
      q('COMMIT'),
      q('SELECT 1; SELECT 2; BEGIN'),
      q('COMMIT'),
    ],
  ]),
  'with the guard supplanted by nothing': [
    ...[q('BEGIN'), q('SELECT 1'), q('COMMIT'), ...supplant('_stage_read_only', 'SELECT 1')],
    ...[
      q('BEGIN'),
      q(evil),
      q('COMMIT'),
      ...supplant('_stage_once', 'SELECT 1'),
      q('BEGIN'),
      q(evil),
      q('COMMIT'),
    ],
  ],
  'with statements of the client supplanted': [
    ...[
      p(stage, 'w'),
      s,
      b([], 'w'),
      e(),
      s,
      ...supplant('w'),
      b([], 'w'),
      e(),
      s,
      run('EXECUTE w'),
      s,
    ],
    ...[
      ...supplant('w'),
      q('EXECUTE w'),
      ...supplant('w'),
      q('BEGIN'),
      q('EXECUTE w'),
      b([], 'w'),
      e(),
      s,
      q('COMMIT'),
    ],
    ...[
      q(`PREPARE v AS ${stage}`),
      ...supplant('v'),
      q('EXECUTE v'),
      ...supplant('v'),
      b([], 'v'),
      e(),
      s,
    ],
    ...[q('BEGIN'), ...supplant('v'), p('SELECT 1'), b(), e(), b([], 'v'), e(), s, q('COMMIT')],
    ...[
      p(stage, 'x'),
      run('SELECT anything($$DEALLOCATE x$$)'),
      run(`SELECT anything($$PREPARE x AS ${evil}$$)`),
    ],
    ...[b([], 'x'), e(), s, run(stage), b([], 'x'), e(), s],
  ],
  'with a portal supplanted': [
    ...[
      q('BEGIN'),
      p(stage),
      b([], '', 'x'),
      s,
      anything('CLOSE x'),
      anything(`DECLARE x CURSOR FOR ${evil}`),
    ],
    ...[e(0, 'x'), s, q('COMMIT')],
    ...[q('BEGIN'), p(stage), b([], '', 'y'), run('SELECT anything($$CLOSE y$$)')],
    ...[run(`SELECT anything($$DECLARE y CURSOR FOR ${evil}$$)`), e(0, 'y'), s, q('COMMIT')],
  ],
  'with names that have come to mean something else': [
    q('UPDATE item SET name = lower(name)'),
    anything('SET search_path = trap, pg_catalog, public'),
    ...[
      q('UPDATE item SET name = lower(name)'),
      q('BEGIN'),
      q('UPDATE item SET name = lower(name)'),
      q('COMMIT'),
    ],
    ...[
      run('UPDATE item SET name = lower($1)', 'x'),
      s,
      q('SET search_path = trap, pg_catalog, public'),
    ],
    q('UPDATE item SET name = lower(name)'),
  ],
  'with a cursor that COMMIT runs to its end': [
    ...[q('BEGIN'), anything(hold), q('COMMIT'), q('BEGIN'), anything(hold), q(stage), q('COMMIT')],
    ...[
      q(`BEGIN; SELECT anything($$${hold}$$); COMMIT`),
      q(`SELECT anything($$${hold}$$); ${stage}`),
    ],
    ...[q('BEGIN'), anything(hold), q('COMMIT AND CHAIN'), q('ROLLBACK')],
    ...[run('BEGIN'), run(`SELECT anything($$${hold}$$)`), run('COMMIT'), s, q('ROLLBACK')],
    ...[p(stage), b(), e(), run(`SELECT anything($$${hold}$$)`), s],
    ...[q('BEGIN'), q('SELECT 1/0'), q('COMMIT'), anything(hold), q('FETCH ALL FROM held')],
  ],
  'with a BEGIN prepared under another access': [
    ...[
      p('BEGIN', 'rw'),
      s,
      q('SET default_transaction_read_only = on'),
      b([], 'rw'),
      e(),
      s,
      q(evil),
      q('COMMIT'),
    ],
    ...[
      p('BEGIN', 'ro'),
      s,
      q('SET default_transaction_read_only = off'),
      b([], 'ro'),
      e(),
      s,
      q(evil),
      q('COMMIT'),
    ],
    ...[
      b([], 'ro'),
      e(),
      run(evil),
      run('COMMIT'),
      s,
      q('ROLLBACK'),
      b([], 'rw'),
      e(),
      run(evil),
      run('COMMIT'),
      s,
      q('ROLLBACK'),
    ],
  ],
};

attack('code that is left behind', attempts);
