/** Writes that name a partition get PostgreSQL's responses, and are staged in the root table. */
import type pg from 'pg';
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { data, done, q } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/named-partitions.sql');

const withParameters: readonly [string, ...unknown[]][] = [
  ['INSERT INTO event_2 (id, day, n, v) VALUES ($1, $2, $3, $4) RETURNING *', 200, 14, 5, 'p'],
  ['INSERT INTO event_2 (id, day, n, v) VALUES ($1, $2, $3, $4)', 201, 1, 5, 'q'],
  [
    'INSERT INTO event_2 (id, day, n, v) VALUES (200, 14, $1, $2) ON CONFLICT (v) DO UPDATE SET n = event_2.n + $1 RETURNING n',
    ...[6, 'p'],
  ],
  ['UPDATE event_2 SET day = day + $1 WHERE id = $2 RETURNING day', 1, 200],
  ['UPDATE event_2 SET day = day + $1 WHERE id = $2', 10, 200],
  ['DELETE FROM event_2 WHERE id = $1 RETURNING v', 200],
];

const wordsOf = ({ code, message, detail }: pg.DatabaseError) => ({
  rows: [[code, message, detail]],
});

suite('writes that name a partition', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('COPY', async () => {
    const rows = ['90\t3\tu\t1\t\\N\n', '91\t30\tu\t1\t\\N\n', '91\t30\tu\t500\t\\N\n', 'x\n'];
    await assertAlike(proxied, [
      ...rows.flatMap((row) => [q('COPY event_1 FROM STDIN'), data(row), done]),
      ...[q('COPY event_2 (id, day, n) FROM STDIN'), data('95\t13\t3\n'), done],
      ...[q('COPY event_sub (id, day, v) FROM STDIN'), data('96\t23\ta\n97\t23\tz\n'), done],
      q('COPY event_2 TO STDOUT'),
    ]);
  });

  test('with parameters', async () => {
    const clients = [
      await proxied.connect(await proxied.session('staged')),
      await proxied.connect(proxied.twin.url),
    ];
    const reported = clients.map(async (client) => {
      const rows: unknown[] = [];
      for (const [text, ...values] of withParameters) {
        const answer = await client.query({ text, values, rowMode: 'array' }).catch(wordsOf);
        rows.push(answer.rows);
      }
      return rows;
    });
    assert.equal(...((await Promise.all(reported)) as [unknown[], unknown[]]));
  });
});
