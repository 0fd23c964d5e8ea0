/** An upgrade that waits for a transaction: how often it retries, and which connections it ends. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { endHolder, lockHolders, TablesInUse } from '../../src/db/lock-holders.ts';
import { createUpgrade } from '../../src/db/upgrade.ts';
import { createLog } from '../../src/log.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { logChecks } from '../helpers/earlier-schema.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('waiting upgrades', (test) => {
  let database: TestDatabase;
  let service: Database;
  let holder: pg.Client;
  let logged: string[];
  let time: number;
  const log = createLog('debug', { write: (line: string) => logged.push(line) });
  const upgrade = (lockTimeoutMs: number | null) =>
    createUpgrade({ lockTimeoutMs, log, now: () => time });
  const hold = () => holder.query('BEGIN; LOCK TABLE stage.mutation IN ROW EXCLUSIVE MODE');
  const isAlive = async () => (await holder.query('SELECT 1').catch(() => null)) !== null;
  test.beforeEach(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    service = createDatabase({ url: database.url });
    await database.query(`${logChecks} DELETE FROM stage.migration WHERE number >= 24`);
    holder = new pg.Client({ connectionString: database.url });
    holder.on('error', () => undefined);
    await holder.connect();
    logged = [];
    time = 0;
    await hold();
  });
  test.afterEach(async () => {
    await holder.end().catch(() => undefined);
    await service.close();
    await database.drop();
  });

  test('pauses between its tries, for longer each time', async () => {
    const run = upgrade(null);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      const met = await rejects(run(service));
      assert.instance(met, TablesInUse);
      time += pause - 1;
      assert.is(await rejects(run(service)), met, `within ${pause}`);
      time += 1;
    }
    await holder.query('COMMIT');
    await run(service);
    assert.equal(await database.query(`SELECT FROM stage.migration WHERE number = 24`), [{}]);
  });

  test('ends the connection that was in the way for all of the given time', async () => {
    const run = upgrade(1_500);
    await rejects(run(service));
    time = 1_000;
    await rejects(run(service));
    assert.ok(await isAlive());
    await holder.query('COMMIT');
    await hold();
    time = 3_000;
    await rejects(run(service));
    assert.ok(await isAlive(), 'it has begun another transaction');
    time = 7_000;
    await rejects(run(service));
    assert.not.ok(await isAlive());
    assert.match(
      logged.join(''),
      /the upgrade has ended a connection that blocked it.*idle in transaction/,
    );
    time = 17_000;
    await run(service);
  });

  test('leaves alone whose transaction has ended meanwhile', async () => {
    const [seen] = await lockHolders(service);
    await holder.query('COMMIT');
    await hold();
    assert.ok(seen);
    await endHolder(service, seen);
    assert.ok(await isAlive());
  });

  test('says what it lacks where it may not end a connection', async () => {
    const role = `stage_test_${randomBytes(6).toString('hex')}`;
    await holder.query('COMMIT');
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT CREATE ON DATABASE ${database.name} TO ${role};
      ALTER SCHEMA stage OWNER TO ${role}; ALTER TABLE stage.migration OWNER TO ${role}; ALTER TABLE stage.mutation OWNER TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA stage TO ${role}`);
    await hold();
    const weak = createDatabase({ url: database.urlFor(role, role) });
    try {
      const { message } = await rejects(upgrade(0)(weak));
      assert.match(message, /in use by process \d+$/, 'of another role nothing else is known');
      assert.ok(await isAlive());
      assert.match(logged.join(''), /cannot end a connection that blocks it.*pg_signal_backend/);
    } finally {
      await weak.close();
      await holder.query('COMMIT');
      await database.query(
        `REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
    }
  });
});
