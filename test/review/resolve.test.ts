/** Resolve: conflicts of an active session are resolved in place, and approval then applies what the diff shows. */
import type { StageError } from '../../src/errors.ts';
import type { Conflict } from '../../src/model/conflict.ts';
import { JsonText } from '../../src/model/json.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Resolution, Side } from '../../src/review/edits/resolution.ts';
import type { Resolving } from '../../src/review/edits/resolve.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { toys } from '../helpers/unstaging.ts';

const usual = { withDependents: false, resolvedAs: 'ann', lockTimeoutMs: 5_000 };

suite('resolve', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      schema,
      data.replace('INSERT INTO toy (pet) VALUES (1), (1), (3)', toys),
    );
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  async function drifted(statements: string, production: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await staging.database.query(production);
    return session;
  }

  const one = (
    table: string,
    key: unknown,
    take: Side,
    field: string | null = null,
    current?: unknown,
  ): Resolution => ({
    table,
    rowId: new JsonText(JSON.stringify(key)),
    field,
    take,
    ...(current === undefined ? {} : { productionCurrent: new JsonText(JSON.stringify(current)) }),
  });

  const resolve = (
    session: string,
    resolutions: Resolving['resolutions'],
    asked: Partial<Resolving> = {},
  ) => resolveConflicts(staging.service, session, { ...usual, ...asked, resolutions });

  const namesOf = (conflicts: readonly Conflict[]) =>
    conflicts.map(({ table, rowId, field, kind }) => `${kind} ${table} ${rowId.text} ${field}`);

  /** Asserts that approval applies what the session shows, and that production then has these rows. */
  async function demandLanding(session: string, expected: Record<string, string>): Promise<void> {
    assert.equal(await brokenInvariants(staging.database), []);
    assert.equal(namesOf(await findConflicts(staging.service, session)), []);
    const shown = await staging.contents(session);
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
    assert.equal(await staging.contents(), shown);
    for (const [query, value] of Object.entries(expected)) {
      const [row] = await staging.database.query<{ text: string }>(
        `SELECT (${query})::text AS text`,
      );
      assert.is(row?.text ?? null, value, query);
    }
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  }

  test('keeps the value of one column, and follows production in those it never changed', async () => {
    const session = await drifted(
      `UPDATE pet SET name = 'mine' WHERE id = 1`,
      `UPDATE pet SET name = 'theirs', owner = 3 WHERE id = 1`,
    );
    assert.is((await findConflicts(staging.service, session)).length, 2);
    const { digest } = await diffOf(staging.service, session);
    const { settled, left } = await resolve(session, [one('pet', 1, 'mine', 'name', 'theirs')]);
    assert.equal([namesOf(settled), left.length], [['changed pet 1 name'], 0]);
    const after = await diffOf(staging.service, session);
    assert.is.not(after.digest, digest);
    assert.equal(
      [after.changes[0]?.before, after.changes[0]?.after],
      [
        { id: 1, owner: 3, name: 'theirs' },
        { id: 1, owner: 3, name: 'mine' },
      ],
    );
    const events = await listEvents(staging.service, session, { after: '0', limit: 9 });
    assert.equal([events.at(-1)?.kind, events.at(-1)?.by], ['resolved', 'ann']);
    await demandLanding(session, { '(SELECT (owner, name) FROM pet WHERE id = 1)': '(3,mine)' });
  });

  test("takes production's value of one column, in every version, and the session's of another", async () => {
    const session = await drifted(
      `UPDATE pet SET name = 'a', owner = 2 WHERE id = 1; UPDATE pet SET name = 'b' WHERE id = 1`,
      `UPDATE pet SET name = 'theirs', owner = 3 WHERE id = 1`,
    );
    await resolve(session, [one('pet', 1, 'theirs', 'name'), one('pet', '1', 'mine', 'owner')]);
    await demandLanding(session, { '(SELECT (owner, name) FROM pet WHERE id = 1)': '(2,theirs)' });
  });

  test('settles one column, and leaves another one in conflict', async () => {
    const session = await drifted(
      `UPDATE pet SET name = 'a', owner = 2 WHERE id = 1`,
      `UPDATE pet SET name = 'theirs', owner = 3 WHERE id = 1`,
    );
    const { left } = await resolve(session, [one('pet', 1, 'theirs', 'owner')]);
    assert.equal(namesOf(left), ['changed pet 1 name']);
    await resolve(session, 'mine');
    await demandLanding(session, { '(SELECT (owner, name) FROM pet WHERE id = 1)': '(3,a)' });
  });

  test('gives a row up of which nothing is left', async () => {
    const session = await drifted(
      `UPDATE pet SET name = 'a' WHERE id = 1; UPDATE owner SET name = 'x' WHERE id = 3`,
      `UPDATE pet SET name = 'theirs' WHERE id = 1`,
    );
    await resolve(session, 'theirs');
    assert.is(await staging.stagedRows(session), 1);
    await demandLanding(session, { '(SELECT name FROM pet WHERE id = 1)': 'theirs' });
  });

  for (const [take, expected] of [
    ['mine', '0'],
    ['theirs', '1'],
  ] as const) {
    test(`decides on a staged DELETE as a whole: ${take}`, async () => {
      const session = await drifted(
        'DELETE FROM toy WHERE id = 3; INSERT INTO owner VALUES (9, NULL)',
        'UPDATE toy SET pet = 2 WHERE id = 3',
      );
      await resolve(session, take);
      await demandLanding(session, { '(SELECT count(*) FROM toy WHERE id = 3)': expected });
    });
  }

  test('follows with keys that moved, generated columns and values that JSON does not tell', async () => {
    const session = await drifted(
      `UPDATE odd SET a = 7 WHERE a = 1; UPDATE odd SET n = 5 WHERE a = 7; UPDATE pet SET id = 10 WHERE id = 1`,
      `UPDATE odd SET n = 3, f = 1, j = '{"x":  1}' WHERE a = 1; UPDATE pet SET name = 'p' WHERE id = 1`,
    );
    await resolve(session, 'mine');
    await demandLanding(session, {
      '(SELECT (a, g, n, f, j) FROM odd WHERE a = 7)': '(7,14,5,1,"{""x"":  1}")',
      '(SELECT name FROM pet WHERE id = 10)': 'p',
    });
  });

  test('gives up a row that is gone, or whose key is taken, for production', async () => {
    const session = await drifted(
      `UPDATE node SET parent = 1 WHERE id = 3; INSERT INTO owner VALUES (9, 'mine')`,
      `DELETE FROM node WHERE id = 3; INSERT INTO owner VALUES (9, 'theirs')`,
    );
    await resolve(session, [one('node', 3, 'theirs'), one('owner', 9, 'theirs')]);
    await demandLanding(session, { '(SELECT name FROM owner WHERE id = 9)': 'theirs' });
  });

  test('inserts a row that is gone, and updates one whose key is taken, as the session has them', async () => {
    const session = await drifted(
      `UPDATE node SET parent = NULL WHERE id = 3; UPDATE node SET parent = 1 WHERE id = 3;
       INSERT INTO owner VALUES (9, 'a'); UPDATE owner SET name = 'mine' WHERE id = 9`,
      `DELETE FROM node WHERE id = 3; INSERT INTO owner VALUES (9, 'theirs')`,
    );
    await resolve(session, [one('node', 3, 'mine'), one('owner', 9, 'mine')]);
    const { changes } = await diffOf(staging.service, session);
    assert.equal(
      changes.map(({ type, before }) => [type, before]),
      [
        ['INSERT', null],
        ['UPDATE', { id: 9, name: 'theirs' }],
      ],
    );
    await demandLanding(session, {
      '(SELECT parent FROM node WHERE id = 3)': '1',
      '(SELECT name FROM owner WHERE id = 9)': 'mine',
    });
  });

  test('does so with composite keys, generated and identity columns, and in partitions', async () => {
    const session = await drifted(
      `UPDATE odd SET n = 5, j = '{"x":  1}' WHERE a = 1; INSERT INTO odd (a, b, n) VALUES (7, 'z', 1);
       UPDATE toy SET pet = 2 WHERE id = 1; INSERT INTO part VALUES ('2025-05-06', 2); UPDATE part SET v = v WHERE v = 1`,
      `DELETE FROM odd WHERE a = 1; INSERT INTO odd (a, b, n, j) VALUES (7, 'z', 2, 'null'); DELETE FROM toy WHERE id = 1;
       INSERT INTO part VALUES ('2025-05-06', 2)`,
    );
    await resolve(session, 'mine');
    await demandLanding(session, {
      '(SELECT (b, g, n, j, by) FROM odd WHERE a = 1)': '(x,2,5,"{""x"":  1}","\\\\x00ff")',
      '(SELECT (n, j) FROM odd WHERE a = 7)': '(1,)',
      '(SELECT pet FROM toy WHERE id = 1)': '2',
      '(SELECT count(*) FROM part)': '3',
    });
  });

  test('takes out of the session what comes to nothing upon production', async () => {
    const session = await drifted(
      `DELETE FROM node WHERE id = 3; INSERT INTO owner VALUES (9, 'same'), (10, 'x'); DELETE FROM owner WHERE id = 10`,
      `DELETE FROM node WHERE id = 3; INSERT INTO owner VALUES (9, 'same'), (10, 'theirs')`,
    );
    await resolve(session, 'mine');
    assert.is(await staging.stagedRows(session), 0);
    await demandLanding(session, { '(SELECT name FROM owner WHERE id = 10)': 'theirs' });
  });

  test('says why a row that has moved, or was made anew, is not put upon production', async () => {
    const stories: readonly (readonly [string, string, Resolution])[] = [
      [
        'UPDATE node SET id = 30 WHERE id = 3',
        'DELETE FROM node WHERE id = 3',
        one('node', 3, 'mine'),
      ],
      [
        'DELETE FROM node WHERE id = 3; INSERT INTO node VALUES (3, 1)',
        'DELETE FROM node WHERE id = 3',
        one('node', 3, 'mine'),
      ],
      [
        `INSERT INTO owner VALUES (9, 'a'); UPDATE owner SET id = 10 WHERE id = 9`,
        `INSERT INTO owner VALUES (10, 'b')`,
        one('owner', 10, 'mine'),
      ],
    ];
    for (const [statements, production, row] of stories) {
      await staging.reset();
      const session = await drifted(statements, production);
      const before = await diffOf(staging.service, session);
      assert.is((await rejects(resolve(session, [row]))).code, 'not_resolvable', statements);
      assert.equal(await diffOf(staging.service, session), before);
    }
  });

  test('gives up what hangs on a row only where that is asked for', async () => {
    const session = await drifted(
      `INSERT INTO owner VALUES (9, 'mine'); INSERT INTO pet VALUES (9, 9, 'p')`,
      `INSERT INTO owner VALUES (9, 'theirs')`,
    );
    const before = await diffOf(staging.service, session);
    const error = await rejects<StageError>(resolve(session, 'theirs'));
    assert.is(error.code, 'has_dependents');
    assert.equal(await diffOf(staging.service, session), before);
    await resolve(session, 'theirs', { withDependents: true });
    assert.is(await staging.stagedRows(session), 0);
  });

  test('refuses what is no conflict, what is none any more, and changes nothing', async () => {
    const session = await drifted(
      `UPDATE pet SET name = 'a' WHERE id < 3`,
      `UPDATE pet SET name = 'theirs' WHERE id = 1`,
    );
    const before = await diffOf(staging.service, session);
    const good = one('pet', 1, 'mine');
    const bad: readonly (readonly [Resolution, string])[] = [
      [one('pet', 2, 'mine'), 'no_such_conflict'],
      [one('pet', 1, 'mine', 'owner'), 'no_such_conflict'],
      [one('toy', 1, 'mine'), 'no_such_conflict'],
      [one('pet', 1, 'mine', '__proto__'), 'no_such_conflict'],
      [one('pet', 1, 'theirs', 'name'), 'invalid_request'],
      [one('pet', 1, 'mine', 'name', 'forged'), 'conflict_detected'],
    ];
    for (const [row, code] of bad)
      assert.is((await rejects(resolve(session, [good, row]))).code, code);
    assert.equal(await diffOf(staging.service, session), before);
    assert.is((await getSession(staging.service, session)).edits, 0);
    await resolve(session, [good, good]);
    assert.is((await rejects(resolve(session, [good]))).code, 'no_such_conflict');
    await proposeSession(staging.service, session);
    const error = await rejects<StageError>(resolve(session, 'mine'));
    assert.match(`${error.code} ${error.hint}`, /^invalid_transition .*stage reopen/);
  });

  test('refuses what only others can settle', async () => {
    const session = await drifted(
      'DELETE FROM owner WHERE id = 3',
      'INSERT INTO pet VALUES (9, 3, NULL)',
    );
    assert.equal(namesOf(await findConflicts(staging.service, session)), ['cascade pet 9 null']);
    for (const side of ['mine', 'theirs'] as const)
      assert.is((await rejects(resolve(session, side))).code, 'not_resolvable');
  });

  test('refuses rows that nothing tells apart', async () => {
    const session = await drifted('UPDATE loose SET a = 2', 'UPDATE loose SET a = 3');
    for (const side of ['mine', 'theirs'] as const)
      assert.is((await rejects(resolve(session, side))).code, 'not_unstageable');
  });
});
