/** Tables that are dropped while the proxy prepares a client's first statement on them: it fails as on the tables themselves. */
import pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { b, d, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE race (id int PRIMARY KEY, v text);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent);
INSERT INTO parent VALUES (1);
CREATE VIEW seen AS SELECT * FROM race;
`;

const extended = (text: string, ...values: string[]) => [p(text), b(values), d(), e(), s];

/** The object that is dropped, and the client's messages meanwhile. */
const cases: Readonly<Record<string, readonly [dropped: string, steps: readonly Buffer[]]>> = {
  INSERT: ['DROP TABLE race CASCADE', [q(`INSERT INTO race VALUES (1, 'a')`)]],
  'an INSERT with parameters': [
    'DROP TABLE race CASCADE',
    extended('INSERT INTO race (id) VALUES ($1) RETURNING *', '1'),
  ],
  'UPDATE in a block': [
    'DROP TABLE race CASCADE',
    [q('BEGIN'), q(`UPDATE race SET v = ''`), q('SELECT 1'), q('ROLLBACK')],
  ],
  COPY: ['DROP TABLE race CASCADE', [q('COPY race FROM STDIN')]],
  TRUNCATE: ['DROP TABLE race CASCADE', [q('TRUNCATE race')]],
  'a read of a view': ['DROP TABLE race CASCADE', [q('SELECT * FROM seen')]],
  'a write to a view': ['DROP TABLE race CASCADE', extended('DELETE FROM seen WHERE id = $1', '1')],
  'a write to a child of the table': [
    'DROP TABLE parent CASCADE',
    [q('INSERT INTO child VALUES (1, 5)'), q('SELECT * FROM child')],
  ],
  'a write to a parent of the table': ['DROP TABLE child', [q('DELETE FROM parent')]],
};

suite('tables that are dropped under way', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
  });
  test.after(() => proxied.stop());

  for (const [name, [dropped, steps]] of Object.entries(cases))
    test(name, async () => {
      const { database, twin } = proxied;
      const url = await proxied.session('staged');
      for (const each of [database, twin])
        await each.query(`DROP TABLE IF EXISTS race, parent, child CASCADE; ${schema}`);
      await twin.query(dropped);
      const dropping = new pg.Client({ connectionString: database.url });
      await dropping.connect();
      await dropping.query(`BEGIN; ${dropped}`);
      const reported = runScript(url, steps);
      await until(async () => {
        const waiting = await database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      await dropping.query('COMMIT');
      await dropping.end();
      assert.equal(await reported, await runScript(twin.url, steps));
    });
});
