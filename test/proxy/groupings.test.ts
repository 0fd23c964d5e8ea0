/** GROUP BY of a table's key, with other columns of the table in the query: works on staged rows as on the table itself. */
import { assertAlike } from '../helpers/alike.ts';
import { runStories } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const { schema, before, stories } = await readStories('proxy/groupings.sql');

suite('GROUP BY of a key', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  runStories(test, () => proxied, stories);

  test('writes that read so, and the approval', async () => {
    await assertAlike(proxied, [
      ...before.map(q),
      q(
        'INSERT INTO author_stats SELECT a.id, a.name, count(b.id) FROM author a LEFT JOIN book b ON b.author = a.id GROUP BY a.id ORDER BY a.id',
      ),
      run(
        'INSERT INTO author_stats SELECT a.id + $1::int, a.name, count(*) FROM author a WHERE a.id > $2::int GROUP BY a.id ORDER BY a.id ON CONFLICT (author) DO UPDATE SET name = excluded.name',
        '1',
        '1',
      ),
      s,
      q(
        `UPDATE author_stats s SET name = t.name FROM (SELECT b.author, max(b.title) || b.price AS name FROM book b WHERE title <> 'no' GROUP BY b.id) t WHERE t.author = s.author AND t.name LIKE 't%'`,
      ),
      q(
        `DELETE FROM author_stats WHERE name IN (SELECT x.name || 'x' FROM author x WHERE x.name <> 'y' GROUP BY x.id)`,
      ),
      q(
        `DELETE FROM author_stats WHERE name IN (SELECT x.name FROM author x WHERE x.name <> 'a much longer name' GROUP BY x.id HAVING x.id = 4)`,
      ),
      q(
        'MERGE INTO author_stats s USING (SELECT a.id, a.name, count(*) FROM author a GROUP BY a.id) t ON t.id = s.author WHEN MATCHED THEN UPDATE SET name = t.name WHEN NOT MATCHED THEN INSERT VALUES (t.id + 50, t.name, t.count)',
      ),
      q('SELECT * FROM author_stats ORDER BY author'),
    ]);
  });
});
