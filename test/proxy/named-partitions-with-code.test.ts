/** Triggers fire for statements that name a partition of their table, as PostgreSQL has them; approval makes the same tables. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { data, done, q } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/named-partitions-with-code.sql');

suite('named partitions with code', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('COPY', async () => {
    const rows = ['31\t2026-01-31\tCopied\n', '31\t2026-02-03\tCopied\n', '32\t2026-01-31\tmove\n'];
    await assertAlike(
      proxied,
      rows.flatMap((row) => [q('COPY events_1 (id, day, title) FROM STDIN'), data(row), done]),
    );
  });

  test('rows of a partition with triggers of statements keep those of owners from firing', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const made = async (name: string, id: number) => {
      const { rows } = await client.query(
        `INSERT INTO ${name} (id, num, w) VALUES (${id}, 1, 'w') RETURNING w`,
      );
      return rows[0]?.w;
    };
    assert.equal(await made('owned_1', 70), 'w named_partitions_owner owned_1');
    assert.equal(await made('owned_3', 270), 'w');
    assert.equal(await made('owned_1', 71), 'w');
  });
});
