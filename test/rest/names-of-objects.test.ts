/**
 * Schemas, tables and columns named like members of every JavaScript object: such rows go through the whole life cycle, in every format.
 */
import { diffOutputs } from '../../src/cli/diff/plain.ts';
import type { Shell } from '../cli/stage.ts';
import { createShell } from '../cli/stage.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const composite = 'constructor.__proto__';
const schema = `
CREATE SCHEMA "constructor";
CREATE TABLE "constructor"."__proto__" ("__proto__" int, "constructor" text, "toString" text, "hasOwnProperty" jsonb, "valueOf" int,
  PRIMARY KEY ("__proto__", "toString"));
INSERT INTO "constructor"."__proto__" SELECT g, 'c', 's', 'null', g FROM generate_series(1, 6) g;
CREATE TABLE "__proto__" ("__proto__" int PRIMARY KEY, "toString" text);
INSERT INTO "__proto__" VALUES (1, 'a'), (2, 'b');`;

const writes = [
  `UPDATE "constructor"."__proto__" SET "constructor" = 'new', "valueOf" = 0 WHERE "__proto__" < 4`,
  `INSERT INTO "constructor"."__proto__" VALUES (9, 'n', 's', '"x"', 9)`,
  `DELETE FROM "constructor"."__proto__" WHERE "__proto__" = 5`,
  `UPDATE "__proto__" SET "toString" = 'z' WHERE "__proto__" = 1`,
  `UPDATE "__proto__" SET "__proto__" = 7 WHERE "__proto__" = 2`,
];

suite('rest: names of what every object has', (test) => {
  let proxied: Proxied;
  let shell: Shell;
  test.before(async () => {
    proxied = await startProxied(schema);
    shell = await createShell(proxied.daemon.restUrl);
  });
  test.after(async () => {
    await shell.clear();
    await proxied.stop();
  });

  /** Sends a body as it is written, because `__proto__` in an object literal would not become a member. */
  const send = (status: number, path: string, raw = '{}') =>
    proxied.daemon
      .call('POST', `/sessions/${path}`, { raw, headers: { 'content-type': 'application/json' } })
      .then((answer) => {
        assert.is(answer.status, status, `${path}: ${answer.text}`);
        return answer;
      });
  const get = async (path: string) => (await proxied.daemon.call('GET', path)).body;
  const key = (number: number) => `{"__proto__": ${number}, "toString": "s"}`;
  const named = (number: number) => ({ table: composite, key: key(number) });
  const rowOf = ({ table, key: rowId }: { table: string; key: string }) =>
    `"table": "${table}", "row_id": ${rowId}`;

  async function stage(texts: readonly string[]): Promise<string> {
    const id = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    return id;
  }

  /** Asserts that production and its twin, which ran the same statements, have the same rows. */
  async function assertAlike(): Promise<void> {
    assert.equal(await proxied.contents(), await proxied.twinContents());
  }

  test('they are shown in every form of a diff', async () => {
    const id = await stage(writes);
    const { tables } = await get(`/sessions/${id}/diff`);
    assert.equal(Object.keys(tables).sort(), ['__proto__', composite]);
    const [first] = tables[composite].changes;
    assert.equal(Object.entries(first.row_id), [
      ['__proto__', 1],
      ['toString', 's'],
    ]);
    assert.equal(Object.entries(first.after).sort(), [
      ['__proto__', 1],
      ['constructor', 'new'],
      ['hasOwnProperty', null],
      ['toString', 's'],
      ['valueOf', 0],
    ]);
    assert.equal(first.texts, {
      before: { hasOwnProperty: 'null' },
      after: { hasOwnProperty: 'null' },
    });
    const outline = await get(`/sessions/${id}/diff/outline`);
    assert.equal(Object.keys(outline.tables).sort(), ['__proto__', composite]);
    for (const form of diffOutputs) {
      const { code, stdout, stderr } = await shell.run(['diff', id, '-o', form]);
      assert.is(code, 0, `${form}: ${stderr}`);
      for (const name of ['__proto__', 'toString', 'constructor'])
        assert.match(stdout.replaceAll('&#95;', '_'), name, form);
    }
    const script = await shell.run(['diff', id, '-o', 'sql']);
    await proxied.twin.query(script.stdout);
    await send(200, `${id}/propose`);
    await send(200, `${id}/approve`);
    await assertAlike();
    const { entries } = await get(`/audit?project_id=default&session_id=${id}`);
    assert.is(entries.length, 7);
    assert.ok(Object.hasOwn(entries[0].new_data, '__proto__'));
    const reverted = (await send(201, `${id}/revert`)).body.id;
    await send(200, `${reverted}/propose`);
    await send(200, `${reverted}/approve`);
    await proxied.twin.query(
      `TRUNCATE "constructor"."__proto__", "__proto__"; ${schema.replaceAll(/CREATE [^;]*;/g, '')}`,
    );
    await assertAlike();
  });

  test('requests name rows and columns by them', async () => {
    const id = await stage(writes.slice(0, 1));
    const { rows } = (await send(200, `${id}/unstage`, `{"rows": [{${rowOf(named(1))}}]}`)).body
      .unstaged_tables[0];
    assert.is(rows, 1);
    const remark = await send(201, `${id}/comments`, `{"body": "so?", ${rowOf(named(2))}}`);
    assert.match(remark.text, '"__proto__"');
    await proxied.database.query(
      `UPDATE "constructor"."__proto__" SET "constructor" = 'theirs', "valueOf" = -1 WHERE "__proto__" IN (2, 3)`,
    );
    const { conflicts } = await get(`/sessions/${id}/conflicts`);
    assert.equal(
      conflicts.map(({ field }: { field: string }) => field),
      ['constructor', 'valueOf', 'constructor', 'valueOf'],
    );
    const none = `{${rowOf(named(2))}, "field": "__proto__", "take": "mine"}`;
    assert.is(
      (await send(409, `${id}/resolve`, `{"resolutions": [${none}]}`)).body.error,
      'no_such_conflict',
    );
    const one = `{${rowOf(named(2))}, "field": "constructor", "take": "mine"}`;
    const two = `{${rowOf(named(2))}, "field": "valueOf", "take": "theirs"}`;
    const settled = await send(
      200,
      `${id}/resolve`,
      `{"resolutions": [${one}, ${two}, {${rowOf(named(3))}, "take": "theirs"}]}`,
    );
    assert.equal(settled.body.conflicts, []);
    await send(200, `${id}/propose`);
    await send(200, `${id}/approve`);
    await proxied.twin.query(
      `UPDATE "constructor"."__proto__" SET "constructor" = CASE "__proto__" WHEN 2 THEN 'new' ELSE 'theirs' END, "valueOf" = -1
       WHERE "__proto__" IN (2, 3)`,
    );
    await assertAlike();
  });

  test('as members that no request has they are refused, at every depth', async () => {
    const id = await stage(writes.slice(3, 4));
    const bodies: readonly [string, string][] = names.flatMap((name) => [
      ['unstage', `{"${name}": {"rows": []}}`],
      ['unstage', `{"rows": [{"table": "__proto__", "row_id": 1, "${name}": 1}]}`],
      ['resolve', `{"all": "mine", "${name}": 1}`],
      [
        'resolve',
        `{"resolutions": [{"table": "__proto__", "row_id": 1, "take": "mine", "${name}": {}}]}`,
      ],
      ['propose', `{"${name}": 1}`],
      ['comments', `{"body": "so", "${name}": 1}`],
      ['revert', `{"${name}": 1}`],
    ]);
    for (const [path, raw] of bodies)
      assert.is((await send(400, `${id}/${path}`, raw)).body.error, 'invalid_request', raw);
  });
});
