/** No way around READ ONLY: whatever a client tries with a function that writes, production stays what it was. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, h, p, q, run, s, tell } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 5) g;
CREATE TABLE victim (id int);
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO victim VALUES (1); RETURN 1; END';
CREATE FUNCTION evil(int) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION dormant() RETURNS SETOF int LANGUAGE plpgsql AS
  'BEGIN RETURN NEXT 1; RETURN NEXT 2; PERFORM evil(); RETURN NEXT 3; END';
CREATE FUNCTION lift() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('default_transaction_read_only', 'off', false)$$;
CREATE FUNCTION lift_now() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('transaction_read_only', 'off', true)$$;
CREATE FUNCTION plant() RETURNS int LANGUAGE plpgsql AS
  $$BEGIN EXECUTE 'PREPARE planted AS SELECT evil()'; RETURN 1; END$$;
CREATE VIEW evil_view AS SELECT evil() AS x;
CREATE OPERATOR %% (FUNCTION = evil, RIGHTARG = int);
CREATE FUNCTION name(item) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION tag(item) RETURNS text LANGUAGE sql AS 'SELECT evil()::text';
`;

const evil = 'SELECT evil()';
const stage = `UPDATE item SET name = 'staged' WHERE id = 1`;

const attempts: Record<string, readonly Buffer[]> = {
  'a plain call': [
    q(evil),
    run(evil),
    s,
    q('SELECT * FROM evil_view'),
    q('SELECT %% 1'),
    q('VALUES (evil(1))'),
  ],
  'several in one message': [
    q(`SELECT 1; ${evil}`),
    q(`${stage}; ${evil}`),
    q(`${evil}; ${stage}`),
  ],
  'behind what opens a transaction': [
    ...[q('BEGIN'), q(evil), q('ROLLBACK'), q(`BEGIN; ${evil}; COMMIT`)],
    ...[q('BEGIN READ WRITE'), q(evil), q('ROLLBACK'), q(`START TRANSACTION; ${evil}; COMMIT`)],
    ...[run('BEGIN'), run(evil), run('COMMIT'), s, q('ROLLBACK')],
  ],
  'behind a staged write': [
    ...[
      q('BEGIN'),
      q(stage),
      q(evil),
      q('ROLLBACK'),
      q(`BEGIN; ${stage}; ${evil}; COMMIT`),
      q('ROLLBACK'),
    ],
    ...[run(stage), run(evil), s, run(stage), h, run(evil), h, s],
    ...[q('BEGIN'), run(stage), run(evil), s, q('COMMIT')],
  ],
  'between savepoints': [
    ...[
      'BEGIN',
      'SELECT 1',
      'SAVEPOINT a',
      evil,
      'ROLLBACK TO a',
      evil,
      'ROLLBACK TO a',
      'RELEASE a',
      evil,
      'COMMIT',
    ].map(q),
    ...[
      'BEGIN',
      'SAVEPOINT a',
      'SET TRANSACTION READ ONLY',
      'SELECT 1',
      'ROLLBACK TO a',
      evil,
      'COMMIT',
    ].map(q),
    ...['BEGIN', 'SAVEPOINT a', 'SET TRANSACTION READ ONLY', 'RELEASE a', evil, 'COMMIT'].map(q),
    ...[
      run('BEGIN'),
      run('SELECT 1'),
      run('SAVEPOINT a'),
      run(stage),
      run('ROLLBACK TO a'),
      run(evil),
      s,
      q('COMMIT'),
    ],
  ],
  'with the guard named': ['BEGIN', 'SELECT 1', 'RELEASE _stage_guard', evil, 'ROLLBACK'].map(q),
  'when a chain goes on': [
    ...['BEGIN', stage, 'COMMIT AND CHAIN', evil, 'ROLLBACK AND CHAIN', evil, 'ROLLBACK'].map(q),
    ...['BEGIN', 'SELECT 1/0', 'ROLLBACK AND CHAIN', evil, 'COMMIT'].map(q),
  ],
  'through cursors': [
    ...['BEGIN', `DECLARE c CURSOR FOR ${evil}`, stage, 'FETCH c', 'ROLLBACK'].map(q),
    ...[
      'BEGIN',
      'DECLARE c CURSOR FOR SELECT * FROM dormant()',
      'FETCH c',
      stage,
      'FETCH ALL c',
      'COMMIT',
    ].map(q),
    ...[
      q('BEGIN'),
      q('DECLARE c CURSOR FOR SELECT dormant()'),
      q(stage),
      e(5, 'c'),
      s,
      q('COMMIT'),
    ],
  ],
  'through portals': [
    ...[q('BEGIN'), p('SELECT dormant()'), b(), e(1), run(stage), s, q('COMMIT')],
    ...[
      q('BEGIN'),
      p('SELECT dormant()'),
      b([], '', 'x'),
      e(1, 'x'),
      run(stage),
      e(0, 'x'),
      s,
      q('COMMIT'),
    ],
    ...[
      q('BEGIN'),
      p(evil, 'kept'),
      b([], 'kept', 'y'),
      run(stage),
      d('portal', 'y'),
      e(0, 'y'),
      c('portal', 'y'),
      s,
      q('COMMIT'),
    ],
  ],
  'prepared before': [
    ...[
      q(`PREPARE x AS ${evil}`),
      q('EXECUTE x'),
      q('BEGIN'),
      q(stage),
      q('EXECUTE x'),
      q('COMMIT'),
    ],
    ...[
      q('BEGIN'),
      q(stage),
      b([], 'x'),
      e(),
      s,
      q('COMMIT'),
      run('EXECUTE x'),
      s,
      q('DEALLOCATE x'),
    ],
    ...[
      q('PREPARE y(int) AS UPDATE item SET name = $1::text WHERE id = 1'),
      q('EXECUTE y(evil())'),
    ],
    ...[q('BEGIN'), q('EXECUTE y(evil(1))'), q('COMMIT'), run('EXECUTE y(evil())'), s],
  ],
  'prepared by a function': [
    ...[
      q('SELECT plant()'),
      q('EXECUTE planted'),
      q('BEGIN'),
      q(stage),
      q('EXECUTE planted'),
      q('COMMIT'),
    ],
    ...[
      q('BEGIN'),
      q(stage),
      b([], 'planted'),
      e(),
      s,
      q('COMMIT'),
      run(stage),
      b([], 'planted'),
      e(),
      s,
    ],
  ],
  'with the access set': [
    ...[
      q(`SET transaction_read_only = off; ${evil}`),
      run('SET transaction_read_only = off'),
      run(evil),
      s,
    ],
    ...[q(`SET TRANSACTION READ WRITE; ${evil}`), run('SET TRANSACTION READ WRITE'), run(evil), s],
    ...[
      q('SET default_transaction_read_only = off'),
      q(evil),
      run('SET default_transaction_read_only = off'),
      run(evil),
      s,
    ],
    ...[
      q('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE'),
      q(evil),
      q('RESET ALL'),
      q(evil),
    ],
    ...[q('DISCARD ALL'), q(evil), q('RESET default_transaction_read_only'), q(evil)],
  ],
  'with the access set by a function': [
    ...[
      q('SELECT lift()'),
      q(evil),
      q(`SELECT lift(); ${evil}`),
      q(evil),
      run('SELECT lift()'),
      run(evil),
      s,
      run(evil),
      s,
    ],
    ...[
      'BEGIN',
      'SELECT lift()',
      'COMMIT',
      evil,
      'BEGIN',
      'SELECT lift_now()',
      evil,
      'ROLLBACK',
      'SELECT lift_now()',
      evil,
    ].map(q),
    ...[
      q('BEGIN'),
      q('SELECT lift()'),
      run('COMMIT'),
      run(evil),
      s,
      run('SELECT lift_now()'),
      run(evil),
      s,
    ],
    ...[q('BEGIN; SAVEPOINT a; SELECT lift(); ROLLBACK TO a; COMMIT'), q(evil)],
    ...[q('BEGIN; SELECT lift(); SELECT 1/0'), q('ROLLBACK'), q(evil)],
  ],
  'inside a staged write': [
    ...[
      'UPDATE item SET id = evil()',
      'INSERT INTO item VALUES (evil(), $$x$$)',
      'DELETE FROM item WHERE id = evil(1)',
    ].map(q),
    ...[run(`UPDATE item SET name = 'x' WHERE id = (SELECT public.evil())`), s],
    ...[
      q('INSERT INTO item SELECT x, $$y$$ FROM evil_view'),
      q('UPDATE item SET name = (item).tag'),
    ],
    ...[q('WITH w AS (UPDATE item SET name = $$w$$ RETURNING id) SELECT evil(), id FROM w')],
    ...[
      q('UPDATE item SET name = $$x$$ RETURNING evil()'),
      q('UPDATE victim SET id = 2'),
      q('INSERT INTO victim VALUES (2)'),
    ],
  ],
};

suite('walls', (test) => {
  let proxied: Proxied;
  let before: string[];
  test.before(async () => {
    proxied = await startProxied(schema);
    before = await proxied.contents();
  });
  test.after(() => proxied.stop());

  for (const [name, messages] of Object.entries(attempts)) {
    test(name, async () => {
      const answers = await tell(await proxied.session(), messages);
      assert.equal(await proxied.contents(), before);
      assert.ok(answers.includes('Z I'));
    });
  }

  test('and the function does write where it is let', async () => {
    await proxied.twin.query('SELECT evil()');
    assert.is((await proxied.twin.query('SELECT FROM victim')).length, 1);
  });
});
