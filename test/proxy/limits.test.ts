/**
 * The refusals of the policy while staging. Each of many statements is staged without a policy, in a session that is then checked by each
 * of many rules, as at its proposal; and again under each rule. It is refused exactly where the proposal would be.
 */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE items (id int PRIMARY KEY, price numeric, stock int DEFAULT 0, note text);
INSERT INTO items SELECT g, g, g FROM generate_series(1, 20) g;
CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO parts SELECT g, g FROM generate_series(1, 10) g;
CREATE TABLE pieces (id int PRIMARY KEY, part int REFERENCES parts ON DELETE SET NULL); INSERT INTO pieces SELECT g, g FROM generate_series(1, 5) g;
CREATE TABLE item_log (item int, stock int, PRIMARY KEY (item, stock));
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO public.item_log VALUES (NEW.id, NEW.stock); RETURN NULL; END';
CREATE TRIGGER log AFTER UPDATE ON items FOR EACH ROW WHEN (NEW.stock > 100) EXECUTE FUNCTION log_item();
CREATE TABLE days (id int, day int, text text, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES IN (1); CREATE TABLE days_2 PARTITION OF days FOR VALUES IN (2);
INSERT INTO days SELECT g, 1 + g % 2, 'x' FROM generate_series(1, 6) g;
CREATE TABLE base (id int PRIMARY KEY, n int); CREATE TABLE child (extra int, PRIMARY KEY (id)) INHERITS (base);
INSERT INTO base SELECT g, g FROM generate_series(1, 3) g; INSERT INTO child SELECT g, g FROM generate_series(4, 6) g;
CREATE TABLE loose (word text); INSERT INTO loose VALUES ('a'), ('a'), ('b');
CREATE FUNCTION used(i int) RETURNS int LANGUAGE plpgsql AS 'BEGIN UPDATE public.pieces SET part = part WHERE id <= i; RETURN i; END';
CREATE VIEW cheap AS SELECT * FROM items WHERE price < 10;
`;

const statements = [
  'UPDATE items SET price = price WHERE id = 99',
  'UPDATE items SET price = price + 1 WHERE id = 1',
  'UPDATE items SET price = price WHERE id < 4',
  `UPDATE items SET note = 'x' WHERE id < 4`,
  'UPDATE items SET stock = stock + 200 WHERE id < 4',
  'UPDATE cheap SET price = 3 WHERE id = 2',
  'INSERT INTO items (id, price) VALUES (30, 1)',
  'INSERT INTO items (id, price) SELECT g, g FROM generate_series(30, 33) g',
  'INSERT INTO items (id, price) VALUES (1, 1), (31, 1) ON CONFLICT DO NOTHING',
  'INSERT INTO items (id, price) VALUES (1, 9), (2, 9), (31, 1) ON CONFLICT (id) DO UPDATE SET price = 9',
  'DELETE FROM items WHERE id > 18',
  'DELETE FROM items WHERE id = 12',
  'DELETE FROM items WHERE id < 3',
  'UPDATE items SET id = id + 100 WHERE id < 3',
  'DELETE FROM parts WHERE id = 1',
  `MERGE INTO items USING (VALUES (1), (2), (40)) v (id) ON items.id = v.id WHEN MATCHED AND items.id = 2 THEN DELETE
   WHEN MATCHED THEN UPDATE SET price = 5 WHEN NOT MATCHED THEN INSERT (id) VALUES (v.id)`,
  `WITH a AS (UPDATE items SET price = 0 WHERE id = 5 RETURNING id), b AS (INSERT INTO loose VALUES ('c') RETURNING 1)
   UPDATE parts SET item = 9 WHERE id IN (7, 8)`,
  `WITH a AS (DELETE FROM pieces WHERE id = 1) INSERT INTO pieces VALUES (50, 2), (51, 2)`,
  'TRUNCATE items, parts, pieces',
  'UPDATE days SET text = id::text',
  `UPDATE days_1 SET text = 'y'`,
  'UPDATE days SET day = 3 - day WHERE id < 3',
  'UPDATE base SET n = n + 1',
  'DELETE FROM ONLY base WHERE id = 1',
  'UPDATE child SET n = 7 WHERE id = 4',
  `UPDATE loose SET word = 'z' WHERE word = 'a'`,
  'DELETE FROM loose',
  'INSERT INTO items (id, price) SELECT g, used(g - 49) FROM generate_series(50, 53) g',
];

const limits = [
  { deny: ['insert'] },
  { deny: ['update'] },
  { deny: ['delete'] },
  { max_rows: 0 },
  { max_rows: 2 },
  { max_rows: 4 },
  { max_rows_per_statement: 1 },
  { max_rows_per_statement: 3 },
];
const rules = [
  ...[{}, { tables: ['items'] }, { tables: ['parts', 'pieces'] }].flatMap((about) =>
    limits.map((limit) => ({ ...about, ...limit })),
  ),
  ...limits.slice(1).map((limit) => ({ tables: ['days', 'base', 'loose'], ...limit })),
  { tables: ['items'], deny_columns: ['price'] },
  { tables: ['items', 'parts'], deny_columns: ['id', 'item'] },
  { tables: ['public.*'], deny_columns: ['n', 'text', 'word'] },
  { tables: ['item_log'], deny: ['insert'] },
  { projects: ['other'], max_rows: 0 },
];

interface Verdict {
  readonly rule: string;
  readonly holds: boolean;
}

suite('limits of the policy, while staging', (test) => {
  let proxied: Proxied;
  const clients: pg.Client[] = [];
  /** Of each statement, what the proposal of a session with it alone would break, of all rules at once. */
  const verdicts: Verdict[][] = [];
  test.before(async () => {
    proxied = await startProxied(schema);
    clients.push(await proxied.connect(await proxied.session()));
    await proxied.daemon.newSession({ project_id: 'other' });
    const sessions: string[] = [];
    for (const statement of statements) {
      const id = await proxied.daemon.newSession();
      const client = await proxied.connect(proxied.daemon.clientUrl(id));
      await client.query(statement);
      await client.end();
      sessions.push(id);
    }
    await set(rules.map((rule, place) => ({ name: `r${place}`, ...rule })));
    for (const id of sessions) {
      const { body } = await proxied.daemon.call('GET', `/sessions/${id}/policy`);
      verdicts.push(body.verdicts);
    }
  });
  test.after(() => proxied.stop());

  const set = async (wanted: readonly object[]) => {
    const document = { rules: wanted };
    const sent = { json: { document }, headers: { 'if-match': '*' } };
    const { status, body } = await proxied.daemon.call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  /** Runs a statement in a transaction that is rolled back. Returns the error of the policy, or null. */
  const refusal = async (statement: string, isExtended: boolean) => {
    const [client] = clients;
    await client?.query('BEGIN');
    const asked = isExtended ? { text: statement, values: [] } : statement;
    const error = await client?.query(asked as string).then(
      () => null,
      (failure: pg.DatabaseError) => failure,
    );
    await client?.query('ROLLBACK');
    if (error && error.table !== 'policy') throw error;
    return error ?? null;
  };

  /** Compares a statement's refusal with what the proposal of a session with this statement alone would break. */
  async function compare(rule: object, place: number, index: number) {
    const { [index]: statement = '' } = statements;
    const broken = (verdicts[index] ?? []).filter(
      (verdict) => verdict.rule === `r${place}` && !verdict.holds,
    );
    const isExtended = (index + place) % 2 === 0;
    const error = await refusal(statement, isExtended);
    const label = `${statement} ${JSON.stringify(broken)} ${error?.message}`;
    assert.is(error !== null, broken.length > 0, label);
    if (error === null) return 0;
    assert.match(error.message, /^the policy does not allow it: rule "r": /);
    const isDenied = 'deny' in rule || 'deny_columns' in rule;
    assert.equal([error.code, error.constraint], [isDenied ? '42501' : '54000', 'r'], label);
    // the first judgement that finds something may come before actions of foreign keys
    assert.ok(error.message.split('; rule ').length <= broken.length, label);
    return 1;
  }

  for (const [place, rule] of rules.entries())
    test(JSON.stringify(rule), async () => {
      await set([{ name: 'r', ...rule }]);
      let refused = 0;
      for (const index of statements.keys()) refused += await compare(rule, place, index);
      const isVacuous = 'projects' in rule || rule.tables?.[0] === 'item_log';
      assert.is(refused > 0, !isVacuous);
      assert.ok(refused < statements.length);
    });
});
