/** `set_config($1, ...)`: the name of the setting is a value, so each Bind and EXECUTE is checked for the values that it brings. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE SCHEMA other;
CREATE TABLE item (id int PRIMARY KEY, n int);
CREATE TABLE other.item (id int PRIMARY KEY, n int);
INSERT INTO item VALUES (1, 10);
INSERT INTO other.item VALUES (1, 20);
CREATE DOMAIN word AS text;
`;

const set = 'SELECT set_config($1, $2, $3)';
const shown = (name: string) => q(`SELECT current_setting('${name}', true)`);
const binary = (text: string) => Buffer.from(text);

/** A session and a direct connection respond alike. */
const stories: Readonly<Record<string, readonly Buffer[]>> = {
  'a request variable, in one batch': [
    p(set),
    b(['my.user', 'me', 'f']),
    d(),
    e(),
    s,
    shown('my.user'),
  ],
  'a statement used again with other values': [
    p(set, 'set'),
    s,
    ...['my.a', 'statement_timeout', 'MY.A'].flatMap((name) => [
      b([name, '70000', 'f'], 'set'),
      e(),
      s,
    ]),
    b([binary('my.b'), '8', 'f'], 'set'),
    e(),
    s,
    ...['my.a', 'my.b', 'statement_timeout'].map(shown),
  ],
  'until the end of the transaction': [
    q('BEGIN'),
    p('SELECT set_config($1, $2, true), set_config($3, $2, false)'),
    b(['my.local', 'x', 'my.lasting']),
    e(),
    s,
    shown('my.local'),
    q('COMMIT'),
    shown('my.local'),
    shown('my.lasting'),
  ],
  'a value that is no setting, or not there': [
    ...[
      ['nonsense', 'x', 'f'],
      ['work_mem', 'much', 'f'],
      ['work_mem', null, 'f'],
      ['my.x', 'y'],
    ].flatMap((values) => [p(set), b(values), e(), s]),
    q(set),
    p(set, '', [25, 25, 16]),
    b(['my.typed', '1', 't']),
    e(),
    s,
  ],
  'PREPARE and EXECUTE': [
    q(`PREPARE set (text, text) AS SELECT set_config($1, $2, false)`),
    q(`EXECUTE set('my.a', 'x'); EXECUTE set('my.b', 'y')`),
    q(`EXECUTE set('my.a')`),
    p(`EXECUTE set('my.a', 'z')`),
    b(),
    e(),
    s,
    shown('my.a'),
    shown('my.b'),
  ],
  'search_path, and names behind it': [
    q('UPDATE item SET n = n + 1'),
    q('SELECT n FROM item'),
    p(set, 'set'),
    b(['search_path', 'other', 'f'], 'set'),
    e(),
    s,
    q('SELECT n FROM item'),
    q('UPDATE item SET n = n + 1'),
    b(['Search_Path', 'public', 'f'], 'set'),
    e(),
    p('SELECT n FROM item'),
    b(),
    e(),
    s,
    q(`PREPARE path AS SELECT set_config('search_path', 'other', false)`),
    q('EXECUTE path; SELECT n FROM item'),
    q('SELECT n FROM item'),
    p(`EXECUTE set('search_path', 'public', false)`),
    b(),
    e(),
    s,
    q('SELECT n FROM item'),
  ],
  'a role': [
    p(set),
    b(['role', 'pg_monitor', 'f']),
    e(),
    s,
    q('SELECT current_user, count(*) FROM item'),
    q('RESET ROLE; SELECT current_user, count(*) FROM item'),
  ],
  'a cursor, an EXPLAIN': [
    q('BEGIN'),
    p('DECLARE c CURSOR FOR SELECT set_config($1, $2, false)'),
    b(['my.cursor', '1']),
    e(),
    s,
    q('FETCH c; COMMIT'),
    shown('my.cursor'),
    p(
      'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) SELECT set_config($1, $2, false)',
    ),
    b(['my.explained', '1']),
    e(),
    s,
    shown('my.explained'),
  ],
};

/** The setting must not change. All messages but the first are sent in one batch, with a Sync at its end. */
const forbidden: Readonly<Record<string, readonly Buffer[]>> = {
  ...Object.fromEntries(
    [
      ['session_authorization', 'pg_monitor'],
      ['SESSION_AUTHORIZATION', 'pg_monitor'],
      ['session_replication_role', 'replica'],
      ['transaction_read_only', 'off'],
      ['default_transaction_read_only', 'off'],
      ['stage.session', 'x'],
      ['Stage.New', 'x'],
      ['client_encoding', 'LATIN1'],
      ['standard_conforming_strings', 'off'],
    ].map(([name = '', value = '']) => [name, [p(set), b([name, value, 'f']), e()]]),
  ),
  'in the binary format': [
    p(set),
    b([binary('session_authorization'), binary('pg_monitor'), 'f']),
    e(),
  ],
  'without Sync between the values': [
    p(set, 'both'),
    b(['my.x', 'x', 'f'], 'both'),
    e(),
    b(['session_authorization', 'pg_monitor', 'f'], 'both'),
    e(),
  ],
  'in the second call': [
    p(
      `SELECT set_config('my.x', 'x', false), set_config($1, $1, false), set_config($2, 'pg_monitor', false)`,
    ),
    b(['my.x', 'session_authorization']),
    e(),
  ],
  NULL: [p(set), b([null, 'x', 'f']), e()],
  'of a type that cuts it': [
    p('SELECT $1::bpchar, set_config($1, $2, false)'),
    b(['session_authorization ', 'pg_monitor']),
    e(),
  ],
  'of a type that the client says cuts it': [
    p(set, '', [1042]),
    b(['session_authorization ', 'pg_monitor', 'f']),
    e(),
  ],
  'of a domain': [
    p('SELECT $1::word, set_config($1, $2, false)'),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  'put together': [
    p(`SELECT set_config($1 || '', $2, false)`),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  cast: [
    p(`SELECT set_config($1::text, $2, false)`),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  'in a query': [
    p(`SELECT set_config((SELECT $1), $2, false)`),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  'in a write': [
    p(`INSERT INTO item SELECT 9, length(set_config($1, $2, false))`),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  'in a cursor': [
    q('BEGIN'),
    p('DECLARE c CURSOR FOR SELECT set_config($1, $2, false)'),
    b(['session_authorization', 'pg_monitor']),
    e(),
    p('FETCH c'),
    b(),
    e(),
  ],
  'in an EXPLAIN': [
    p('EXPLAIN ANALYZE SELECT set_config($1, $2, false)'),
    b(['session_authorization', 'pg_monitor']),
    e(),
  ],
  'by EXECUTE': [
    q('PREPARE set AS SELECT set_config($1, $2, false)'),
    q(`EXECUTE set('session_authorization', 'pg_monitor')`),
  ],
  'by EXECUTE of a type that cuts it': [
    q('PREPARE set (char) AS SELECT set_config($1, $2, false)'),
    q(`EXECUTE set('session_authorization ', 'pg_monitor')`),
  ],
  'by EXECUTE with an expression': [
    q('PREPARE set AS SELECT set_config($1, $2, false)'),
    q(`EXECUTE set('ro' || 'le', 'pg_monitor')`),
  ],
  'by EXECUTE of what a Parse prepared': [
    p('SELECT set_config($1, $2, false)', 'set'),
    s,
    q(`EXECUTE set('session_authorization', 'pg_monitor')`),
  ],
  'by an EXECUTE that was bound before': [
    q('BEGIN; PREPARE set AS SELECT $1::text, $2::text'),
    p(`EXECUTE set('session_authorization', 'pg_monitor')`, 'run'),
    b([], 'run', 'later'),
    s,
    q('DEALLOCATE set'),
    q('PREPARE set AS SELECT set_config($1, $2, false)'),
    e(0, 'later'),
  ],
  'by an EXECUTE of a write that was bound before': [
    q('BEGIN; PREPARE set AS UPDATE item SET n = n WHERE $1 = $2'),
    p(`EXECUTE set('session_authorization', 'pg_monitor')`, 'run'),
    b([], 'run', 'later'),
    s,
    q('DEALLOCATE set'),
    q('PREPARE set AS SELECT set_config($1, $2, false)'),
    e(0, 'later'),
  ],
  'by EXECUTE in an EXPLAIN': [
    q('PREPARE set AS SELECT set_config($1, $2, false)'),
    q(`EXPLAIN ANALYZE EXECUTE set('session_authorization', 'pg_monitor')`),
  ],
};

const settings = [
  'role',
  'session_authorization',
  'session_replication_role',
  'client_encoding',
  'standard_conforming_strings',
  'stage.new',
].map((name) => `current_setting('${name}', true)`);
const asked = q(`ROLLBACK; SELECT session_user, current_user, ${settings.join(', ')}`);

suite('settings that a parameter names', (test) => {
  let proxied: Proxied;
  const sessions: string[] = [];
  test.before(async () => {
    proxied = await startProxied(schema);
    sessions.push(await proxied.session('staged'), await proxied.session('production'));
  });
  test.after(() => proxied.stop());

  for (const [name, steps] of Object.entries(stories)) {
    test(name, async () => {
      const direct = await runScript(proxied.twin.url, steps);
      for (const url of sessions.slice(0, name.includes('names') ? 1 : 2))
        assert.equal(await runScript(url, steps), direct);
    });
  }

  for (const [name, steps] of Object.entries(forbidden)) {
    test(`is refused: ${name}`, async () => {
      for (const url of sessions) {
        const reported = await runScript(url, [asked, ...steps, s, asked]);
        const words = reported.join('\n');
        assert.ok(
          reported.some((answer) => /^E .*C=0A000/.test(answer)),
          words,
        );
        assert.is(reported.filter((answer) => answer === reported[3]).length, 2, words);
      }
    });
  }
});
