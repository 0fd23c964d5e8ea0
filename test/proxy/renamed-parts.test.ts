/** An object in a table's definition is renamed, and the table's stamp does not show it: the next write works as on the table itself. */
import type { Client } from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TEXT SEARCH CONFIGURATION words (COPY = simple);
CREATE TYPE pair AS (x int, y int);
CREATE TYPE swapped_pair AS (x int, y int);
CREATE TEXT SEARCH CONFIGURATION plain (COPY = simple);
CREATE TEXT SEARCH CONFIGURATION stemmed (COPY = english);
CREATE SCHEMA spaces;
CREATE TABLE bound (id int);
CREATE TABLE doc (id int PRIMARY KEY, body text, found tsvector GENERATED ALWAYS AS (to_tsvector('words', body)) STORED);
CREATE TABLE kept (id int PRIMARY KEY, p pair, CHECK ((p).x < 100));
CREATE TABLE swapped (id int PRIMARY KEY, p swapped_pair, CHECK ((p).x < 100));
CREATE TABLE searched (id int PRIMARY KEY, body text, found tsvector GENERATED ALWAYS AS (to_tsvector('stemmed', body)) STORED);
CREATE TABLE spaced (id int PRIMARY KEY, space regnamespace DEFAULT 'spaces'::regnamespace);
CREATE TABLE numbered (id int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY);
CREATE TABLE counted (id int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY (START 500));
CREATE TABLE above (a int PRIMARY KEY, b int UNIQUE); INSERT INTO above VALUES (1, 2);
CREATE TABLE below (id int PRIMARY KEY, above int REFERENCES above (a));
CREATE TABLE part (id int, of regclass, n int, PRIMARY KEY (id, of)) PARTITION BY LIST (of);
CREATE TABLE part_one PARTITION OF part (CHECK (n < 100)) FOR VALUES IN ('bound');
`;

/** The changes, each with a statement whose response needs the new name. `#` is a key. */
const changes: Readonly<Record<string, readonly [change: string, statement: string]>> = {
  'a text search configuration': [
    'ALTER TEXT SEARCH CONFIGURATION words RENAME TO terms',
    `INSERT INTO doc VALUES (#, 'some words') RETURNING *`,
  ],
  'an attribute of a composite type': [
    'ALTER TYPE pair RENAME ATTRIBUTE x TO z',
    `INSERT INTO kept VALUES (#, '(1,2)') RETURNING *`,
  ],
  // A text with the former name would not fail, but mean something else.
  'attributes that swap their names': [
    'ALTER TYPE swapped_pair RENAME ATTRIBUTE x TO z; ALTER TYPE swapped_pair RENAME ATTRIBUTE y TO x; ALTER TYPE swapped_pair RENAME ATTRIBUTE z TO y',
    `INSERT INTO swapped VALUES (#, '(1,150)') RETURNING *`,
  ],
  'configurations that swap their names': [
    `ALTER TEXT SEARCH CONFIGURATION plain RENAME TO kept; ALTER TEXT SEARCH CONFIGURATION stemmed RENAME TO plain;
     ALTER TEXT SEARCH CONFIGURATION kept RENAME TO stemmed`,
    `INSERT INTO searched VALUES (#, 'running words') RETURNING *`,
  ],
  'sequences that swap their names': [
    `ALTER SEQUENCE numbered_n_seq RENAME TO counter; ALTER SEQUENCE counted_n_seq RENAME TO numbered_n_seq; ALTER SEQUENCE counter RENAME TO counted_n_seq`,
    'INSERT INTO numbered VALUES (#) RETURNING n',
  ],
  'columns behind a foreign key that swap their names': [
    'ALTER TABLE above RENAME a TO c; ALTER TABLE above RENAME b TO a; ALTER TABLE above RENAME c TO b',
    'INSERT INTO below VALUES (#, 1) RETURNING *',
  ],
  'a schema that a default names': [
    'ALTER SCHEMA spaces RENAME TO rooms',
    'INSERT INTO spaced VALUES (#) RETURNING *',
  ],
  // PostgreSQL records no dependency on it: no stamp of the definition shows the change either
  'a table that bounds of partitions name': [
    'ALTER TABLE bound RENAME TO limited',
    `INSERT INTO part SELECT #, oid, 1 FROM pg_class WHERE relname IN ('bound', 'limited') RETURNING *`,
  ],
};

suite('parts of definitions that get other names', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [what, [change, statement]] of Object.entries(changes))
    test(`${what}`, async () => {
      const { database, twin } = proxied;
      const tell = async (url: string, of: typeof twin) => {
        const reported: string[] = [];
        let key = 0;
        const run = async (client: Client) => {
          key += 1;
          const answer = await client
            .query({ text: statement.replace('#', String(key)), rowMode: 'array' })
            .then(({ command, rows }) => `${command} ${JSON.stringify(rows)}`)
            .catch(({ code, message }) => `${code} ${message}`);
          reported.push(answer);
        };
        const first = await proxied.connect(url);
        for (let time = 0; time < 2; time += 1) await run(first);
        await of.query(change);
        const later = await proxied.connect(url);
        for (const client of [first, later, first, later]) await run(client);
        await Promise.all([first.end(), later.end()]);
        return reported;
      };
      assert.equal(
        await tell(await proxied.session('staged'), database),
        await tell(twin.url, twin),
      );
    });
});
