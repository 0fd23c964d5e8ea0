/** Foreign keys of single partitions, in both directions, apply to their rows that are staged through the root. */
import { backend } from '../../src/wire/message-codes.ts';
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, exchange, h, p, q, runScript, s } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/keys-of-partitions.sql');

suite('foreign keys of single partitions', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const both = async (text: string) => {
    for (const { query } of [proxied.database, proxied.twin]) await query(text);
  };

  approveStories(test, () => proxied, steps);

  test('what partitions get, and partitions that come, while overlays are there', async () => {
    await both(`INSERT INTO receipt VALUES (70), (71);
      INSERT INTO "Payment" (d, id, receipt) VALUES (101, 1, 70), (102, 1, 71);
      ALTER TABLE p_rest ADD FOREIGN KEY (receipt) REFERENCES receipt NOT VALID`);
    const remove = 'DELETE FROM receipt WHERE id = 70';
    await assertAlike(proxied, [q('INSERT INTO "Payment" (d, id, receipt) VALUES (99, 1, 72)')]);
    await assertAlike(proxied, [q(remove)]);
    await both(`ALTER TABLE "Payment" DETACH PARTITION p_rest;
      CREATE TABLE p_more PARTITION OF "Payment" FOR VALUES FROM (101) TO (102);
      WITH gone AS (DELETE FROM p_rest WHERE d = 101 RETURNING *) INSERT INTO p_more (d, id, receipt) SELECT d, id, receipt FROM gone;
      ALTER TABLE "Payment" ATTACH PARTITION p_rest DEFAULT`);
    await assertAlike(proxied, [q(remove), q('DELETE FROM receipt WHERE id = 71')]);
  });

  test('a new partition takes staged values away from the default one', async () => {
    await proxied.database.query('INSERT INTO receipt VALUES (400), (401)');
    const session = await proxied.daemon.newSession();
    const client = await proxied.wire(proxied.daemon.clientUrl(session));
    const errors = async (...messages: Buffer[]) => {
      const answers = await exchange(client, ...messages);
      return answers.filter((answer) => answer.startsWith('E'));
    };
    const before = `INSERT INTO "Payment" (d, id, receipt) VALUES (400, 1, 400); DELETE FROM receipt WHERE id = 401`;
    assert.equal(await errors(q(before)), []);
    assert.match(String(await errors(q('DELETE FROM receipt WHERE id = 400'))), / C=23503 /);
    // bound before the partition comes, and executed after it
    client.send(p('DELETE FROM receipt WHERE id = 400'), b(), h);
    await client.readTo(backend.bindComplete);
    const taken = 'CREATE TABLE p_taken PARTITION OF "Payment" FOR VALUES FROM (400) TO (401)';
    await proxied.database.query(taken);
    assert.equal(await errors(e(), s), []);
    client.close();
    await proxied.daemon.call('POST', `/sessions/${session}/propose`);
    const answer = await proxied.daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(answer.status, 200, answer.text);
  });

  test('what hangs on a row that is taken out of a session', async () => {
    await both(`INSERT INTO rental VALUES (300), (301);
      INSERT INTO "Payment" (d, id, rental) VALUES (9, 300, 300)`);
    const session = await proxied.daemon.newSession();
    const answers = await runScript(proxied.daemon.clientUrl(session), [
      q('UPDATE "Payment" SET d = 103 WHERE id = 300'),
      q('DELETE FROM rental WHERE id IN (300, 301)'),
    ]);
    assert.equal(
      answers.filter((answer) => answer.startsWith('E')),
      [],
    );
    const call = async (method: string, path: string, json?: object) =>
      (await proxied.daemon.call(method, `/sessions/${session}/${path}`, json && { json })).body;
    const { tables } = await call('GET', 'diff');
    const rows = [{ table: 'Payment', row_id: tables.Payment.changes[0].row_id }];
    await call('POST', 'unstage', { rows, with_dependents: true });
    const left = (await call('GET', 'diff')).tables;
    assert.equal([Object.keys(left), left.rental.changes[0].row_id], [['rental'], 301]);
  });
});
