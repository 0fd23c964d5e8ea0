/** A table of many columns goes through every operation, beside its twin. STAGE_TEST_COLUMNS=1500 takes as many as can be staged. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const width = Number(process.env['STAGE_TEST_COLUMNS'] ?? 700);
const types = ['int', 'text', 'jsonb', 'json', 'float8', 'int[]', 'boolean'];
const values = ['7', `'x'`, `'null'`, `'{"a":  1}'`, `'-0'`, `'[0:0]={1}'`, 'true'];
const columns = Array.from({ length: width - 1 }, (_, index) => `c${index}`);
const pick = (list: readonly string[], index: number) => list[index % list.length] ?? '';
// the key is the last column, so a lookup by position takes longest
const schema = `
CREATE TABLE wide (${columns.map((name, index) => `${name} ${pick(types, index)}`).join(', ')}, id int PRIMARY KEY);
INSERT INTO wide (id, c0, c3, c${width - 2}) SELECT g, g, '{"b": 1}', NULL FROM generate_series(1, 6) g;`;
const some = columns.filter((_, index) => index % 5 === 0);
const all = some.map((name) => `${name} = ${pick(values, columns.indexOf(name))}`).join(', ');

suite(`a table of ${width} columns`, (test) => {
  let proxied: Proxied;
  let id: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    id = await proxied.daemon.newSession({ reads: 'staged' });
  });
  test.after(() => proxied.stop());

  const call = async (status: number, method: string, path: string, json?: object) => {
    const answer = await proxied.daemon.call(method, `/sessions/${path}`, json ? { json } : {});
    assert.is(answer.status, status, `${path}: ${answer.text.slice(0, 500)}`);
    return answer.body;
  };
  const assertAlike = async () =>
    assert.equal(await proxied.contents(), await proxied.twinContents());
  const images = async (of: { query: Proxied['twin']['query'] }) =>
    new Map(
      (
        await of.query<{ id: number; image: object }>('SELECT id, to_jsonb(w) AS image FROM wide w')
      ).map(({ id: key, image }) => [key, image]),
    );

  test('is staged, read and shown as its twin has it', async () => {
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of [
      `UPDATE wide SET c1 = 'mine', c${width - 2} = NULL WHERE id = 1`,
      `UPDATE wide SET ${all} WHERE id = 2`,
      `UPDATE wide SET c0 = c0 + 1 WHERE id = 2`,
      `INSERT INTO wide (id, ${some.join(', ')}) SELECT 9, ${some.join(', ')} FROM wide WHERE id = 2`,
      `DELETE FROM wide WHERE id = 3`,
      `UPDATE wide SET c0 = 0 WHERE id > 4`,
    ]) {
      await proxied.twin.query(text);
      await client.query(text);
    }
    const read = `SELECT w::text AS row FROM wide w ORDER BY id`;
    assert.equal((await client.query(read)).rows, await proxied.twin.query(read));
    const [before, after] = [await images(proxied.database), await images(proxied.twin)];
    const { changes } = (await call(200, 'GET', `${id}/diff`)).tables.wide;
    assert.is(changes.length, 6);
    for (const change of changes) {
      assert.equal(change.before, before.get(change.row_id) ?? null);
      assert.equal(change.after, after.get(change.row_id) ?? null);
    }
    const { steps } = await call(200, 'GET', `${id}/diff?steps=true`);
    assert.is(steps.length, 8);
  });

  test('is settled, rehearsed, approved and reverted', async () => {
    await call(200, 'POST', `${id}/unstage`, { rows: [{ table: 'wide', row_id: 9 }] });
    const moved = `UPDATE wide SET c1 = 'theirs', c4 = 1.5 WHERE id < 3`;
    await proxied.database.query(moved);
    const { conflicts } = await call(200, 'GET', `${id}/conflicts`);
    assert.equal(
      conflicts.map((c: { row_id: number; field: string }) => [c.row_id, c.field]),
      [
        [1, 'c1'],
        [1, 'c4'],
        [2, 'c1'],
        [2, 'c4'],
      ],
    );
    const named = { table: 'wide', row_id: 1, take: 'theirs' };
    await call(200, 'POST', `${id}/resolve`, { resolutions: [named] });
    await call(200, 'POST', `${id}/resolve`, { all: 'mine' });
    const original = await proxied.contents();
    await call(200, 'POST', `${id}/rehearse`);
    await call(200, 'POST', `${id}/propose`);
    await call(200, 'POST', `${id}/approve`);
    await proxied.twin.query(
      `DELETE FROM wide WHERE id = 9; UPDATE wide SET c1 = 'theirs', c4 = 1.5 WHERE id = 1; UPDATE wide SET c1 = 'theirs', c4 = 1.5 WHERE id = 2`,
    );
    await assertAlike();
    const { id: inverse } = await call(201, 'POST', `${id}/revert`);
    await call(200, 'POST', `${inverse}/propose`);
    await call(200, 'POST', `${inverse}/approve`);
    assert.equal(await proxied.contents(), original);
  });
});
