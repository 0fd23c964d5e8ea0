/** Ways around the limits of the policy while staging: each is refused at once, or at the proposal, and no refused row is staged twice. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type pg from 'pg';
import { enter } from '../helpers/past-proxy.ts';
import { needProgram } from '../helpers/programs.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';
import { data, done, q, run, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int CHECK (n < 1000)); INSERT INTO item SELECT g, g FROM generate_series(1, 9) g;
CREATE TABLE part (id int PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE); INSERT INTO part SELECT g, 1 FROM generate_series(1, 9) g;
`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\t1\n`).join('');

suite('ways around the limits of the policy', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const set = async (...rules: object[]) => {
    const document = documentOf(rules);
    const sent = { json: { document }, headers: { 'if-match': '*' } };
    assert.is((await proxied.daemon.call('PUT', '/policy', sent)).status, 200);
  };
  const open = async () => {
    const id = await proxied.daemon.newSession();
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const codeOf = (client: pg.Client, text: string) =>
    client.query(text).then(
      () => null,
      ({ code }: pg.DatabaseError) => code,
    );
  const stagedIn = async (id: string) => {
    const { body } = await proxied.daemon.call('GET', `/sessions/${id}/policy`);
    const verdict = body.verdicts.find(
      ({ limit }: { limit: string }) => limit === 'max_rows_per_statement',
    );
    return Number(/\d+$/.exec(verdict.says));
  };
  const propose = async (id: string) => {
    const { status, body } = await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    return [status, ...(body.violations ?? []).map((each: { limit: string }) => each.limit)];
  };
  /** Returns how many numbers of stage.seq something draws. */
  const drawnBy = async (work: () => Promise<unknown>) => {
    const last = 'SELECT last_value::int AS n FROM stage.seq';
    const [before] = await proxied.database.query<{ n: number }>(last);
    await work();
    const [after] = await proxied.database.query<{ n: number }>(last);
    return (after?.n ?? 0) - (before?.n ?? 0);
  };

  test('the error names rule, limit and next step, and only the statement is undone', async () => {
    await set({ name: 'small', max_rows_per_statement: 2 });
    const { id, client } = await open();
    await client.query('BEGIN; UPDATE item SET n = 0 WHERE id = 1; SAVEPOINT a');
    const error = await client
      .query('UPDATE item SET n = 0 WHERE id > 1 AND id < 5')
      .catch((failure: pg.DatabaseError) => failure);
    const says = 'rule "small": at most 2 rows by a statement: this one changes 3';
    const { code, message, detail, hint, constraint, table } = error as pg.DatabaseError;
    assert.equal([code, message], ['54000', `the policy does not allow it: ${says}`]);
    assert.match(detail ?? '', /^limit max_rows_per_statement, version \d+ of the policy$/);
    assert.match(hint ?? '', /Change fewer rows at a time/);
    assert.equal([table, constraint], ['policy', 'small']);
    assert.is((error as pg.DatabaseError).where, undefined);
    await client.query('ROLLBACK TO a; UPDATE item SET n = 0 WHERE id = 2; COMMIT');
    assert.is(await stagedIn(id), 1);
    assert.equal(await propose(id), [200]);
  });

  test('a set of rows is staged once, and not again row by row', async () => {
    await set({ max_rows_per_statement: 100 });
    const { id, client } = await open();
    const insert = 'INSERT INTO item SELECT g, 1 FROM generate_series(1001, 2000) g';
    const update = 'UPDATE item SET n = 5 WHERE id > 0';
    assert.ok((await drawnBy(() => codeOf(client, insert))) < 1100);
    const prepared = { text: 'INSERT INTO item SELECT g, $1 FROM generate_series(1001, 2000) g' };
    const failed = () => client.query({ ...prepared, values: [1] }).catch(() => null);
    assert.ok((await drawnBy(failed)) < 1100);
    const copy = [q('COPY item FROM STDIN'), data(lines(1001, 2000)), done];
    const drawn = await drawnBy(async () => {
      const answers = await runScript(proxied.daemon.clientUrl(id), copy);
      assert.match(answers.join('\n'), /54000/);
    });
    assert.ok(drawn < 1100, `${drawn}`);
    await set({ max_rows_per_statement: 8 });
    assert.ok((await drawnBy(() => codeOf(client, update))) < 15);
    assert.is(await stagedIn(id), 0);
    assert.is(await codeOf(client, 'UPDATE item SET n = 2000 WHERE id > 0'), '23514');
  });

  test('a connected session hears of a new policy with its next statement', async () => {
    await set();
    const { id, client } = await open();
    const statement = { name: 'one', text: 'DELETE FROM item WHERE id = 9' };
    await client.query('BEGIN');
    await client.query(statement);
    await set({ tables: ['item'], deny: ['delete'] });
    await client.query('SAVEPOINT a');
    assert.is(await codeOf(client, 'DELETE FROM item WHERE id = 8'), '42501');
    await client.query('ROLLBACK TO a; COMMIT');
    assert.equal(await propose(id), [409, 'deny']);
    await set();
    assert.is(await codeOf(client, 'DELETE FROM item WHERE id = 8'), null);
  });

  test('many statements, and connections that do not see each other', async () => {
    await set({ tables: ['item'], max_rows: 3 });
    const { id, client } = await open();
    for (const row of [1, 2, 3, 3, 2])
      assert.is(await codeOf(client, `UPDATE item SET n = n + 1 WHERE id = ${row}`), null);
    assert.is(await codeOf(client, 'UPDATE item SET n = n + 1 WHERE id = 4'), '54000');
    const two = await open();
    const other = await proxied.connect(proxied.daemon.clientUrl(two.id));
    await two.client.query('BEGIN; DELETE FROM item WHERE id IN (5, 6)');
    await other.query('DELETE FROM item WHERE id IN (7, 8)');
    await two.client.query('COMMIT');
    assert.equal(await propose(two.id), [409, 'max_rows']);
    assert.is(await codeOf(other, 'DELETE FROM item WHERE id = 9'), '54000');
    assert.equal(await propose(id), [200]);
  });

  test('a cascade, a split of rows by CTEs, an upsert and a MERGE count as one statement', async () => {
    await set({ max_rows_per_statement: 5 });
    const { client } = await open();
    const values = 'SELECT g, 7 FROM generate_series(4, 12) g';
    for (const statement of [
      'DELETE FROM item WHERE id = 1',
      'WITH a AS (UPDATE item SET n = 0 WHERE id < 4) UPDATE part SET item = 2 WHERE id < 4',
      `INSERT INTO item ${values} ON CONFLICT (id) DO UPDATE SET n = excluded.n`,
      `MERGE INTO item USING (${values}) v (id, n) ON item.id = v.id WHEN MATCHED THEN UPDATE SET n = 0
       WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)`,
      'TRUNCATE item, part',
    ])
      assert.is(await codeOf(client, statement), '54000', statement);
  });

  test('of a pipeline nothing is staged, and what stands behind it in psql is', async () => {
    await set({ max_rows_per_statement: 2 });
    const { id } = await open();
    const [small, large] = ['WHERE id = 1', 'WHERE id < 4'].map(
      (rows) => `UPDATE item SET n = 0 ${rows}`,
    );
    const url = proxied.daemon.clientUrl(id);
    const answers = await runScript(url, [run(small ?? ''), run(large ?? ''), run(small ?? '')]);
    const kinds = answers.map((answer) => /C=54000|UPDATE \d/.exec(answer)?.[0] ?? null);
    assert.equal(kinds.filter(Boolean), ['UPDATE 1', 'C=54000']);
    assert.is(await stagedIn(id), 0);
    needProgram('psql');
    const texts = ['\\set VERBOSITY verbose', large, small].flatMap((text) => ['-c', text ?? '']);
    const { stdout, stderr } = await promisify(execFile)('psql', [url, ...texts]);
    assert.match(
      stderr,
      /^ERROR: {2}54000: the policy does not allow it: rule "r0": .*\nDETAIL: .*\nHINT: /,
    );
    assert.is(stdout, 'UPDATE 1\n');
    assert.is(await stagedIn(id), 1);
  });

  test('a direct connection is refused in the same way; settings hide nothing from the proposal', async () => {
    await set({ max_rows_per_statement: 2 }, { tables: ['part'], deny: ['insert'] });
    const { id } = await open();
    const role: TestRole = await createRole(proxied.database);
    await proxied.database.query(`GRANT SELECT ON item, part TO ${role.name}`);
    const client = await enter(role, id);
    const overlay = async (table: string) =>
      (
        await proxied.database.query(`SELECT stage.overlay_of('${table}'::regclass)::text AS name`)
      )[0]?.['name'];
    const item = await overlay('item');
    await client.query('SAVEPOINT a');
    assert.is(await codeOf(client, `UPDATE ${item} SET n = 0 WHERE id < 4`), '54000');
    await client.query('ROLLBACK TO a');
    const hidden = `UPDATE ${item} SET n = length(set_config('stage.checked_tables', '', true)) WHERE id < 4`;
    assert.is(await codeOf(client, hidden), null);
    await client.query('COMMIT');
    assert.equal(await propose(id), [409, 'max_rows_per_statement']);
    await client.end();
    await role.drop();
  });
});
