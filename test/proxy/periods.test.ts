/** Keys WITHOUT OVERLAPS and foreign keys with PERIOD, new in PostgreSQL 18: checked over all rows that cover a period. */
import { approveStories } from '../helpers/alike.ts';
import { serverMajor } from '../helpers/database.ts';
import type { Step } from '../helpers/interleaving.ts';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const interleavings: Record<string, readonly Step[]> = {
  'a row whose period another connection takes away': [
    [0, 'BEGIN'],
    [0, `DELETE FROM room WHERE id = 5`],
    [1, `INSERT INTO stay VALUES (40, 5, '[2,3)')`],
    [0, 'COMMIT'],
  ],
  'a period that another connection refers to': [
    [0, 'BEGIN'],
    [0, `INSERT INTO stay VALUES (41, 10, '[2,3)')`],
    [1, `UPDATE room SET during = '[5,9)' WHERE id = 10`],
    [0, 'COMMIT'],
  ],
};

const major = await serverMajor();
const files = ['proxy/exclusions.sql', ...(major < 18 ? [] : ['proxy/periods.sql'])];
const read = await Promise.all(files.map(readStories));

suite('periods', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(read.map(({ schema }) => schema).join('\n'));
  });
  test.after(() => proxied.stop());

  for (const { steps } of read) approveStories(test, () => proxied, steps);

  // they change the twin only, so they run last
  for (const [name, steps] of major < 18 ? [] : Object.entries(interleavings)) {
    test(name, async () => {
      const { database, daemon, twin } = proxied;
      const session = daemon.clientUrl(await daemon.newSession({ reads: 'staged' }));
      assert.equal(
        await interleave(database, session, steps),
        await interleave(twin, twin.url, steps),
      );
    });
  }
});
