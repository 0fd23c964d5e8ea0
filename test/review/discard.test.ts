/** The staged rows of decided sessions: many rows are removed in batches, concurrently with all other work. */
import pg from 'pg';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { deleteSession, discardBatch } from '../../src/staging/discard.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** Rows of a batch here, which is a tenth of the usual one: staging takes the most time of these tests. */
const batch = 1000;
/** More than two batches. */
const rows = 2500;
const approver = { approvedBy: null, digest: null };

async function makeBatchesSmall({ database }: StagingDatabase): Promise<void> {
  const [row] = await database.query<{ definition: string }>(
    `SELECT pg_get_functiondef('stage.discard_some'::regproc) AS definition`,
  );
  const size = /(?<=v_left bigint := )10000(?=;)/;
  assert.match(row?.definition ?? '', size);
  await database.query(row?.definition.replace(size, String(batch)) ?? '');
}

suite('staged rows of decided sessions', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE small (id int PRIMARY KEY)',
      `INSERT INTO t SELECT g, 'v' FROM generate_series(1, 9) g`,
    );
    await makeBatchesSmall(staging);
  });
  test.after(() => staging.close());
  test.afterEach(async () => {
    while (await discardBatch(staging.service));
    await staging.reset();
  });

  async function proposed(count = rows): Promise<string> {
    const id = await staging.open();
    await staging.stage(
      id,
      `INSERT INTO small VALUES (1); INSERT INTO t SELECT g, 'new' FROM generate_series(10, ${9 + count}) g`,
    );
    await proposeSession(staging.service, id);
    return id;
  }

  const decisions = {
    approved: (id: string) => approveSession(staging.service, id, approver),
    rejected: (id: string) => rejectSession(staging.service, id, null),
    deleted: (id: string) => deleteSession(staging.service, id),
  };
  for (const [word, decide] of Object.entries(decisions)) {
    test(`of one that was ${word}, some are left, and batches remove them`, async () => {
      const id = await proposed();
      await decide(id);
      const counts = [await staging.stagedRows(id)];
      while (await discardBatch(staging.service)) counts.push(await staging.stagedRows(id));
      assert.equal(counts, [1501, 501, 0]);
      assert.is(await discardBatch(staging.service), false);
    });
  }

  const logged = async (id: string) =>
    (await staging.database.query('SELECT FROM stage.mutation WHERE session = $1', [id.slice(5)]))
      .length;
  /** Extends the session's log to `rows` mutations. */
  const lengthenLog = async (id: string) =>
    staging.database.query(
      `INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows)
       SELECT nextval('stage.seq'), m.session, m.statement, m.operation, m.relation, m.table_name, m.query, m.params, m.affected_rows
       FROM stage.mutation m, generate_series(3, $2::int) WHERE m.id = (SELECT max(id) FROM stage.mutation WHERE session = $1)`,
      [id.slice(5), rows],
    );
  const shown = async (id: string) =>
    (await listMutations(staging.service, id, { limit: 5, offset: 0 })).totalCount;

  for (const word of ['rejected', 'deleted'] as const) {
    test(`the mutation log of one that was ${word} goes in batches with them`, async () => {
      const id = await proposed(1);
      await lengthenLog(id);
      await decisions[word](id);
      const counts = [await logged(id)];
      if (word === 'rejected') assert.is(await shown(id), 0, 'a part of a log is none');
      while (await discardBatch(staging.service)) counts.push(await logged(id));
      assert.equal(counts, [1502, 502, 0]);
    });
  }

  test('the mutation log of one that was approved stays', async () => {
    const id = await proposed();
    await lengthenLog(id);
    await decisions.approved(id);
    assert.is(await shown(id), rows);
    while (await discardBatch(staging.service));
    assert.equal([await shown(id), await staging.stagedRows(id)], [rows, 0]);
  });

  test('few of them go with the decision', async () => {
    const id = await proposed(100);
    await decisions.rejected(id);
    assert.is(await staging.stagedRows(id), 0);
    assert.is(await discardBatch(staging.service), false);
  });

  test('that are left belong to nothing: no diff shows them, and no change of the table keeps them', async () => {
    const id = await proposed();
    await decisions.rejected(id);
    assert.equal((await diffOf(staging.service, id)).counts, []);
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    try {
      await client.query(`BEGIN; SELECT stage.park_all('t'::regclass, 'gone')`);
      assert.equal((await client.query('SELECT * FROM stage.parked_table')).rows, []);
    } finally {
      await client.end();
    }
  });

  test('are removed by several daemons at once, each at another session', async () => {
    const ids = [await proposed(), await proposed()];
    for (const id of ids) await decisions.rejected(id);
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT stage.discard_batch()');
      const left = [];
      while (await discardBatch(staging.service)) left.push(await staging.stagedRows(...ids));
      assert.equal(left, [2002, 1501], 'the other one is free');
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    while (await discardBatch(staging.service));
    assert.is(await staging.stagedRows(...ids), 0);
  });

  test('keep nobody waiting while they are removed', async () => {
    const [large, other] = [await proposed(), await staging.open()];
    await decisions.approved(large);
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT stage.discard_batch()');
      await staging.database.query(
        `SET LOCAL lock_timeout = '100ms'; UPDATE t SET v = 'x' WHERE id IN (1, 10)`,
      );
      await staging.stage(
        other,
        `SET lock_timeout = '100ms'; UPDATE t SET v = 'beside' WHERE id IN (1, 10)`,
      );
      await proposeSession(staging.service, other);
      const { status } = await approveSession(staging.service, other, {
        ...approver,
        lockTimeoutMs: 0,
      });
      assert.is(status, 'approved');
    } finally {
      await client.end();
    }
    assert.is(await staging.stagedRows(large), 1501, 'a batch that was broken off removes nothing');
  });

  test('are removed by the daemon, and by the next one when it is killed', async () => {
    const id = await proposed();
    await decisions.rejected(id);
    const all = await staging.stagedRows(id);
    await staging.database.query(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NULL; END';
      DO $$ BEGIN EXECUTE format('CREATE TRIGGER slow AFTER DELETE ON stage_data.shadow_%s EXECUTE FUNCTION slow()', 't'::regclass::oid); END $$`);
    const killed = await spawnDaemon(staging.database.url, { settings: { maxConnections: 5 } });
    await until(async () => (await staging.stagedRows(id)) < all);
    await killed.kill();
    const left = await staging.stagedRows(id);
    await staging.database.query('DROP FUNCTION slow CASCADE');
    assert.ok(left > 0, 'killed in the middle');
    const next = await spawnDaemon(staging.database.url, { settings: { maxConnections: 5 } });
    try {
      await until(
        async () => (await staging.database.query('SELECT FROM stage.discard')).length === 0,
      );
    } finally {
      await next.kill();
    }
    assert.is(await staging.stagedRows(id), 0);
  });
});
