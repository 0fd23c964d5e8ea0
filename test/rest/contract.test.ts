/** Every response matches the OpenAPI document, member for member. */
import type { z } from 'zod';
import * as audits from '../../src/rest/schemas/audit.ts';
import { sessionList } from '../../src/rest/schemas/card.ts';
import * as pages from '../../src/rest/schemas/diff-pages.ts';
import * as outputs from '../../src/rest/schemas/outputs.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: answers and their schemas', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  /** Parsing removes members that the schema does not name: the result must equal the body. */
  const holds = (schema: z.ZodType, body: unknown) => assert.equal(schema.parse(body), body);

  const staged = async (project = 'contract') => {
    const id = await rest.newSession({ project_id: project, metadata: { a: [1] } });
    await rest.write(id, `UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
    await rest.write(id, 'DELETE FROM order_items WHERE order_id = 1 AND product_id = 5');
    await rest.write(id, `INSERT INTO customers (email, name) VALUES ('c@x', 'C')`);
    return id;
  };

  test('of a session on its way to approval', async () => {
    const id = await staged();
    holds(outputs.session, (await rest.call('GET', `/sessions/${id}`)).body);
    holds(outputs.diff, (await rest.call('GET', `/sessions/${id}/diff`)).body);
    holds(pages.outline, (await rest.call('GET', `/sessions/${id}/diff/outline`)).body);
    const page = await rest.call('GET', `/sessions/${id}/diff/changes?table=products`);
    holds(pages.changePage, page.body);
    holds(outputs.mutationList, (await rest.call('GET', `/sessions/${id}/mutations`)).body);
    holds(outputs.conflictList, (await rest.call('GET', `/sessions/${id}/conflicts`)).body);
    holds(outputs.session, (await rest.call('POST', `/sessions/${id}/propose`)).body);
    const approved = await rest.call('POST', `/sessions/${id}/approve`, {
      json: { approved_by: 'a' },
    });
    holds(outputs.session, approved.body);
    const audit = (await rest.call('GET', '/audit?project_id=contract')).body;
    holds(audits.auditList, audit);
    assert.is(audit.total_count, 3);
    holds(audits.auditEntry, (await rest.call('GET', `/audit/${audit.entries[0].id}`)).body);
    holds(audits.auditEnd, (await rest.call('GET', '/audit/head')).body);
    holds(audits.auditVerdict, (await rest.call('GET', '/audit/verify')).body);
  });

  test('of a session in conflict, rejected, and of one deleted', async () => {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET stock = 1 WHERE sku = 'TEE-L'`);
    await rest.database.query(`UPDATE products SET stock = 2, name = 'Tee' WHERE sku = 'TEE-L'`);
    await rest.call('POST', `/sessions/${id}/propose`);
    const conflicts = (await rest.call('GET', `/sessions/${id}/conflicts`)).body;
    holds(outputs.conflictList, conflicts);
    assert.is(conflicts.total_count, 2);
    holds(outputs.failure, (await rest.call('POST', `/sessions/${id}/approve`)).body);
    holds(outputs.session, (await rest.call('POST', `/sessions/${id}/reject`)).body);
    const other = await rest.newSession();
    holds(outputs.deletedSession, (await rest.call('DELETE', `/sessions/${other}`)).body);
    holds(sessionList, (await rest.call('GET', '/sessions')).body);
  });

  test('of operations, and of errors', async () => {
    holds(outputs.health, (await rest.call('GET', '/health')).body);
    holds(outputs.probe, (await rest.call('GET', '/livez')).body);
    holds(outputs.info, (await rest.call('GET', '/info')).body);
    holds(outputs.tokenList, (await rest.call('GET', '/tokens')).body);
    for (const path of ['/nothing', '/sessions/x', '/audit', '/sessions?limit=x']) {
      const { body } = await rest.call('GET', path);
      holds(outputs.failure, body);
      assert.type(body.hint, 'string', path);
    }
  });
});
