/** Split and approval of a part: both parts go on as sessions of their own, or nothing is changed. */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import type { Approval } from '../../src/review/decisions/approval.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { splitSession } from '../../src/review/edits/split.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { Row } from '../helpers/unstaging.ts';
import { toys } from '../helpers/unstaging.ts';

/** The staged statements, the chosen rows, and the rows that are tied to them. */
const ties: readonly (readonly [string, string, readonly Row[], readonly string[]])[] = [
  [
    'a child and its new parent',
    `INSERT INTO owner VALUES (9, 'n'); INSERT INTO pet VALUES (9, 9, 'p'); UPDATE odd SET n = 5`,
    [['pet', 9]],
    ['owner 9'],
  ],
  [
    'a new parent and its child',
    `INSERT INTO owner VALUES (9, 'n'); INSERT INTO pet VALUES (9, 9, 'p'); UPDATE odd SET n = 5`,
    [['owner', 9]],
    ['pet 9'],
  ],
  [
    'a row that a cascade deleted',
    'DELETE FROM owner WHERE id < 3',
    [['toy', 1]],
    ['owner 1', 'pet 1', 'pet 2', 'toy 2'],
  ],
  [
    'a value that another row took',
    `UPDATE owner SET name = 'free' WHERE id = 1; INSERT INTO owner VALUES (9, 'ann'); UPDATE odd SET n = 5`,
    [['owner', 9]],
    ['owner 1'],
  ],
  [
    'a key that another row had before',
    `INSERT INTO owner VALUES (9, 'n'); UPDATE owner SET id = 10 WHERE id = 9; INSERT INTO owner VALUES (9, 'm'); UPDATE odd SET n = 5`,
    [['owner', 9]],
    ['owner 10'],
  ],
  [
    'a row that referred to a deleted row for a while',
    `INSERT INTO node VALUES (7, 1); UPDATE node SET parent = NULL WHERE id = 7; UPDATE node SET parent = NULL WHERE id = 2; DELETE FROM node WHERE id = 1; UPDATE odd SET n = 5`,
    [['node', 7]],
    ['node 1', 'node 2'],
  ],
  [
    'a chain of new rows',
    'INSERT INTO node VALUES (7, NULL); INSERT INTO node VALUES (8, 7); INSERT INTO node VALUES (9, 8); UPDATE odd SET n = 5',
    [['node', 8]],
    ['node 7', 'node 9'],
  ],
];

suite('split', (test) => {
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

  const choices = (rows: readonly Row[]) =>
    rows.map(([table, key]) => ({
      table,
      rowId: key === undefined ? null : new JsonText(JSON.stringify(key)),
    }));

  const split = (session: string, rows: readonly Row[], withTies = false, splitAs = 'ann') =>
    splitSession(staging.service, session, {
      rows: choices(rows),
      withTies,
      splitAs,
      lockTimeoutMs: 5_000,
    });

  const approve = (session: string, rows: readonly Row[] | null, asked: Partial<Approval> = {}) =>
    approveSession(staging.service, session, {
      approvedBy: 'bob',
      digest: null,
      only: rows && { rows: choices(rows), withTies: false },
      ...asked,
    });

  const logOf = async (session: string) =>
    (await listMutations(staging.service, session, { limit: 100, offset: 0 })).mutations;

  const rowsOf = async (session: string) =>
    (await diffOf(staging.service, session)).changes
      .map(({ table, rowId }) => `${table} ${JSON.stringify(rowId)}`)
      .sort();

  const kindsOf = async (session: string) =>
    (await listEvents(staging.service, session, { after: '0', limit: 100 })).map(
      ({ kind, by, body }) => ({ kind, by, body: JSON.parse(body.text) }),
    );

  for (const [name, statements, rows, expected] of ties) {
    test(`of ${name} is refused by name, and includes them where that is asked for`, async () => {
      const session = await staged(statements);
      const before = await diffOf(staging.service, session);
      const error = await rejects<StageError>(split(session, rows));
      assert.is(error.code, 'has_dependents');
      const named = error.facts['dependents'] as unknown as { table: string; row_id: JsonText }[];
      assert.equal(named.map(({ table, row_id: id }) => `${table} ${id.text}`).sort(), expected);
      assert.equal(await diffOf(staging.service, session), before);
      const done = await split(session, rows, true);
      assert.equal(done.tied.map(({ table, rowId }) => `${table} ${rowId?.text}`).sort(), expected);
      const chosen = rows.map(([table, key]) => `${table} ${JSON.stringify(key)}`);
      assert.equal(await rowsOf(done.session.id), [...chosen, ...expected].sort());
      assert.equal(await brokenInvariants(staging.database), []);
    });
  }

  test('leaves log, causes and authors known on both sides', async () => {
    const session = await staged(
      `UPDATE owner SET name = name || '!' WHERE id < 3; UPDATE odd SET n = 5 WHERE a = 1; UPDATE owner SET name = name || '?' WHERE id = 1`,
    );
    const before = await getSession(staging.service, session);
    const { digest } = await diffOf(staging.service, session);
    const log = await logOf(session);
    const done = await split(session, [['owner', 1], ['odd']]);
    const { id } = done.session;
    assert.equal(done.counts, [
      { table: 'odd', rows: 1 },
      { table: 'owner', rows: 1 },
    ]);
    assert.equal(await rowsOf(id), ['odd {"a":1,"b":"x"}', 'owner 1']);
    assert.equal(await rowsOf(session), ['owner 2']);
    assert.equal([await logOf(session), await logOf(id)], [log, log]);
    const { status, splitFrom, createdAs, roles, mutationCount, reads } = done.session;
    assert.equal([status, splitFrom, createdAs], ['active', session, before.createdAs]);
    assert.equal([roles, mutationCount, reads], [before.roles, 3, 'staged']);
    assert.is((await getSession(staging.service, session)).edits, 1);
    const tables = [
      { table: 'odd', rows: 1 },
      { table: 'owner', rows: 1 },
    ];
    assert.equal((await kindsOf(session)).slice(1), [
      { kind: 'split', by: 'ann', body: { session_id: id, digest, tables } },
    ]);
    assert.equal(await kindsOf(id), [
      { kind: 'created', by: 'ann', body: { split_from: session, created_as: null } },
    ]);
  });

  test('is for active sessions, and leaves rows on both sides', async () => {
    const session = await staged(`INSERT INTO owner VALUES (9, 'n'); INSERT INTO loose VALUES (7)`);
    assert.is(
      (await rejects<StageError>(split(session, [['owner'], ['loose']]))).code,
      'not_splittable',
    );
    assert.is((await rejects<StageError>(split(session, [['loose', 'x']]))).code, 'not_splittable');
    assert.is((await rejects<StageError>(split(session, [['pet', 1]]))).code, 'no_such_change');
    await proposeSession(staging.service, session);
    assert.is(
      (await rejects<StageError>(split(session, [['owner', 9]]))).code,
      'invalid_transition',
    );
    assert.is(await staging.stagedRows(session), 2);
  });

  test('of a table without a key moves all of its rows', async () => {
    const session = await staged(
      'UPDATE loose SET a = a + 1; INSERT INTO loose VALUES (7); UPDATE odd SET n = 5',
    );
    const expected = await staging.contents(session);
    const { id } = (await split(session, [['loose']])).session;
    assert.equal(await brokenInvariants(staging.database), []);
    for (const each of [id, session]) {
      await proposeSession(staging.service, each);
      await approve(each, null);
    }
    assert.equal(await staging.contents(), expected);
  });

  test('makes an approval of the part, which the audit tells from the rest', async () => {
    const session = await staged(
      `UPDATE owner SET name = name || '!' WHERE id = 1; UPDATE odd SET n = 5 WHERE a = 1; DELETE FROM node WHERE id = 3`,
    );
    const whole = await staging.contents(session);
    await proposeSession(staging.service, session, 'ann');
    const { digest } = await diffOf(staging.service, session);
    const only = [['owner', 1]] as const;
    const wrong = { digest: `sha256:${'0'.repeat(64)}` };
    assert.is((await rejects<StageError>(approve(session, only, wrong))).code, 'digest_mismatch');
    const done = await approve(session, only, { digest, approvedAs: 'bob' });
    assert.equal([done.status, done.reviewedDigest], ['approved', digest]);
    const rest = done.remaining ?? '';
    assert.equal(await rowsOf(session), ['owner 1']);
    assert.equal(await rowsOf(rest), ['node 3', 'odd {"a":1,"b":"x"}']);
    assert.equal(await brokenInvariants(staging.database), []);
    const { status, splitFrom, round } = await getSession(staging.service, rest);
    assert.equal([status, splitFrom, round], ['active', session, 0]);
    assert.equal(
      (await kindsOf(session)).map(({ kind }) => kind),
      ['created', 'proposed', 'split', 'approved'],
    );
    // whoever lost the response repeats the request
    assert.is((await approve(session, only, { digest })).remaining, rest);
    const again = await rejects<StageError>(approve(rest, null));
    assert.is(again.code, 'invalid_transition');
    await proposeSession(staging.service, rest, 'ann');
    await approve(rest, null);
    assert.equal(await staging.contents(), whole);
    assert.is((await verifyAudit(staging.service)).firstBad, null);
  });

  test('of everything is the approval of the whole', async () => {
    const session = await staged(`INSERT INTO owner VALUES (9, 'n')`);
    await proposeSession(staging.service, session);
    const { remaining, reviewedDigest, status } = await approve(session, [['owner']]);
    assert.equal([remaining, reviewedDigest, status], [null, null, 'approved']);
  });

  test('leaves nothing where production refuses the part, and nothing of the rest in its way', async () => {
    const session = await staged(
      `UPDATE owner SET name = 'x' WHERE id = 1; UPDATE odd SET n = 5 WHERE a = 1`,
    );
    await proposeSession(staging.service, session);
    const before = await diffOf(staging.service, session);
    await staging.database.query(`UPDATE owner SET name = 'y' WHERE id = 1`);
    const error = await rejects<StageError>(approve(session, [['owner', 1]]));
    assert.is(error.code, 'conflict_detected');
    assert.equal(await diffOf(staging.service, session), before);
    const rows = await staging.database.query('SELECT FROM stage.session WHERE split_from = $1', [
      session.slice(5),
    ]);
    assert.is(rows.length, 0);
    assert.is((await approve(session, [['odd']])).status, 'approved');
  });

  test('makes no way around four eyes', async () => {
    const session = await staged(
      `UPDATE owner SET name = 'x' WHERE id = 1; UPDATE odd SET n = 5 WHERE a = 1; DELETE FROM node WHERE id = 3`,
    );
    await staging.database.query(
      `UPDATE stage.session SET created_as = 'ann', earlier_authors = '{eve}' WHERE id = $1`,
      [session.slice(5)],
    );
    const { id } = (await split(session, [['odd']], false, 'dan')).session;
    for (const each of [session, id]) {
      await proposeSession(staging.service, each, 'fay');
      for (const approvedAs of ['ann', 'eve', 'dan', 'fay']) {
        const refused = await rejects<StageError>(
          approve(each, null, { approvedAs, fourEyes: true }),
        );
        assert.is(refused.code, 'four_eyes_required', approvedAs);
      }
    }
    const four = { approvedAs: 'bob', fourEyes: true };
    const { remaining } = await approve(session, [['owner']], four);
    await proposeSession(staging.service, remaining ?? '', 'ann');
    const refused = await rejects<StageError>(
      approve(remaining ?? '', null, { approvedAs: 'fay', fourEyes: true }),
    );
    assert.is(refused.code, 'four_eyes_required');
    assert.is((await approve(remaining ?? '', null, four)).status, 'approved');
  });
});
