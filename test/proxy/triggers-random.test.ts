/**
 * Random tables with random triggers: statements are answered as they are directly, and production is what it would be once they are
 * approved. STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on.
 */
import { assertAlike } from '../helpers/alike.ts';
import { createRole, dropRoles, testRole } from '../helpers/both-ways.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { sortRuns } from '../helpers/sort-runs.ts';
import { suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';
import { drawTables } from './trigger-draws.ts';
import { drawStatements } from './trigger-statements.ts';

const scripts = drawn(3, 'STATEMENTS');
const first = firstSeed();

/** Returns whether a statement ended by the error of an AFTER trigger. */
const isStopped = (answer: string) => /^E .*M=not (?:so many|\d+) after/.test(answer);

/** Leaves out the notices of such a statement: those of a MERGE, and of several rows, come in another order. */
function withoutStopped(answers: readonly string[]): string[] {
  const shown: string[] = [];
  for (const answer of answers) {
    if (isStopped(answer)) while (shown.at(-1)?.startsWith('N ')) shown.pop();
    shown.push(answer);
  }
  return shown;
}

/** Shows as one the two errors of a row of another partition: PostgreSQL's depends on whether a trigger assigns anything, be it the same. */
const withoutKind = (answer: string) =>
  answer.replace(
    /^E .*M=(new row for relation \S+ violates partition constraint|moving row to another partition ).*/,
    'E another partition',
  );

/** Sorts the notices of each statement of several rows: without ORDER BY, a table with a key shows its staged rows in the key's order. */
const arrange = (answers: readonly string[]) =>
  sortRuns(
    withoutStopped(answers.map(withoutKind)),
    'N ',
    (next) => next.startsWith('C MERGE') || Number(/^C .* (\d+)\.?$/.exec(next)?.[1] ?? 0) > 1,
  );

const owner = testRole('owner');
/** The client of every other pair of scripts: the others send their statements as a superuser. */
const writer = testRole('writer');

/** Counts, in every other script, the updates by which triggers set one column of the sums or the other. */
const waiting = (seed: number) =>
  seed % 2 > 0
    ? ''
    : [1, 2]
        .map(
          (table) => `ALTER TABLE t${seed}_${table}_sums ADD seen int DEFAULT 0;
CREATE FUNCTION "see t${seed}_${table}"() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN NEW.seen := OLD.seen + TG_ARGV[0]::int; RAISE NOTICE '%', NEW; RETURN NEW; END $f$;
CREATE TRIGGER of_n BEFORE UPDATE OF n ON t${seed}_${table}_sums FOR EACH ROW EXECUTE FUNCTION "see t${seed}_${table}"('1');
CREATE TRIGGER of_k BEFORE UPDATE OF k ON t${seed}_${table}_sums FOR EACH ROW EXECUTE FUNCTION "see t${seed}_${table}"('100');`,
        )
        .join('\n');

/** Lets the AFTER triggers of a third of the scripts run with the rights of an owner. */
const asOwner = (seed: number) =>
  seed % 3 > 0
    ? ''
    : `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${owner.name};
DO $do$ DECLARE f regprocedure; BEGIN FOR f IN
  SELECT tgfoid FROM pg_trigger WHERE tgrelid::regclass::text ~ '^t${seed}_' AND tgtype & 2 = 0 AND NOT tgisinternal LOOP
  EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = public; ALTER FUNCTION %1$s OWNER TO ${owner.name}', f); END LOOP; END $do$`;

suite('triggers at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(createRole(owner) + createRole(writer));
  });
  test.after(async () => {
    await dropRoles(proxied, [owner, writer]);
    await proxied.stop();
  });

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `fire as they do directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const pick = createRandom(seed).below;
        const tables = drawTables(seed, pick);
        for (const { query } of [proxied.database, proxied.twin])
          await query(
            `${tables};${waiting(seed)};${asOwner(seed)};GRANT ALL ON ALL TABLES IN SCHEMA public TO ${writer.name}`,
          );
        try {
          const client = seed % 4 > 1 ? { role: writer } : {};
          const statements = drawStatements(seed, 14, pick).map(q);
          await assertAlike(proxied, statements, { arrange, ...client });
        } finally {
          for (const { query } of [proxied.database, proxied.twin])
            await query(
              `DROP TABLE ${[1, 2].flatMap((table) => ['', '_log', '_marks', '_sums'].map((part) => `t${seed}_${table}${part}`)).join(', ')}`,
            );
        }
      },
      { timeout: 120_000 },
    );
  }
});
