/** UPDATE and DELETE that call functions which write: what both write is staged, answered as PostgreSQL answers, and applied by the approval. */
import { alikeEachWay } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE accounts (id int PRIMARY KEY, balance numeric NOT NULL CHECK (balance >= 0));
INSERT INTO accounts SELECT g, 100 FROM generate_series(1, 4) g;
CREATE TABLE lines (id int PRIMARY KEY, account int REFERENCES accounts, amount numeric CHECK (amount <> 95), note text);
INSERT INTO lines SELECT g, g % 3 + 1, g, 'n' || g FROM generate_series(1, 6) g;
CREATE TABLE parts (id int PRIMARY KEY, line int REFERENCES lines ON DELETE CASCADE);
INSERT INTO parts SELECT g, g FROM generate_series(1, 6) g;
CREATE TABLE screws (id int PRIMARY KEY, part int REFERENCES parts ON DELETE CASCADE);
CREATE TABLE counts (name text PRIMARY KEY, n int NOT NULL);
INSERT INTO counts VALUES ('a', 0);
CREATE TABLE history (id int PRIMARY KEY, what text);
CREATE TABLE tall (id int, part int, n int, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE tall_1 PARTITION OF tall FOR VALUES IN (1);
CREATE TABLE tall_2 PARTITION OF tall FOR VALUES IN (2);
INSERT INTO tall VALUES (1, 1, 0), (2, 1, 0);
CREATE TABLE base (id int PRIMARY KEY, n int);
CREATE TABLE derived () INHERITS (base);
INSERT INTO base VALUES (1, 1);
CREATE VIEW small AS SELECT id, account, amount FROM lines WHERE amount < 50 WITH CHECK OPTION;
CREATE FUNCTION note_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO history SELECT count(*), TG_OP || ' ' || OLD.id FROM history; RETURN NULL; END $$;
CREATE TRIGGER note_line AFTER UPDATE OR DELETE ON lines FOR EACH ROW EXECUTE FUNCTION note_line();
CREATE FUNCTION take(a int, n numeric = 1) RETURNS numeric LANGUAGE sql AS
  $$ UPDATE accounts SET balance = balance - n WHERE id = a RETURNING balance $$;
CREATE FUNCTION next_of(p text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN
  UPDATE counts SET n = n + 1 WHERE name = p RETURNING n INTO v; RETURN v; END $$;
CREATE FUNCTION opened(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO accounts VALUES (p, 5); RETURN p; END $$;
CREATE FUNCTION of_lines() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE lines SET note = 'x'; RETURN 1; END $$;
CREATE FUNCTION of_screws(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO screws VALUES (p, p); RETURN p; END $$;
CREATE FUNCTION all_lines(p int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE v text; BEGIN
  UPDATE lines SET amount = take(account), note = 'c' || (next_of('a') > 0) WHERE id <= p;  -- rows come in any order
  DELETE FROM lines WHERE id = p RETURNING note || next_of('a') INTO v; RETURN v; END $$;
CREATE FUNCTION chosen(p int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  RETURN (SELECT count(*) FROM lines WHERE take(account, p) > 0); END $$;
`;
const seen = ['accounts', 'lines', 'parts', 'counts', 'history', 'tall'].map(
  (table) => `SELECT * FROM ${table} ORDER BY 1`,
);

suite('UPDATE and DELETE that call functions which write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const alike = alikeEachWay(test, () => proxied, seen);

  alike('SET and RETURNING', [
    'UPDATE lines SET amount = take(account) WHERE id = 1',
    "UPDATE lines SET amount = take(account, 2), note = 'u' || (next_of('a') > 0) WHERE id IN (2, 3) RETURNING id, amount, note",
    'UPDATE lines l SET amount = take(a.id) FROM accounts a WHERE a.id = l.account AND l.id = 4 RETURNING l.amount, a.balance',
    'UPDATE lines SET amount = id + 20 WHERE id = 5 RETURNING take(account, amount)',
    'DELETE FROM lines WHERE id = 6 RETURNING id, take(account)',
    "WITH n AS (SELECT next_of('a') AS n) UPDATE lines SET note = 'w' || n.n FROM n WHERE id = 1",
    "UPDATE lines SET (amount, note) = (SELECT take(1), 'm' || next_of('a')) WHERE id = 2",
    'UPDATE small SET amount = 10 + take(account) * 0 WHERE id = 3',
    "UPDATE tall SET n = next_of('a'), part = 2 WHERE id = 1",
    "UPDATE tall_1 SET n = next_of('a') WHERE id = 2",
    'UPDATE lines SET account = opened((SELECT max(id) + 1 FROM accounts)::int) WHERE id = 1',
    "UPDATE lines SET note = 'none' || next_of('a') WHERE id = 77",
    "WITH w AS (UPDATE lines SET note = 'x' WHERE id = 3 RETURNING id, account) SELECT id, take(account) FROM w",
    'WITH w AS (DELETE FROM lines WHERE id = 5 RETURNING account) SELECT take(account) FROM w',
    'WITH w AS (SELECT take(1, 2) AS t) UPDATE lines SET amount = t FROM w WHERE id = 1 RETURNING amount',
  ]);
  alike('errors, and nothing of them', [
    'UPDATE lines SET amount = take(account, 1000)',
    'UPDATE lines SET amount = take(account) * 0 + 95 WHERE id = 1',
    'UPDATE small SET amount = 60 + take(account) * 0 WHERE id = 3',
    'UPDATE lines SET nothing = take(account)',
    'BEGIN',
    'UPDATE lines SET amount = take(account, 1) WHERE id = 1',
    'SAVEPOINT a',
    'UPDATE lines SET amount = take(account, 1000) WHERE id = 2',
    'ROLLBACK TO a',
    'DELETE FROM lines WHERE id = 4 RETURNING take(account, 3)',
    'COMMIT',
    'PREPARE p (int) AS UPDATE lines SET amount = take(account, $1) WHERE id = 2 RETURNING amount',
    'EXECUTE p (1)',
    'EXECUTE p (2)',
    'DEALLOCATE p',
  ]);
  alike('in functions and blocks', ['SELECT all_lines(3)'], ['staged']);
  alike('in blocks', [
    "DO $$ BEGIN FOR i IN 1..2 LOOP UPDATE lines SET note = 'do ' || take(account) WHERE id = i; END LOOP; END $$",
  ]);

  const inCondition =
    /0A000.*cannot stage what function (public\.)?take\(\) writes where WHERE or ON calls it/s;
  const refused: Record<string, RegExp> = {
    'UPDATE lines SET amount = of_lines()': /0A000.*"lines" while an UPDATE of "lines"/s,
    'DELETE FROM lines WHERE id = 1 RETURNING of_screws(id)':
      /0A000.*"screws" while a DELETE from "lines"/s,
    'UPDATE lines SET amount = 1 WHERE take(account) > 0': inCondition,
    'DELETE FROM lines WHERE take(account) > 0': inCondition,
    'INSERT INTO counts SELECT note, 1 FROM lines WHERE take(account) > 0': inCondition,
    'INSERT INTO counts SELECT a.note, 1 FROM lines a JOIN lines b ON take(a.account) > b.id':
      inCondition,
    'SELECT id FROM lines WHERE id IN (SELECT take(account)::int FROM lines)': inCondition,
    'SELECT id FROM lines WHERE take(account) > 0': inCondition,
    'SELECT chosen(1)': /25006|0A000/,
    'UPDATE base SET n = take(1)':
      /0A000.*this write of "base" calls.*Call the function in a SELECT before/s,
  };
  for (const [text, error] of Object.entries(refused))
    test(`refused: ${text}`, async () => {
      const { daemon } = proxied;
      const session = await daemon.newSession({ reads: 'staged' });
      const answers = await runScript(daemon.clientUrl(session), [q(text)]);
      assert.match(answers.join('\n'), error);
      const { body } = await daemon.call('GET', `/sessions/${session}/diff`);
      assert.equal((body as { tables: object }).tables, {});
    });

  alike(
    'conditions on other rows than those of tables',
    [
      'SELECT g FROM generate_series(1, 3) g WHERE take(g) > 0',
      'INSERT INTO counts SELECT g::text, g FROM generate_series(1, 3) g WHERE take(g) > 0',
    ],
    ['staged'],
  );
});
