-- Double entry: entries of a transaction come to zero, balances are kept, posted rows do not change.
CREATE TABLE accounts (id int PRIMARY KEY, name text UNIQUE, kind text NOT NULL CHECK (kind IN ('asset', 'liability')), balance numeric(12, 2) NOT NULL DEFAULT 0, minimum numeric(12, 2));
CREATE TABLE transfers (id int PRIMARY KEY, note text, posted boolean NOT NULL DEFAULT false);
CREATE TABLE entries (id int PRIMARY KEY, transfer int NOT NULL REFERENCES transfers, account int NOT NULL REFERENCES accounts, amount numeric(12, 2) NOT NULL CHECK (amount <> 0));
CREATE FUNCTION check_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_sum numeric;
BEGIN
  IF NEW.posted THEN
    SELECT coalesce(sum(amount), 0) INTO v_sum FROM entries WHERE transfer = NEW.id;
    IF v_sum <> 0 THEN RAISE EXCEPTION 'transfer % is out of balance by %', NEW.id, v_sum USING ERRCODE = 'check_violation', CONSTRAINT = 'balanced', TABLE = 'transfers'; END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT OR UPDATE ON transfers NOT DEFERRABLE FOR EACH ROW EXECUTE FUNCTION check_balanced();
CREATE FUNCTION keep_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v accounts;
BEGIN
  UPDATE accounts SET balance = balance + NEW.amount WHERE id = NEW.account RETURNING * INTO v;
  IF v.balance < v.minimum THEN
    RAISE EXCEPTION USING MESSAGE = format('account %s may not fall below %s', v.name, v.minimum), ERRCODE = 'P0402', DETAIL = format('It would be %s.', v.balance);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_balance AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION keep_balance();
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% of % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE FUNCTION transfer(p_id int, p_from int, p_to int, p_amount numeric, p_note text DEFAULT 'none') RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v_left numeric;
BEGIN
  IF p_amount <= 0 THEN RAISE EXCEPTION 'an amount is positive' USING ERRCODE = '22023'; END IF;
  PERFORM 1 FROM accounts WHERE id IN (p_from, p_to) ORDER BY id FOR UPDATE;
  INSERT INTO transfers (id, note) VALUES (p_id, p_note);
  INSERT INTO entries VALUES (p_id * 10, p_id, p_from, -p_amount), (p_id * 10 + 1, p_id, p_to, p_amount);
  UPDATE transfers SET posted = true WHERE id = p_id;
  SELECT balance INTO v_left FROM accounts WHERE id = p_from;
  RETURN v_left;
EXCEPTION WHEN unique_violation THEN
  RAISE NOTICE 'transfer % exists', p_id;
  RETURN NULL;
END $$;
CREATE PROCEDURE close_account(p_account int, p_into int, INOUT p_moved numeric DEFAULT 0) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM accounts WHERE id = p_account AND balance > 0 LOOP
    PERFORM transfer(1000 + p_account, p_account, p_into, r.balance, 'closing ' || r.name);
    p_moved := p_moved + r.balance;
  END LOOP;
  UPDATE accounts SET name = name || ' (closed)' WHERE id = p_account;
END $$;
INSERT INTO accounts VALUES (1, 'cash', 'asset', 100, 0), (2, 'sales', 'liability', 0, NULL), (3, 'tax', 'liability', 20, NULL);
-- after each story
SELECT * FROM accounts ORDER BY id;
SELECT * FROM transfers ORDER BY id;
SELECT * FROM entries ORDER BY id;
-- story: a day of bookkeeping
SELECT transfer(1, 1, 2, 25.50, 'invoice 1');
SELECT transfer(1, 1, 2, 1);
SELECT transfer(2, 1, 2, 75);
SELECT transfer(3, 1, 2, -1);
SELECT transfer(p_id => 4, p_from => 2, p_to => 3, p_amount => 5);
INSERT INTO transfers VALUES (5, 'by hand', false);
INSERT INTO entries VALUES (50, 5, 1, 5), (51, 5, 2, -4);
UPDATE transfers SET posted = true WHERE id = 5;
INSERT INTO entries VALUES (52, 5, 3, -1);
UPDATE transfers SET posted = true WHERE id = 5;
UPDATE entries SET amount = 1 WHERE id = 50;
DELETE FROM entries;
TRUNCATE entries;
CALL close_account(3, 1);
DO $$ DECLARE v numeric; BEGIN v := transfer(6, 1, 3, 2); RAISE NOTICE 'left %', v; IF v < 1000 THEN RAISE EXCEPTION 'too little'; END IF; END $$;
BEGIN;
SELECT transfer(7, 1, 3, 2);
SELECT transfer(8, 1, 3, 2000);
ROLLBACK;
SELECT transfer(9, 1, 3, 0.01);
