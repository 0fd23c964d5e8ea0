/** The digest compared with what production's triggers see: random sessions have equal digests exactly if their triggers see the same. */
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

/** The number of rounds. Even so few repeat a change and have more than ten different ones. */
const rounds = drawn(40, 'ROUNDS');

const tables = `
CREATE TABLE a (id int PRIMARY KEY, v text, l int[]);
CREATE TABLE b (id int PRIMARY KEY, v text);
CREATE TABLE loose (v text, n int);
CREATE TABLE p (id int PRIMARY KEY, v text);
CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);`;
const rows = `
INSERT INTO a SELECT g, 'v' FROM generate_series(1, 4) g; INSERT INTO b SELECT g, 'v' FROM generate_series(1, 4) g;
INSERT INTO loose VALUES ('same', 1), ('same', 1), ('other', 2);
INSERT INTO p SELECT g, 'v' FROM generate_series(1, 4) g; INSERT INTO c VALUES (1, 1), (2, 1), (3, 2)`;

const traced = ['a', 'b', 'p', 'c', 'loose'];
const tracing = `
CREATE TABLE trace (number int GENERATED ALWAYS AS IDENTITY, line text);
CREATE FUNCTION trace() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO public.trace (line) VALUES (concat_ws(' ', TG_LEVEL, TG_OP, TG_TABLE_NAME, OLD, '->', NEW));
    RETURN NULL;
  END $$;
${traced
  .map(
    (
      table,
    ) => `CREATE TRIGGER r AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION trace();
  CREATE TRIGGER s AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION trace();`,
  )
  .join('\n')}`;

/** Statements in one line have the same meaning. */
const vocabulary: readonly (readonly string[])[] = [
  [`UPDATE a SET v = 'x' WHERE id = 1`, `UPDATE a SET v = lower('X') WHERE id < 2`],
  [`UPDATE a SET v = 'v' WHERE id = 1`],
  [`UPDATE a SET v = 'x' WHERE id IN (1, 2)`, `UPDATE a SET v = 'x' WHERE id <= 2`],
  [`UPDATE a SET l = '{1}' WHERE id = 1`, `UPDATE a SET l = ARRAY[1] WHERE id = 1`],
  [`UPDATE a SET l = '[2:2]={1}' WHERE id = 1`],
  [`DELETE FROM b WHERE id = 3`, `DELETE FROM b USING a WHERE b.id = 3 AND a.id = 4`],
  [`INSERT INTO b SELECT 3, 'v' WHERE NOT EXISTS (SELECT FROM b WHERE id = 3)`],
  [`UPDATE p SET id = 5 WHERE id = 2`, `UPDATE p SET id = id + 3 WHERE id = 2`],
  [`UPDATE p SET id = 2 WHERE id = 5`],
  [`DELETE FROM p WHERE id = 1`],
  [`INSERT INTO loose VALUES ('new', 1)`, `INSERT INTO loose (n, v) SELECT 1, 'new'`],
  [`DELETE FROM loose WHERE v = 'new'`],
];

/** Sorts each run of row triggers: the planner chooses the order in which one statement reaches its rows, here and in PostgreSQL. */
function inAnyOrder(lines: readonly string[]): string[] {
  const runs: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('STATEMENT')) runs.push([line], []);
    else runs.at(-1)?.push(line);
  }
  return runs.flatMap((run) => run.sort());
}

suite('steps: random sessions', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(tables + tracing, `${rows}; DELETE FROM trace`);
  });
  test.after(() => staging.close());

  /** Stages and approves. Returns the digest, and everything that production's triggers saw. */
  const live = async (statements: string) => {
    const session = await staging.open();
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    const { digest } = await diffOf(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest });
    const lines = await staging.database.query<{ line: string }>(
      'SELECT line FROM trace ORDER BY number',
    );
    await staging.reset();
    return { digest, seen: inAnyOrder(lines.map(({ line }) => line)).join('\n') };
  };

  test(
    'have equal digests exactly when the same happens in production',
    async () => {
      const seed = firstSeed();
      const random = createRandom(seed);
      const seenBy = new Map<string, string>();
      const digestOf = new Map<string, string>();
      let repeated = 0;
      for (let round = 0; round < rounds; round += 1) {
        const length = random.below(4);
        const statements = Array.from({ length }, () => random.pick(random.pick(vocabulary))).join(
          '; ',
        );
        const { digest, seen } = await live(statements);
        repeated += seenBy.has(digest) ? 1 : 0;
        const reported = `seed ${seed}, round ${round}: ${statements}`;
        assert.is(seenBy.get(digest) ?? seen, seen, reported);
        assert.is(digestOf.get(seen) ?? digest, digest, reported);
        seenBy.set(digest, seen);
        digestOf.set(seen, digest);
      }
      assert.ok(
        repeated > 0 && seenBy.size > 10,
        `seed ${seed}: ${repeated} repeated, ${seenBy.size} in all`,
      );
    },
    { timeout: 90_000 },
  );
});
