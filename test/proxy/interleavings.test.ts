/** Connections of one session, step by step: what waits, what fails, what remains, and what approval leaves is as on the tables themselves. */
import pg from 'pg';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { doubts } from './interleaving-doubts.ts';
import { keyChanges } from './interleaving-keys.ts';
import { obstacles, otherwise } from './interleaving-obstacles.ts';
import { interleavings } from './interleaving-steps.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, code text UNIQUE);
CREATE TABLE part (id int PRIMARY KEY, item bigint REFERENCES item ON UPDATE CASCADE);
CREATE TABLE note (id int PRIMARY KEY, item int REFERENCES item ON DELETE CASCADE);
CREATE TABLE tag (id int PRIMARY KEY, code text REFERENCES item (code) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE slot (item int REFERENCES item ON UPDATE CASCADE ON DELETE CASCADE, no int, n int, PRIMARY KEY (item, no));
CREATE TABLE area (zone int, id int, n int, PRIMARY KEY (zone, id)) PARTITION BY LIST (zone);
CREATE TABLE area_1 PARTITION OF area FOR VALUES IN (1);
CREATE TABLE area_2 PARTITION OF area FOR VALUES IN (2);
CREATE TABLE mark (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE line (n int, code text);
CREATE TABLE span (id int PRIMARY KEY, during int4range, EXCLUDE USING gist (during WITH &&));`;

const fill = `
DELETE FROM part; DELETE FROM note; DELETE FROM tag; DELETE FROM slot; DELETE FROM item;
DELETE FROM area; DELETE FROM mark; DELETE FROM line; DELETE FROM span;
INSERT INTO item SELECT g, 0, 'c' || g FROM generate_series(1, 4) g;
INSERT INTO slot VALUES (1, 1, 0);
INSERT INTO area VALUES (1, 1, 0), (1, 2, 0);
INSERT INTO mark VALUES (3, 0), (4, 0);
INSERT INTO line VALUES (0, 'a'), (0, 'b');
INSERT INTO span VALUES (1, '[1,5)');`;

const remains = `SELECT 'item' AS name, item.*::text FROM item UNION ALL SELECT 'part', part.*::text FROM part
  UNION ALL SELECT 'note', note.*::text FROM note UNION ALL SELECT 'tag', tag.*::text FROM tag
  UNION ALL SELECT 'slot', slot.*::text FROM slot UNION ALL SELECT 'area', area.*::text FROM area
  UNION ALL SELECT 'mark', mark.*::text FROM mark
  UNION ALL SELECT 'line', line.*::text FROM line UNION ALL SELECT 'span', span.*::text FROM span ORDER BY 1, 2`;

const all = { ...interleavings, ...obstacles, ...keyChanges, ...doubts };

suite('two connections of one session, step by step', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + fill);
  });
  test.after(() => proxied.stop());

  for (const [name, steps] of Object.entries(all)) {
    for (const mode of [undefined, 'extended'] as const) {
      test(`${name}${mode ? ', extended protocol' : ''}`, async () => {
        const { database, twin, daemon } = proxied;
        for (const each of [database, twin]) await each.query(fill);
        const id = await daemon.newSession({ reads: 'staged' });
        const session = daemon.clientUrl(id);
        assert.equal(
          await interleave(database, session, steps, mode),
          await interleave(twin, twin.url, steps, mode),
        );
        const rows = await rowsOf(twin.url);
        assert.equal(await rowsOf(session), rows);
        await daemon.call('POST', `/sessions/${id}/propose`);
        const answer = await daemon.call('POST', `/sessions/${id}/approve`);
        assert.is(answer.status, 200, answer.text);
        assert.equal(await rowsOf(database.url), rows);
      });
    }
  }

  for (const [name, [steps, mine, theirs]] of Object.entries(otherwise)) {
    test(`otherwise than in PostgreSQL: ${name}`, async () => {
      const { database, twin, session } = proxied;
      for (const each of [database, twin]) await each.query(fill);
      const outcome = async (url: string, of: typeof twin) =>
        (await interleave(of, url, steps)).at(-2)?.split(': ').at(-1);
      assert.is(await outcome(await session('staged'), database), mine);
      assert.is(await outcome(twin.url, twin), theirs);
    });
  }

  async function rowsOf(url: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(remains);
    await client.end();
    return rows;
  }
});
