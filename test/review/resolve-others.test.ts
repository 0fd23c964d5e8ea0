/**
 * Resolve beside others: transactions that lock staged rows, readers, sessions that compare columns, and rows that foreign keys changed.
 */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Resolving } from '../../src/review/edits/resolve.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const usual = { withDependents: false, resolvedAs: 'ann', lockTimeoutMs: 5_000 };

suite('resolve beside others', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  const resolve = (
    session: string,
    resolutions: Resolving['resolutions'],
    asked: Partial<Resolving> = {},
  ) => resolveConflicts(staging.service, session, { ...usual, ...asked, resolutions });

  const conflictsOf = async (session: string) =>
    (await findConflicts(staging.service, session)).map(
      ({ kind, table, rowId, field }) => `${kind} ${table} ${rowId.text} ${field}`,
    );

  async function land(session: string): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), []);
    const shown = await staging.contents(session);
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
    assert.equal(await staging.contents(), shown);
  }

  test('waits for no transaction that holds staged rows, and changes nothing then', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE pet SET name = 'mine' WHERE id = 1`);
    await staging.database.query(`UPDATE pet SET name = 'theirs' WHERE id = 1`);
    const state = async () => {
      const { edits, mutationCount } = await getSession(staging.service, session);
      return { edits, mutationCount, ...(await diffOf(staging.service, session)) };
    };
    const before = await state();
    const writer = await staging.connect(session);
    try {
      await writer.query('BEGIN');
      await writer.query(
        `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
      );
      await writer.query(`INSERT INTO owner VALUES (9, 'x')`);
      assert.is((await rejects(resolve(session, 'mine'))).code, 'session_busy');
      assert.equal(await state(), before);
    } finally {
      await writer.end();
    }
    await resolve(session, 'mine');
    await land(session);
  });

  test('is seen as a whole or not at all', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE pet SET name = 'mine' WHERE id < 3`);
    await staging.database.query(`UPDATE pet SET owner = 3 WHERE id < 3`);
    const look = `SELECT string_agg(DISTINCT owner || name, ',') AS seen FROM pet WHERE id < 3`;
    const [still, moving] = [await staging.connect(session), await staging.connect(session)];
    const seen = async (client: typeof still) => (await client.query(look)).rows[0].seen;
    try {
      await still.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      assert.is(await seen(still), '1mine');
      const meanwhile = new Set<string>();
      let isOver = false;
      const reading = (async () => {
        while (!isOver) meanwhile.add(await seen(moving));
      })();
      await resolve(session, 'mine').finally(() => {
        isOver = true;
      });
      await reading;
      assert.equal(
        [...meanwhile].filter((text) => text !== '1mine' && text !== '3mine'),
        [],
      );
      assert.equal([await seen(still), await seen(moving)], ['1mine', '3mine']);
      await still.query('COMMIT');
      assert.is(await seen(still), '3mine');
    } finally {
      await Promise.all([still.end(), moving.end()]);
    }
    await land(session);
  });

  for (const [take, expected] of [
    ['mine', '(3,mine)'],
    ['theirs', '(3,theirs)'],
  ] as const) {
    test(`settles what both sides changed where columns are compared: ${take}`, async () => {
      const session = await staging.open('column');
      await staging.stage(session, `UPDATE pet SET name = 'mine' WHERE id < 3`);
      await staging.database.query(
        `UPDATE pet SET name = 'theirs', owner = 3 WHERE id = 1; UPDATE pet SET owner = 3 WHERE id = 2`,
      );
      assert.equal(await conflictsOf(session), ['changed pet 1 name']);
      await resolve(session, take);
      assert.equal(await conflictsOf(session), []);
      await proposeSession(staging.service, session);
      await approveSession(staging.service, session, { approvedBy: null, digest: null });
      const rows = await staging.database.query<{ text: string }>(
        'SELECT (owner, name)::text AS text FROM pet WHERE id < 3 ORDER BY id',
      );
      assert.equal(
        rows.map(({ text }) => text),
        [expected, '(3,mine)'],
      );
    });
  }

  test('puts rows that a foreign key changed upon production, and gives them up with their cause', async () => {
    const follow = 'UPDATE owner SET id = 10 WHERE id = 1';
    const session = await staging.open();
    await staging.stage(session, follow);
    await staging.database.query(`UPDATE pet SET name = 'theirs' WHERE id = 1`);
    assert.equal(await conflictsOf(session), ['changed pet 1 name']);
    await resolve(session, 'mine');
    await land(session);
    await staging.reset();
    const other = await staging.open();
    await staging.stage(other, follow);
    await staging.database.query('DELETE FROM toy WHERE pet = 1; DELETE FROM pet WHERE id = 1');
    assert.equal(await conflictsOf(other), ['gone pet 1 owner']);
    assert.is((await rejects(resolve(other, 'mine'))).code, 'not_resolvable');
    assert.is((await rejects(resolve(other, 'theirs'))).code, 'has_dependents');
    await resolve(other, 'theirs', { withDependents: true });
    assert.is(await staging.stagedRows(other), 0);
  });
});
