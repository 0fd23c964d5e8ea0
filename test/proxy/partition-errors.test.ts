/** Errors about rows of a partitioned table name the partition, as PostgreSQL's do. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';

const { schema, stories } = await readStories('proxy/partition-errors.sql');

suite('errors of partitioned tables', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, texts] of Object.entries(stories)) {
    test(name, async () => {
      const answers = await assertAlike(proxied, texts.map(q));
      assert.ok(answers.filter((answer) => answer.startsWith('E')).length >= texts.length);
    });
  }
});
