/** Row locks as ORMs and job queues take them get PostgreSQL's responses, and nothing is locked in production. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { assertSameAs, createRole, testRole } from '../helpers/both-ways.ts';
import { needProgram } from '../helpers/programs.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

import { fill, lock, spend, startFilled, take } from './row-lock-tables.ts';

const stage = [
  'UPDATE account SET balance = balance + 1 WHERE id <> 3',
  `INSERT INTO account VALUES (5, 1, 500)`,
  'DELETE FROM job WHERE id = 1',
];

const patterns: Readonly<Record<string, readonly string[]>> = {
  'Django select_for_update': [
    'SELECT "account"."id", "account"."balance" FROM "account" WHERE "account"."id" = 1 LIMIT 21 FOR UPDATE',
    'UPDATE "account" SET "balance" = 90 WHERE "account"."id" = 1',
    'SELECT "account"."id", "owner"."name" FROM "account" INNER JOIN "owner" ON ("account"."owner" = "owner"."id") ORDER BY 1 FOR NO KEY UPDATE OF "account" NOWAIT',
    'SELECT "account"."id" FROM "account" WHERE "account"."balance" > 100 ORDER BY "account"."id" ASC LIMIT 1 FOR UPDATE SKIP LOCKED',
  ],
  'ActiveRecord lock and with_lock': [
    'SELECT "account".* FROM "account" WHERE "account"."id" = 2 LIMIT 1 FOR UPDATE',
    'UPDATE "account" SET "balance" = 7 WHERE "account"."id" = 2',
    'SELECT "account".* FROM "account" WHERE "account"."owner" = 1 ORDER BY "account"."id" ASC FOR SHARE',
    'DELETE FROM "account" WHERE "account"."id" = 2',
    'SELECT "account".* FROM "account" WHERE "account"."id" = 2 LIMIT 1 FOR UPDATE',
  ],
  'Hibernate PESSIMISTIC_WRITE and PESSIMISTIC_READ': [
    'select a1_0.id,a1_0.balance,a1_0.version from account a1_0 where a1_0.id=1 for no key update',
    'select a1_0.id,o1_0.name from account a1_0 left join owner o1_0 on o1_0.id=a1_0.owner where a1_0.id=4 for no key update of a1_0',
    'update account set balance=1,version=1 where id=1 and version=0',
    'update account set balance=2,version=1 where id=1 and version=0',
    'select a1_0.id from account a1_0 where a1_0.id=1 for share nowait',
  ],
  'Sequelize, Prisma, SQLAlchemy, jOOQ': [
    'SELECT "id", "balance" FROM "account" AS "account" WHERE "account"."id" = 3 FOR KEY SHARE;',
    'SELECT account.id AS account_id FROM account JOIN owner ON owner.id = account.owner ORDER BY 1 FOR UPDATE OF account, owner SKIP LOCKED',
    'SELECT id FROM account ORDER BY id LIMIT 2 OFFSET 1 FOR UPDATE OF account FOR SHARE',
    'select "public"."account"."id" from "public"."account" where "public"."account"."id" in (1, 2) order by 1 for update of "account"',
    'SELECT sub.id FROM (SELECT id FROM account ORDER BY id LIMIT 2 FOR UPDATE) sub ORDER BY 1',
  ],
  'joins whose columns bear other names': [
    'SELECT * FROM (account JOIN owner ON owner.id = account.owner) AS j (a) ORDER BY 1 FOR UPDATE',
    'SELECT j.name, job.id FROM (account JOIN owner ON owner.id = account.owner) AS j, job WHERE job.id < 3 ORDER BY 1, 2 LIMIT 3 FOR UPDATE OF job',
  ],
  'in WITH queries and sub-selects of writes': [
    `WITH next AS (SELECT id FROM job WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1)
     UPDATE job SET state = 'running' FROM next WHERE job.id = next.id RETURNING job.id, job.state`,
    'DELETE FROM job WHERE id = (SELECT id FROM job ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *',
    `UPDATE job SET state = 'taken' FROM (SELECT id FROM job ORDER BY id DESC LIMIT 2 FOR UPDATE) s WHERE s.id = job.id RETURNING job.id`,
    'WITH locked AS (SELECT * FROM account WHERE id IN (1, 5) FOR UPDATE) UPDATE account a SET balance = l.balance - 1 FROM locked l WHERE a.id = l.id RETURNING a.id, a.balance',
    'INSERT INTO account SELECT id + 10, owner, balance FROM account WHERE id = 1 FOR SHARE',
    'WITH l AS (SELECT id FROM job FOR UPDATE) SELECT count(*) FROM l',
    'SELECT id, state FROM job ORDER BY id',
  ],
  'by what a function says that reads what is staged': [
    'UPDATE account SET owner = 1',
    'SELECT name, owned(id) FROM owner WHERE owned(id) > 1 ORDER BY id LIMIT 1 FOR UPDATE',
    'SELECT owned(owner), id FROM account ORDER BY owned(owner), id FOR SHARE SKIP LOCKED',
  ],
  'an optimistic version': [
    'UPDATE account SET balance = 1, version = version + 1 WHERE id = 1 AND version = 0',
    'UPDATE account SET balance = 2, version = version + 1 WHERE id = 1 AND version = 0',
    'DELETE FROM account WHERE id = 1 AND version = 0 RETURNING id',
    'UPDATE account SET version = 2 WHERE id = 1 AND version = 1 RETURNING version',
  ],
};

/** Queries in which PostgreSQL refuses row locks. */
const forbidden = [
  'SELECT DISTINCT owner FROM account FOR UPDATE',
  'SELECT DISTINCT ON (owner) id FROM account ORDER BY owner FOR NO KEY UPDATE',
  'SELECT owner FROM account GROUP BY owner FOR SHARE',
  'SELECT 1 FROM account HAVING true FOR KEY SHARE',
  'SELECT id FROM account UNION SELECT id FROM job FOR UPDATE',
  'SELECT id FROM account EXCEPT (SELECT id FROM job) FOR UPDATE SKIP LOCKED',
  'VALUES (1) FOR UPDATE',
  'INSERT INTO account SELECT DISTINCT id + 50, owner, 1 FROM account FOR UPDATE',
  'DELETE FROM job WHERE id IN (SELECT id FROM job GROUP BY id FOR UPDATE)',
  'SELECT id FROM account UNION (SELECT id FROM job ORDER BY id LIMIT 1 FOR UPDATE) ORDER BY 1',
];

/** Queries in which PostgreSQL refuses them because of the plan. */
const forbiddenByPlan = [
  'SELECT count(*) FROM account FOR UPDATE',
  'SELECT id, row_number() OVER (ORDER BY id) FROM account FOR UPDATE',
  'SELECT o.id, a.id FROM owner o LEFT JOIN account a ON a.owner = o.id AND a.balance < 0 ORDER BY 1 FOR UPDATE',
];

suite('row locks', (test) => {
  let proxied: Proxied;
  const reader = testRole('reader');
  test.before(async () => {
    proxied = await startFilled();
    await proxied.database.query(
      `${createRole(reader)} GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader.name}`,
    );
    // directly, locks need the right to write
    await proxied.twin.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${reader.name}`);
  });
  test.after(async () => {
    for (const { query } of [proxied.twin, proxied.database])
      await query(`DROP OWNED BY ${reader.name}`);
    await proxied.database.query(`DROP ROLE ${reader.name}`);
    await proxied.stop();
  });

  for (const [name, statements] of Object.entries({
    ...patterns,
    'where PostgreSQL refuses them': [...forbidden, ...forbiddenByPlan],
  })) {
    for (const role of [null, reader]) {
      test(`${name}, by ${role ? 'who may only read' : 'who may do all'}`, async () => {
        const session = await proxied.daemon.newSession({ reads: 'staged' });
        await assertSameAs(proxied, role, session, [...stage, ...statements]);
      });
    }
  }

  test('parameters, in a transaction', async () => {
    await proxied.twin.query(fill);
    const texts = [
      'SELECT id, $1::text AS given FROM account WHERE balance > $2 ORDER BY id LIMIT $3 OFFSET $4 FOR UPDATE',
      'SELECT id, $1 || name AS given FROM owner WHERE id < $2 OFFSET ($4) ROWS FETCH FIRST $3 ROWS ONLY FOR SHARE',
      'SELECT id, $1 AS given FROM job WHERE id <> $2 ORDER BY 1 FOR UPDATE SKIP LOCKED OFFSET $4 LIMIT $3',
      'SELECT id, $1::text FROM job AS "a b" WHERE id <> $2 AND $3 > 0 AND $4 > 0 ORDER BY "a b".state, id DESC FOR UPDATE',
    ];
    const urls = [await proxied.session('staged'), proxied.twin.url];
    const [staged, direct] = await Promise.all(
      urls.map(async (url) => {
        const client = await proxied.connect(url);
        await client.query(`BEGIN; ${stage.join('; ')}`);
        const given = texts.flatMap((text, index) =>
          [text, text].map((each) => ({ text: each, name: index > 1 ? `p${index}` : '' })),
        );
        const results = [];
        for (const { text, name } of given)
          results.push((await client.query({ text, name, values: ['x', 2, 2, 1] })).rows);
        await client.query('ROLLBACK');
        for (const { text, name } of given)
          results.push((await client.query({ text, name, values: ['x', 2, 2, 1] })).rows);
        return results;
      }),
    );
    assert.equal(staged, direct);
  });

  test('nothing is locked in production, nor does it wait for locks there', async () => {
    const holder = await proxied.connect(proxied.database.url);
    await holder.query('BEGIN; SELECT FROM account FOR UPDATE; UPDATE job SET state = state');
    const client = await proxied.connect(await proxied.session('staged'));
    const pid = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    await client.query('BEGIN');
    for (const statements of Object.values(patterns)) {
      for (const text of statements) await client.query(text);
    }
    const locks = await proxied.database.query<{ mode: string }>(
      `SELECT DISTINCT mode FROM pg_locks WHERE pid = $1 AND relation::regclass::text IN ('account', 'owner', 'job')`,
      [pid],
    );
    await holder.query('ROLLBACK');
    await holder.query('SELECT FROM account, job, owner FOR UPDATE NOWAIT');
    assert.equal(locks, [{ mode: 'AccessShareLock' }]);
    await client.query('ROLLBACK');
  });

  test('from psql', async () => {
    needProgram('psql');
    await proxied.twin.query(fill);
    const script = [
      'BEGIN',
      lock,
      spend,
      'SELECT id FROM job ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED',
      take,
      'COMMIT',
      'SELECT * FROM account ORDER BY id FOR SHARE',
    ].flatMap((text) => ['-c', text]);
    const urls = [await proxied.session('staged'), proxied.twin.url];
    const [staged, direct] = await Promise.all(
      urls.map((url) => promisify(execFile)('psql', ['-X', '-A', ...script, url])),
    );
    assert.equal(staged, direct);
  });

  test('a cursor and a prepared statement that lock', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const query = { name: 'locks', text: 'SELECT balance FROM account WHERE id = $1 FOR UPDATE' };
    for (const begin of ['BEGIN', 'BEGIN READ ONLY']) {
      await client.query(begin);
      assert.equal((await client.query({ ...query, values: [1] })).rows, [{ balance: 100 }]);
      await client.query('DECLARE c CURSOR FOR SELECT id FROM job ORDER BY id FOR UPDATE');
      assert.equal((await client.query('FETCH 2 FROM c')).rows, [{ id: 1 }, { id: 2 }]);
      const error = await rejects(client.query('UPDATE job SET state = $$x$$ WHERE CURRENT OF c'));
      assert.is(error.code, '0A000');
      await client.query('ROLLBACK');
    }
  });

  test('are kept of a table that had children once', async () => {
    await proxied.database.query(`CREATE TABLE lone (id int PRIMARY KEY); INSERT INTO lone VALUES (1);
      CREATE TABLE child () INHERITS (lone); DROP TABLE child`);
    const url = await proxied.session('staged');
    const [holder, other] = [await proxied.connect(url), await proxied.connect(url)];
    await Promise.all([holder, other].map((client) => client.query('BEGIN')));
    await holder.query('SELECT FROM lone FOR UPDATE');
    assert.is((await rejects(other.query('SELECT FROM lone FOR UPDATE NOWAIT'))).code, '55P03');
    await holder.query('ROLLBACK');
  });
});
