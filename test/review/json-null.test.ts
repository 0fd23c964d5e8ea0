/**
 * JSON null is distinguished from NULL wherever a value is shown or stored: a change between them is seen, approved, audited, and in
 * conflict.
 */

import { serve } from '../cli/served.ts';
import { assert, suite } from '../helpers/suite.ts';

interface Shown {
  readonly before: object | null;
  readonly after: object | null;
  readonly texts?: object;
}

suite('JSON null beside NULL', (test) => {
  const served = serve(test);
  test.before(async () => {
    await served.rest.database.query(
      `CREATE TABLE doc (id int PRIMARY KEY, a text, j jsonb); INSERT INTO doc VALUES (1, 'x', NULL), (2, 'x', 'null'), (3, 'x', '1')`,
    );
  });

  async function staged(): Promise<string> {
    const { rest } = served;
    const id = await rest.newSession();
    await rest.write(id, `UPDATE doc SET j = 'null' WHERE id = 1`);
    await rest.write(id, `UPDATE doc SET j = NULL WHERE id = 2`);
    await rest.write(id, `UPDATE doc SET j = '"1"' WHERE id = 3`);
    return id;
  }

  test('is marked in the diff, its steps and its pages, beside rows that are as they were', async () => {
    const { rest } = served;
    const id = await staged();
    const expected = [
      {
        before: { id: 1, a: 'x', j: null },
        after: { id: 1, a: 'x', j: null },
        texts: { after: { j: 'null' } },
      },
      {
        before: { id: 2, a: 'x', j: null },
        after: { id: 2, a: 'x', j: null },
        texts: { before: { j: 'null' } },
      },
      {
        before: { id: 3, a: 'x', j: 1 },
        after: { id: 3, a: 'x', j: '1' },
        texts: { after: { j: '"1"' } },
      },
    ];
    const plain = ({ before, after, texts }: Shown) => ({ before, after, texts });
    const diff = (await rest.call('GET', `/sessions/${id}/diff?steps=true`)).body;
    assert.equal(diff.tables.doc.changes.map(plain), expected);
    assert.equal(diff.steps.map(plain), expected);
    const page = (await rest.call('GET', `/sessions/${id}/diff/changes?table=doc`)).body;
    assert.equal(page.changes.map(plain), expected);
    const found = await rest.call('GET', `/sessions/${id}/diff/changes?table=doc&search=x`);
    assert.equal(found.body.changes.map(plain), expected);
  });

  test('is shown as the literal that it is, in the order of the columns', async () => {
    const id = await staged();
    const shown = async (...form: string[]) =>
      (await served.shell.run(['diff', id, ...form])).stdout;
    assert.match(
      await shown(),
      `doc\n  ~ 1  j: NULL → 'null'\n  ~ 2  j: 'null' → NULL\n  ~ 3  j: 1 → "1"\n`,
    );
    assert.match(await shown('--mode', 'context'), `~ 1  id: 1  a: x  j: NULL → 'null'\n`);
    assert.match(
      await shown('-o', 'sql'),
      `SET "j" = 'null' WHERE "id" = 1;\nUPDATE "doc" SET "j" = NULL`,
    );
    assert.match(await shown('-o', 'csv'), `doc,UPDATE,1,j,,null\ndoc,UPDATE,2,j,null,\n`);
    assert.match(await shown('--where', 'to_j IS NULL'), /1 of 3 changes shown/);
  });

  test('is in conflict, is approved, and is kept in the audit, whose chain covers it', async () => {
    const { rest, shell } = served;
    const id = await staged();
    await rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    await rest.database.query(`UPDATE doc SET j = '2' WHERE id = 2`);
    const refused = await shell.run(['approve', id, '--yes']);
    assert.is(refused.code, 3);
    assert.match(refused.stderr, `doc 2 j: was 'null', staged NULL, in production 2`);
    const { conflicts } = (await rest.call('GET', `/sessions/${id}/conflicts`)).body;
    assert.equal(conflicts[0].texts, { session_base: { j: 'null' } });
    await rest.database.query(`UPDATE doc SET j = 'null' WHERE id = 2`);
    assert.is((await shell.run(['approve', id, '--yes'])).code, 0);
    const kinds = await rest.database.query(
      `SELECT id, jsonb_typeof(j) AS kind FROM doc ORDER BY id`,
    );
    assert.equal(kinds, [
      { id: 1, kind: 'null' },
      { id: 2, kind: null },
      { id: 3, kind: 'string' },
    ]);
    const { entries } = (await rest.call('GET', `/audit?project_id=default&session_id=${id}`)).body;
    assert.equal(
      entries.map(({ texts }: Shown) => texts),
      [{ new_data: { j: 'null' } }, { old_data: { j: 'null' } }, { new_data: { j: '"1"' } }],
    );
    const entry = await shell.run(['audit', 'show', entries[0].id]);
    assert.match(entry.stdout, /before j\s+NULL/);
    assert.match(entry.stdout, /after j\s+'null'/);
    const verdict = async () => (await rest.call('GET', '/audit/verify')).body;
    assert.is((await verdict()).ok, true);
    const { changes } = (await rest.call('GET', `/sessions/${id}/diff`)).body.tables.doc;
    assert.equal(
      changes.map(({ texts }: Shown) => texts),
      [{ after: { j: 'null' } }, { before: { j: 'null' } }, { after: { j: '"1"' } }],
    );
    const { database } = rest;
    await database.query(`ALTER TABLE stage.audit DISABLE TRIGGER append_only;
      UPDATE stage.audit SET texts = NULL WHERE session = '${id.slice(5)}' AND row_id = '1'`);
    assert.is((await verdict()).first_bad.id, entries[0].id);
    await database.query(`UPDATE stage.audit SET texts = '{"new_data": {"j": "null"}}' WHERE session = '${id.slice(5)}' AND row_id = '1';
      ALTER TABLE stage.audit ENABLE TRIGGER append_only`);
    assert.is((await verdict()).ok, true);
  });
});
