/** Rehearsal shows what approval would do, with all effects of production's triggers, and nothing of it remains. */
import type { StageError } from '../../src/errors.ts';
import type { JsonText } from '../../src/model/json.ts';
import type { Rehearsal } from '../../src/model/rehearsal.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { RehearsalRules } from '../../src/review/rehearsal/rehearse.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { data, fingerprint, schema, usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const parsed = (json: JsonText | null) => (json === null ? null : JSON.parse(json.text));

/** Returns side effects as plain values, without the generated numbers of the log. */
const beyond = ({ sideEffects }: Rehearsal) =>
  sideEffects?.map(({ table, counts, changes }) => ({
    table,
    counts: Object.values(counts ?? {}).join(' '),
    changes: changes.map(({ type, rowId, before, after }) => [
      type,
      table === 'price_log' ? 'new' : parsed(rowId),
      parsed(before),
      table === 'price_log' ? { ...parsed(after), number: 0 } : parsed(after),
    ]),
  }));

suite('rehearsal', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  const rehearse = (session: string, rules: Partial<RehearsalRules> = {}) =>
    rehearseSession(staging.service, session, { ...usual, ...rules });

  test('tells what would land, and what triggers change in other tables', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE product SET price = price + 1 WHERE id <= 2`);
    const { digest } = await diffOf(staging.service, session);
    const before = await fingerprint(staging);
    const reported = await rehearse(session);
    assert.is(await fingerprint(staging), before);
    assert.is(reported.digest, digest);
    assert.equal([reported.conflicts, reported.failure, reported.differs], [[], null, []]);
    assert.equal(reported.wouldLand, [{ table: 'product', inserts: 0, updates: 2, deletes: 0 }]);
    assert.equal(beyond(reported), [
      {
        table: 'price_log',
        counts: '2 0 0',
        changes: [
          ['INSERT', 'new', null, { number: 0, product: 1, was: 1, price: 2 }],
          ['INSERT', 'new', null, { number: 0, product: 2, was: 2, price: 3 }],
        ],
      },
      {
        table: 'touched',
        counts: '0 2 1',
        changes: [
          ['UPDATE', 1, { product: 1, times: 0 }, { product: 1, times: 1 }],
          ['UPDATE', 2, { product: 2, times: 0 }, { product: 2, times: 1 }],
          ['DELETE', 101, { product: 101, times: 0 }, null],
        ],
      },
    ]);
    assert.equal(reported.warnings, [
      'the sequence price_log_number_seq has moved on, and stays so: numbers that were drawn do not come back',
    ]);
  });

  test('tells rows of partitions, of tables without a key, and nothing of rows that stay the same', async () => {
    const session = await staging.open();
    await staging.stage(session, `INSERT INTO child VALUES (1, 2, 5)`);
    const reported = await rehearse(session);
    assert.equal(beyond(reported), [
      {
        table: 'loose',
        counts: '1 0 2',
        changes: [
          ['DELETE', null, { a: 1, b: [1] }, null],
          ['DELETE', null, { a: 1, b: [1] }, null],
          ['INSERT', null, null, { a: 3, b: { x: 2 } }],
        ],
      },
      {
        table: 'measure',
        counts: '3 0 3',
        changes: [
          ['DELETE', { day: '2025-01-01', value: 9 }, { day: '2025-01-01', value: 9 }, null],
          ['DELETE', { day: '2025-05-05', value: 7 }, { day: '2025-05-05', value: 7 }, null],
          ['INSERT', { day: '2025-05-05', value: 8 }, null, { day: '2025-05-05', value: 8 }],
          ['DELETE', { day: '2026-02-02', value: 7 }, { day: '2026-02-02', value: 7 }, null],
          ['INSERT', { day: '2026-02-02', value: 8 }, null, { day: '2026-02-02', value: 8 }],
          ['INSERT', { day: '2026-05-05', value: 9 }, null, { day: '2026-05-05', value: 9 }],
        ],
      },
      {
        table: 'parent',
        counts: '0 1 0',
        changes: [['UPDATE', 2, { id: 2, total: 0 }, { id: 2, total: 5 }]],
      },
    ]);
  });

  test("tells which of the session's own rows become other than staged", async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `INSERT INTO parent VALUES (3, 0); INSERT INTO child VALUES (1, 3, 5); INSERT INTO child VALUES (2, 3, 6)`,
    );
    const reported = await rehearse(session);
    assert.equal(reported.wouldLand, [
      { table: 'child', inserts: 2, updates: 0, deletes: 0 },
      { table: 'parent', inserts: 1, updates: 0, deletes: 0 },
    ]);
    const [differing, ...others] = reported.differs ?? [];
    assert.equal([differing?.table, differing?.count, others], ['parent', 1, []]);
    assert.equal(
      differing?.rows.map(({ rowId, staged, lands }) => [rowId, staged, lands].map(parsed)),
      [[3, { id: 3, total: 0 }, { id: 3, total: 11 }]],
    );
    assert.not.ok(beyond(reported)?.some(({ table }) => table === 'parent'));
  });

  test('moved keys, deletions with cascades, and rows that come back are no differences', async () => {
    await staging.database.query('INSERT INTO child VALUES (1, 1, 1), (2, 1, 1)');
    const session = await staging.open();
    await staging.stage(
      session,
      `UPDATE plain SET id = id + 10 WHERE id = 1; UPDATE plain SET id = 1 WHERE id = 2; DELETE FROM plain WHERE id = 3;
       INSERT INTO plain VALUES (3, 'new'); DELETE FROM parent WHERE id = 1; INSERT INTO plain VALUES (77, 'gone');
       DELETE FROM plain WHERE id = 77`,
    );
    const reported = await rehearse(session);
    assert.equal([reported.failure, reported.differs, reported.sideEffects], [null, [], []]);
    assert.equal(reported.wouldLand, [
      { table: 'child', inserts: 0, updates: 0, deletes: 2 },
      { table: 'parent', inserts: 0, updates: 0, deletes: 1 },
      { table: 'plain', inserts: 0, updates: 3, deletes: 0 },
    ]);
  });

  test('draws no number from the sequence of a table that the session has inserted into', async () => {
    const session = await staging.open();
    await staging.stage(session, `INSERT INTO ticket (note) VALUES ('a'), ('b')`);
    const before = await fingerprint(staging);
    assert.match(before, /public\.ticket_id_seq \d/);
    const reported = await rehearse(session);
    assert.equal([reported.failure, reported.differs, reported.warnings], [null, [], []]);
    assert.is(await fingerprint(staging), before);
  });

  test('columns that merge are told', async () => {
    const session = await staging.open('column');
    await staging.stage(session, `UPDATE merging SET a = 'mine'`);
    assert.equal((await rehearse(session)).differs, []);
    await staging.database.query(`UPDATE merging SET b = 2`);
    const reported = await rehearse(session);
    assert.equal(reported.conflicts, []);
    const rows = reported.differs?.[0]?.rows.map(({ staged, lands }) =>
      [staged, lands].map(parsed),
    );
    assert.equal(rows, [
      [
        { id: 1, a: 'mine', b: 1 },
        { id: 1, a: 'mine', b: 2 },
      ],
    ]);
  });

  test('tells what production refuses, and leaves everything as it was', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE product SET price = 999 WHERE id = 4`);
    await staging.database.query(
      `ALTER TABLE product ADD CONSTRAINT cheap CHECK (price < 500) NOT VALID`,
    );
    const reported = await rehearse(session);
    await staging.database.query('ALTER TABLE product DROP CONSTRAINT cheap');
    const { sqlstate, table, constraint, row, message } = reported.failure ?? {};
    assert.equal([sqlstate, table, constraint, row?.text], ['23514', 'product', 'cheap', '4']);
    assert.match(message ?? '', /violates check constraint/);
    assert.equal([reported.wouldLand, reported.sideEffects, reported.differs], [null, null, null]);
  });

  test('tells conflicts, and applies nothing then', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE product SET price = 7 WHERE id = 1`);
    await staging.database.query('UPDATE product SET stock = 9 WHERE id = 1');
    const reported = await rehearse(session);
    assert.equal(
      reported.conflicts.map(({ field }) => field),
      ['stock'],
    );
    assert.equal([reported.failure, reported.wouldLand], [null, null]);
  });

  test('works in both open states, and in no other', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE plain SET a = 'y' WHERE id = 1`);
    assert.is((await rehearse(session)).failure, null);
    await proposeSession(staging.service, session);
    const { digest } = await diffOf(staging.service, session);
    assert.is((await rehearse(session)).digest, digest);
    await approveSession(staging.service, session, { approvedBy: null, digest });
    assert.is((await rejects<StageError>(rehearse(session))).code, 'invalid_transition');
    const unknown = `sess_${'0'.repeat(32)}`;
    assert.is((await rejects<StageError>(rehearse(unknown))).code, 'session_not_found');
  });
});
