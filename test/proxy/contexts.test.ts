/** The context of an error or a notice of a staged write, where it comes from the client's own objects. */
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, p, q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int, j json, v int DEFAULT 1 CHECK (v > 0));
CREATE FUNCTION checked(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'checking %', n;
  IF n > 5 THEN RAISE EXCEPTION 'too much: %', n; END IF;
  RETURN 10 / n;
END $$;
CREATE FUNCTION twice(n int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT checked(n) + 10 / (n - 1)';
`;

const upsert = 'INSERT INTO item (id) VALUES (1) ON CONFLICT (id) DO UPDATE';
const merge =
  'MERGE INTO item USING (SELECT $1::int AS i) x ON item.id = x.i WHEN MATCHED THEN UPDATE SET n = $2';

const batches: readonly (readonly Buffer[])[] = [
  [p('INSERT INTO item (id, n) VALUES ($1, checked($2))'), b(['2', '2']), e(), s],
  [p('UPDATE item SET n = checked($1)'), b(['7']), e(), s],
  [q('UPDATE item SET n = checked(id + 7)')],
  [q('INSERT INTO item (id, n) VALUES (3, checked(0))')],
  [q('DELETE FROM item WHERE twice(id) > 1')],
  [q(`INSERT INTO item (id, j) VALUES (4, '{"a": }')`)],
  [q('INSERT INTO item (id, n) SELECT g, checked(g + 4) FROM generate_series(1, 2) g')],
  [q('INSERT INTO item (id, v) VALUES (5, 0)')],
  [q('INSERT INTO item (id) VALUES (1), (1)')],
  [run('INSERT INTO item (id, n) VALUES ($1, $2)', '5', 'x'), s],
  [p('UPDATE item SET n = $2 WHERE id = $1', 'up'), b(['1', 'x'], 'up', 'po'), e(0, 'po'), s],
  [q('BEGIN'), run('UPDATE item SET j = $1', '{"a": }'), s, q('ROLLBACK')],
  [run('DELETE FROM item WHERE j::text = $1', Buffer.from([0xff])), s],
  [run('DELETE FROM item WHERE id = $1', Buffer.from([1])), s],
  [run(`${upsert} SET v = $1 WHERE item.n = $2`, '1', 'x'), s],
  [run(merge, '1', 'x'), s],
  [q('BEGIN'), run('SELECT * FROM item WHERE id = $1 FOR UPDATE', 'x'), s, q('ROLLBACK')],
];

suite('contexts of errors', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('are those of PostgreSQL', async () => {
    const reported = async (url: string) => {
      const client = await proxied.wire(url);
      const contexts: string[] = [];
      for (const batch of batches) {
        client.send(...batch);
        const turns = batch.filter(
          (message) => message.equals(s) || message[0] === frontend.query,
        ).length;
        for (const { type, payload } of await client.readTo(backend.readyForQuery, turns)) {
          if (type !== backend.errorResponse && type !== backend.noticeResponse) continue;
          const fields = decodeErrorFields(payload);
          contexts.push(`${fields.get('M')}: ${fields.get('W')}`);
        }
      }
      return contexts;
    };
    const direct = await reported(proxied.twin.url);
    assert.equal(await reported(await proxied.session('staged')), direct);
  });
});
