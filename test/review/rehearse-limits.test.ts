/** The limits of a rehearsal: time, locks of others, large tables, what a role may not read, and effects that no rollback reverts. */
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import type { StageError } from '../../src/errors.ts';
import type { Rehearsal } from '../../src/model/rehearsal.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import type { RehearsalRules } from '../../src/review/rehearsal/rehearse.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { drawn } from '../helpers/net.ts';
import { data, fingerprint, schema, usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const rounds = drawn(15, 'ROUNDS');

suite('rehearsal: limits', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  const rehearse = (session: string, rules: Partial<RehearsalRules> = {}) =>
    rehearseSession(staging.service, session, { ...usual, ...rules });

  test('large tables are counted only, and where nothing is counted that is said', async () => {
    await staging.database.query('ANALYZE');
    const session = await staging.open();
    await staging.stage(session, `UPDATE product SET price = price + 1 WHERE id <= 2`);
    const reported = await rehearse(session, { scanRows: -1 });
    assert.equal(reported.differs, []);
    const shape = (rehearsal: Rehearsal) =>
      rehearsal.sideEffects?.map(({ table, scanned, counts, changes }) => [
        table,
        scanned,
        counts && Object.values(counts).join(' '),
        changes.length,
      ]);
    assert.equal(shape(reported), [
      ['price_log', false, '2 0 0', 0],
      ['touched', false, '0 2 1', 0],
    ]);
    await staging.database.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_counts = off', current_database()); END $$`,
    );
    try {
      await staging.service.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'stage' AND datname = current_database() AND pid <> pg_backend_pid()`);
      await staging.service.query('SET track_counts = off');
      assert.equal(shape(await rehearse(session, { scanRows: -1 })), [
        ['price_log', false, null, 0],
        ['product', false, null, 0],
        ['touched', false, null, 0],
      ]);
      const scanned = await rehearse(session);
      assert.equal(
        scanned.sideEffects?.map(({ table }) => table),
        ['price_log', 'touched'],
      );
    } finally {
      await staging.service.query('SET track_counts = on');
      await staging.database.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET track_counts', current_database()); END $$`,
      );
    }
  });

  const rehearseOften = async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE plain SET a = 'z' WHERE id = 1`);
    const before = await fingerprint(staging);
    for (let index = 0; index < rounds; index += 1) await rehearse(session);
    assert.is(await fingerprint(staging), before);
    const verdict = await verifyAudit(staging.service);
    assert.equal([verdict.firstBad, before.includes('stage.audit')], [null, true]);
  };
  test(`${rounds} rehearsals are nothing to the audit`, rehearseOften, {
    timeout: 60_000 + rounds * 2_000,
  });

  test('code that takes its time is ended, whether or not it lets itself be cancelled', async () => {
    await staging.database.query(`
      CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        FOR i IN 1 .. CASE WHEN NEW.a = 'stubborn' THEN 20 ELSE 1 END LOOP
          BEGIN
            PERFORM pg_sleep(20);
          EXCEPTION WHEN query_canceled THEN IF NEW.a <> 'stubborn' THEN RAISE; END IF;
          END;
        END LOOP;
        RETURN NULL;
      END $$;
      CREATE TRIGGER sleep AFTER UPDATE ON merging FOR EACH ROW EXECUTE FUNCTION sleep()`);
    try {
      for (const way of ['meek', 'stubborn']) {
        const session = await staging.open();
        await staging.stage(session, `UPDATE merging SET a = '${way}'`);
        // makes the overlay current, of which the new trigger is a part
        await findConflicts(staging.service, session, false);
        const before = await fingerprint(staging);
        const begun = performance.now();
        const reported = await rehearse(session, { timeoutMs: 3_000 });
        assert.is(reported.failure?.sqlstate, '57014', way);
        assert.is(reported.failure?.message, 'the rehearsal was not done after 3000 ms');
        assert.ok(performance.now() - begun < 15_000, way);
        const left = await staging.database.query(
          `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
           WHERE d.datname = current_database() AND l.mode = 'RowExclusiveLock'`,
        );
        assert.equal(left, []);
        assert.is(await fingerprint(staging), before);
      }
    } finally {
      await staging.database.query('DROP TRIGGER sleep ON merging; DROP FUNCTION sleep');
    }
  });

  test('waits for those who hold what it needs no longer than it may', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE plain SET a = 'z' WHERE id = 1`);
    const holder = new pg.Client({ connectionString: staging.database.url });
    await holder.connect();
    try {
      await holder.query(`BEGIN; UPDATE plain SET a = a WHERE id = 1`);
      const error = await rejects<StageError>(rehearse(session, { lockTimeoutMs: 200 }));
      assert.is(error.code, 'busy');
      const patient = rehearse(session, { lockTimeoutMs: 15_000 });
      await holder.query('COMMIT');
      assert.is((await patient).failure, null);
    } finally {
      await holder.end();
    }
  });

  test('locks the rows before it reads what is staged: a row that is written in between makes it begin anew', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE plain SET a = 'z' WHERE id = 1`);
    const held: string[] = [];
    const look = async () => {
      const error = await staging.database
        .query('SELECT FROM plain WHERE id = 1 FOR UPDATE NOWAIT')
        .then(() => null)
        .catch(({ code }: pg.DatabaseError) => code);
      held.push(error ?? 'free');
    };
    const service: Database = {
      ...staging.service,
      transaction: (work, ...others) =>
        staging.service.transaction(
          (tx) =>
            work({
              query: async (text, values) => {
                if (text.includes('steps_digest')) await look();
                return tx.query(text, values);
              },
            }),
          ...others,
        ),
    };
    assert.is((await rehearseSession(service, session, usual)).failure, null);
    assert.ok(held.length > 0);
    assert.equal([...new Set(held)], ['55P03']);
  });

  test('neither waits for an approval nor keeps one waiting', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE plain SET a = 'z' WHERE id = 1`);
    const holder = new pg.Client({ connectionString: staging.database.url });
    await holder.connect();
    try {
      await holder.query('BEGIN; SELECT FROM stage.audit_head FOR UPDATE');
      assert.is((await rehearse(session, { lockTimeoutMs: 100 })).failure, null);
    } finally {
      await holder.end();
    }
  });

  test('of tables that a role may not read only counts are told', async () => {
    const role = 'stage_test_rehearser';
    await staging.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT ON product, touched TO ${role}`,
    );
    try {
      const session = await staging.open();
      await staging.stage(session, `UPDATE product SET price = price + 1 WHERE id = 1`);
      await staging.database.query('UPDATE stage.mutation SET role = $1', [role]);
      const reported = await rehearse(session, { readableOnly: true });
      assert.equal(
        reported.sideEffects?.map(({ table, hidden, counts, changes }) => [
          table,
          hidden,
          counts?.inserts,
          changes.length,
        ]),
        [
          ['price_log', true, 1, 0],
          ['touched', undefined, 0, 2],
        ],
      );
      assert.equal(reported.warnings, []);
      await staging.database.query(
        `ALTER TABLE price_log ADD CONSTRAINT secret CHECK (price <> 2) NOT VALID`,
      );
      const { failure } = await rehearse(session, { readableOnly: true });
      const { sqlstate, table, constraint, message, detail } = failure ?? {};
      assert.equal(
        [sqlstate, table, constraint, message, detail],
        ['23514', 'price_log', 'secret', null, null],
      );
    } finally {
      await staging.database.query(
        `ALTER TABLE price_log DROP CONSTRAINT IF EXISTS secret; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
    }
  });

  test('a trigger that runs a program of the server is named: what it did outside stays', async () => {
    await staging.database.query(`
      CREATE FUNCTION call_out() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        COPY (SELECT 'called') TO PROGRAM 'cat >> called_out.txt';
        RETURN NULL;
      END $$;
      CREATE TRIGGER call_out AFTER UPDATE ON merging FOR EACH ROW EXECUTE FUNCTION call_out()`);
    try {
      const session = await staging.open();
      await staging.stage(session, `UPDATE merging SET b = 6`);
      // makes the overlay current, of which the new trigger is a part
      await findConflicts(staging.service, session, false);
      const before = await fingerprint(staging);
      const reported = await rehearse(session);
      assert.equal(
        [reported.failure, reported.warnings],
        [
          null,
          [
            'the trigger call_out on merging runs public.call_out (plpgsql), which can do what no rollback takes back',
          ],
        ],
      );
      assert.is(await fingerprint(staging), before);
      const called = `SELECT pg_read_file('called_out.txt') AS text`;
      assert.equal(await staging.database.query(called), [{ text: 'called\n' }]);
    } finally {
      await staging.database.query(`
        DROP TRIGGER call_out ON merging; DROP FUNCTION call_out;
        COPY (SELECT) TO PROGRAM 'rm -f called_out.txt'`);
    }
  });

  test('what no rollback takes back, and what nobody could look at, is named', async () => {
    await staging.database.query(`
      CREATE TABLE emptied (id int PRIMARY KEY); INSERT INTO emptied VALUES (1);
      CREATE FUNCTION reach_out() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF false THEN PERFORM dblink('x', 'y'); END IF;
        TRUNCATE emptied;
        CREATE TABLE made_by_trigger AS SELECT 1 AS one;
        RETURN NULL;
      END $$;
      CREATE TRIGGER reach_out AFTER UPDATE ON merging FOR EACH ROW EXECUTE FUNCTION reach_out()`);
    try {
      const session = await staging.open();
      await staging.stage(session, `UPDATE merging SET b = 5`);
      const reported = await rehearse(session);
      assert.is(reported.failure, null);
      assert.equal(reported.warnings, [
        'the trigger reach_out on merging runs public.reach_out (plpgsql), which can do what no rollback takes back',
        'emptied was truncated, altered or locked as a whole: its rows were not compared',
        'made_by_trigger was truncated, altered or locked as a whole: its rows were not compared',
      ]);
      const [row] = await staging.database.query<{ n: string }>(
        'SELECT count(*) AS n FROM emptied',
      );
      assert.is(row?.n, '1');
    } finally {
      await staging.database.query(
        'DROP TRIGGER reach_out ON merging; DROP FUNCTION reach_out; DROP TABLE emptied',
      );
    }
  });
});
