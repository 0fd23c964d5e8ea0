/** INSERT that calls functions which write: what both write is staged, answered as PostgreSQL answers, and applied by the approval. */
import { alikeEachWay } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE accounts (id int PRIMARY KEY, balance numeric NOT NULL DEFAULT 0 CHECK (balance >= 0));
INSERT INTO accounts SELECT g, 100 FROM generate_series(1, 3) g;
CREATE TABLE lines (id serial PRIMARY KEY, account int REFERENCES accounts, amount numeric CHECK (amount <> 95), note text DEFAULT 'none');
CREATE TABLE numbers (name text PRIMARY KEY, last int NOT NULL);
CREATE TABLE marks (line int NOT NULL REFERENCES lines, mark text PRIMARY KEY);
CREATE TABLE loose (what text, n int);
CREATE TABLE kept (id serial PRIMARY KEY, what text, n int);
CREATE TABLE tall (id int, part int, n int, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE tall_1 PARTITION OF tall FOR VALUES IN (1);
CREATE VIEW positive AS SELECT id, account, amount FROM lines WHERE amount > 0 WITH CHECK OPTION;
CREATE TABLE history (line int PRIMARY KEY, what text);
CREATE FUNCTION note_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO history VALUES (NEW.id, TG_OP || coalesce(NEW.amount, 0)); RETURN NULL; END $$;
CREATE TRIGGER note_line AFTER INSERT ON lines FOR EACH ROW EXECUTE FUNCTION note_line();
CREATE FUNCTION take(a int, n numeric = 1) RETURNS numeric LANGUAGE sql AS
  $$ UPDATE accounts SET balance = balance - n WHERE id = a RETURNING balance $$;
CREATE FUNCTION number_of(p text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN
  INSERT INTO numbers AS x VALUES (p, 1) ON CONFLICT (name) DO UPDATE SET last = x.last + 1 RETURNING last INTO v; RETURN v; END $$;
CREATE FUNCTION opened(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO accounts VALUES (p, 0); RETURN p; END $$;
CREATE FUNCTION tried(p int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE accounts SET balance = balance - 40 WHERE id = p; RETURN 'ok'; EXCEPTION WHEN check_violation THEN RETURN 'no'; END $$;
CREATE FUNCTION nested(p int) RETURNS numeric LANGUAGE plpgsql AS $$ DECLARE v numeric; BEGIN
  INSERT INTO lines (account, amount) SELECT i, take(i, p) FROM generate_series(1, 2) g(i);
  INSERT INTO lines (account, amount, note) VALUES (1, take(1) + take(2), 'n' || number_of('n')) RETURNING amount INTO v;
  INSERT INTO kept (what, n) VALUES ('nested', take(3, p)); RETURN v; END $$;
CREATE FUNCTION nested_sql(p int) RETURNS bigint LANGUAGE sql AS
  'INSERT INTO kept (what, n) SELECT ''sql'', take(g) FROM generate_series(1, p) g; SELECT count(*) FROM kept';
CREATE FUNCTION tried_nested(p int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO lines (account, amount) VALUES (1, take(1)); INSERT INTO lines (account, amount) VALUES (2, take(p, 999)); RETURN 'ok';
  EXCEPTION WHEN check_violation THEN INSERT INTO lines (account, amount) VALUES (3, take(3)); RETURN SQLERRM; END $$;
CREATE FUNCTION twice(p int) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN INSERT INTO kept (what, n) VALUES ('twice', number_of('t')); RETURN take(p); END $$;
CREATE PROCEDURE do_nested(p int) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lines (account, amount) VALUES (p, twice(p)); END $$;
SELECT setval('lines_id_seq', 1000);
CREATE FUNCTION lines_of(p int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  UPDATE accounts SET balance = balance + 1 WHERE id = 1; RETURN (SELECT count(*) FROM lines); END $$;
CREATE FUNCTION more_lines(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lines (account) VALUES (1); RETURN 1; END $$;
CREATE FUNCTION marked(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO marks VALUES (p, 'm' || p); RETURN p; END $$;
CREATE FUNCTION steps_of(p int) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN 1..p LOOP UPDATE accounts SET balance = balance - i WHERE id = 2; RETURN NEXT i; END LOOP; END $$;
`;
const seen = [
  'SELECT * FROM accounts ORDER BY id',
  'SELECT account, amount, note FROM lines ORDER BY amount, account, note',
  'SELECT what FROM history ORDER BY what',
  'SELECT * FROM numbers ORDER BY name',
  'TABLE tall ORDER BY 1, 2',
  'SELECT * FROM loose ORDER BY what, n',
  'SELECT * FROM kept ORDER BY id',
];

suite('INSERT that calls functions which write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const alike = alikeEachWay(test, () => proxied, seen);

  alike('VALUES and SELECT', [
    'INSERT INTO lines (account, amount) VALUES (1, take(1))',
    'INSERT INTO lines (account, amount) VALUES (1, take(1)), (2, take(2, 3) + take(2, 4)) RETURNING account, amount',
    'INSERT INTO lines (account, amount) SELECT id, take(id) FROM accounts ORDER BY id RETURNING amount',
    'INSERT INTO lines (account, amount) SELECT 2, * FROM steps_of(3)',
    "INSERT INTO loose SELECT 'a', number_of('a') FROM generate_series(1, 3)",
    "INSERT INTO loose VALUES ('b', number_of(what => 'x'))",
    "WITH n AS (SELECT number_of('w') AS n) INSERT INTO loose SELECT 'w', n FROM n",
    "INSERT INTO tall VALUES (number_of('t'), 1, number_of('t'))",
    "INSERT INTO tall_1 VALUES (number_of('t'), 1, number_of('t'))",
    'INSERT INTO positive (account, amount) VALUES (1, take(1))',
    'INSERT INTO lines (account, amount) VALUES (1, 1) RETURNING take(3, 2), amount',
  ]);
  alike('what they write is there for what comes after', [
    'INSERT INTO lines (account, amount) VALUES (opened((SELECT max(id) + 1 FROM accounts)::int), 7)',
    'INSERT INTO lines (account, amount) SELECT 1, lines_of(g) FROM generate_series(1, 3) g',
    'INSERT INTO lines (account, note) VALUES (1, tried(1)), (1, tried(1)), (1, tried(1))',
  ]);
  alike('errors, and nothing of them', [
    'INSERT INTO lines (account, amount) SELECT 1, take(1, 1000)',
    'INSERT INTO lines (account, amount) VALUES (77, take(1))',
    'INSERT INTO lines (account, amount) VALUES (1, (SELECT 95 * (take(1) > 0)::int))',
    'INSERT INTO positive (account, amount) VALUES (1, -take(1))',
    'INSERT INTO lines (account, amount) VALUES (1, take(1, 2, 3))',
    'INSERT INTO lines (account, amount) VALUES (1, take(1), 4)',
    'BEGIN',
    'INSERT INTO lines (account, amount) VALUES (1, take(1))',
    'SAVEPOINT a',
    'INSERT INTO lines (account, amount) VALUES (2, take(2, 1000))',
    'ROLLBACK TO a',
    'INSERT INTO lines (account, amount) VALUES (2, take(2, 5))',
    'COMMIT',
  ]);
  alike('prepared, and into a temporary table', [
    'PREPARE p (int) AS INSERT INTO lines (account, amount) VALUES ($1, take($1)) RETURNING amount',
    'EXECUTE p (1)',
    'EXECUTE p (2)',
    'CREATE TEMP TABLE mine (n numeric)',
    'INSERT INTO mine VALUES (take(1)), (take(2))',
    'INSERT INTO lines (account, amount) SELECT 1, take(n::int % 3 + 1) FROM mine',
  ]);

  alike(
    'in functions',
    ['SELECT nested(1)', 'SELECT nested_sql(2)', 'SELECT tried_nested(2)'],
    ['staged'],
  );
  alike('in procedures and blocks', [
    'CALL do_nested(2)',
    'CALL do_nested(77)',
    "DO $$ BEGIN FOR i IN 1..2 LOOP INSERT INTO lines (account, note) VALUES (i, 'do ' || take(i)); END LOOP; END $$",
    "INSERT INTO loose VALUES ('outer', twice(1))",
    'INSERT INTO lines (account, amount) VALUES (1, nested_sql(1))',
  ]);

  test('the log has the statement for each part', async () => {
    const { daemon } = proxied;
    const session = await daemon.newSession();
    const text = 'INSERT INTO lines (account, note) VALUES (1, lines_of(1)), (2, lines_of(2))';
    await runScript(daemon.clientUrl(session), [q(text)]);
    const { body } = await daemon.call('GET', `/sessions/${session}/mutations`);
    const { mutations } = body as { mutations: Record<string, unknown>[] };
    const logged = mutations.map(
      (each) => `${each['type']} ${each['table']} ${each['affected_rows']}`,
    );
    assert.equal(logged, ['INSERT lines 2', 'UPDATE accounts 1', 'UPDATE accounts 1']);
    assert.ok(mutations.every(({ query }) => query === text));
  });

  const refused: Record<string, RegExp> = {
    'INSERT INTO lines (account) VALUES (more_lines(1))': /0A000.*more_lines|0A000.*"lines"/s,
    'INSERT INTO lines (account) SELECT marked(1)': /0A000.*"marks"/s,
    'WITH w AS (DELETE FROM kept) UPDATE lines SET amount = take(1)': /0A000.*take/s,
    "INSERT INTO numbers VALUES ('c', take(1)) ON CONFLICT DO NOTHING": /0A000.*take/s,
  };
  for (const [text, error] of Object.entries(refused))
    test(`refused: ${text}`, async () => {
      const { daemon } = proxied;
      const session = await daemon.newSession();
      const answers = await runScript(daemon.clientUrl(session), [q(text)]);
      assert.match(answers.join('\n'), error);
      const { body } = await daemon.call('GET', `/sessions/${session}/diff`);
      assert.equal((body as { tables: object }).tables, {});
    });
});
