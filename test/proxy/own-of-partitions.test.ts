/** Constraints, unique indexes and generated columns of single partitions apply to their rows that are staged through the root. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { data, done, q } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/own-of-partitions.sql');

suite('what partitions have of their own', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('COPY', async () => {
    const rows = ['31\tu\tu\t1\n', '32\tu\tu\t1\n', '13\tu\tx\t1\n', '13\tu\tu\t0\n'];
    await assertAlike(
      proxied,
      rows.flatMap((row) => [q('COPY event FROM STDIN'), data(row), done]),
    );
  });

  test('what a partition gets while a session lives', async () => {
    for (const { query } of [proxied.database, proxied.twin]) {
      await query('ALTER TABLE event_low ADD CONSTRAINT low_n CHECK (n < 90) NOT VALID');
      await query('CREATE UNIQUE INDEX low_kind ON event_low (kind, n) WHERE id = 9');
      await query('DELETE FROM growing WHERE n > 1');
      await query('CREATE UNIQUE INDEX growing_high_id ON growing_high (id)');
      await query('ALTER INDEX growing_id ATTACH PARTITION growing_high_id');
    }
    await assertAlike(proxied, [
      q(`INSERT INTO event VALUES (8, 'h', 'h', 91)`),
      q(`INSERT INTO event VALUES (9, 'h', 'i', 9), (9, 'h', 'j', 9)`),
      q('INSERT INTO growing VALUES (1, 2), (11, 9), (3, 3) ON CONFLICT (id) DO NOTHING'),
      q('INSERT INTO growing VALUES (11, 2)'),
    ]);
  });
});
