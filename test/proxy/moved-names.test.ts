/** Names that change to another relation, between statements and while overlays are created for one. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const attach =
  'ALTER TABLE parted ATTACH PARTITION written FOR VALUES FROM (MINVALUE) TO (MAXVALUE)';
const move = 'ALTER TABLE written RENAME TO former; ';

/** The change of the table that was written to, and the result of the next write to its name. */
const changes: Record<string, { readonly change: string; readonly code: string | null }> = {
  'a partition itself': { change: attach, code: '1 rows' },
  'another one, a partition': {
    change: `${move} CREATE TABLE written PARTITION OF parted FOR VALUES FROM (1) TO (10)`,
    code: null,
  },
  'a materialized view': {
    change: `${move} CREATE MATERIALIZED VIEW written AS SELECT 1 AS id, 1 AS v`,
    code: '0A000',
  },
  'an empty table': {
    change: `${move} CREATE TABLE written (id int PRIMARY KEY, v int)`,
    code: null,
  },
};

suite('names that move', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  let schemas = 0;
  /** Creates a schema with a table that has been written to, and relations that have no stand-in yet. */
  const written = async () => {
    schemas += 1;
    await proxied.database.query(`CREATE SCHEMA s${schemas}; SET search_path = s${schemas};
      CREATE TABLE written (id int PRIMARY KEY, v int); INSERT INTO written VALUES (1, 1);
      CREATE TABLE parted (id int NOT NULL, v int) PARTITION BY RANGE (id); CREATE VIEW seen AS SELECT id FROM parted`);
    await client.query(`SET search_path = s${schemas}`);
    assert.is((await client.query('UPDATE written SET v = 2')).rowCount, 1);
  };
  /** Updates no row. Returns the SQLSTATE if that fails. */
  const update = (source: string) =>
    client.query(`UPDATE written SET v = 3 WHERE id IN (SELECT id FROM ${source})`).then(
      ({ rowCount }) => (rowCount === 0 ? null : `${rowCount} rows`),
      ({ code }: { code: string }) => code,
    );
  test.before(async () => {
    proxied = await startProxied('');
    client = await proxied.connect(await proxied.session('staged'));
  });
  test.after(() => proxied.stop());

  for (const [kind, { change, code }] of Object.entries(changes)) {
    for (const source of ['written', 'seen']) {
      test(`the target is ${kind} by now, the source is named for the first time: ${source}`, async () => {
        await written();
        await proxied.database.query(change);
        assert.is(await update(source), code);
      });
    }

    test(`the target becomes ${kind} while the source gets a stand-in`, async () => {
      const { database } = proxied;
      await written();
      await database.query('BEGIN; LOCK TABLE stage.overlay IN SHARE UPDATE EXCLUSIVE MODE');
      const answer = update('seen');
      await until(async () => {
        const waiting = await database.query(
          `SELECT FROM pg_locks WHERE relation = 'stage.overlay'::regclass AND NOT granted`,
        );
        return waiting.length > 0;
      });
      await database.query(`${change}; COMMIT`);
      assert.is(await answer, code);
    });
  }
});
