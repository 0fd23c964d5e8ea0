/** What is committed while the objects of a table are made is not taken for part of them: the next statement makes them anew. */
import type { Database, Queryable } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { OverlayManager } from '../../src/overlay/install/manager.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TEXT SEARCH CONFIGURATION words (COPY = simple);
CREATE TABLE doc (id int PRIMARY KEY, body text, found tsvector GENERATED ALWAYS AS (to_tsvector('words', body)) STORED);
CREATE TABLE top (id int PRIMARY KEY, v text CHECK (to_tsvector('words', v) IS NOT NULL));
CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (top);
CREATE FUNCTION stamped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.v := lower(NEW.v); RETURN NEW; END';
CREATE TABLE fired (id int PRIMARY KEY, v text);
CREATE TRIGGER first BEFORE INSERT ON fired FOR EACH ROW EXECUTE FUNCTION stamped();
CREATE FUNCTION counted() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM doc';
`;

/** A change that another connection commits right before a query of the installation. */
interface Meanwhile {
  readonly before: string;
  readonly change: string;
  /** Whether what was made does not fit. */
  readonly isStale: string;
  make(manager: OverlayManager): Promise<void>;
}

const renamed = (from: string, to: string) =>
  `ALTER TEXT SEARCH CONFIGURATION ${from} RENAME TO ${to}`;

suite('changes while objects are made', (test) => {
  let database: TestDatabase;
  let service: Database;
  let pending: { before: string; change: string } | null = null;
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(schema);
    const inner = createDatabase({ url: database.url });
    const changing = (tx: Queryable): Queryable => ({
      query: async (text, values) => {
        const { change } = (text.includes(pending?.before ?? '\0') && pending) || { change: null };
        if (change !== null) {
          pending = null;
          await database.query(change);
        }
        return tx.query(text, values);
      },
    });
    service = {
      ...inner,
      transaction: (work, isolation, isDone) =>
        inner.transaction((tx) => work(changing(tx)), isolation, isDone),
    };
  });
  test.after(async () => {
    await service.close();
    await database.drop();
  });

  const oidOf = async (name: string) => {
    const [row] = await database.query<{ oid: number }>(
      `SELECT '${name}'::regclass::oid::int AS oid`,
    );
    return Number(row?.oid);
  };
  const namespace = async () => {
    const [row] = await database.query<{ oid: number }>(
      `SELECT 'public'::regnamespace::oid::int AS oid`,
    );
    return Number(row?.oid);
  };

  const cases: Readonly<Record<string, Meanwhile>> = {
    'an overlay': {
      before: 'FROM stage.overlay WHERE relation = $1',
      change: renamed('words', 'terms'),
      isStale: `stage.is_stale('doc'::regclass)`,
      make: async (manager) => manager.ensure([await oidOf('doc')]),
    },
    'an overlay that is confirmed': {
      before: 'UPDATE stage.overlay o SET stamp',
      change: renamed('terms', 'words'),
      isStale: `stage.is_stale('doc'::regclass)`,
      make: async (manager) => manager.ensure([await oidOf('doc')]),
    },
    'the view of a tree': {
      before: 'FROM stage.tree WHERE relation = $1 AND signature',
      change: renamed('words', 'terms'),
      isStale: `(stage.tree_state('top'::regclass) ->> 'stale')::boolean`,
      make: async (manager) => manager.ensure([await oidOf('top')], false, [await oidOf('top')]),
    },
    'copies of triggers': {
      before: 'UPDATE stage.overlay SET triggers',
      change: `CREATE OR REPLACE FUNCTION stamped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.v := upper(NEW.v); RETURN NEW; END'`,
      isStale: `NOT stage.triggers_fit('fired'::regclass)`,
      make: async (manager) => manager.ensure([await oidOf('fired')]),
    },
    'a staged function': {
      before: 'UPDATE stage.staged_function SET uses',
      change: `CREATE OR REPLACE FUNCTION counted() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT 2 * count(*) FROM doc'`,
      isStale:
        'EXISTS (SELECT FROM stage.staged_function t WHERE t.stamp <> stage.function_stamp(t.uses, t.path))',
      make: async (manager) =>
        manager.ensureFunctions([{ schema: null, name: 'counted' }], [await namespace()]),
    },
  };
  for (const [what, { before, change, isStale, make }] of Object.entries(cases))
    test(`are no part of ${what}`, async () => {
      const manager = createOverlayManager(service);
      const stale = async () => {
        const [row] = await database.query<{ stale: boolean }>(`SELECT ${isStale} AS stale`);
        return row?.stale;
      };
      pending = { before, change };
      await make(manager);
      assert.is(pending, null, 'it was made');
      assert.is(await stale(), true);
      await make(manager);
      assert.is(await stale(), false);
    });
});
