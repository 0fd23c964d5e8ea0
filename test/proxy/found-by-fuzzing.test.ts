/** Regressions that random statements found: responses that once differed from PostgreSQL's. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import { serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const identityToDefault = [
  q('UPDATE own SET id = DEFAULT'),
  q('PREPARE anew AS UPDATE own SET (a, id) = ($1, DEFAULT)'),
  q('INSERT INTO own (a) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = DEFAULT'),
];

const { schema, steps } = await readStories('proxy/found-by-fuzzing.sql');

suite('what random statements have found', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  approveStories(test, () => proxied, steps);

  test('a MERGE puts in a row that refers to one which it deletes', async () => {
    const merge = (first: number, second: number) =>
      q(`MERGE INTO tree m USING (VALUES (${first}), (${second})) s (id) ON m.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, up) VALUES (s.id, 70)`);
    // before 17 the join may return its rows in another order
    const orders = (await serverMajor()) < 17 ? [merge(70, 71)] : [merge(71, 70), merge(70, 71)];
    const rest = q('SELECT * FROM tree ORDER BY id');
    await assertAlike(proxied, [q('INSERT INTO tree VALUES (70, 1, NULL)'), ...orders, rest]);
  });

  test('a MERGE that matches a row without a key twice', async () => {
    const { daemon } = proxied;
    const twice = q(
      'MERGE INTO keyless k USING (VALUES (1), (1)) v (id) ON k.id = v.id WHEN MATCHED THEN UPDATE SET n = 2',
    );
    const reported = await runScript(daemon.clientUrl(await daemon.newSession()), [twice]);
    // before 17 MERGE into such a table is not supported
    assert.match(
      reported.join(),
      (await serverMajor()) < 17 ? 'C=0A000' : 'C=21000 M=MERGE command',
    );
  });

  test('an UPDATE of an identity that is always generated to DEFAULT is refused', async () => {
    const { daemon } = proxied;
    const answers = await runScript(daemon.clientUrl(await daemon.newSession()), identityToDefault);
    const refused = answers.filter((answer) => /C=0A000 .* identity column "id"/.test(answer));
    assert.is(refused.length, identityToDefault.length);
  });
});
