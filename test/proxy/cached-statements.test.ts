/** Internal statements stay prepared. Code that replaces them, or a command that removes them, makes no difference. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, connectWire, e, p, q, run, runScript, runScriptOn, s } from '../helpers/wire-script.ts';

/** `supplant` replaces each prepared internal statement with a harmless one, and returns their number. */
const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 9) g;
CREATE FUNCTION supplant() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_statement record;
  v_count int := 0;
BEGIN
  FOR v_statement IN SELECT p.name, p.parameter_types FROM pg_prepared_statements p WHERE p.name LIKE '\\_stage\\_cached%' LOOP
    EXECUTE format('DEALLOCATE %I', v_statement.name);
    EXECUTE format('PREPARE %I %s AS SELECT 1', v_statement.name,
      '(' || nullif(array_to_string(v_statement.parameter_types, ','), '') || ')');
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
CREATE FUNCTION calm() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN supplant() * 0 + 3; END';
CREATE VIEW seen AS SELECT supplant() AS count;
CREATE DOMAIN tricky AS text CHECK (supplant() >= 0);
CREATE DOMAIN plain AS text;
`;

const update = 'UPDATE item SET name = $1 WHERE id = $2';
/** Two staged writes. One internal statement of each kind stays prepared. */
const twice = [p(update, 'w'), s, b(['a', '1'], 'w'), e(), s, b(['b', '2'], 'w'), e(), s];
/** Like the writes that call a function, with their parameters if they have any. */
const like = [
  ...[q(`UPDATE item SET name = 'e' WHERE id = 6`)],
  ...[run('UPDATE item SET name = $1 WHERE id = 7', 'f'), s],
];
const after = [b(['c', '1'], 'w'), e(), s, b(['d', '2'], 'w'), e(), s, ...like];
const afterAnew = [run(update, 'c', '1'), s, run(update, 'd', '2'), s, ...like];

/** Each with the messages that follow it, and with the number of its own staged writes. */
const ways: Record<string, readonly [readonly Buffer[], readonly Buffer[], number]> = {
  'a function that a read calls': [[q('SELECT supplant()')], after, 0],
  'a view': [[q('TABLE seen')], after, 0],
  'a function that a staged write calls': [
    [q(`UPDATE item SET name = 'x' WHERE id = calm()`)],
    after,
    1,
  ],
  'a function that a staged write calls, in the extended protocol': [
    [run(`UPDATE item SET name = $1 WHERE id = calm()`, 'x'), s],
    after,
    1,
  ],
  'a domain that a parameter is of': [[], after, 1],
  'an EXECUTE': [[q('PREPARE r AS SELECT supplant()'), q('EXECUTE r')], after, 0],
  'the arguments of an EXECUTE': [
    [q('PREPARE x (int) AS DELETE FROM item WHERE id = $1'), q('EXECUTE x(calm())')],
    after,
    1,
  ],
  'a cursor that COMMIT runs': [
    [...[q('BEGIN READ ONLY'), q('DECLARE h CURSOR WITH HOLD FOR SELECT supplant()')], q('COMMIT')],
    after,
    0,
  ],
  'a portal that is run further': [
    [
      ...[q('BEGIN'), p('SELECT supplant() FROM item', 'r'), b([], 'r', 'c'), e(1, 'c')],
      ...[run(update, 'x', '4'), e(0, 'c'), s, q('COMMIT')],
    ],
    after,
    1,
  ],
  'DEALLOCATE ALL': [[q('DEALLOCATE ALL')], afterAnew, 0],
  'DISCARD ALL': [[run('DISCARD ALL'), s], afterAnew, 0],
};

suite('statements of ours that stay prepared', (test) => {
  let proxied: Proxied;
  let before: string[];
  let domain: number;
  test.before(async () => {
    proxied = await startProxied(schema);
    before = await proxied.contents();
    const found = await proxied.database.query<{ oid: number }>(
      `SELECT 'tricky'::regtype::oid::int`,
    );
    domain = Number(Object.values(found[0] ?? {})[0]);
  });
  test.after(() => proxied.stop());

  const isStaged = (answer: string) => /^C (UPDATE|DELETE) 1\.$/.test(answer);
  const logged = async () => {
    const [row] = await proxied.database.query<{ count: number }>(
      `SELECT count(*)::int FROM stage.mutation WHERE query ~ '^(UPDATE|DELETE)'`,
    );
    return row?.count ?? 0;
  };

  for (const [name, [given, next, more]] of Object.entries(ways)) {
    test(`are what they were after ${name}`, async () => {
      const ofDomain = [
        p('UPDATE item SET name = $1 WHERE id = 5', '', [domain]),
        b(['x']),
        e(),
        s,
      ];
      const way = given.length > 0 ? given : ofDomain;
      const start = await logged();
      const answers = await runScript(await proxied.session(), [...twice, ...way, ...next]);
      assert.is(answers.filter(isStaged).length, 6 + more, answers.join('\n'));
      assert.is(await logged(), start + 6 + more);
      assert.equal(await proxied.contents(), before);
    });
  }

  // The daemon reads at intervals what users have made; until then the domain counts as one that calls nothing.
  test('are what they were after a domain that was changed just now', async () => {
    const [plain] = await proxied.database.query<{ oid: number }>(
      `SELECT 'plain'::regtype::oid::int AS oid`,
    );
    const ofDomain = [
      p('UPDATE item SET name = $1 WHERE id = 5', '', [plain?.oid ?? 0]),
      b(['x']),
      e(),
      s,
    ];
    const client = await connectWire(await proxied.session());
    try {
      const start = await logged();
      await runScriptOn(client, [...twice, ...ofDomain, ...ofDomain]);
      await proxied.database.query('ALTER DOMAIN plain ADD CHECK (supplant() >= 0)');
      const answers = await runScriptOn(client, [...ofDomain, ...after]);
      assert.is(answers.filter(isStaged).length, 5, answers.join('\n'));
      assert.is(await logged(), start + 9);
      assert.equal(await proxied.contents(), before);
    } finally {
      client.close();
    }
  });

  test('are there for a function to replace', async () => {
    const answers = await runScript(await proxied.session(), [...twice, q('SELECT supplant()')]);
    assert.ok(
      answers.some((answer) => /^D .*\D3$/s.test(answer)),
      answers.join('\n'),
    );
  });

  test('are no more than the server has to keep', async () => {
    const many = Array.from({ length: 40 }, (_, index) => {
      const numbers = Array.from({ length: index + 1 }, (__, at) => `$${at + 3}::int`);
      const values = numbers.map(() => '0');
      return [run(`${update} + ${numbers.join(' + ')}`, 'x', '1', ...values), s];
    }).flat();
    const answers = await runScript(await proxied.session(), [
      ...many,
      ...many,
      q('SELECT supplant()'),
    ]);
    assert.is(answers.filter(isStaged).length, 80, answers.join('\n'));
    assert.ok(
      answers.some((answer) => /^D .*\D32$/s.test(answer)),
      answers.slice(-5).join('\n'),
    );
  });
});
