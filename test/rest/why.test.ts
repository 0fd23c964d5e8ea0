/** The reasons of a change: each names the statements that made it, and the foreign key that extended one to it. */
import { changePage } from '../../src/rest/schemas/diff-pages.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'agent', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

interface Why {
  readonly mutation: string;
  readonly origin: string | null;
  readonly foreign_keys: readonly string[];
}

suite('rest: why a change is there', (test) => {
  let rest: TestRest;
  let id: string;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query(
      `CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY, n int);
       CREATE TABLE c (id int PRIMARY KEY, a int CONSTRAINT c_to_a REFERENCES a ON DELETE CASCADE,
         b int CONSTRAINT c_to_b REFERENCES b ON DELETE SET NULL ON UPDATE CASCADE, other int CONSTRAINT c_to_none REFERENCES a);
       CREATE TABLE d (id int PRIMARY KEY, c int CONSTRAINT d_to_c REFERENCES c ON DELETE CASCADE);
       INSERT INTO a SELECT n, n FROM generate_series(1, 9) n; INSERT INTO b SELECT n, n FROM generate_series(1, 9) n;
       INSERT INTO c VALUES (1, 1, 1), (2, 2, 2), (3, NULL, 3); INSERT INTO d VALUES (1, 1), (2, 2)`,
    );
  });
  test.after(() => rest.stop());
  test.beforeEach(async () => {
    id = (await rest.call('POST', '/sessions', as('agent', {}))).body.id;
  });

  const pageOf = async (table: string, name = 'ann', more = '') => {
    const path = `/sessions/${id}/diff/changes?table=${table}&why=true${more}`;
    const { status, body } = await rest.call('GET', path, as(name));
    assert.is(status, 200);
    assert.equal(changePage.parse(body), body);
    return body;
  };
  /** Returns the statements that made each row, by its key. */
  const whyOf = async (table: string, name = 'ann') => {
    const { changes, mutations } = await pageOf(table, name);
    const text = new Map(
      mutations.map((each: { id: string; query: string }) => [each.id, each.query]),
    );
    const said = ({ mutation, origin, foreign_keys: keys }: Why) =>
      `${text.get(mutation)} (${[origin, ...keys].join(' ')})`;
    return Object.fromEntries(
      changes.map(({ row_id: row, why }: { row_id: number; why: Why[] }) => [row, why.map(said)]),
    );
  };

  test('a row names every statement that changed it, in order, and no others', async () => {
    const texts = [
      'UPDATE a SET n = 10 WHERE id = 1',
      'UPDATE a SET n = n + 1 WHERE id < 3',
      'INSERT INTO a VALUES (20, 1)',
      'UPDATE a SET n = 2 WHERE id = 20',
    ];
    for (const text of texts) await rest.write(id, text);
    const by = (...numbers: number[]) => numbers.map((number) => `${texts[number]} (client)`);
    assert.equal(await whyOf('a'), { 1: by(0, 1), 2: by(1), 20: by(2, 3) });
    const { mutations } = await pageOf('a', 'ann', '&limit=1');
    assert.equal(
      mutations.map(({ query }: { query: string }) => query),
      texts.slice(0, 2),
    );
  });

  test('a row that foreign keys changed names the statement at their beginning, and the key', async () => {
    const gone = 'DELETE FROM a WHERE id = 1';
    await rest.write(id, gone);
    assert.equal(await whyOf('c'), { 1: [`${gone} (foreign_key c_to_a)`] });
    assert.equal(await whyOf('d'), { 1: [`${gone} (foreign_key d_to_c)`] });
    const moved = 'UPDATE b SET id = 33 WHERE id = 3';
    await rest.write(id, moved);
    await rest.write(id, 'UPDATE c SET other = 5 WHERE id = 3');
    assert.equal((await whyOf('c'))[3], [
      `${moved} (foreign_key c_to_b)`,
      'UPDATE c SET other = 5 WHERE id = 3 (client)',
    ]);
  });

  test('after approval the same statements are named', async () => {
    const gone = 'DELETE FROM a WHERE id = 2';
    await rest.write(id, gone);
    await rest.write(id, 'UPDATE b SET n = 7 WHERE id = 9');
    await rest.call('POST', `/sessions/${id}/propose`, as('agent', {}));
    const before = await pageOf('c');
    const { status } = await rest.call('POST', `/sessions/${id}/approve`, as('ann', {}));
    assert.is(status, 200);
    assert.equal(await whyOf('c'), { 2: [`${gone} ()`] });
    assert.equal(await whyOf('b'), { 9: ['UPDATE b SET n = 7 WHERE id = 9 ()'] });
    assert.equal((await pageOf('c')).mutations, before.mutations);
  });

  test('a search says so too, and nobody is told who did not ask', async () => {
    await rest.write(id, 'UPDATE a SET n = 4711 WHERE id = 3');
    const found = await pageOf('a', 'ann', '&search=4711');
    assert.equal([found.changes.length, found.changes[0].why.length], [1, 1]);
    const path = `/sessions/${id}/diff/changes?table=a`;
    const { body } = await rest.call('GET', path, as('ann'));
    assert.equal([body.mutations, body.changes[0].why], [undefined, undefined]);
    assert.is((await rest.call('GET', `${path}&why=yes`, as('ann'))).status, 400);
  });

  test('hidden tables give nothing away to an author', async () => {
    const reader = await createRole(rest.database, 'GRANT SELECT ON a, c, d TO $role');
    try {
      const gone = 'DELETE FROM a WHERE id = 3';
      await rest.write(id, gone, [], reader.name);
      // written by a role that may read it
      await rest.write(id, 'UPDATE b SET id = 44 WHERE id = 3');
      const hidden = await pageOf('b', 'agent');
      assert.equal([hidden.changes, hidden.mutations, hidden.hidden], [[], undefined, true]);
      // its row is readable, but not the statement that changed it
      const [row] = (await pageOf('c', 'agent')).changes;
      assert.equal([row.why[0].origin, row.why[0].foreign_keys], ['foreign_key', []]);
      const [mutation] = (await pageOf('c', 'agent')).mutations;
      assert.equal([mutation.query, mutation.params, mutation.hidden], [null, null, true]);
      assert.equal((await whyOf('c'))[3], [
        'UPDATE b SET id = 44 WHERE id = 3 (foreign_key c_to_b)',
      ]);
    } finally {
      await reader.drop();
    }
  });
});
