/** Ignored columns, which cause no conflicts: what approval applies, what is reported, and what always counts. */
import type { StageError } from '../../src/errors.ts';
import {
  columnsMatching,
  isColumnPattern,
  isTableMatching,
  isTablePattern,
} from '../../src/model/column-patterns.ts';
import type { ConflictScope } from '../../src/model/session.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE EXTENSION citext;
CREATE TABLE doc (id int PRIMARY KEY, title text, pages int, touched int, seen int,
  twice int GENERATED ALWAYS AS (touched * 2) STORED);
CREATE TABLE place (code citext PRIMARY KEY, sku text UNIQUE, name text, touched int);
CREATE TABLE part (id int PRIMARY KEY, sku text REFERENCES place (sku) ON UPDATE CASCADE ON DELETE CASCADE, n int);
CREATE TABLE loose (a int, touched int);
CREATE TABLE split (id int, touched int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE split_one PARTITION OF split FOR VALUES FROM (0) TO (100);`;

const data = `
INSERT INTO doc VALUES (1, 'one', 10, 0, 0), (2, 'two', 20, 0, 0), (3, 'three', 30, 0, 0);
INSERT INTO place VALUES ('a', 's1', 'A', 0), ('b', 's2', 'B', 0);
INSERT INTO part VALUES (1, 's1', 1), (2, 's2', 2);
INSERT INTO loose VALUES (1, 0);
INSERT INTO split VALUES (1, 0), (2, 0);`;

const ignoredColumns = ['*.touched', 'doc.seen', '*.twice', '*.code', 'public.place.sku', '*.id'];
const usual = { lockTimeoutMs: 5_000, timeoutMs: 30_000, scanRows: 1_000_000, readableOnly: false };

suite('columns that do not count', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  async function drifted(statements: string, production: string, scope?: ConflictScope) {
    const session = await staging.open(scope);
    await staging.stage(session, statements);
    await staging.database.query(production);
    return session;
  }

  async function found(session: string, columns: readonly string[] = ignoredColumns) {
    const conflicts = await findConflicts(staging.service, session, false, {
      ignoredColumns: columns,
    });
    return conflicts.map(
      ({ kind, table, rowId, field, ignored }) =>
        `${ignored ? 'ignored' : kind} ${table} ${rowId.text} ${field}`,
    );
  }

  async function approve(session: string) {
    const { service } = staging;
    const { digest } = await diffOf(service, session);
    await proposeSession(service, session);
    await approveSession(service, session, { approvedBy: null, digest, ignoredColumns });
  }

  const rows = async (table: string) =>
    (await staging.contents())[table]?.filter((row) => !/^\((?:2|3),/.test(row));

  test('let an update land, and keep what production has of them', async () => {
    const session = await drifted(
      'UPDATE doc SET pages = 11 WHERE id = 1; UPDATE doc SET pages = 12 WHERE id = 1',
      'UPDATE doc SET touched = 5, seen = 6 WHERE id = 1',
    );
    assert.equal(await found(session, []), ['changed doc 1 touched', 'changed doc 1 seen']);
    assert.equal(await found(session), ['ignored doc 1 touched', 'ignored doc 1 seen']);
    const rehearsed = await rehearseSession(staging.service, session, {
      ...usual,
      ignoredColumns,
    });
    assert.equal([rehearsed.failure, rehearsed.conflicts.length], [null, 2]);
    assert.equal(
      rehearsed.wouldLand?.map(({ updates }) => updates),
      [1],
    );
    await approve(session);
    assert.equal(await rows('doc'), ['(1,one,12,5,6,10)']);
  });

  test("land the session's value where it set them itself, in both scopes", async () => {
    for (const scope of ['row', 'column'] as const) {
      await staging.reset();
      const session = await drifted(
        'UPDATE doc SET pages = 11, touched = 7 WHERE id = 1',
        'UPDATE doc SET touched = 5, seen = 6 WHERE id = 1',
        scope,
      );
      assert.equal((await found(session)).at(0), 'ignored doc 1 touched');
      await approve(session);
      assert.equal(await rows('doc'), ['(1,one,11,7,6,14)'], scope);
    }
  });

  test('let a deletion land, of partitioned tables, too', async () => {
    const session = await drifted(
      'DELETE FROM doc WHERE id = 1; DELETE FROM split WHERE id = 1',
      'UPDATE doc SET touched = 5; UPDATE split SET touched = 5',
    );
    assert.equal(await found(session), ['ignored doc 1 touched', 'ignored split 1 touched']);
    await approve(session);
    assert.equal([await rows('doc'), await rows('split')], [[], []]);
  });

  test('hide no change of another column of the row', async () => {
    const session = await drifted(
      'UPDATE doc SET pages = 11 WHERE id = 1',
      `UPDATE doc SET touched = 5, title = 'uno' WHERE id = 1`,
    );
    assert.equal(await found(session), ['changed doc 1 title', 'ignored doc 1 touched']);
    const error = await rejects<StageError>(approve(session));
    assert.is(error.code, 'conflict_detected');
    assert.is((error.facts['conflicts'] as unknown[]).length, 1);
    assert.equal(await rows('doc'), ['(1,uno,10,5,0,10)']);
  });

  test('crowd out none that counts', async () => {
    await staging.database.query(
      `INSERT INTO doc SELECT g, 'many', 0, 0, 0 FROM generate_series(1001, 11001) g`,
    );
    const session = await drifted(
      'UPDATE doc SET pages = 1 WHERE id > 1000',
      `UPDATE doc SET touched = 1 WHERE id > 1000; UPDATE doc SET title = 'last' WHERE id = 11001`,
    );
    const reported = await found(session);
    assert.equal([reported[0], reported.length], ['changed doc 11001 title', 10_001]);
  });

  test('are settled by nobody, and go on not to count when others of the row are settled', async () => {
    const session = await drifted(
      'UPDATE doc SET pages = 11, touched = 7 WHERE id = 1',
      'UPDATE doc SET pages = 9, touched = 5, seen = 6 WHERE id = 1',
    );
    await proposeSession(staging.service, session);
    await reopenSession(staging.service, session, {
      message: 'once more',
      reopenedAs: null,
      asReviewer: true,
    });
    const asked = { withDependents: false, resolvedAs: null, lockTimeoutMs: 5_000, ignoredColumns };
    const { settled, left } = await resolveConflicts(staging.service, session, {
      ...asked,
      resolutions: 'mine',
    });
    assert.equal([settled.map(({ field }) => field), left], [['pages'], []]);
    const error = await rejects<StageError>(
      resolveConflicts(staging.service, session, { ...asked, resolutions: 'theirs' }),
    );
    assert.is(error.code, 'no_such_conflict');
    await approve(session);
    assert.equal(await rows('doc'), ['(1,one,11,7,6,14)']);
  });

  test('always count where they are columns of keys, at either end', async () => {
    const session = await drifted(
      `UPDATE place SET name = 'x' WHERE code = 'a'; UPDATE part SET n = 9 WHERE id = 2; DELETE FROM place WHERE code = 'b'`,
      `UPDATE place SET code = 'A', touched = 1 WHERE code = 'a'; UPDATE place SET sku = 's3' WHERE code = 'b'`,
    );
    const columns = [...ignoredColumns, '*.sku', 'part.sku'];
    assert.equal((await found(session, columns)).sort(), [
      'changed part 2 sku',
      'changed place "a" code',
      'changed place "b" sku',
      'ignored place "a" touched',
    ]);
  });

  test('change nothing of rows that are gone or taken, and of tables without a key', async () => {
    const session = await drifted(
      'UPDATE doc SET touched = 3 WHERE id = 1; INSERT INTO doc VALUES (4); UPDATE loose SET a = 2',
      'DELETE FROM doc WHERE id = 1; INSERT INTO doc VALUES (4); UPDATE loose SET touched = 1',
    );
    assert.equal(
      (await found(session)).map((each) => each.replace(/"\w+"/, 'row')),
      ['gone doc 1 touched', 'key_exists doc 4 null', 'gone loose row null'],
    );
  });

  test('are counted in the event of the approval, and the audit has what production had', async () => {
    const session = await drifted(
      'UPDATE doc SET pages = pages + 1',
      'UPDATE doc SET touched = 5; UPDATE doc SET seen = 6 WHERE id = 1',
    );
    await approve(session);
    const events = await listEvents(staging.service, session, { after: '0', limit: 100 });
    const body = JSON.parse(events.at(-1)?.body.text ?? '');
    assert.equal(body.ignored, [
      { table: 'doc', field: 'touched', rows: 3 },
      { table: 'doc', field: 'seen', rows: 1 },
    ]);
    const reverted = await revertSession(staging.service, session, {
      skipChanged: false,
      revertedAs: null,
      lockTimeoutMs: 5_000,
    });
    await staging.database.query('UPDATE doc SET touched = 8');
    await approve(reverted.session.id);
    assert.equal(await rows('doc'), ['(1,one,10,8,6,16)']);
  });

  test('are not what a revert overlooks: it is exact', async () => {
    const session = await drifted('UPDATE doc SET pages = 11 WHERE id = 1', 'SELECT 1');
    await approve(session);
    await staging.database.query('UPDATE doc SET touched = 5 WHERE id = 1');
    const asked = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };
    const error = await rejects<StageError>(revertSession(staging.service, session, asked));
    assert.is(error.code, 'conflict_detected');
  });

  test('are named as the diff names tables', () => {
    for (const text of ['*.a', 'a.b', 'a.b.c', 'a.*.c', '"a.b"."c,d"', '"*"."*"', 'é.😀'])
      assert.ok(isColumnPattern(text), text);
    for (const text of [
      '',
      'a',
      '*',
      '*.*',
      'a.*',
      'a.b.*',
      '*.b.c',
      'a..b',
      '.a',
      'a.',
      ' a.b',
      'a.b.c.d',
      '"a.b',
      'a*.b',
      'a."".b',
      'a b.c',
    ])
      assert.not.ok(isColumnPattern(text), text);
    const patterns = ['*.a', 'x.b', 'public.x.c', 's.x.d', 's.*.e', '"s.t"."y""z".f', '"*".g'];
    for (const [table, columns] of [
      ['x', ['a', 'b', 'c']],
      ['s.x', ['a', 'd', 'e']],
      ['"s.t"."y""z"', ['a', 'f']],
      ['*', ['a', 'g']],
    ] as const)
      assert.equal(columnsMatching(patterns, table), columns, table);
    for (const text of ['a.*', 's.a.*', '"a.b".*', '"*".*']) assert.ok(isTablePattern(text), text);
    for (const text of ['*', '*.*', 'a', 'a.b', '*.b.*', 'a.*.*', '.*', 'a b.*'])
      assert.not.ok(isTablePattern(text), text);
    const whole = ['x.*', 's.y.*', '"a.b".*', 'z.c'];
    for (const table of ['x', 's.y', '"a.b"']) assert.ok(isTableMatching(whole, table), table);
    for (const table of ['y', 's.x', 'z', 'a.b']) assert.not.ok(isTableMatching(whole, table));
  });
});
