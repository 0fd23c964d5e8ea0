/** Functions and procedures that write: what they write is staged, answered as PostgreSQL answers, and applied by the approval. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { suite } from '../helpers/suite.ts';
import { q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance numeric NOT NULL CHECK (balance >= 0));
INSERT INTO accounts SELECT i, 'owner ' || i, 100 FROM generate_series(1, 5) i;
CREATE TABLE entries (id serial PRIMARY KEY, account int NOT NULL REFERENCES accounts ON DELETE CASCADE, amount numeric NOT NULL, note text DEFAULT 'none');
CREATE FUNCTION transfer(p_from int, p_to int, p_amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v_left numeric;
BEGIN
  UPDATE accounts SET balance = balance - p_amount WHERE id = p_from RETURNING balance INTO v_left;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account %', p_from USING ERRCODE = 'P0002', HINT = 'Name another one.'; END IF;
  UPDATE accounts SET balance = balance + p_amount WHERE id = p_to;
  IF NOT FOUND THEN RAISE NOTICE 'nobody receives %', p_amount; END IF;
  INSERT INTO entries (account, amount) VALUES (p_from, -p_amount), (p_to, p_amount);
  RETURN v_left;
END $$;
CREATE FUNCTION open_account(p_id int, p_owner text = 'nobody', OUT id int, OUT owner text) LANGUAGE sql AS
  'INSERT INTO accounts VALUES (p_id, p_owner, 0); INSERT INTO entries (account, amount) VALUES (p_id, 0) RETURNING account, p_owner';
CREATE FUNCTION reopen(p_id int, p_owner text) RETURNS accounts LANGUAGE sql AS
  'INSERT INTO accounts VALUES (p_id, p_owner, 0); INSERT INTO entries (account, amount) VALUES (p_id, 0); SELECT * FROM accounts WHERE id = p_id';
CREATE FUNCTION close_all(p_below numeric) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE r record; n int := 0; k int;
BEGIN
  FOR r IN SELECT id FROM accounts WHERE balance < p_below ORDER BY id FOR UPDATE LOOP
    DELETE FROM entries WHERE account = r.id;
    GET DIAGNOSTICS k = ROW_COUNT;
    n := n + k;
    DELETE FROM accounts WHERE id = r.id;
    RETURN NEXT r.id;
  END LOOP;
  RETURN NEXT -n;
END $$;
CREATE PROCEDURE deposit(p_id int, INOUT p_amount numeric, OUT p_seen bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..3 LOOP
    UPDATE accounts SET balance = balance + p_amount WHERE id = p_id;
    INSERT INTO entries (account, amount, note) VALUES (p_id, p_amount, 'deposit ' || i);
  END LOOP;
  SELECT balance INTO p_amount FROM accounts WHERE id = p_id;
  SELECT count(*) INTO p_seen FROM entries WHERE account = p_id;
END $$;
CREATE PROCEDURE withdraw(p_id int, INOUT p_amount numeric = 1) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance - p_amount WHERE id = p_id RETURNING balance INTO p_amount;
END $$;
CREATE FUNCTION try_open(p_id int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entries (account, amount) VALUES (1, 1);
  BEGIN
    UPDATE accounts SET owner = 'renamed' WHERE id = 1;
    INSERT INTO accounts VALUES (p_id, 'again', 1);
    RETURN 'opened';
  EXCEPTION WHEN unique_violation THEN
    INSERT INTO entries (account, amount, note) VALUES (1, 2, SQLERRM);
    RETURN 'was there';
  END;
END $$;
CREATE FUNCTION outer_call(p_id int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v numeric;
BEGIN
  PERFORM try_open(p_id);
  v := transfer(p_id, 1, 1);
  RETURN v + transfer(1, 2, 10);
END $$;
`;

suite('functions that write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const alike = (name: string, texts: readonly string[]) => {
    test(
      `${name}: simple`,
      async () => {
        await assertAlike(proxied, texts.map(q));
      },
      { timeout: 120_000 },
    );
    test(
      `${name}: extended`,
      async () => {
        await assertAlike(
          proxied,
          texts.flatMap((text) => [run(text), s]),
        );
      },
      { timeout: 120_000 },
    );
  };
  const seen = [
    'SELECT * FROM accounts ORDER BY id',
    'SELECT account, amount, note FROM entries ORDER BY account, amount, note',
  ];

  alike('transfer', [
    'SELECT transfer(1, 2, 25)',
    'SELECT * FROM transfer(1, 3, 25) AS left_over',
    'SELECT transfer(9, 1, 1)',
    'SELECT transfer(1, 99, 1)',
    'SELECT transfer(2, 1, 1000)',
    ...seen,
  ]);
  alike('SQL', [
    'SELECT * FROM open_account(7)',
    "SELECT * FROM open_account(p_owner => 'me', p_id => 8)",
    'SELECT (open_account(8)).owner',
    "SELECT * FROM reopen(11, 'you')",
    "SELECT (reopen(12, 'you')).balance",
    ...seen,
    'DELETE FROM accounts WHERE id IN (7, 8, 11, 12)',
  ]);
  alike('sets and loops', [
    'SELECT transfer(3, 4, 90)',
    'SELECT * FROM close_all(20)',
    'SELECT count(*) FROM close_all(1)',
    ...seen,
    "INSERT INTO accounts VALUES (3, 'new', 100)",
  ]);
  alike('procedures', [
    'CALL deposit(4, 10, NULL)',
    'CALL deposit(p_amount => 5, p_id => 5, p_seen => NULL)',
    'CALL deposit(4, -1000, NULL)',
    'CALL withdraw(5)',
    'CALL withdraw(p_amount => 2, p_id => 5)',
    ...seen,
  ]);
  alike('exception blocks', [
    'SELECT try_open(1)',
    'SELECT try_open(20)',
    'SELECT try_open(20)',
    ...seen,
    'DELETE FROM accounts WHERE id = 20',
  ]);
  alike('nested', [
    'SELECT outer_call(21)',
    'SELECT outer_call(21)',
    ...seen,
    'DELETE FROM accounts WHERE id = 21',
  ]);
  alike('blocks', [
    'BEGIN',
    'SELECT transfer(1, 2, 1)',
    'SAVEPOINT a',
    'CALL deposit(1, 7, NULL)',
    'SELECT transfer(9, 9, 9)',
    'ROLLBACK TO a',
    ...seen,
    'SELECT transfer(2, 1, 3)',
    'COMMIT',
    ...seen,
    'BEGIN',
    'CALL deposit(1, 7, NULL)',
    'ROLLBACK',
  ]);
});
