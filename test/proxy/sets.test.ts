/** INSERTs of many rows have the same results as in PostgreSQL, whether they are staged as a set or row by row. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/sets.sql');

const one = (code: string) => run(`UPDATE goods SET code = $1 WHERE id = 1000`, code);
const batches: Readonly<Record<string, readonly Buffer[]>> = {
  'one that fails, and others behind it': [
    ...[run('INSERT INTO tree SELECT 1 / (n - n) FROM source'), run('TABLE top'), one('x'), s],
    ...[one('y'), run('INSERT INTO top SELECT n FROM source'), one('z'), s],
  ],
  'several that rows are in the way of': [
    ...[run('DELETE FROM top WHERE id > 15'), run('DELETE FROM late WHERE id > 3')],
    ...[run('INSERT INTO top SELECT n FROM source WHERE n > $1', '15'), one('a')],
    ...[run('INSERT INTO top SELECT n + $1 FROM source WHERE n > 55', '60'), one('b'), s],
    run('DELETE FROM top WHERE id > 60'),
    ...[run('INSERT INTO top SELECT n FROM source WHERE n > 60'), run('TABLE top'), s],
    ...[
      run('DELETE FROM top WHERE id > 30'),
      run('INSERT INTO top SELECT n FROM source WHERE n > 30'),
    ],
    ...[run('INSERT INTO tree SELECT n FROM source'), run('DELETE FROM tree WHERE id > 10')],
    ...[run('INSERT INTO tree SELECT n FROM source WHERE n > $1', '10'), one('c'), s],
  ],
  'a mistake, in a transaction': [
    ...[q('BEGIN'), one('d'), run('INSERT INTO tree SELECT nowhere FROM source'), s, q('ROLLBACK')],
    ...[q('BEGIN'), run('INSERT INTO tree SELECT nowhere FROM source'), s, q('COMMIT')],
  ],
};

suite('rows that come as a set', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  for (const [name, messages] of Object.entries(batches)) {
    test(`in batches: ${name}`, async () => {
      await assertAlike(proxied, messages);
    });
  }
});
