/**
 * Random sessions and random changes of production, with each conflict resolved at random: approval applies the result of a three-way merge
 * by column, which is implemented here. STAGE_TEST_STATEMENTS is the number of scripts, STAGE_TEST_SEED the first seed; STAGE_TEST_TOGETHER
 * scripts share a session, each with its own keys.
 */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Resolution, Side } from '../../src/review/edits/resolution.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { brokenInvariants, emptyLineages } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const together = Number(process.env['STAGE_TEST_TOGETHER'] ?? 1);
/** The distance of the keys of two scripts in a session. */
const width = 10;
const firstKeys = Array.from({ length: together }, (_, index) => index * width);

const schema =
  'CREATE TABLE t (id int PRIMARY KEY, a int, b int, g int GENERATED ALWAYS AS (a * 10 + b) STORED)';
const data = `INSERT INTO t (id, a, b) SELECT at + n, 0, 0 FROM generate_series(1, 5) n, unnest(ARRAY[${firstKeys}]) at`;
const columns = ['a', 'b'] as const;
type Column = (typeof columns)[number];
type Row = Record<Column, number>;
type Rows = Map<number, Row>;
type Pick = (count: number) => number;

interface Drift {
  readonly mine: Rows;
  readonly theirs: Rows;
  readonly touched: ReadonlyMap<number, Touch>;
  readonly script: string;
}

/** One change of a table, as SQL and in memory. */
interface Step {
  readonly sql: string;
  readonly id: number;
  readonly set: Partial<Row> | 'delete' | 'insert';
  readonly row?: Row;
}

function stepOf(pick: Pick, at: number, rows: Rows): Step {
  const id = at + 1 + pick(7);
  const row = rows.get(id);
  if (row === undefined) {
    const made = { a: pick(4), b: pick(4) };
    return {
      sql: `INSERT INTO t (id, a, b) VALUES (${id}, ${made.a}, ${made.b})`,
      id,
      set: 'insert',
      row: made,
    };
  }
  if (pick(5) === 0) return { sql: `DELETE FROM t WHERE id = ${id}`, id, set: 'delete' };
  const set = Object.fromEntries(
    columns.filter(() => pick(3) > 0).map((column) => [column, pick(4)]),
  );
  const list = Object.entries(set).map(([column, value]) => `${column} = ${value}`);
  return { sql: `UPDATE t SET ${list.join(', ') || 'a = a'} WHERE id = ${id}`, id, set };
}

function run(rows: Rows, { id, set, row }: Step): void {
  if (set === 'delete') rows.delete(id);
  else rows.set(id, { ...(rows.get(id) ?? { a: 0, b: 0 }), ...(row ?? (set as Partial<Row>)) });
}

/** The changes of a session to one row. */
class Touch {
  readonly base: Row | undefined;
  readonly altered = new Set<Column>();
  /** The session's first change deleted production's row. If production deletes it, too, it cannot be inserted again there. */
  beginsDeleted = false;
  private isTouched = false;

  constructor(base: Row | undefined) {
    this.base = base;
  }

  note({ set }: Step): void {
    if (!this.isTouched) this.beginsDeleted = set === 'delete';
    this.isTouched = true;
    if (set === 'delete') return;
    for (const column of columns)
      if (set === 'insert' || (set[column] ?? this.base?.[column]) !== this.base?.[column])
        this.altered.add(column);
  }
}

/** Merges one row: as a whole if one side lacks it, otherwise by columns. */
function merge(
  { base, altered }: Touch,
  mine: Row | undefined,
  theirs: Row | undefined,
  sideOf: (column: Column) => Side | undefined,
): Row | undefined {
  if (JSON.stringify(theirs) === JSON.stringify(base)) return mine;
  const isUnchanged = JSON.stringify(mine) === JSON.stringify(base);
  if (base === undefined || theirs === undefined)
    return sideOf('a') === 'mine' && !isUnchanged ? mine : theirs;
  if (mine === undefined) return sideOf('a') === 'theirs' ? theirs : undefined;
  const followed = columns.filter(
    (column) =>
      theirs[column] !== base[column] && (!altered.has(column) || sideOf(column) === 'theirs'),
  );
  return { ...mine, ...Object.fromEntries(followed.map((column) => [column, theirs[column]])) };
}

suite('conflicts settled at random', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  const start = (): Rows =>
    new Map(
      firstKeys.flatMap((at) => [1, 2, 3, 4, 5].map((id) => [at + id, { a: 0, b: 0 }] as const)),
    );

  async function demandInvariants(label: string, emptyBefore?: readonly string[]): Promise<void> {
    assert.equal(await brokenInvariants(staging.database, emptyBefore), [], label);
  }

  /** Runs the changes of both sides. Returns their effect in memory. */
  async function drift(session: string, picks: readonly Pick[]): Promise<Drift> {
    const [mine, theirs, touched] = [start(), start(), new Map<number, Touch>()];
    const script: string[] = [];
    for (const [plot, pick] of picks.entries()) {
      for (let index = 0; index < 6; index += 1) {
        const step = stepOf(pick, plot * width, mine);
        const touch = touched.get(step.id) ?? new Touch(start().get(step.id));
        touched.set(step.id, touch);
        touch.note(step);
        run(mine, step);
        script.push(step.sql);
        await staging.stage(session, step.sql);
        if (together === 1) await demandInvariants(script.join('; '));
      }
      for (let index = 0; index < 5; index += 1) {
        const step = stepOf(pick, plot * width, theirs);
        run(theirs, step);
        script.push(`production: ${step.sql}`);
        await staging.database.query(step.sql);
      }
    }
    return { mine, theirs, touched, script: script.join('; ') };
  }

  /** Chooses sides. If one side lacks the row, it is resolved as a whole. */
  async function settle(
    session: string,
    { mine, touched }: Drift,
    below: Pick,
  ): Promise<Map<string, Side>> {
    const choices = new Map<string, Side>();
    const resolutions: Resolution[] = [];
    for (const { table, rowId, field, kind } of await findConflicts(staging.service, session)) {
      const isWhole = kind !== 'changed' || mine.get(Number(rowId.text)) === undefined;
      const place = isWhole ? rowId.text : `${rowId.text} ${field}`;
      const isStuck = kind === 'gone' && touched.get(Number(rowId.text))?.beginsDeleted === true;
      const chance: Side = isStuck || below(2) === 0 ? 'theirs' : 'mine';
      const take = choices.get(place) ?? chance;
      choices.set(place, take);
      resolutions.push({ table, rowId, field, take });
    }
    if (resolutions.length === 0) return choices;
    const asked = { resolutions, withDependents: false, resolvedAs: null, lockTimeoutMs: 5_000 };
    await resolveConflicts(staging.service, session, asked);
    return choices;
  }

  function merged({ mine, theirs, touched }: Drift, choices: Map<string, Side>): string[] {
    const expected = new Map(theirs);
    for (const [id, touch] of touched) {
      const sideOf = (column: Column) => choices.get(`${id} ${column}`) ?? choices.get(`${id}`);
      const row = merge(touch, mine.get(id), theirs.get(id), sideOf);
      if (row === undefined) expected.delete(id);
      else expected.set(id, row);
    }
    return [...expected].map(([id, { a, b }]) => `(${id},${a},${b},${a * 10 + b})`).sort();
  }

  test(
    'land what a three-way merge gives',
    async () => {
      let settled = 0;
      for (let seed = first; seed < first + scripts; seed += together) {
        await staging.reset();
        const randoms = firstKeys.map((_, index) => createRandom(seed + index).below);
        const session = await staging.open();
        const drifted = await drift(session, randoms);
        const label = `seed ${seed}: ${drifted.script}`;
        const empty = await emptyLineages(staging.database);
        await demandInvariants(label);
        const choices = await settle(session, drifted, createRandom(~seed).below);
        settled += choices.size;
        assert.equal(await findConflicts(staging.service, session), [], label);
        const places = new Set([...choices.keys()].map((place) => place.split(' ')[0]));
        const untouched = empty.filter((each) => !places.has(/\((\d+)\)/.exec(each)?.[1] ?? ''));
        await demandInvariants(label, untouched);
        const wanted = merged(drifted, choices);
        assert.equal((await staging.contents(session))['t'], wanted, label);
        await proposeSession(staging.service, session);
        await approveSession(staging.service, session, { approvedBy: null, digest: null });
        assert.equal((await staging.contents())['t'], wanted, label);
      }
      assert.ok(settled > scripts, `${settled} conflicts were settled`);
    },
    { timeout: 36_000_000 },
  );
});
