/**
 * Random schedules of two or three connections of one session: each statement has the same result as on the tables themselves, the same
 * statements wait, and the same rows remain. STAGE_TEST_STATEMENTS is the number of schedules, STAGE_TEST_SEED the first seed;
 * STAGE_TEST_LEVELS chooses isolation levels.
 */
import pg from 'pg';
import { interleave } from '../helpers/interleaving.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { fill, remains, schema } from './interleaving-tables.ts';
import type { Run } from './schedule-differences.ts';
import { answer, differ } from './schedule-differences.ts';
import type { Schedule } from './schedule-draws.ts';
import { drawSchedule } from './schedule-draws.ts';

const count = drawn(8, 'STATEMENTS');
const first = firstSeed();
const levels = (process.env['STAGE_TEST_LEVELS'] ?? 'READ COMMITTED,REPEATABLE READ').split(',');

suite('random schedules of connections of one session', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + fill);
  });
  test.after(() => proxied.stop());

  test(
    'answer, wait and leave what they do on the tables themselves',
    async () => {
      const found: string[] = [];
      let waits = 0;
      let excused = 0;
      for (let seed = first; seed < first + count; seed += 1) {
        const schedule = drawSchedule(createRandom(seed), levels);
        const [staged, direct] = await runBoth(schedule);
        waits += direct.outcomes.filter((outcome) => outcome.includes(': waits')).length;
        const difference = differ(staged, direct, schedule);
        if (difference === 'excused') excused += 1;
        else if (difference !== null) found.push(`seed ${seed}: ${await shrunk(schedule)}`);
      }
      assert.is(found.length, 0, found.join('\n\n'));
      assert.ok(waits * 4 > count, `${waits} statements waited in ${count} schedules`);
      assert.ok(
        excused * 4 <= count,
        `${excused} of ${count} schedules came to what limits.md names`,
      );
    },
    { timeout: Math.max(300_000, count * 10_000) },
  );

  async function runBoth({ steps }: Schedule): Promise<[staged: Run, direct: Run]> {
    const { database, twin, session } = proxied;
    for (const each of [database, twin]) await each.query(fill);
    const url = await session('staged');
    const run = async (of: typeof twin, at: string): Promise<Run> => ({
      outcomes: await interleave(of, at, steps, { commits: true }),
      rows: await rowsOf(at),
    });
    return Promise.all([run(database, url), run(twin, twin.url)]);
  }

  /** Removes the steps that the difference does not need, and describes the rest. */
  async function shrunk(schedule: Schedule): Promise<string> {
    let found = schedule;
    let runs = await runBoth(found);
    for (let index = found.steps.length - 1; index >= 0; index -= 1) {
      const fewer = { ...found, steps: found.steps.filter((_, place) => place !== index) };
      const tried = await runBoth(fewer);
      const difference = differ(...tried, fewer);
      if (difference === null || difference === 'excused') continue;
      found = fewer;
      runs = tried;
    }
    const [staged, direct] = runs;
    const reported = staged.outcomes.map((outcome, place) =>
      outcome === direct.outcomes[place]
        ? outcome
        : `${outcome}   -- directly ${answer(direct.outcomes[place])}`,
    );
    return [
      ...reported,
      staged.rows === direct.rows ? '' : `${staged.rows}   -- directly ${direct.rows}`,
    ].join('\n  ');
  }
});

async function rowsOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(remains);
  await client.end();
  return JSON.stringify(rows.map((row) => Object.values(row).join(' ')));
}
