/** Revert: the exact inverse of an approval, staged in a new session, or nothing. */
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Reversal } from '../../src/review/decisions/revert.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession, listSessions } from '../../src/staging/session-store.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const plain: Reversal = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };

suite('revert', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  async function approve(session: string): Promise<string> {
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
    return session;
  }

  async function approved(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    return approve(session);
  }

  const revert = async (session: string, asked: Partial<Reversal> = {}) =>
    revertSession(staging.service, session, { ...plain, ...asked });

  const countSessions = async () =>
    (await listSessions(staging.service, { limit: 1, offset: 0 })).totalCount;

  const stories: readonly (readonly [string, string])[] = [
    ['an INSERT', `INSERT INTO owner VALUES (9, 'new')`],
    [
      'two UPDATEs of one row',
      `UPDATE owner SET name = 'x' WHERE id = 1; UPDATE owner SET name = 'y' WHERE id = 1`,
    ],
    ['a DELETE with a cascade of two levels', 'DELETE FROM owner WHERE id = 1'],
    ['a moved key', `UPDATE odd SET a = 7, b = 'z' WHERE a = 1`],
    ['a moved key that children follow', 'UPDATE owner SET id = 10 WHERE id = 1'],
    ['keys that move up, with children that follow', 'UPDATE owner SET id = id - 1'],
    ['a key whose children lose it', 'UPDATE pet SET id = 10 WHERE id = 1'],
    [
      'a tree that refers to itself',
      'UPDATE node SET id = id + 10 WHERE id = 1; DELETE FROM node WHERE id = 2',
    ],
    [
      'values that JSON does not tell',
      `UPDATE odd SET j = '1', jb = '1', n = 2, f = 0, arr = '{1,2}' WHERE a < 3`,
    ],
    ['rows that are deleted', 'DELETE FROM odd'],
    [
      'names that two rows swap',
      `UPDATE owner SET name = 'tmp' WHERE id = 1; UPDATE owner SET name = 'ann' WHERE id = 2; UPDATE owner SET name = 'bob' WHERE id = 1`,
    ],
    [
      'a row in the place of a deleted one',
      `DELETE FROM pet WHERE id = 3; INSERT INTO pet VALUES (3, 1, 'new')`,
    ],
    [
      'what comes to nothing',
      `INSERT INTO owner VALUES (9, 'x'); DELETE FROM owner WHERE id = 9; UPDATE pet SET name = 'q' WHERE id = 1`,
    ],
    [
      'a parent and its children',
      `INSERT INTO owner VALUES (9, 'n'); INSERT INTO pet VALUES (9, 9, 'p'); INSERT INTO toy (pet) VALUES (9), (9)`,
    ],
    [
      'rows that change their partition',
      `UPDATE part SET day = '2026-02-02' WHERE day < '2026-01-01'; DELETE FROM part WHERE day = '2026-05-05'`,
    ],
    [
      'one statement that writes to two tables',
      `WITH o AS (INSERT INTO owner VALUES (9, 'n') RETURNING id) UPDATE pet SET name = 'w' WHERE id = 1`,
    ],
    ['many rows at once', `UPDATE pet SET name = name || '!'; UPDATE owner SET name = name || '!'`],
  ];
  for (const [name, statements] of stories) {
    test(`of ${name} brings everything back, and of that brings it again`, async () => {
      const before = await staging.contents();
      const session = await staging.open();
      await staging.stage(session, statements);
      const { changes } = await diffOf(staging.service, session);
      await approve(session);
      const after = await staging.contents();
      const { session: made, skipped } = await revert(session);
      assert.equal([made.reverts, made.status, skipped], [session, 'active', []]);
      assert.equal(await staging.contents(), after);
      const inverse = (await diffOf(staging.service, made.id)).changes;
      const turned = changes.map(({ table, before: was, after: is }) => ({
        table,
        before: is,
        after: was,
      }));
      const bare = inverse.map(({ table, before: was, after: is }) => ({
        table,
        before: was,
        after: is,
      }));
      const sorted = (list: readonly object[]) => list.map((item) => JSON.stringify(item)).sort();
      assert.equal(sorted(bare), sorted(turned));
      await approve(made.id);
      assert.equal(await staging.contents(), before);
      await approve((await revert(made.id)).session.id);
      assert.equal(await staging.contents(), after);
      assert.is((await verifyAudit(staging.service)).firstBad, null);
    });
  }

  test('refuses rows that have changed since by name, or leaves them out', async () => {
    const session = await approved(
      `UPDATE owner SET name = name || '!' WHERE id < 3; DELETE FROM toy WHERE pet = 3; INSERT INTO owner VALUES (9, 'n')`,
    );
    await staging.database.query(
      `UPDATE owner SET name = 'later' WHERE id = 1; DELETE FROM owner WHERE id = 9`,
    );
    const count = await countSessions();
    const error = await rejects<StageError>(revert(session));
    assert.equal([error.code, error.status, error.exit], ['conflict_detected', 409, 3]);
    const reported = JSON.parse(JSON.stringify(error.facts['conflicts'])) as Record<
      string,
      { text: string }
    >[];
    assert.equal(
      reported.map(
        ({
          table,
          row_id: row,
          field,
          kind,
          session_base: base,
          session_new: mine,
          production_current: now,
          session_deletes: deletes,
        }) => [table, row?.text, field, kind, base?.text, deletes ?? mine?.text, now?.text],
      ),
      [
        ['owner', '1', 'name', 'changed', '"ann!"', '"ann"', '"later"'],
        ['owner', '9', null, 'gone', '{"id": 9, "name": "n"}', true, undefined],
      ],
    );
    assert.is(await countSessions(), count);
    const { session: made, skipped } = await revert(session, { skipChanged: true });
    assert.equal(
      skipped.map(({ rowId }) => rowId.text),
      ['1', '9'],
    );
    const { changes } = await diffOf(staging.service, made.id);
    assert.equal(
      changes.map(({ table, type, rowId }) => `${table} ${type} ${rowId}`).sort(),
      [
        `owner UPDATE 2`,
        ...changes.filter(({ table }) => table === 'toy').map(({ rowId }) => `toy INSERT ${rowId}`),
      ].sort(),
    );
    assert.is(changes.length, 2);
  });

  test('names a row that has changed by the key that it has in production', async () => {
    const session = await approved('UPDATE owner SET id = 10 WHERE id = 1');
    await staging.database.query(
      `UPDATE owner SET name = 'later' WHERE id = 10; INSERT INTO owner VALUES (1, 'another')`,
    );
    const error = await rejects<StageError>(revert(session));
    const [reported] = JSON.parse(JSON.stringify(error.facts['conflicts'])) as [{ row_id: object }];
    assert.equal(reported.row_id, { text: '10' });
  });

  test('refuses where nothing is left', async () => {
    const session = await approved(`UPDATE owner SET name = 'z' WHERE id = 1`);
    await staging.database.query(`UPDATE owner SET name = 'later' WHERE id = 1`);
    const error = await rejects<StageError>(revert(session, { skipChanged: true }));
    assert.is(error.code, 'conflict_detected');
  });

  test('a key that somebody has taken again is a conflict', async () => {
    const session = await approved('DELETE FROM toy WHERE pet = 3; DELETE FROM pet WHERE id = 3');
    await staging.database.query(`INSERT INTO pet VALUES (3, 1, 'other')`);
    const error = await rejects<StageError>(revert(session));
    const [first] = error.facts['conflicts'] as unknown as Record<string, unknown>[];
    assert.equal(
      [error.code, first?.['table'], first?.['kind']],
      ['conflict_detected', 'pet', 'key_exists'],
    );
  });

  const impossible: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'rows of others would go with it',
      `INSERT INTO owner VALUES (9, 'n')`,
      `INSERT INTO pet VALUES (99, 9, 'later')`,
      /pet: row 99, which the approval did not change, would change with it/,
    ],
    [
      'a constraint is in the way',
      `DELETE FROM odd WHERE a = 1`,
      `ALTER TABLE odd ADD CONSTRAINT big CHECK (a > 1)`,
      /violates check constraint/,
    ],
    [
      'a column was added',
      `UPDATE node SET parent = NULL WHERE id = 2`,
      `ALTER TABLE node ADD COLUMN extra int`,
      /node: the column "extra" was added or removed since/,
    ],
    ['the table has no key', `UPDATE loose SET a = 2`, '', /loose: the table has no key/],
  ];
  for (const [name, statement, meanwhile, message] of impossible) {
    test(`refuses where ${name}`, async () => {
      const session = await approved(statement);
      await staging.database.query(meanwhile);
      try {
        const count = await countSessions();
        const error = await rejects<StageError>(revert(session));
        assert.equal(
          [error.code, error.status, error.exit],
          ['not_revertible', 409, 3],
          error.message,
        );
        assert.match(error.message, message);
        assert.is(await countSessions(), count);
      } finally {
        await staging.database.query(
          'ALTER TABLE odd DROP CONSTRAINT IF EXISTS big; ALTER TABLE node DROP COLUMN IF EXISTS extra',
        );
      }
    });
  }

  test('the new session is like any other', async () => {
    const session = await approved(`UPDATE pet SET name = 'w' WHERE id = 1`);
    const { session: made } = await revert(session, { revertedAs: 'ann' });
    assert.equal([made.createdAs, made.roles, made.mutationCount], ['ann', [null], 1]);
    await staging.stage(made.id, `UPDATE pet SET name = 'mine' WHERE id = 2`);
    await staging.database.query(`UPDATE pet SET name = 'later' WHERE id = 1`);
    await proposeSession(staging.service, made.id);
    const error = await rejects<StageError>(
      approveSession(staging.service, made.id, { approvedBy: null, digest: null }),
    );
    assert.is(error.code, 'conflict_detected');
    assert.is((await getSession(staging.service, session)).status, 'approved');
  });
});
