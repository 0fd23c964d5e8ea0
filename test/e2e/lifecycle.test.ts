/** The main task with common clients: stage, see production unchanged, review, approve, find the rows in production and the audit. */
import pg from 'pg';
import postgres from 'postgres';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { psql } from '../helpers/login-server.ts';
import { hasProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Three statements of one client: an INSERT, an UPDATE that returns rows, a DELETE. */
interface Client {
  readonly name: string;
  stage(url: string): Promise<{ readonly email: string; readonly updated: number }>;
}

const insert = `INSERT INTO customers (email, name) VALUES ('new@example.com', 'New') RETURNING email`;
const update = `UPDATE products SET stock = stock - 1 WHERE sku LIKE 'TEE%' RETURNING sku`;
const remove = 'DELETE FROM order_items WHERE order_id = 3 AND product_id = 1';

const clients: readonly Client[] = [
  {
    name: 'psql',
    async stage(url) {
      const { out } = await psql(url, `${insert}; ${update}; ${remove}`);
      const lines = out
        .trim()
        .split('\n')
        .map((line) => line.trim());
      return {
        email: lines[0] ?? '',
        updated: lines.filter((line) => line.startsWith('TEE')).length,
      };
    },
  },
  {
    name: 'node-postgres',
    async stage(url) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const values = ['new@example.com', 'New'];
      const { rows } = await client.query(
        'INSERT INTO customers (email, name) VALUES ($1, $2) RETURNING email',
        values,
      );
      const { rowCount } = await client.query({
        name: 'by-sku',
        text: update.replace(`'TEE%'`, '$1'),
        values: ['TEE%'],
      });
      await client.query(remove);
      await client.end();
      return { email: rows[0].email, updated: rowCount ?? 0 };
    },
  },
  {
    name: 'postgres.js',
    async stage(url) {
      const sql = postgres(url, { max: 1 });
      const [row] =
        await sql`INSERT INTO customers ${sql({ email: 'new@example.com', name: 'New' })} RETURNING email`;
      const updated =
        await sql`UPDATE products SET stock = stock - 1 WHERE sku LIKE ${'TEE%'} RETURNING sku`;
      await sql.begin(
        (tx) => tx`DELETE FROM order_items WHERE order_id = ${3} AND product_id = ${1}`,
      );
      await sql.end();
      return { email: row?.['email'], updated: updated.length };
    },
  },
];

const production = `SELECT (SELECT count(*) FROM customers)::int AS customers,
  (SELECT sum(stock) FROM products WHERE sku LIKE 'TEE%')::int AS stock,
  (SELECT count(*) FROM order_items)::int AS items`;

// without psql on the machine, only the drivers are tested
for (const client of clients.filter(({ name }) => name !== 'psql' || hasProgram('psql'))) {
  suite(`the lifecycle with ${client.name}`, (test) => {
    let daemon: TestDaemon;
    let session: string;
    test.before(async () => {
      daemon = await startTestDaemon();
      session = await daemon.newSession({ project_id: 'shop' });
    });
    test.after(() => daemon.stop());

    test('writes are staged and production is untouched', async () => {
      const before = await daemon.database.query(production);
      assert.equal(await client.stage(daemon.clientUrl(session)), {
        email: 'new@example.com',
        updated: 2,
      });
      assert.equal(await daemon.database.query(production), before);
    });

    test('the mutation log tells the statements in order', async () => {
      const { body } = await daemon.call('GET', `/sessions/${session}/mutations`);
      assert.equal(
        body.mutations.map(({ type, table, affected_rows }: Record<string, unknown>) => [
          type,
          table,
          affected_rows,
        ]),
        [
          ['INSERT', 'customers', 1],
          ['UPDATE', 'products', 2],
          ['DELETE', 'order_items', 1],
        ],
      );
      assert.is(body.total_count, 3);
    });

    test('the diff tells the rows', async () => {
      const { body } = await daemon.call('GET', `/sessions/${session}/diff`);
      assert.equal(body.summary, {
        total_inserts: 1,
        total_updates: 2,
        total_deletes: 1,
        tables_affected: 3,
        further_changes: 0,
      });
      const [tee] = body.tables.products.changes;
      assert.is(tee.before.stock - tee.after.stock, 1);
      assert.equal(body.tables.order_items.changes[0].row_id, { order_id: 3, product_id: 1 });
    });

    test('a proposed session takes no more writes', async () => {
      const { body } = await daemon.call('POST', `/sessions/${session}/propose`);
      assert.is(body.status, 'proposed');
      const late = new pg.Client({ connectionString: daemon.clientUrl(session) });
      await late.connect();
      const code = await late.query(remove).then(
        () => null,
        (error: pg.DatabaseError) => error.code,
      );
      await late.end();
      assert.is(code, '25006');
    });

    test('approval puts everything into production and the audit', async () => {
      const [before] = await daemon.database.query<Record<string, number>>(production);
      const { body } = await daemon.call('POST', `/sessions/${session}/approve`, {
        json: { approved_by: 'ann' },
      });
      assert.is(body.status, 'approved', JSON.stringify(body));
      assert.is(body.approved_by, 'ann');
      const [after] = await daemon.database.query<Record<string, number>>(production);
      assert.equal(after, {
        customers: (before?.['customers'] ?? 0) + 1,
        stock: (before?.['stock'] ?? 0) - 2,
        items: (before?.['items'] ?? 0) - 1,
      });
      const audit = await daemon.call('GET', `/audit?project_id=shop&session_id=${session}`);
      assert.equal(
        audit.body.entries
          .map(({ operation, table_name }: Record<string, unknown>) => `${operation} ${table_name}`)
          .sort(),
        ['DELETE order_items', 'INSERT customers', 'UPDATE products', 'UPDATE products'],
      );
    });
  });
}
