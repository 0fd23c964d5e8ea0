/** Reads that see the session's staged rows merged with production's, and reads that do not. */
import type pg from 'pg';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { inWords, q } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/staged-reads.sql');

suite('staged reads', (test) => {
  let proxied: Proxied;
  let url: string;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
    url = await proxied.session('staged');
    client = await proxied.connect(url);
    await client.query(`UPDATE item SET name = 'staged' WHERE id = 1; DELETE FROM other.item`);
  });
  test.after(() => proxied.stop());

  const names = async (text: string, values: unknown[] = []) =>
    (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name);
  const queries: Record<string, [text: string, ...names: string[]]> = {
    'a query': ['SELECT name FROM item ORDER BY id', 'staged', 'two'],
    'qualified columns': [
      'SELECT public.item.name FROM public.item WHERE public.item.id = 1',
      'staged',
    ],
    'an alias': ['SELECT i.name FROM ONLY item AS i WHERE i.id = 1 FOR UPDATE OF i', 'staged'],
    'both schemas': [
      'SELECT name FROM item UNION SELECT name FROM other.item ORDER BY 1',
      'staged',
      'two',
    ],
    'a name that a WITH query takes': [
      `WITH item AS (SELECT 'with' AS name) SELECT name FROM item`,
      'with',
    ],
    'a sub-select': ['SELECT (SELECT name FROM item WHERE id = 1) AS name', 'staged'],
    TABLE: ['TABLE item ORDER BY id DESC LIMIT 1', 'two'],
  };
  for (const [name, [text, ...expected]] of Object.entries(queries)) {
    test(name, async () => {
      assert.equal(await names(text), expected, 'simple');
      assert.equal(await names(`${text} OFFSET $1`, [0]), expected, 'extended');
      await client.query('BEGIN');
      assert.equal(await names(text), expected, 'in a transaction');
      await client.query('COMMIT');
    });
  }

  test('cursors and prepared statements, also when rows are staged in between', async () => {
    await client.query('BEGIN; DECLARE c CURSOR FOR SELECT name FROM item ORDER BY id');
    assert.equal(await names('FETCH ALL c'), ['staged', 'two']);
    await client.query('COMMIT; PREPARE r AS SELECT name FROM item ORDER BY id');
    await client.query(`INSERT INTO item VALUES (0, 'new')`);
    assert.equal(await names('EXECUTE r'), ['new', 'staged', 'two']);
    const named = { name: 'n', text: 'SELECT name FROM item ORDER BY id LIMIT 1' };
    assert.equal((await client.query(named)).rows, [{ name: 'new' }]);
    await client.query('DELETE FROM item WHERE id = 0');
    assert.equal((await client.query(named)).rows, [{ name: 'staged' }]);
  });

  test('COPY to the client, of some columns too', async () => {
    const wire = await proxied.wire(url);
    wire.send(
      q('COPY item (name) TO STDOUT'),
      q('COPY item TO STDOUT'),
      q('COPY (TABLE item) TO STDOUT'),
    );
    const lines = (await wire.readTo('Z'.charCodeAt(0), 3))
      .map(inWords)
      .filter((word) => word.startsWith('d'));
    assert.equal(
      lines.map((line) => line.trim()).sort(),
      ['d 1\tstaged', 'd 1\tstaged', 'd 2\ttwo', 'd 2\ttwo', 'd staged', 'd two'].sort(),
    );
  });

  test('the default is production', async () => {
    const production = await proxied.connect(await proxied.session());
    await production.query(`UPDATE item SET name = 'mine' WHERE id = 1`);
    const { rows } = await production.query('SELECT name FROM item WHERE id = 1');
    assert.equal(rows, [{ name: 'one' }]);
    const { rows: written } = await production.query(
      'UPDATE item SET id = id WHERE id = 1 RETURNING name',
    );
    assert.equal(written, [{ name: 'mine' }]);
  });

  // they change production, so they run last
  approveStories(test, () => proxied, steps);
});
