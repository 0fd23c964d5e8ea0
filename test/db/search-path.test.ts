/**
 * A user who may create objects in a schema of production cannot decide what the service's functions run: each has its own search_path, or
 * names everything with its schema.
 */

import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import type { Body } from '../helpers/path-lint.ts';
import { namesByPath } from '../helpers/path-lint.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY, code text UNIQUE);
CREATE TABLE child (
  parent int REFERENCES parent ON UPDATE CASCADE ON DELETE CASCADE, n bigint, note text NOT NULL DEFAULT 'none',
  number int GENERATED ALWAYS AS IDENTITY, twice int GENERATED ALWAYS AS (number * 2) STORED,
  code text REFERENCES parent (code) DEFERRABLE, CHECK (n > 0), PRIMARY KEY (parent, n));
CREATE UNIQUE INDEX child_note ON child (lower(note)) WHERE n < 100;
CREATE TABLE keyless (a int, b json, c text[], d xml);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN word AS text;
CREATE TABLE part (id positive, day date, v numeric, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE part_one PARTITION OF part FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE base (id int PRIMARY KEY, v word);
CREATE TABLE derived (extra int, other word, PRIMARY KEY (id)) INHERITS (base);
CREATE TABLE policed (id uuid PRIMARY KEY, owner name);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON policed USING (owner = current_user);
CREATE VIEW notes AS SELECT n, note, upper(note) AS loud FROM child WHERE n < 50;
CREATE VIEW counts AS SELECT parent, count(*) FROM child GROUP BY parent;
CREATE FUNCTION loudest() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(note) FROM child';`;

interface Function extends Body {
  readonly name: string;
  readonly settings: readonly string[] | null;
  readonly isDefiner: boolean;
}

const functions = `
SELECT n.nspname || '.' || p.proname AS name, l.lanname AS language, p.prosrc AS source, p.proconfig AS settings,
  p.prosecdef AS "isDefiner", pg_get_functiondef(p.oid) AS definition
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname ~ '^stage' AND p.prokind IN ('f', 'p') ORDER BY 1`;

/** An expression of production's definitions, or the body of its view or function. It keeps its caller's meaning. */
const ofProduction =
  /^(stage_data\.(generated|constraint|default|element|predicate|partition|routed|within|value|condition|staged_view)_|stage_function_|stage_upsert_\d+\.policy_\d+_)/;

/** Runs a client's own text, the DO UPDATE, with the client's rights. */
const runsClientsText = /^(?:stage_upsert_\d+\.(?:analyse|upsert)_|stage\.infer_arbiters)/;

const isPinned = ({ settings }: Function) =>
  settings?.includes('search_path=pg_catalog, pg_temp') ?? false;

suite('search path', (test) => {
  let staging: StagingDatabase;
  let all: Function[];
  test.before(async () => {
    await loadParser();
    staging = await createStagingDatabase(schema);
    const manager = createOverlayManager(staging.service);
    const oidOf = async (name: string) => {
      const [row] = await staging.database.query<{ oid: number }>(
        `SELECT '${name}'::regclass::oid::int AS oid`,
      );
      return row?.oid ?? 0;
    };
    const path = await staging.database.query<{ oid: number }>(
      `SELECT oid::int FROM pg_namespace WHERE nspname IN ('pg_catalog', 'public') ORDER BY 1`,
    );
    await manager.ensure([await oidOf('base')], false, [await oidOf('base')]);
    await manager.ensureStagedViews([
      await oidOf('notes'),
      await oidOf('counts'),
      await oidOf('part_one'),
    ]);
    await manager.ensureFunctions(
      [{ schema: null, name: 'loudest' }],
      path.map(({ oid }) => oid),
    );
    all = await staging.database.query<Function>(functions);
  });
  test.after(() => staging.close());

  test('every kind of function is there', () => {
    const names = all.map(({ name }) => name);
    for (const part of ['apply', 'found', 'conflicts', 'tree_source', 'staged_view', 'condition'])
      assert.ok(
        names.some((name) => name.startsWith(`stage_data.${part}_`)),
        part,
      );
    for (const schema of ['stage_upsert', 'stage_overlay', 'stage_function'])
      assert.ok(
        names.some((name) => name.startsWith(`${schema}_`)),
        schema,
      );
  });

  test('what a function runs does not depend on the search path', async () => {
    const faults: string[] = [];
    for (const each of all.filter((one) => !isPinned(one) && !ofProduction.test(one.name))) {
      const names = (await namesByPath(each)).filter(
        (name) => !(name.startsWith('text made elsewhere') && runsClientsText.test(each.name)),
      );
      if (names.length > 0) faults.push(`${each.name}: ${[...new Set(names)].join(', ')}`);
    }
    assert.equal(faults, []);
  });

  test('a search path that is set is the same everywhere, and stays', () => {
    const others = all.filter(
      (each) =>
        (each.settings ?? []).some((setting) => setting.startsWith('search_path')) !==
          isPinned(each) ||
        (isPinned(each) && /SET (LOCAL )?search_path|set_config\('search_path'/.test(each.source)),
    );
    assert.equal(
      others.map(({ name }) => name),
      [],
    );
  });

  test('what runs with the rights of the service account has one', () => {
    const definers = all.filter(({ isDefiner }) => isDefiner);
    assert.ok(definers.length > 20);
    assert.equal(
      definers.filter((each) => !isPinned(each)).map(({ name }) => name),
      [],
    );
  });

  test('no function without one calls an expression of production where an approval applies rows', () => {
    const callers = all.filter(
      (each) => /^(stage|stage_data)\.(apply|approve)_/.test(each.name) && !isPinned(each),
    );
    const called = all.filter(({ name }) => ofProduction.test(name)).map(({ name }) => name);
    assert.ok(callers.length > 4);
    for (const { name, source } of callers)
      assert.not.ok(
        called.some((each) => source.includes(`${each}(`)),
        name,
      );
  });
});

const planted: readonly (readonly [string, string])[] = [
  [`SELECT ARRAY['a'] || 'b'::pg_catalog.text`, 'operator ||'],
  [`SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid = 1259`, 'operator ='],
  [`SELECT 1 WHERE 'a' IN ('b', 'c')`, 'operator ='],
  [`SELECT 1 WHERE 2 BETWEEN 1 AND 3`, 'operator BETWEEN'],
  [`SELECT CASE $1 WHEN 1 THEN 2 END`, 'operator = of CASE'],
  [`SELECT nullif($1, '')`, 'operator ='],
  [`SELECT 1 WHERE $1 IS DISTINCT FROM $2`, 'operator ='],
  [`SELECT 1 WHERE $1 LIKE 'a%'`, 'operator ~~'],
  [`SELECT 1 WHERE $1 = ANY ($2)`, 'operator ='],
  [`SELECT 1 WHERE $1 IN (SELECT relation FROM stage.overlay)`, 'operator of IN'],
  [`SELECT FROM stage.staged_view JOIN stage.overlay USING (relation)`, 'operator = of USING'],
  [`SELECT FROM stage.staged_view NATURAL JOIN stage.overlay`, 'operator = of USING'],
  [`SELECT lower($1)`, 'function lower'],
  [`SELECT count(*) FROM stage.staged_view`, 'function count'],
  [`SELECT $1::text`, 'type text'],
  [`SELECT 'pg_class'::pg_catalog.regclass`, `name 'pg_class'`],
  [`SELECT 1 FROM pg_class`, 'relation pg_class'],
  [`WITH a AS (SELECT 1) SELECT FROM b`, 'relation b'],
  [`SELECT $1 COLLATE "C"`, 'collation C'],
  [`DO IF 1 OPERATOR(pg_catalog.<>) 2 THEN v := v || 'x'; END IF;`, 'operator ||'],
  [`DO CASE v WHEN 'a' THEN NULL; END CASE;`, 'operator = of CASE'],
  [`DO EXECUTE pg_catalog.format('SELECT now() FROM stage.%s', v);`, 'function now'],
  [`DO FOR v IN EXECUTE 'SELECT $1 = 1' USING 1 LOOP END LOOP;`, 'operator ='],
  [`DO EXECUTE v;`, 'text made elsewhere'],
];

const harmless = [
  `SELECT 'stage'::pg_catalog.regnamespace`,
  `SELECT $1 IS DISTINCT FROM NULL, coalesce($1, 2), current_user, CASE WHEN true THEN 1 END`,
  `WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT $1::int, $1::pg_catalog.text FROM a`,
  `DO v := pg_catalog.lower(v);`,
];

suite('search path: what is looked for', (test) => {
  test.before(() => loadParser());
  const bodyOf = (text: string): Body => {
    if (!text.startsWith('DO ')) return { language: 'sql', source: text, definition: '' };
    const definition = `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ DECLARE v pg_catalog.text; BEGIN ${text.slice(3)} END $$`;
    return { language: 'plpgsql', source: '', definition };
  };
  for (const [text, found] of planted)
    test(`finds ${found} in ${text}`, async () => {
      const names = await namesByPath(bodyOf(text));
      assert.ok(
        names.some((name) => name.startsWith(found)),
        names.join(', '),
      );
    });
  test('passes what has no other meaning', async () => {
    for (const text of harmless) assert.equal(await namesByPath(bodyOf(text)), [], text);
  });
});
