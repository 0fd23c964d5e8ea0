/** Updatable views as targets: they get PostgreSQL's responses, and approval leaves the same rows in the tables. */
import { assertAlike } from '../helpers/alike.ts';
import { runStories } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, data, done, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const scripts: Record<string, readonly Buffer[]> = {
  'simple and extended, with parameters': [
    run(`INSERT INTO cheap VALUES ($1, $2, $3) RETURNING price, name`, '10', 'ten', '5.5'),
    run('UPDATE cheap SET price = price + $1 WHERE id = $2 RETURNING *', '1', '10'),
    run(
      `INSERT INTO renamed (key, item) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET item = $3 || excluded.item WHERE renamed.key > $4 RETURNING key, item`,
      '10',
      'new',
      'old ',
      '1',
    ),
    p('DELETE FROM over_cheap WHERE id = $1 RETURNING p', 'gone'),
    d('statement', 'gone'),
    b(['10'], 'gone'),
    e(),
    s,
    b(['2'], 'gone'),
    e(),
    s,
    q('BEGIN; DELETE FROM ids; SAVEPOINT a; UPDATE over_cascaded SET price = 90 WHERE id = 1'),
    q(`ROLLBACK TO a; UPDATE cheap SET name = 'kept'; COMMIT`),
    q(`PREPARE change AS UPDATE cheap SET name = $1 WHERE id = $2; EXECUTE change('prepared', 1)`),
    q(`INSERT INTO part_view VALUES (1, 1, 'moves'), (5, 20, 'new')`),
    q('UPDATE part_view SET v = v || k WHERE id = 1'),
    q('UPDATE part_view SET k = 15 WHERE id = 1'),
  ],
  'COPY, which takes no view': [q('COPY cheap FROM STDIN'), data('1\n'), done],
};

const { schema, stories } = await readStories('proxy/view-targets.sql');

suite('updatable views', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  runStories(test, () => proxied, stories);

  for (const [name, messages] of Object.entries(scripts)) {
    test(`${name}, and the approval`, async () => {
      await assertAlike(proxied, messages);
    });
  }

  test('COPY into a view that takes no rows, which is told before the data is asked for', async () => {
    const { daemon } = proxied;
    const copies = [q('COPY grouped FROM STDIN'), q('COPY "grouped" (kind) FROM STDIN')];
    const answers = await runScript(daemon.clientUrl(await daemon.newSession()), copies);
    const refused = answers.filter((answer) =>
      /C=42809 M=cannot copy to view "grouped" H=To enable copying/.test(answer),
    );
    assert.is(refused.length, copies.length);
    assert.not.ok(answers.some((answer) => answer.startsWith('G')));
  });
});
