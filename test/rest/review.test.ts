/** POST propose, approve, reject: every field, every error. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const raisePrice = `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01'`;

suite('rest: propose', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  test('makes an active session proposed', async () => {
    const id = await rest.newSession();
    await rest.write(id, raisePrice);
    const { status, body } = await rest.call('POST', `/sessions/${id}/propose`);
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.id, id);
    assert.is(body.status, 'proposed');
    assert.is(body.mutation_count, 1);
    assert.match(body.proposed_at, time);
    const shown = (await rest.call('GET', `/sessions/${id}`)).body;
    assert.is(shown.status, 'proposed');
    assert.is(shown.mutation_count, 1);
    assert.is(shown.proposed_at, body.proposed_at);
  });

  test('after that the session takes no more writes', async () => {
    const id = await rest.newSession();
    await rest.write(id, raisePrice);
    await rest.call('POST', `/sessions/${id}/propose`);
    const error = await rest.write(id, raisePrice).catch((failure: { code: string }) => failure);
    assert.is(error?.code, '25006');
    assert.is((await rest.call('GET', `/sessions/${id}`)).body.mutation_count, 1);
  });

  test('takes no body, an empty object, and nothing else', async () => {
    const id = await rest.newSession();
    assert.is((await rest.call('POST', `/sessions/${id}/propose`, { json: {} })).status, 200);
    const other = await rest.newSession();
    const { status, body } = await rest.call('POST', `/sessions/${other}/propose`, { json: [] });
    assert.is(status, 400);
    assert.is(body.error, 'invalid_request');
  });
});

suite('rest: approve', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const proposed = async (statement: string) => {
    const id = await rest.newSession({ project_id: 'shop' });
    await rest.write(id, statement);
    await rest.call('POST', `/sessions/${id}/propose`);
    return id;
  };
  const counters = async () =>
    (await rest.metrics.render()).text.match(/^service_\w+_total\b.*$/gm);
  const price = async (sku: string) =>
    (
      await rest.database.query<{ price: string }>('SELECT price FROM products WHERE sku = $1', [
        sku,
      ])
    )[0]?.price;

  test('applies everything to production and tells when and by whom', async () => {
    const id = await proposed(`UPDATE products SET price = 20.25 WHERE sku = 'TEE-M'`);
    assert.is(await price('TEE-M'), '19.00');
    const { status, body } = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { approved_by: 'mira' },
    });
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.id, id);
    assert.is(body.status, 'approved');
    assert.is(body.mutation_count, 1);
    assert.match(body.approved_at, time);
    assert.is(body.applied_at, body.approved_at);
    assert.is(body.approved_by, 'mira');
    assert.is(await price('TEE-M'), '20.25');
    const shown = (await rest.call('GET', `/sessions/${id}`)).body;
    assert.is(shown.status, 'approved');
    assert.is(shown.approved_by, 'mira');
    assert.is(shown.mutation_count, 1);
  });

  test('needs no body', async () => {
    const id = await proposed(`UPDATE products SET price = 15 WHERE sku = 'BAG-01'`);
    const { status, body } = await rest.call('POST', `/sessions/${id}/approve`);
    assert.is(status, 200);
    assert.is(body.approved_by, null);
  });

  for (const body of [
    { approved_by: 5 },
    { approved_by: {} },
    { approved_by: '' },
    { approved_by: 'a\u001b[31mb' },
    { approved_by: 'a\nb' },
    { approved_by: 'x'.repeat(201) },
    { digest: 'sha256:zz' },
    { digest: 5 },
  ]) {
    test(`refuses ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const id = await proposed(raisePrice);
      const answer = await rest.call('POST', `/sessions/${id}/approve`, { json: body });
      assert.is(answer.status, 400);
      assert.is(answer.body.error, 'invalid_request');
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
      await rest.call('POST', `/sessions/${id}/reject`);
    });
  }

  test('with the digest of the diff as it is', async () => {
    const id = await proposed(`UPDATE products SET price = 7.25 WHERE sku = 'PEN-10'`);
    const { digest } = (await rest.call('GET', `/sessions/${id}/diff`)).body;
    assert.match(digest, /^sha256:[0-9a-f]{64}$/);
    const stale = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { digest: `sha256:${'0'.repeat(64)}` },
    });
    assert.is(stale.status, 412);
    assert.is(stale.body.error, 'digest_mismatch');
    assert.is(await price('PEN-10'), '6.99');
    assert.is(
      (await rest.call('POST', `/sessions/${id}/approve`, { json: { digest } })).status,
      200,
    );
    assert.is(await price('PEN-10'), '7.25');
  });

  test('a repeated approve of the same diff answers the same, and counts once', async () => {
    const id = await proposed(`UPDATE products SET stock = 1 WHERE sku = 'TEE-L'`);
    const { digest } = (await rest.call('GET', `/sessions/${id}/diff`)).body;
    const first = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { approved_by: 'a', digest },
    });
    const before = await counters();
    const again = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { approved_by: 'b', digest },
    });
    assert.is(again.status, 200);
    assert.equal(again.body, first.body);
    assert.equal(await counters(), before);
  });

  test('answers 409 with every conflict when production has changed, and applies nothing', async () => {
    const id = await proposed(`UPDATE products SET stock = 5, name = 'Cup' WHERE sku = 'MUG-01'`);
    await rest.database.query(`UPDATE products SET stock = 77 WHERE sku = 'MUG-01'`);
    const { status, body } = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { approved_by: 'mira' },
    });
    assert.is(status, 409);
    assert.is(body.error, 'conflict_detected');
    assert.match(body.message, /production data changed|production data has changed/i);
    assert.is(body.conflicts.length, 1);
    const [conflict] = body.conflicts;
    assert.is(conflict.table, 'products');
    assert.is(conflict.row_id, 1);
    assert.is(conflict.field, 'stock');
    assert.is(conflict.session_base, 120);
    assert.is(conflict.session_new, 5);
    assert.is(conflict.production_current, 77);
    const [row] = await rest.database.query<{ stock: number; name: string }>(
      `SELECT stock, name FROM products WHERE sku = 'MUG-01'`,
    );
    assert.equal(row, { stock: 77, name: 'Coffee mug' });
    assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
    const check = (await rest.call('GET', `/sessions/${id}/conflicts`)).body;
    assert.is(check.session_id, id);
    assert.equal(check.conflicts, body.conflicts);
    assert.is((await rest.call('POST', `/sessions/${id}/reject`)).status, 200);
  });

  test('answers 409 apply_failed when production refuses a row, and applies nothing', async () => {
    const id = await proposed(
      `INSERT INTO customers (email, name) VALUES ('new@example.com', 'New')`,
    );
    await rest.database.query(
      `INSERT INTO customers (email, name) VALUES ('new@example.com', 'Other')`,
    );
    const { status, body } = await rest.call('POST', `/sessions/${id}/approve`);
    assert.is(status, 409);
    assert.ok(['apply_failed', 'conflict_detected'].includes(body.error), body.error);
    if (body.error === 'apply_failed') {
      assert.is(body.sqlstate, '23505');
      assert.is(body.table, 'customers');
      assert.is(body.constraint, 'customers_email_key');
    }
    assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
  });
});

suite('rest: reject', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const proposed = async () => {
    const id = await rest.newSession();
    await rest.write(id, raisePrice);
    await rest.call('POST', `/sessions/${id}/propose`);
    return id;
  };

  test('discards everything and tells when and why', async () => {
    const id = await proposed();
    const { status, body } = await rest.call('POST', `/sessions/${id}/reject`, {
      json: { reason: 'wrong\nprice' },
    });
    assert.is(status, 200);
    assert.is(body.session_id, id);
    assert.is(body.id, id);
    assert.is(body.status, 'rejected');
    assert.match(body.rejected_at, time);
    assert.is(body.reason, 'wrong\nprice');
    const [row] = await rest.database.query<{ price: string }>(
      `SELECT price FROM products WHERE sku = 'MUG-01'`,
    );
    assert.is(row?.price, '9.50');
    assert.equal((await rest.call('GET', `/sessions/${id}/diff`)).body.tables, {});
    assert.equal((await rest.call('GET', `/sessions/${id}/mutations`)).body.mutations, []);
  });

  test('needs no body', async () => {
    const { status, body } = await rest.call('POST', `/sessions/${await proposed()}/reject`);
    assert.is(status, 200);
    assert.is(body.reason, null);
  });

  for (const reason of [5, {}, 'x'.repeat(2001), 'a\u0000b', 'a\u001bb']) {
    test(`refuses the reason ${JSON.stringify(reason).slice(0, 20)}`, async () => {
      const { status, body } = await rest.call('POST', `/sessions/${await proposed()}/reject`, {
        json: { reason },
      });
      assert.is(status, 400);
      assert.is(body.error, 'invalid_request');
    });
  }
});
