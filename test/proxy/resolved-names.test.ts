/** The result of stage.resolve_relations has exactly the keys and types that the proxy declares, for every kind of relation. */

import type { Client } from 'pg';
import type { NameUse, ResolvedName, StandIn } from '../../src/rewrite/resolved-name.ts';
import { serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE keyed (id int PRIMARY KEY, n int GENERATED ALWAYS AS (id + 1) STORED, v text UNIQUE); INSERT INTO keyed VALUES (1);
CREATE VIEW seen AS SELECT id, v AS w FROM keyed; CREATE VIEW constant AS SELECT 1 AS a; CREATE VIEW unseen AS SELECT id FROM keyed;
CREATE TABLE plain (id int PRIMARY KEY);
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
const others = ['plain', 'constant', 'unseen', 'base', 'derived', 'piece'];

/** The types of each value, all of which occur. */
const types: Readonly<Record<keyof ResolvedName, readonly string[]>> = {
  oid: ['null', 'number'],
  kind: ['string'],
  schema: ['null', 'string'],
  namespace: ['null', 'number'],
  standIn: ['object'],
  isPlain: ['boolean'],
  writing: ['null', 'string'],
  table: ['null', 'number'],
  tableColumns: ['null', 'object'],
  waitsForColumns: ['boolean'],
  hasPolicies: ['boolean'],
  origins: ['null', 'object'],
  stamp: ['null', 'string'],
  upsert: ['null', 'object'],
  load: ['null', 'object'],
  columns: ['array'],
  merge: ['null', 'string'],
  uniques: ['array'],
  key: ['array'],
  dependents: ['null', 'object'],
  code: ['boolean'],
  calls: ['array'],
  parked: ['boolean'],
};
const standInTypes: Readonly<Record<keyof StandIn, readonly string[]>> = {
  view: ['null', 'object'],
  madeAs: ['string'],
  isLacking: ['boolean'],
  isHidden: ['boolean'],
  verify: ['object'],
};
const view = ['name', 'schema'];
const nested: Readonly<Partial<Record<keyof ResolvedName, readonly string[]>>> = {
  upsert: view,
  load: ['changes', 'isDeletable', 'name', 'schema', 'updatable'],
  origins: ['columns', 'types', 'views'],
  columns: ['always', 'domain', 'drawn', 'generated', 'name'],
  dependents: ['key', 'others', 'rows'],
};

const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Returns the types of the values by key. */
function typesOf(answers: readonly object[]): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const [key, value] of answers.flatMap((answer) => Object.entries(answer)))
    found.set(key, (found.get(key) ?? new Set()).add(typeOf(value)));
  return Object.fromEntries([...found].map(([key, all]) => [key, [...all].sort()]));
}

async function resolveIn(production: Client, names: readonly NameUse[]): Promise<ResolvedName[]> {
  const query = 'SELECT stage.resolve_relations($1) AS found';
  return (await production.query(query, [JSON.stringify(names)])).rows[0].found;
}

const named = ['keyed', 'base', 'derived', 'part', 'piece', 'seen', 'pg_class'];

/** Read, read ONLY, INSERT, other writes, other writes of ONLY the table. */
const uses: readonly Omit<NameUse, 'schema' | 'name'>[] = [
  {},
  { only: true },
  { target: 'INSERT' },
  { target: 'UPDATE' },
  { only: true, target: 'UPDATE' },
];

/** Returns what the name stands for, or what has to be created first. */
function reported({ view, madeAs, isLacking, isHidden, verify }: StandIn): string {
  const children = 'tree' in verify ? ' with children' : '';
  if (isLacking) return `make ${madeAs}${children}`;
  if (view === null) return `production${children}`;
  return `${view.schema.replace(/^stage_(\w+?)_\d+$/, '$1')}${children}${isHidden ? ' hidden' : ''}`;
}

/** Before any write. */
const unmade = `keyed: production | production | make overlay | make overlay | make overlay
base: production with children | production | make overlay | make overlay with children | make overlay
derived: production | production | make overlay | make overlay | make overlay
part: production | production | make overlay | make overlay | make overlay
piece: make staged view | make staged view | make overlay | make overlay | make overlay
seen: make staged view | make staged view | make overlay | make overlay | make overlay
pg_class: production | production | make overlay | make overlay | make overlay`.split('\n');

/** All tables have overlays, except `base`, which was read together with its children. */
const made = `keyed: overlay | overlay | overlay | overlay | overlay
base: tree with children | overlay | make overlay | make overlay with children | make overlay
derived: overlay | overlay | overlay | overlay | overlay
part: overlay | overlay | overlay | overlay | overlay
piece: overlay | overlay | overlay | overlay | overlay
seen: overlay | overlay | overlay | overlay | overlay
pg_class: production | production | make overlay | make overlay | make overlay`.split('\n');

/** After another column was added to the tables. */
const changed = `keyed: make overlay | make overlay | make overlay | make overlay | make overlay
base: make staged view with children | make overlay | make overlay | make overlay with children | make overlay
derived: make overlay | make overlay | make overlay | make overlay | make overlay
part: make overlay | make overlay | make overlay | make overlay | make overlay
piece: make staged view | make staged view | make overlay | make overlay | make overlay
seen: make staged view | make staged view | make overlay | make overlay | make overlay
pg_class: production | production | make overlay | make overlay | make overlay`.split('\n');

suite('resolved names', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  test('are answered as the proxy reads them', async () => {
    const production = await proxied.connect(proxied.database.url);
    const resolve = (...names: readonly string[]) =>
      resolveIn(
        production,
        names.map((name) => ({ schema: name === 'overlay' ? 'stage' : null, name })),
      );
    await production.query('CREATE TEMPORARY TABLE passing (id int)');
    const unstaged = await resolve('keyed', 'base', 'seen');
    const client = await proxied.connect(await proxied.session('staged'));
    for (const name of ['keyed', 'plain', 'base', 'part', 'seen'])
      await client.query(`DELETE FROM ${name}`);
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
    assert.equal(typesOf(answers.map(({ standIn }) => standIn)), standInTypes);
    for (const [key, keys] of Object.entries(nested)) {
      const values = answers.flatMap((answer): unknown => answer[key as keyof ResolvedName] ?? []);
      assert.ok(values.length > 0, key);
      for (const value of values) assert.equal(Object.keys(value as object).sort(), keys, key);
    }
  });

  test('have for each use what stands for the relation there, before and after it was made', async () => {
    const own = await startProxied(schema);
    try {
      const production = await own.connect(own.database.url);
      const client = await own.connect(await own.session('staged'));
      const tell = async () => {
        const asked = named.flatMap((name) => uses.map((use) => ({ schema: null, name, ...use })));
        const found = (await resolveIn(production, asked)).map(({ standIn }) => reported(standIn));
        return named.map((name, place) => {
          const cells = found.slice(place * uses.length, (place + 1) * uses.length);
          return `${name}: ${cells.join(' | ')}`;
        });
      };
      assert.equal(await tell(), unmade);

      for (const name of ['keyed', 'derived', 'part', 'seen'])
        await client.query(`DELETE FROM ${name}`);
      for (const name of ['base', 'piece']) await client.query(`TABLE ${name}`);
      assert.equal(await tell(), made);

      await client.query('DELETE FROM base');
      const written = 'base: tree with children | overlay | overlay | tree with children | overlay';
      assert.equal(await tell(), made.with(named.indexOf('base'), written));

      await production.query(
        'ALTER TABLE keyed ADD x int; ALTER TABLE base ADD x int; ALTER TABLE part ADD x int',
      );
      assert.equal(await tell(), changed);
    } finally {
      await own.stop();
    }
  });

  test('are asked for again when the table has got children', async () => {
    const production = await proxied.connect(proxied.database.url);
    await production.query('CREATE TABLE lone (id int PRIMARY KEY)');
    const url = await proxied.session('staged');
    const [reader, writer] = [await proxied.connect(url), await proxied.connect(url)];
    const read = async () => (await reader.query('SELECT id FROM lone ORDER BY id')).rows;
    assert.equal(await read(), []);

    await production.query('CREATE TABLE child (PRIMARY KEY (id)) INHERITS (lone)');
    await writer.query('INSERT INTO child VALUES (1)');

    assert.equal(await read(), [{ id: 1 }]);
  });
});
