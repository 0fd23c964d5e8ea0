/** The mutation log of every kind of write, compared with the counts of statement triggers when the same runs directly. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, data, done, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int CHECK (n < 1000), parent int REFERENCES item ON DELETE CASCADE);
CREATE TABLE part (id int PRIMARY KEY, item int REFERENCES item ON UPDATE CASCADE ON DELETE CASCADE, n int);
CREATE TABLE note (id int PRIMARY KEY, item int REFERENCES item ON UPDATE CASCADE ON DELETE SET NULL);
CREATE VIEW big AS SELECT id, n AS size FROM item WHERE n >= 30;
`;

const rows = `
INSERT INTO item VALUES (1, 10, NULL), (2, 20, NULL), (3, 30, NULL), (4, 40, NULL), (5, 50, 4);
INSERT INTO part VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 4, 4);
INSERT INTO note VALUES (1, 1), (2, 2), (3, 5);
`;

/**
 * Counts as PostgreSQL does: the rows of each command of a client, but not the rows of foreign keys' actions, which run inside a trigger.
 * The tag of an upsert counts the rows that it found among those that it inserted.
 */
const counters = `
CREATE SCHEMA counted;
CREATE TABLE counted.log (type text, "table" text, affected_rows int);
CREATE FUNCTION counted.name(p_op text, p_table text) RETURNS text RETURN 'counted.' || p_table || p_op;
CREATE FUNCTION counted.add_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_name text := counted.name(TG_OP, TG_TABLE_NAME);
BEGIN
  IF pg_trigger_depth() = 1 THEN
    PERFORM set_config(v_name, (coalesce(nullif(current_setting(v_name, true), ''), '0')::int + 1)::text, true);
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION counted.add_command() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_name text := counted.name(TG_OP, TG_TABLE_NAME);
  v_rows int := nullif(current_setting(v_name, true), '');
BEGIN
  IF TG_OP = 'TRUNCATE' THEN EXECUTE format('SELECT count(*) FROM %I', TG_TABLE_NAME) INTO v_rows; END IF;
  IF TG_OP = 'INSERT' THEN SELECT count(*) INTO v_rows FROM fresh; END IF;
  IF v_rows > 0 THEN INSERT INTO counted.log VALUES (replace(TG_OP, 'TRUNCATE', 'DELETE'), TG_TABLE_NAME, v_rows); END IF;
  PERFORM set_config(v_name, '', true);
  RETURN NULL;
END $$;
DO $$
DECLARE v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['item', 'part', 'note'] LOOP
    EXECUTE format('CREATE TRIGGER r BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION counted.add_row()', v_table);
    EXECUTE format('CREATE TRIGGER c AFTER UPDATE OR DELETE ON %I EXECUTE FUNCTION counted.add_command()', v_table);
    EXECUTE format('CREATE TRIGGER i AFTER INSERT ON %I REFERENCING NEW TABLE AS fresh EXECUTE FUNCTION counted.add_command()', v_table);
    EXECUTE format('CREATE TRIGGER t BEFORE TRUNCATE ON %I EXECUTE FUNCTION counted.add_command()', v_table);
  END LOOP;
END $$`;

const upserted = `SELECT 'INSERT' AS type, "table", sum(affected_rows)::int AS affected_rows FROM counted.log GROUP BY 2`;

/** Messages, and the texts and parameters in the log, one for each statement that staged anything. */
type Case = readonly [messages: readonly Buffer[], ...texts: (readonly [string, unknown[]])[]];

const alone = (text: string): Case => [[q(text)], [text, []]];

const cases: Record<string, Case> = {
  'several rows': alone('INSERT INTO item VALUES (6, 1), (7, 2), (8, 3)'),
  'INSERT ... SELECT': alone('INSERT INTO part SELECT id + 10, id, n FROM item'),
  'a multi-table CTE': alone(
    'WITH i AS (INSERT INTO item VALUES (6, 60), (7, 70) RETURNING id), u AS (UPDATE part SET n = n + 1 RETURNING id), d AS (DELETE FROM note WHERE id > 1 RETURNING id) SELECT count(*) FROM i, u, d',
  ),
  'a CTE that writes one table twice': alone(
    'WITH a AS (UPDATE item SET n = 1 WHERE id = 1 RETURNING id) UPDATE item SET n = 2 WHERE id IN (2, 3)',
  ),
  'a CTE whose parts touch nothing': alone(
    'WITH a AS (DELETE FROM note WHERE id = 99) UPDATE item SET n = 2 WHERE id = 2',
  ),
  'DELETE with cascades': alone('DELETE FROM item WHERE id IN (1, 4)'),
  'UPDATE of a key with cascades': alone('UPDATE item SET id = id + 100 WHERE id = 1'),
  'UPDATE ... FROM that matches a row twice': alone(
    'UPDATE item i SET n = p.n FROM part p WHERE p.item = i.id',
  ),
  'DELETE ... USING': alone('DELETE FROM note x USING part p WHERE p.item = x.item'),
  'MERGE with three actions': alone(
    'MERGE INTO item t USING (VALUES (1, 11), (2, 22), (9, 99), (8, 88)) v (id, n) ON t.id = v.id WHEN MATCHED AND v.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET n = v.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES (v.id, v.n)',
  ),
  "MERGE with foreign keys' actions of an UPDATE and a DELETE": alone(
    'MERGE INTO item t USING (VALUES (1), (4), (9)) v (id) ON t.id = v.id WHEN MATCHED AND v.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET id = 100 WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)',
  ),
  'MERGE of which one action applies': alone(
    'MERGE INTO item t USING (VALUES (9)) v (id) ON t.id = v.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)',
  ),
  'MERGE that does nothing': [
    [q('MERGE INTO item t USING (VALUES (1)) v (id) ON t.id = v.id WHEN MATCHED THEN DO NOTHING')],
  ],
  'an upsert with both outcomes': alone(
    'INSERT INTO item VALUES (1, 11), (2, 22), (6, 66) ON CONFLICT (id) DO UPDATE SET n = excluded.n',
  ),
  'an upsert with a condition': alone(
    'INSERT INTO item VALUES (1, 11), (2, 22), (6, 66) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE item.id = 2',
  ),
  'DO NOTHING': alone('INSERT INTO item VALUES (1, 11), (6, 66) ON CONFLICT DO NOTHING'),
  'DO NOTHING that does nothing': [[q('INSERT INTO item VALUES (1, 11) ON CONFLICT DO NOTHING')]],
  COPY: [
    [q('COPY item (id, n) FROM STDIN'), data('6\t1\n7\t2\n8\t\\N\n'), done],
    ['COPY item (id, n) FROM STDIN', []],
  ],
  'COPY of nothing': [[q('COPY item FROM STDIN'), done]],
  TRUNCATE: alone('TRUNCATE note'),
  'TRUNCATE CASCADE': alone('TRUNCATE item CASCADE'),
  'zero rows': [
    [
      q('UPDATE item SET n = 1 WHERE false'),
      q('DELETE FROM item WHERE id = 99'),
      q('INSERT INTO item SELECT 1 WHERE false'),
      q('TRUNCATE note; TRUNCATE note'),
    ],
    ['TRUNCATE note', []],
  ],
  'rollback to a savepoint': [
    [
      q('BEGIN; UPDATE item SET n = 1; SAVEPOINT a; DELETE FROM note; ROLLBACK TO a'),
      q('UPDATE part SET n = 2; RELEASE a; COMMIT; BEGIN; DELETE FROM part; ROLLBACK'),
    ],
    ['UPDATE item SET n = 1', []],
    ['UPDATE part SET n = 2', []],
  ],
  'errors of statements': [
    [
      q('INSERT INTO item VALUES (1)'),
      q('UPDATE item SET n = n * 20 + id'),
      q('BEGIN; DELETE FROM note WHERE id = 1; SAVEPOINT a'),
      q('INSERT INTO item VALUES (6), (7), (1)'),
      q('ROLLBACK TO a; DELETE FROM note WHERE id = 2; COMMIT'),
      q('UPDATE item SET n = 5; SELECT 1/0'),
      q('BEGIN; UPDATE item SET n = 6; SELECT 1/0'),
      q('COMMIT'),
    ],
    ['DELETE FROM note WHERE id = 1', []],
    ['DELETE FROM note WHERE id = 2', []],
  ],
  'prepared with parameters': [
    [
      ...[p('UPDATE item SET n = $2 WHERE id <= $1', 'w'), b(['3', '7'], 'w'), e(), s],
      ...[b(['0', '7'], 'w'), e(), b([null, '7'], 'w'), e(), b(['1', null], 'w'), e(), s],
      q('PREPARE d (int) AS DELETE FROM part WHERE item = $1; EXECUTE d(1); EXECUTE d(99)'),
    ],
    ['UPDATE item SET n = $2 WHERE id <= $1', [3, 7]],
    ['UPDATE item SET n = $2 WHERE id <= $1', [1, null]],
    ['DELETE FROM part WHERE item = $1', [1]],
  ],
  'a portal in parts': [
    [
      q('BEGIN'),
      ...[p('UPDATE item SET n = $1 RETURNING id'), b(['3']), e(2), e(2), e(), s],
      q('COMMIT'),
    ],
    ['UPDATE item SET n = $1 RETURNING id', [3]],
  ],
  'a batch of statements': [
    [q(`DELETE FROM note; INSERT INTO note VALUES (9); UPDATE note SET id = 8 /* ; */;; SELECT 1`)],
    ['DELETE FROM note', []],
    ['INSERT INTO note VALUES (9)', []],
    ['UPDATE note SET id = 8 /* ; */', []],
  ],
  'through a view': [
    [
      q('UPDATE big SET size = size + 1 WHERE id > 3'),
      q('INSERT INTO big VALUES (6, 60), (7, 7)'),
      q('DELETE FROM big WHERE size = 60'),
    ],
    ['UPDATE big SET size = size + 1 WHERE id > 3', []],
    ['INSERT INTO big VALUES (6, 60), (7, 7)', []],
    ['DELETE FROM big WHERE size = 60', []],
  ],
  'a row changed, and changed back': [
    [q('UPDATE item SET n = 11 WHERE id = 1'), q('UPDATE item SET n = 10 WHERE id = 1')],
    ['UPDATE item SET n = 11 WHERE id = 1', []],
    ['UPDATE item SET n = 10 WHERE id = 1', []],
  ],
  'a row made and deleted': [
    [q('INSERT INTO item VALUES (6)'), q('DELETE FROM item WHERE id = 6')],
    ['INSERT INTO item VALUES (6)', []],
    ['DELETE FROM item WHERE id = 6', []],
  ],
};

interface Logged {
  readonly type: string;
  readonly table: string;
  readonly affected_rows: number;
  readonly query: string;
  readonly params: unknown[];
}

/** Sorted by table name: PostgreSQL alone decides in which order a statement writes its tables. */
const counts = (log: readonly Logged[]) =>
  log.map(({ type, table, affected_rows }) => `${table} ${type} ${affected_rows}`).sort();

const words = (value: unknown) => JSON.stringify(value);

suite('the mutation log counts', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + rows);
    await proxied.twin.query(counters);
  });
  test.after(() => proxied.stop());

  for (const [name, [messages, ...texts]] of Object.entries(cases)) {
    test(name, async () => {
      const { daemon, twin } = proxied;
      const session = await daemon.newSession();
      await twin.query(`TRUNCATE item, part, note; ${rows} TRUNCATE counted.log`);
      assert.equal(
        await runScript(daemon.clientUrl(session), messages),
        await runScript(twin.url, messages),
      );
      const { mutations } = (await daemon.call('GET', `/sessions/${session}/mutations`)).body as {
        mutations: Logged[];
      };
      const isUpsert = texts.some(([text]) => text.includes('DO UPDATE'));
      const direct = await twin.query<Logged>(isUpsert ? upserted : 'TABLE counted.log');
      assert.equal(counts(mutations), counts(direct));
      const said = mutations.map(({ query, params }) => words([query, params]));
      assert.equal(
        said.filter((text, at) => text !== said[at - 1]),
        texts.map(words),
      );
    });
  }
});
