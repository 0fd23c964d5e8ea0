/** Rows are parked as their diff shows them, also where the functions of their table are of another release. */
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Pairs of tables that are alike: one is parked by its own function, one without it. */
const shapes: Record<
  string,
  { readonly columns: string; readonly rows: string; readonly staged: readonly string[] }
> = {
  keyed: {
    columns: 'id bigint PRIMARY KEY, v text, gone int',
    rows: "(1, 'a', 1), (2, 'b', 2), (9007199254740993, 'c', 3), (4, 'd', 4)",
    staged: [
      "INSERT INTO $t VALUES (10, 'new', 1), (11, 'brief', 1)",
      "UPDATE $t SET v = 'changed', gone = 7 WHERE id > 4",
      'DELETE FROM $t WHERE id IN (2, 11)',
      "UPDATE $t SET v = 'x' WHERE id = 4",
      "UPDATE $t SET v = 'd' WHERE id = 4",
      'UPDATE $t SET id = 100 WHERE id = 1',
    ],
  },
  composite: {
    columns: 'a int, b text, gone json, PRIMARY KEY (b, a)',
    rows: `(1, 'x', '{"z": 1}'), (2, 'y', NULL)`,
    staged: [
      `UPDATE $t SET gone = '[1]'`,
      "INSERT INTO $t VALUES (3, 'z', '2')",
      'DELETE FROM $t WHERE a = 2',
    ],
  },
  keyless: {
    columns: 'a int, gone int',
    rows: '(1, 1), (1, 1), (2, 2)',
    staged: [
      'UPDATE $t SET gone = 5 WHERE a = 2',
      'INSERT INTO $t VALUES (8, 8)',
      'DELETE FROM $t WHERE a = 1',
    ],
  },
};

const sides = ['own', 'other'] as const;

suite('rows that are parked', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    const tables = Object.entries(shapes).flatMap(([name, { columns }]) =>
      sides.map((side) => `CREATE TABLE ${name}_${side} (${columns});`),
    );
    const rows = Object.entries(shapes).flatMap(([name, each]) =>
      sides.map((side) => `INSERT INTO ${name}_${side} VALUES ${each.rows};`),
    );
    staging = await createStagingDatabase(tables.join('\n'), rows.join('\n'));
  });
  test.after(() => staging.close());

  for (const [name, { staged }] of Object.entries(shapes)) {
    let session: string;
    let before: unknown;

    test(`${name}: by functions of its own release`, async () => {
      session = await staging.open();
      for (const text of staged)
        for (const side of sides)
          await staging.stage(session, text.replaceAll('$t', `${name}_${side}`));
      [before] = await diffsOf(session, name);
      await park(`${name}_own`);
      const [own] = await diffsOf(session, name);
      assert.ok((own?.length ?? 0) >= 3);
      assert.equal(own, before);
    });

    test(`${name}: by functions of another release`, async () => {
      const [found] = await staging.database.query<{ definition: string }>(
        `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p JOIN pg_class c ON p.proname = 'diff_' || c.oid
         WHERE c.oid = '${name}_other'::regclass`,
      );
      // a release before compared the origin of a row with a letter
      const { definition = '' } = found ?? {};
      assert.match(definition, "<> 'overlay'");
      await staging.database.query(definition.replaceAll("<> 'overlay'", "<> 'k'"));
      await park(`${name}_other`);
      const [, other] = await diffsOf(session, name);
      assert.equal(other, before);
    });
  }

  /** Drops a column that rows were staged in, and makes the overlay anew. */
  const park = async (table: string) => {
    await staging.database.query(`ALTER TABLE ${table} DROP COLUMN gone`);
    const [row] = await staging.database.query<{ oid: number }>(
      `SELECT '${table}'::regclass::oid::int AS oid`,
    );
    await createOverlayManager(staging.service).ensure([row?.oid ?? 0]);
  };

  const diffsOf = async (session: string, name: string) => {
    const { changes } = await diffOf(staging.service, session);
    return sides.map((side) =>
      changes
        .filter(({ table }) => table === `${name}_${side}`)
        .map(({ table: _, ...change }) => change),
    );
  };
});
