/**
 * Drawn windows at drawn times, near changes of clocks among others, against the clocks of PostgreSQL: `STAGE_TEST_WINDOWS=20000 npm test --
 * review/windows-random` is the long form. Whether windows are open is compared for some times, and the next opening with all quarters of
 * an hour before it.
 */
import type { Window } from '../../src/review/policy/windows.ts';
import { areOpen, days, nextOpening } from '../../src/review/policy/windows.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const cases = drawn(60, 'WINDOWS');
const seed = firstSeed();
const patience = { timeout: 60_000 + cases * 2_000 };

/** Zones with changes by an hour and by half an hour, in both halves of the year, with offsets in quarters, and without changes. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'America/St_Johns',
  'UTC',
] as const;

/** Times at which the clock of some of these zones changes. */
const changes = [
  '2024-03-31T01:00:00Z',
  '2024-10-27T01:00:00Z',
  '2025-03-09T07:00:00Z',
  '2025-11-02T06:00:00Z',
  '2025-04-05T15:00:00Z',
  '2025-10-04T15:30:00Z',
  '2026-03-08T05:30:00Z',
  '2026-03-29T01:00:00Z',
].map((time) => Date.parse(time));

const quarterMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;

const quarterBehind = (time: number) => (Math.floor(time / quarterMs) + 1) * quarterMs;

const timeOf = (quarters: number) =>
  `${String(Math.floor(quarters / 4)).padStart(2, '0')}:${String((quarters % 4) * 15).padStart(2, '0')}`;

function drawWindow(random: Random): Window {
  const from = random.below(95);
  const to = from + 1 + random.below(random.chance(0.5) ? 8 : 96 - from);
  const some = days.filter(() => random.chance(0.4));
  return {
    ...(some.length > 0 && random.chance(0.7) ? { days: some } : {}),
    from: timeOf(from),
    to: timeOf(Math.min(96, to)),
    zone: random.pick(zones),
  };
}

function drawTime(random: Random): number {
  const near = random.chance(0.8);
  const around = near ? random.pick(changes) : Date.parse('2024-01-01T00:00:00Z');
  const spread = near ? dayMs : 700 * dayMs;
  return around - (near ? dayMs / 2 : 0) + random.below(spread / 1000) * 1000;
}

/** Whether all of the lists have an open window at times, by the clocks of PostgreSQL. The parameters are lists and milliseconds. */
const openByDatabase = `
SELECT t.ms::float8 AS ms, (SELECT bool_and(EXISTS (SELECT FROM jsonb_array_elements(l.list) w
    WHERE (w->'days' IS NULL OR w->'days' ? to_char(c.at AT TIME ZONE (w->>'zone'), 'dy'))
      AND to_char(c.at AT TIME ZONE (w->>'zone'), 'HH24:MI') COLLATE "C" >= w->>'from'
      AND to_char(c.at AT TIME ZONE (w->>'zone'), 'HH24:MI') COLLATE "C" < w->>'to'))
  FROM jsonb_array_elements($1::jsonb) AS l (list)) AS open
FROM unnest($2::float8[]) AS t (ms) CROSS JOIN LATERAL (SELECT to_timestamp(t.ms / 1000) AS at) c ORDER BY t.ms`;

suite('drawn windows', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase();
  });
  test.after(() => database.drop());

  const isOpenAt = (lists: readonly (readonly Window[])[], times: readonly number[]) =>
    database.query<{ ms: number; open: boolean }>(openByDatabase, [JSON.stringify(lists), times]);

  /** Compares one drawn case. Returns whether its windows are open. */
  async function compare(random: Random, label: string): Promise<boolean> {
    const lists = Array.from({ length: 1 + random.below(2) }, () =>
      Array.from({ length: 1 + random.below(3) }, () => drawWindow(random)),
    );
    const time = drawTime(random);
    const next = nextOpening(lists, time);
    // every quarter of an hour up to the opening; all of the two weeks if there is none
    const end = next ?? time + 14 * dayMs;
    const times = [time];
    for (let at = quarterBehind(time); at <= end; at += quarterMs) times.push(at);
    const rows = await isOpenAt(lists, times);
    const about = `${label}: ${JSON.stringify(lists)} at ${new Date(time).toISOString()}`;
    // the search for the opening has looked at all of them
    const some = rows.filter((_, index) => index % 29 === 0 || index >= rows.length - 2);
    for (const { ms, open } of some) assert.is(areOpen(lists, ms), open, `${about}, ${ms}`);
    const opening = rows.find(({ ms, open }) => ms !== time && open)?.ms ?? null;
    assert.is(next, opening, about);
    return rows[0]?.open === true;
  }

  test(
    `${cases} lists are open, and open next, by the clocks of PostgreSQL`,
    async () => {
      const seen = new Set<boolean>();
      for (let number = 0; number < cases; number += 1)
        seen.add(await compare(createRandom(seed + number), `seed ${seed + number}`));
      assert.is(seen.size, 2);
    },
    patience,
  );
});
