/** EXPLAIN of writes: the plan that production would use, and nothing runs. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, s, tell } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'one');
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
      assert.equal(await tell(url, messages), await tell(proxied.twin.url, messages));
      assert.equal(await proxied.contents(), before);
    });
  }

  test('of what is prepared', async () => {
    const url = await proxied.session();
    const answers = await tell(url, [
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
    const answers = await tell(url.href, [
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
    const url = await proxied.session();
    for (const text of [...explained.slice(0, 5), 'EXECUTE d']) {
      const [answer = ''] = await tell(url, [q(`EXPLAIN (ANALYZE, COSTS off) ${text}`)]);
      assert.match(answer, /^E .*C=0A000 .*H=/, text);
    }
    assert.equal(await proxied.contents(), await proxied.twinContents());
  });
});
