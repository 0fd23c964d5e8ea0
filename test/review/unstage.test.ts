/** Unstage: rows of a session and all that depends on them are removed without a trace, or nothing is. */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Unstaging } from '../../src/review/edits/unstage.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { Row } from '../helpers/unstaging.ts';
import { stories, toys } from '../helpers/unstaging.ts';

const usual: Omit<Unstaging, 'rows'> = {
  withDependents: false,
  unstagedAs: null,
  trialMs: 30_000,
  lockTimeoutMs: 5_000,
};

suite('unstage', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      schema,
      data.replace('INSERT INTO toy (pet) VALUES (1), (1), (3)', toys),
    );
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  async function staged(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    return session;
  }

  const unstage = (session: string, rows: readonly Row[], asked: Partial<Unstaging> = {}) =>
    unstageRows(staging.service, session, {
      ...usual,
      ...asked,
      rows: rows.map(([table, key]) => ({
        table,
        rowId: key === undefined ? null : new JsonText(JSON.stringify(key)),
      })),
    });

  const keysOf = (rows: readonly { table: string; rowId: JsonText | null }[]) =>
    rows.map(({ table, rowId }) => `${table} ${rowId?.text}`).sort();

  const dependents = async (session: string, rows: readonly Row[]) => {
    const error = await rejects<StageError>(unstage(session, rows));
    assert.is(error.code, 'has_dependents');
    return keysOf(
      (error.facts['dependents'] as unknown as { table: string; row_id: JsonText }[]).map(
        ({ table, row_id }) => ({ table, rowId: row_id }),
      ),
    );
  };

  /** Asserts that a session shows and applies the same as one that never had those rows. */
  async function demandLike(session: string, statements: string): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), []);
    const like = await staged(statements);
    const bare = async (id: string) => {
      const { changes, counts } = await diffOf(staging.service, id);
      return { counts, changes: changes.map((change) => JSON.stringify(change)).sort() };
    };
    assert.equal(await bare(session), await bare(like));
    assert.equal(await staging.contents(session), await staging.contents(like));
    assert.is(await staging.stagedRows(session), await staging.stagedRows(like));
    if ((await staging.stagedRows(session)) === 0) return;
    await proposeSession(staging.service, session);
    const expected = await staging.contents(like);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
    assert.equal(await staging.contents(), expected);
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  }

  for (const [name, statements, rows, expected, rest] of stories) {
    test(`of ${name} leaves what would be staged without it`, async () => {
      const session = await staged(statements);
      const before = await diffOf(staging.service, session);
      if (expected.length > 0) {
        assert.equal(await dependents(session, rows), expected);
        assert.equal(await diffOf(staging.service, session), before);
        assert.is((await getSession(staging.service, session)).edits, 0);
      }
      const done = await unstage(session, rows, { withDependents: true });
      assert.equal([done.session.edits, done.isTried], [1, true]);
      assert.equal(keysOf(done.rows.filter(({ isDependent }) => isDependent)), expected);
      await demandLike(session, rest);
    });
  }

  test('of what is not staged is refused, and changes nothing', async () => {
    const session = await staged(
      `INSERT INTO owner VALUES (9, 'n'); UPDATE pet SET name = 'x' WHERE id = 1`,
    );
    const before = await diffOf(staging.service, session);
    for (const row of [
      ['owner', 1],
      ['owner', '9x'],
      ['nothing'],
      ['part'],
      ['pet', { id: 1 }],
    ] as const) {
      const error = await rejects<StageError>(unstage(session, [['pet', 1], row]));
      assert.equal([error.code, error.facts['table']], ['no_such_change', row[0]]);
    }
    assert.equal(await diffOf(staging.service, session), before);
    await unstage(session, [
      ['pet', '1'],
      ['pet', 1],
    ]);
    assert.is((await rejects(unstage(session, [['pet', 1]]))).code, 'no_such_change');
    await demandLike(session, `INSERT INTO owner VALUES (9, 'n')`);
  });

  test('is for active sessions', async () => {
    const session = await staged(`INSERT INTO owner VALUES (9, 'n')`);
    await proposeSession(staging.service, session);
    const error = await rejects<StageError>(unstage(session, [['owner', 9]]));
    assert.is(error.code, 'invalid_transition');
    assert.match(error.hint ?? '', /stage reopen/);
    assert.is(await staging.stagedRows(session), 1);
  });

  test('of one row needs a key', async () => {
    const session = await staged('INSERT INTO loose VALUES (7)');
    assert.is((await rejects(unstage(session, [['loose', 'x']]))).code, 'not_unstageable');
    assert.is(await staging.stagedRows(session), 1);
  });

  test('waits for no transaction that holds staged rows', async () => {
    const session = await staged(`INSERT INTO owner VALUES (9, 'n')`);
    const writer = await staging.connect(session);
    try {
      await writer.query('BEGIN');
      await writer.query(
        `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
      );
      await writer.query(`INSERT INTO pet VALUES (9, 9, 'x')`);
      assert.is((await rejects(unstage(session, [['owner', 9]]))).code, 'session_busy');
      await writer.query('COMMIT');
      assert.equal(await dependents(session, [['owner', 9]]), ['pet 9']);
    } finally {
      await writer.end();
    }
  });

  for (const isolation of ['READ COMMITTED', 'REPEATABLE READ']) {
    test(`is noticed by a statement that read what it takes out, under ${isolation}`, async () => {
      const session = await staged(
        `INSERT INTO owner VALUES (9, 'n'); UPDATE pet SET name = 'x' WHERE id = 1`,
      );
      const writer = await staging.connect(session);
      try {
        await writer.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        await writer.query(
          `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
        );
        await unstage(session, [
          ['owner', 9],
          ['pet', 1],
        ]);
        const error = await rejects(writer.query(`UPDATE pet SET name = name || '!' WHERE id < 3`));
        assert.is(error.code, isolation === 'READ COMMITTED' ? 'ST002' : '40001');
        await writer.query('ROLLBACK');
        await staging.stage(session, `UPDATE pet SET name = name || '!' WHERE id < 3`);
        await demandLike(session, `UPDATE pet SET name = name || '!' WHERE id < 3`);
      } finally {
        await writer.end();
      }
    });
  }
});
