/** EXPLAIN of writes shows the plan that production would use, and runs nothing. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'one');
CREATE TABLE other (id int PRIMARY KEY, name text);
INSERT INTO other VALUES (1, 'one'), (2, 'two'), (3, 'three');
`;
const explained = [
  `INSERT INTO item VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y'`,
  `UPDATE item SET name = 'x' WHERE id = 1`,
  'DELETE FROM item RETURNING *',
  'MERGE INTO item USING (SELECT 1 AS id) s ON s.id = item.id WHEN MATCHED THEN DELETE',
  'WITH d AS (DELETE FROM item RETURNING id) SELECT * FROM d',
  'INSERT INTO nowhere VALUES (1)',
  `UPDATE item SET nowhere = 'x'`,
];

const explain = 'EXPLAIN (COSTS off) DELETE FROM item WHERE id = 1';
const write = `UPDATE other SET name = 'x' WHERE id = 1`;
const upsert = `INSERT INTO other VALUES (1, 'y') ON CONFLICT (id) DO UPDATE SET name = $1`;
const cursor = 'DECLARE c CURSOR FOR SELECT id FROM other ORDER BY id';
const named = (text: string, name: string) => [p(text, name), b([], name, name), s];

/** Messages of transactions that write and explain writes. */
const transactions: Readonly<Record<string, readonly Buffer[]>> = {
  'behind a write': [q(write), q(explain)],
  'before a write': [q(explain), q(write)],
  'in one message': [q(`${write}; ${explain}; SELECT 1`)],
  'of the table itself': [q(write), q('EXPLAIN (COSTS off) DELETE FROM other'), q(write)],
  'by the extended protocol': [q(write), run(explain), s, run('SELECT 1'), run(explain), s],
  'prepared, run twice': [
    q(write),
    p(explain, 'x'),
    d('statement', 'x'),
    b([], 'x'),
    e(),
    s,
    b([], 'x'),
    e(),
    s,
  ],
  'bound, and not run': [q(write), ...named(explain, 'x'), c('portal', 'x'), s],
  'read in parts': [q(write), p(explain), b([]), d(), e(1), e(1), e(1), e(1), s],
  'between cursors': [
    q(write),
    q(cursor),
    q('FETCH c'),
    q(explain),
    q('FETCH c'),
    q(explain),
    q('FETCH c'),
  ],
  'before a cursor': [q(write), q(explain), q(cursor), q('FETCH c'), q(write), q('FETCH c')],
  'beside a portal': [
    q(write),
    p('SELECT id FROM other ORDER BY id'),
    b([], '', 'r'),
    e(1, 'r'),
    run(explain),
    e(1, 'r'),
    s,
  ],
  'inside a savepoint': [
    q(write),
    q('SAVEPOINT a'),
    q(explain),
    q('ROLLBACK TO a'),
    q(explain),
    q('RELEASE a'),
  ],
  'of a cursor': [q(write), q('EXPLAIN (COSTS off) DECLARE c CURSOR FOR SELECT FROM item')],
  'of a write that is to be asked of the server': [
    q(write),
    q(cursor),
    q('FETCH c'),
    run(upsert, 'z'),
    q('FETCH c'),
    s,
  ],
};

suite('EXPLAIN of writes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const reads of ['production', 'staged'] as const) {
    test(`shows production's plan where reads are ${reads}`, async () => {
      const before = await proxied.contents();
      const url = await proxied.session(reads);
      const messages = [
        ...explained.flatMap((text) => [q(`EXPLAIN (COSTS off) ${text}`)]),
        ...[run('EXPLAIN (COSTS off, ANALYZE false) DELETE FROM item WHERE id = 1'), s],
        ...['BEGIN', `EXPLAIN (COSTS off) DELETE FROM item`, 'ROLLBACK'].map(q),
      ];
      assert.equal(await runScript(url, messages), await runScript(proxied.twin.url, messages));
      assert.equal(await proxied.contents(), before);
    });
  }

  for (const [name, messages] of Object.entries(transactions)) {
    test(`${name}, leaves the transaction one that can be committed`, async () => {
      for (const [begin, end] of [
        ['BEGIN', 'COMMIT'],
        ['BEGIN ISOLATION LEVEL REPEATABLE READ', 'COMMIT AND CHAIN'],
      ] as const) {
        const all = [q(begin), ...messages, q(end), q('ROLLBACK')];
        const reported = await runScript(await proxied.session('staged'), all);
        assert.equal(reported, await runScript(proxied.twin.url, all), begin);
      }
    });
  }

  test('of what is prepared', async () => {
    const url = await proxied.session();
    const answers = await runScript(url, [
      q('PREPARE d AS DELETE FROM item'),
      q('EXPLAIN (COSTS off) EXECUTE d'),
      q('EXPLAIN (COSTS off) EXECUTE nowhere'),
      q('SELECT count(*) FROM item'),
    ]);
    assert.ok(answers.some((answer) => answer.startsWith('C EXPLAIN')));
    assert.ok(answers.some((answer) => answer.includes('C=26000')));
  });

  test('by a role that may stage the write and not run it says what it takes', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT ON item TO $role');
    const url = new URL(await proxied.session());
    url.username = role.name;
    url.password = role.name;
    const write = `UPDATE item SET name = 'y' WHERE id = 1`;
    const answers = await runScript(url.href, [
      q(`EXPLAIN ${write}`),
      run(`EXPLAIN ${write}`),
      s,
      q(`SELECT 1; EXPLAIN ${write}`),
      q(write),
    ]);
    const errors = answers.filter((answer) => answer.startsWith('E '));
    assert.is(errors.length, 3);
    for (const error of errors)
      assert.match(error, /C=42501 .*M=permission denied for table item .*H=.*SELECT is enough/);
    assert.ok(answers.some((answer) => answer.startsWith('C UPDATE 1')));
    await role.drop();
  });

  test('with ANALYZE is refused', async () => {
    const before = await proxied.contents();
    const url = await proxied.session();
    for (const text of [...explained.slice(0, 5), 'EXECUTE d']) {
      const [answer = ''] = await runScript(url, [q(`EXPLAIN (ANALYZE, COSTS off) ${text}`)]);
      assert.match(answer, /^E .*C=0A000 .*H=/, text);
    }
    assert.equal(await proxied.contents(), before);
  });
});
