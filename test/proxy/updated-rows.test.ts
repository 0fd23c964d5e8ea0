/** Updates of AFTER triggers while staging, in review: causes, conflicts, ties, rehearsals and differences. */
import type { JsonObject } from '../../src/model/json.ts';
import { asking } from '../helpers/asking.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { schema } from './counting-schema.ts';

suite('rows that triggers updated while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged', conflict_scope: 'column' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const ask = asking(() => proxied);
  const orders = (row_id: number, table = 'orders') => ({ table, row_id });
  const conflicts = async (id: string) =>
    (
      (await ask('GET', `/sessions/${id}/conflicts`))['conflicts'] as {
        table: string;
        field: string;
      }[]
    ).map(({ table, field }) => [table, field]);

  test('are named as causes beside the client', async () => {
    const { id, client } = await open();
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await client.query('INSERT INTO lines VALUES (900, 90, 1), (901, 91, 2)');
    const { changes } = await ask('GET', `/sessions/${id}/diff/changes?table=orders&why=true`);
    assert.equal(
      (changes as { row_id: number; type: string; why: JsonObject[] }[]).map((change) => [
        change.row_id,
        change.type,
        change.why.map(({ origin, trigger }) => trigger ?? origin),
      ]),
      [
        [90, 'UPDATE', ['client', 'sum_lines']],
        [91, 'UPDATE', ['sum_lines']],
      ],
    );
    const { steps } = await ask('GET', `/sessions/${id}/diff/steps`);
    assert.equal(
      (steps as JsonObject[]).map(({ table }) => table),
      ['orders', 'lines', 'lines'],
    );
  });

  test('add to what production has by now, without a conflict', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO lines VALUES (910, 90, 1), (911, 91, 2)');
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await proxied.database.query('UPDATE orders SET total = total + 100');
    assert.equal(await conflicts(id), []);
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`);
    const found = await proxied.database.query(
      'SELECT id, status, total FROM orders WHERE id >= 90 ORDER BY id',
    );
    assert.equal(found, [
      { id: 90, status: 'sent', total: 101 },
      { id: 91, status: 'new', total: 102 },
    ]);
    await proxied.database.query(
      "DELETE FROM lines WHERE id > 900; UPDATE orders SET total = 0, status = 'new' WHERE id >= 90",
    );
  });

  test('are in no conflict in sessions that compare whole rows', async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    await client.query('INSERT INTO lines VALUES (910, 90, 1), (911, 91, 2)');
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await proxied.database.query('UPDATE orders SET total = 5 WHERE id = 91');
    assert.equal(await conflicts(id), []);
    await proxied.database.query('UPDATE orders SET total = 0 WHERE id = 91');
  });

  test('leave conflicts of the columns that the client changed', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO lines VALUES (910, 90, 1)');
    await client.query('UPDATE orders SET total = total + 7 WHERE id = 90');
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 91");
    await client.query('INSERT INTO lines VALUES (911, 91, 1)');
    await client.query("UPDATE orders SET status = 'back' WHERE id = 91");
    const change = "UPDATE orders SET total = 3, status = 'prod' WHERE id >= 90";
    await proxied.database.query(change);
    assert.equal(await conflicts(id), [
      ['orders', 'total'],
      ['orders', 'status'],
    ]);
    await proxied.database.query("UPDATE orders SET total = 0, status = 'new' WHERE id >= 90");
  });

  test('leave conflicts of columns that the client set back', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO lines VALUES (910, 90, 5), (911, 91, 5)');
    await client.query('UPDATE orders SET total = 0 WHERE id = 90');
    await client.query("UPDATE orders SET status = 'sent', total = total WHERE id = 91");
    await proxied.database.query('UPDATE orders SET total = 100 WHERE id >= 90');
    assert.equal(await conflicts(id), [['orders', 'total']]);
    await ask('POST', `/sessions/${id}/resolve`, { all: 'mine' });
    assert.equal(await conflicts(id), []);
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`);
    assert.equal(
      await proxied.database.query(
        'SELECT id, status, total FROM orders WHERE id >= 90 ORDER BY id',
      ),
      [
        { id: 90, status: 'new', total: 0 },
        { id: 91, status: 'sent', total: 105 },
      ],
    );
    await proxied.database.query(
      "DELETE FROM lines WHERE id > 900; UPDATE orders SET total = 0, status = 'new' WHERE id >= 90",
    );
  });

  test('keep the columns of the client after a conflict is resolved', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO lines VALUES (910, 90, 1)');
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await client.query('INSERT INTO lines VALUES (911, 90, 2)');
    await proxied.database.query("UPDATE orders SET total = 50, status = 'prod' WHERE id = 90");
    await ask('POST', `/sessions/${id}/resolve`, { all: 'mine' });
    assert.equal(await conflicts(id), []);
    await ask('POST', `/sessions/${id}/propose`);
    await ask('POST', `/sessions/${id}/approve`);
    assert.equal(await proxied.database.query('SELECT status, total FROM orders WHERE id = 90'), [
      { status: 'sent', total: 53 },
    ]);
    await proxied.database.query(
      "DELETE FROM lines WHERE id > 900; UPDATE orders SET total = 0, status = 'new' WHERE id >= 90",
    );
  });

  test('tie what they changed to the rows for which they did', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO lines VALUES (910, 90, 1), (911, 91, 2), (912, 91, 3)');
    const rows = [orders(912, 'lines')];
    const { dependents } = await ask('POST', `/sessions/${id}/unstage`, { rows }, 409);
    assert.equal(
      (dependents as { table: string; row_id: number }[]).map(({ table, row_id }) => [
        table,
        row_id,
      ]),
      [
        ['lines', 911],
        ['orders', 91],
        ['search', 91],
      ],
    );
    await ask('POST', `/sessions/${id}/unstage`, { rows, with_dependents: true });
    assert.equal(
      (await client.query('SELECT id, total FROM orders WHERE id >= 90 ORDER BY 1')).rows,
      [
        { id: 90, total: 1 },
        { id: 91, total: 0 },
      ],
    );
    await client.query('INSERT INTO lines VALUES (913, 91, 4)');
    const part = await ask(
      'POST',
      `/sessions/${id}/split`,
      { only: [orders(913, 'lines')], with_ties: true },
      201,
    );
    assert.equal(
      (await client.query('SELECT id, total FROM orders WHERE id >= 90 ORDER BY 1')).rows,
      [
        { id: 90, total: 1 },
        { id: 91, total: 0 },
      ],
    );
    for (const each of [id, String(part['id'])]) {
      await ask('POST', `/sessions/${each}/propose`);
      await ask('POST', `/sessions/${each}/approve`);
    }
    assert.equal(
      await proxied.database.query('SELECT id, total FROM orders WHERE id >= 90 ORDER BY 1'),
      [
        { id: 90, total: 1 },
        { id: 91, total: 4 },
      ],
    );
    await proxied.database.query('DELETE FROM lines WHERE id > 900');
  });

  test('are rehearsed as side effects, but for rows of the session', async () => {
    const { id, client } = await open();
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await client.query('INSERT INTO lines VALUES (910, 90, 1), (911, 91, 2)');
    await ask('POST', `/sessions/${id}/propose`);
    const { differs, side_effects } = await ask('POST', `/sessions/${id}/rehearse`, {});
    assert.equal(differs, []);
    assert.equal(
      (side_effects as JsonObject[]).map(({ table, updates }) => [table, updates]),
      [
        ['orders', 1],
        ['search', 2],
      ],
    );
  });

  test('are reported where the trigger is disabled before approval', async () => {
    const { id, client } = await open();
    await client.query("UPDATE orders SET status = 'sent' WHERE id = 90");
    await client.query('INSERT INTO lines VALUES (910, 90, 1), (911, 91, 2)');
    await proxied.database.query('ALTER TABLE lines DISABLE TRIGGER sum_lines');
    await ask('POST', `/sessions/${id}/propose`);
    const { differences } = await ask('POST', `/sessions/${id}/rehearse`, {});
    const rows = (differences as { rows: JsonObject[] }).rows.filter(
      ({ field }) => field === 'total',
    );
    assert.equal(
      rows.map(({ table, row_id, field, staged, landed }) => [
        table,
        row_id,
        field,
        staged,
        landed,
      ]),
      [
        ['orders', 90, 'total', 1, 0],
        ['orders', 91, 'total', 2, 0],
      ],
    );
    await proxied.database.query('ALTER TABLE lines ENABLE TRIGGER sum_lines');
  });

  test('change rows that they inserted, and that the client changed', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO orders (id, customer) VALUES (95, 2)');
    await client.query('INSERT INTO lines VALUES (950, 95, 5)');
    const words = 'SELECT words FROM search WHERE order_id = 95';
    assert.equal((await client.query(words)).rows, [{ words: 'new 5 2' }]);
    await client.query("UPDATE search SET words = words || ' by hand'");
    assert.equal((await client.query(words)).rows, [{ words: 'new 5 2 by hand' }]);
    await client.query("UPDATE orders SET status = 'x' WHERE id IN (90, 95)");
    assert.equal((await client.query(words)).rows, [{ words: 'x 5 1' }]);
    await client.query('UPDATE search SET words = upper(words) WHERE order_id = 95');
    for (const step of ['propose', 'approve']) await ask('POST', `/sessions/${id}/${step}`);
    assert.equal(await proxied.database.query(words), [{ words: 'X 5 1' }]);
  });
});
