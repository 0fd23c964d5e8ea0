/** An object in a table's definition is renamed, and the table's stamp does not show it: the next write works as on the table itself. */
import type { Client } from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TEXT SEARCH CONFIGURATION words (COPY = simple);
CREATE TYPE pair AS (x int, y int);
CREATE TABLE bound (id int);
CREATE TABLE doc (id int PRIMARY KEY, body text, found tsvector GENERATED ALWAYS AS (to_tsvector('words', body)) STORED);
CREATE TABLE kept (id int PRIMARY KEY, p pair, CHECK ((p).x < 100));
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
        const told: string[] = [];
        let key = 0;
        const run = async (client: Client) => {
          key += 1;
          const answer = await client
            .query({ text: statement.replace('#', String(key)), rowMode: 'array' })
            .then(({ command, rows }) => `${command} ${JSON.stringify(rows)}`)
            .catch(({ code, message }) => `${code} ${message}`);
          told.push(answer);
        };
        const first = await proxied.connect(url);
        for (let time = 0; time < 2; time += 1) await run(first);
        await of.query(change);
        const later = await proxied.connect(url);
        for (const client of [first, later, first, later]) await run(client);
        await Promise.all([first.end(), later.end()]);
        return told;
      };
      assert.equal(
        await tell(await proxied.session('staged'), database),
        await tell(twin.url, twin),
      );
    });
});
