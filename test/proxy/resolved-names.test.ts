/** What stage.resolve_relations answers is what the proxy takes it for: no key more or less, no other type, for every kind of relation. */
import type { Tree } from '../../src/rewrite/inheritance.ts';
import type { ResolvedName } from '../../src/rewrite/relation-names.ts';
import { serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE keyed (id int PRIMARY KEY, n int GENERATED ALWAYS AS (id + 1) STORED, v text UNIQUE); INSERT INTO keyed VALUES (1);
CREATE VIEW seen AS SELECT id, v AS w FROM keyed; CREATE VIEW constant AS SELECT 1 AS a; CREATE VIEW unseen AS SELECT id FROM keyed;
CREATE TABLE base (id int PRIMARY KEY); CREATE TABLE derived () INHERITS (base);
CREATE TABLE part (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE piece PARTITION OF part DEFAULT;
CREATE MATERIALIZED VIEW kept AS SELECT 1 AS a; CREATE SEQUENCE counted; CREATE TYPE pair AS (a int, b int);
CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing; CREATE FOREIGN TABLE far (a int) SERVER nowhere;
`;

/** A relation of each kind. */
const examples: Readonly<Record<ResolvedName['kind'], string>> = {
  table: 'keyed',
  partitioned: 'part',
  view: 'seen',
  materialized: 'kept',
  foreign: 'far',
  sequence: 'counted',
  other: 'pair',
  none: 'nobody',
  system: 'pg_class',
  stage: 'overlay',
  temporary: 'passing',
};
const others = ['constant', 'unseen', 'base', 'derived', 'piece'];

/** The types of each value, all of which occur. */
const types: Readonly<Record<keyof ResolvedName, readonly string[]>> = {
  oid: ['null', 'number'],
  kind: ['string'],
  isStagedView: ['boolean'],
  schema: ['null', 'string'],
  writing: ['null', 'string'],
  table: ['null', 'number'],
  tableColumns: ['null', 'object'],
  overlay: ['null', 'object'],
  origins: ['null', 'object'],
  stamp: ['null', 'string'],
  upsert: ['null', 'object'],
  tree: ['null', 'object'],
  columns: ['array'],
  merge: ['null', 'string'],
  uniques: ['array'],
  signature: ['null', 'string'],
  key: ['array'],
  dependents: ['null', 'object'],
  writable: ['boolean'],
  code: ['boolean'],
  parked: ['boolean'],
  stale: ['boolean'],
};
const treeTypes: Readonly<Record<keyof Tree, readonly string[]>> = {
  schema: ['string'],
  name: ['string'],
  signature: ['null', 'string'],
  writable: ['boolean'],
  stale: ['boolean'],
};
const view = ['name', 'schema'];
const nested: Readonly<Partial<Record<keyof ResolvedName, readonly string[]>>> = {
  overlay: view,
  upsert: view,
  origins: ['columns', 'type', 'views'],
  columns: ['always', 'domain', 'generated', 'name'],
  dependents: ['key', 'others', 'rows'],
};

const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Which types the values have, by key. */
function typesOf(answers: readonly object[]): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const [key, value] of answers.flatMap((answer) => Object.entries(answer)))
    found.set(key, (found.get(key) ?? new Set()).add(typeOf(value)));
  return Object.fromEntries([...found].map(([key, all]) => [key, [...all].sort()]));
}

suite('resolved names', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('are answered as the proxy reads them', async () => {
    const production = await proxied.connect(proxied.database.url);
    const resolve = async (...names: readonly string[]): Promise<ResolvedName[]> => {
      const asked = names.map((name) => ({ schema: name === 'overlay' ? 'stage' : null, name }));
      const query = 'SELECT stage.resolve_relations($1) AS found';
      return (await production.query(query, [JSON.stringify(asked)])).rows[0].found;
    };
    await production.query('CREATE TEMPORARY TABLE passing (id int)');
    const unstaged = await resolve('keyed', 'base', 'seen');
    const client = await proxied.connect(await proxied.session('staged'));
    for (const name of ['keyed', 'base', 'part', 'seen']) await client.query(`DELETE FROM ${name}`);
    await client.query('TABLE piece');
    const answers = [...unstaged, ...(await resolve(...Object.values(examples), ...others))];

    assert.equal(
      Object.keys(examples).filter((kind) => !answers.some((answer) => answer.kind === kind)),
      [],
    );
    for (const answer of answers)
      assert.equal(Object.keys(answer).sort(), Object.keys(types).sort());
    const has = (await serverMajor()) < 17 ? types : { ...types, merge: ['null'] };
    assert.equal(typesOf(answers), has);
    const trees = answers.flatMap(({ tree }) => (tree === null ? [] : [tree]));
    assert.equal(typesOf(trees), treeTypes);
    for (const [key, keys] of Object.entries(nested)) {
      const values = answers.flatMap((answer): unknown => answer[key as keyof ResolvedName] ?? []);
      assert.ok(values.length > 0, key);
      for (const value of values) assert.equal(Object.keys(value as object).sort(), keys, key);
    }
  });
});
