/** An error in the commit check: a write is not acknowledged when the check fails its transaction. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('the commit check', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('CREATE TABLE item (id int PRIMARY KEY)');
  });
  test.after(async () => {
    await proxied.stop();
  });

  test('acknowledges nothing that an error in it has rolled back', async () => {
    await proxied.database.query(
      `CREATE SEQUENCE looks;
       CREATE OR REPLACE FUNCTION stage.catalog_writes() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN
         IF nextval('public.looks') = 2 THEN RAISE EXCEPTION USING MESSAGE = 'no answer', ERRCODE = '57014'; END IF;
         RETURN 0; END$$`,
    );
    const client = await proxied.connect(await proxied.session('staged'));
    const reported: string[] = [];
    for (const id of [1, 2, 3]) {
      const insert = client.query(`INSERT INTO item VALUES (${id})`);
      const outcome = await insert.then(
        () => 'acknowledged',
        ({ code }: { code: string }) => code,
      );
      reported.push(outcome);
    }
    const { rows } = await client.query<{ id: number }>('SELECT id FROM item ORDER BY id');
    const acknowledged = [1, 2, 3].filter((id) => reported[id - 1] === 'acknowledged');
    assert.equal(
      rows.map(({ id }) => id),
      acknowledged,
    );
    assert.equal(reported, ['acknowledged', '57014', 'acknowledged']);
  });
});
