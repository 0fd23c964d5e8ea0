/**
 * Random BEFORE triggers that write to other rows of their own table: answers, staged reads and what approval leaves are as they are
 * directly. STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on.
 */
import { assertAlike } from '../helpers/alike.ts';
import { serverMajor } from '../helpers/database.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { sortRuns } from '../helpers/sort-runs.ts';
import { suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';
import { drawOwnRows, drawOwnWork, tableOf } from './own-row-draws.ts';

const scripts = drawn(4, 'STATEMENTS');
const first = firstSeed();

const major = await serverMajor();
/** Before PostgreSQL 17, a MERGE whose triggers write back to the table is refused. */
const isStaged = (text: string) => major >= 17 || !text.startsWith('MERGE');

/** Sorts notices: what a trigger writes to several rows comes in the order of the table. */
const arrange = (answers: readonly string[]) => sortRuns(answers, 'N ');

suite('rows that triggers change beside their own, at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
  });
  test.after(() => proxied.stop());

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `are as directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const pick = createRandom(seed).below;
        const table = drawOwnRows(seed, pick);
        for (const { query } of [proxied.database, proxied.twin]) await query(table);
        try {
          const work = drawOwnWork(seed, 12, pick).filter(isStaged);
          await assertAlike(proxied, work.map(q), { arrange });
        } finally {
          const drop = `DROP TABLE ${tableOf(seed)}, ${tableOf(seed)}_counts`;
          for (const { query } of [proxied.database, proxied.twin]) await query(drop);
        }
      },
      { timeout: 120_000 },
    );
  }
});
