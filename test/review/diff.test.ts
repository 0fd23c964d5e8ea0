/** The diff: net changes per row, in a stable order, streamed from one snapshot. */
import type { StageError } from '../../src/errors.ts';
import { readDiff } from '../../src/review/diff/diff.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE SCHEMA "My Shop";
CREATE TABLE a (id int PRIMARY KEY, v text);
CREATE TABLE b (id bigint PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);
CREATE TABLE named (code text PRIMARY KEY, at timestamptz);
CREATE TABLE pair (x uuid, n bigint, v int, PRIMARY KEY (n, x));`;
const data = `
INSERT INTO a SELECT g, 'v' FROM generate_series(1, 5) g; INSERT INTO b VALUES (9007199254740992, 1), (9007199254740993, 1);
INSERT INTO named VALUES ('a"b', '2026-01-01+02')`;

suite('diff', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  async function staged(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    return session;
  }

  const short = async (session: string) => {
    const { changes } = await diffOf(staging.service, session);
    return changes.map(({ table, type, rowId }) => [table, type, rowId]);
  };

  test('is net per row', async () => {
    const session = await staged(
      `UPDATE a SET v = 'w' WHERE id = 5; UPDATE a SET v = 'x' WHERE id IN (2, 5);
       INSERT INTO a VALUES (10, 'n'), (11, 'n'); UPDATE a SET v = 'm' WHERE id = 10; DELETE FROM a WHERE id = 11;
       UPDATE a SET v = 'z' WHERE id = 3; UPDATE a SET v = 'v' WHERE id = 3; UPDATE a SET v = v WHERE id = 4;
       DELETE FROM a WHERE id = 4; INSERT INTO a VALUES (4, 'again')`,
    );
    const diff = await diffOf(staging.service, session);
    const change = (type: string, rowId: number, before: string | null, after: string | null) => ({
      table: 'a',
      type,
      rowId,
      before: before === null ? null : { id: rowId, v: before },
      after: after === null ? null : { id: rowId, v: after },
    });
    assert.equal(diff.changes, [
      change('UPDATE', 5, 'v', 'x'),
      change('UPDATE', 2, 'v', 'x'),
      change('INSERT', 10, null, 'm'),
      change('UPDATE', 4, 'v', 'again'),
    ]);
    assert.equal(diff.counts, [
      { table: 'a', inserts: 1, updates: 3, deletes: 0, furtherChanges: 8 },
    ]);
  });

  test('follows rows, not keys', async () => {
    const session = await staged(
      `DELETE FROM a WHERE id = 5; UPDATE a SET id = 5 WHERE id = 4; INSERT INTO a VALUES (4, 'n'); UPDATE a SET id = 40 WHERE id = 4`,
    );
    assert.equal(await short(session), [
      ['a', 'DELETE', 5],
      ['a', 'UPDATE', 4],
      ['a', 'INSERT', 40],
    ]);
  });

  test('shows cascades, tables by name, and keys of every kind', async () => {
    const session = await staged(
      `INSERT INTO pair VALUES ('00000000-0000-0000-0000-00000000000a', 9007199254740993, 1); UPDATE named SET at = 'infinity'; DELETE FROM a WHERE id = 1`,
    );
    assert.equal(await short(session), [
      ['a', 'DELETE', 1],
      ['b', 'DELETE', 9007199254740992],
      ['b', 'DELETE', '9007199254740993'],
      ['named', 'UPDATE', 'a"b'],
      ['pair', 'INSERT', { n: '9007199254740993', x: '00000000-0000-0000-0000-00000000000a' }],
    ]);
    const diff = await readDiff(staging.service, session);
    const texts: string[] = [];
    for await (const piece of diff.changes) {
      for (const { table, before, after } of piece)
        if (table === 'named') texts.push(String(before?.text), String(after?.text));
    }
    await diff.close();
    assert.equal(texts, [
      '{"at": "2025-12-31T22:00:00+00:00", "code": "a\\"b"}',
      '{"at": "infinity", "code": "a\\"b"}',
    ]);
  });

  test('has a digest of its content, nothing else', async () => {
    const one = await staged(`UPDATE a SET v = 'w' WHERE id IN (1, 2)`);
    const same = await staged(`UPDATE a SET v = lower('W') WHERE id < 3`);
    const other = await staged(`UPDATE a SET v = 'W' WHERE id IN (1, 2)`);
    const digests = await Promise.all(
      [one, same, other].map(async (id) => (await diffOf(staging.service, id)).digest),
    );
    assert.match(String(digests[0]), /^sha256:[0-9a-f]{64}$/);
    assert.is(digests[0], digests[1]);
    assert.is.not(digests[0], digests[2]);
    const empty = await diffOf(staging.service, await staging.open());
    assert.equal(empty, {
      counts: [],
      digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      changes: [],
    });
  });

  test('is one snapshot, whatever is staged while it is read', async () => {
    const session = await staged(`INSERT INTO a SELECT g, 'n' FROM generate_series(100, 1099) g`);
    const diff = await readDiff(staging.service, session);
    await staging.stage(session, 'DELETE FROM a WHERE id >= 100; INSERT INTO named VALUES (1)');
    const ids: unknown[] = [];
    for await (const piece of diff.changes)
      ids.push(...piece.map(({ rowId }) => Number(rowId.text)));
    await diff.close();
    assert.is(diff.counts[0]?.inserts, 1000);
    assert.equal(
      ids,
      Array.from({ length: 1000 }, (_, index) => 100 + index),
    );
  });

  test('can be left early, and then gives its connection back', async () => {
    const session = await staged(`INSERT INTO a SELECT g, 'n' FROM generate_series(100, 1099) g`);
    for (let round = 0; round < 12; round += 1) {
      const diff = await readDiff(staging.service, session);
      for await (const _ of diff.changes) break;
      await diff.close();
      await diff.close();
    }
    const late = await readDiff(staging.service, session);
    await late.close();
    const error = await rejects(Promise.resolve(late.changes[Symbol.asyncIterator]().next()));
    assert.match(error.message, /closed/);
    const missing = await rejects<StageError>(readDiff(staging.service, `sess_${'0'.repeat(32)}`));
    assert.is(missing.code, 'session_not_found');
  });
});
