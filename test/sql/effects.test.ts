/**
 * Every function of the test server, and of each of its extensions that can be created, is classified: a list contains its name, or a rule
 * of effects.ts applies. An unclassified function fails here.
 */
import type { FoundFunction } from '../../src/sql/functions/effects.ts';
import { effectOf, isListedExtension } from '../../src/sql/functions/effects.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Languages other than C need their programs on the machine. */
const extensions = `DO $$DECLARE v_name text; BEGIN
  FOR v_name IN SELECT name FROM pg_available_extensions WHERE name !~ 'pl(perl|python|tcl)' ORDER BY name LOOP
    BEGIN EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I CASCADE', v_name); EXCEPTION WHEN OTHERS THEN NULL; END;
  END LOOP; END$$`;

const functions = `SELECT DISTINCT n.nspname AS schema, p.proname AS name, p.provolatile = 'v' AS "isVolatile", p.provolatile = 'i' AS "isImmutable",
    l.lanname IN ('internal', 'c') AS "isCompiled", d.objid IS NOT NULL AS "isExtension"
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  WHERE d.objid IS NOT NULL OR p.oid < 16384`;

/** Functions that SQL can call: handlers, triggers and what takes `internal` are called by the server alone. */
const callable = `SELECT DISTINCT p.proname AS name FROM pg_proc p
  WHERE p.prorettype <> 'trigger'::regtype AND p.prorettype::regtype::text !~ '_handler$' AND 'internal'::regtype <> ALL (p.proargtypes)
    AND p.proname !~ '_validator$'`;

suite('what functions do', (test) => {
  let database: TestDatabase;
  let found: FoundFunction[];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(extensions);
    found = await database.query<FoundFunction & Record<string, unknown>>(functions);
  });
  test.after(() => database.drop());

  const named = (functions: readonly FoundFunction[]) =>
    [...new Set(functions.map(({ name }) => name))].sort();

  test('is judged of every function of the server', () => {
    const own = found.filter(({ isExtension }) => !isExtension);
    assert.ok(own.length > 2500, `${own.length}`);
    const unknown = own.filter(
      (each) => each.schema === 'pg_catalog' && effectOf(each) === 'unknown',
    );
    assert.equal(named(unknown), []);
  });

  test('is judged of every function of its extensions', () => {
    const theirs = found.filter(({ isExtension }) => isExtension);
    assert.ok(theirs.length > 500, `${theirs.length}`);
    assert.equal(named(theirs.filter((each) => !isListedExtension(each))), []);
  });

  test('is known of every volatile function of its extensions that SQL can call', async () => {
    const called = new Set(
      (await database.query<{ name: string }>(callable)).map(({ name }) => name),
    );
    const unknown = found.filter((each) => each.isExtension && effectOf(each) === 'unknown');
    assert.equal(named(unknown.filter(({ name }) => called.has(name))), []);
  });

  test('is known of functions of further extensions, where an extension has them', () => {
    const facts = { isVolatile: false, isImmutable: false, isCompiled: true };
    const effects = (schema: string, names: string, isExtension = true) =>
      new Set(names.split(' ').map((name) => effectOf({ ...facts, isExtension, schema, name })));
    const texts = 'pgr_dijkstra _pgr_astar _st_mapalgebra lives_ok throws_ilike set_has isnt_empty';
    assert.equal(effects('public', texts), new Set(['text']));
    assert.equal(effects('public', 'master_run_on_worker oracle_diag'), new Set(['out']));
    assert.equal(effects('cron', 'schedule'), new Set(['out']));
    assert.equal(effects('public', `pgr_version st_distance ${texts}`, false), new Set(['none']));
    assert.equal(effects('public', 'pgr_version pgr_full_version st_distance'), new Set(['none']));
  });

  test('runs no text, and reaches nothing, by way of a function that passes for immutable', () => {
    const passing = found.filter(({ isImmutable }) => isImmutable);
    const harmful = passing.filter((each) => !['none', 'code'].includes(effectOf(each)));
    // It runs no query; it rewrites one of the three it gets.
    assert.equal(named(harmful), ['ts_rewrite']);
  });
});
