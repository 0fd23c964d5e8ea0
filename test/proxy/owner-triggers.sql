-- Triggers whose functions are SECURITY DEFINER: they write where the client may not. `owner` and `clerk` stand for roles.
CREATE SCHEMA shop AUTHORIZATION owner;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
CREATE SCHEMA vault AUTHORIZATION owner;
SET ROLE owner;
CREATE TABLE vault.log (n int PRIMARY KEY, what text);
CREATE TABLE vault.totals (customer int PRIMARY KEY, total int NOT NULL CHECK (total < 1000));
CREATE TABLE vault.blocked (customer int PRIMARY KEY);
INSERT INTO vault.blocked VALUES (9);
CREATE TABLE shop.orders (id int PRIMARY KEY, customer int NOT NULL, amount int, note text);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.orders TO clerk;
GRANT USAGE ON SCHEMA vault TO clerk; GRANT SELECT ON vault.log, vault.totals TO clerk;
CREATE FUNCTION vault.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = vault, pg_temp AS $$
BEGIN
  IF FOUND THEN RAISE EXCEPTION 'FOUND is set'; END IF;
  RAISE NOTICE '% for %', current_user, session_user;
  INSERT INTO log SELECT count(*) + 1, concat_ws(' ', TG_OP, TG_NAME, TG_TABLE_SCHEMA, TG_ARGV[0], OLD, '>', NEW) FROM log;
  RETURN NULL;
END $$;
CREATE FUNCTION vault.add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN UPDATE vault.totals SET total = total - OLD.amount WHERE customer = OLD.customer; END IF;
  IF TG_OP <> 'DELETE' THEN
    IF EXISTS (SELECT FROM vault.blocked b WHERE b.customer = NEW.customer) THEN RAISE EXCEPTION 'customer % is blocked', NEW.customer USING HINT = current_user; END IF;
    UPDATE vault.totals t SET total = t.total + NEW.amount WHERE t.customer = NEW.customer;
    IF NOT FOUND THEN INSERT INTO vault.totals VALUES (NEW.customer, NEW.amount); END IF;
  END IF;
  RETURN NEW;
EXCEPTION WHEN not_null_violation THEN RAISE NOTICE 'no amount for %', NEW.id; RETURN NULL;
END $$;
CREATE TRIGGER a_note AFTER INSERT OR UPDATE OR DELETE ON shop.orders FOR EACH ROW EXECUTE FUNCTION vault.note('an argument');
CREATE TRIGGER b_add AFTER INSERT OR UPDATE OF customer, amount OR DELETE ON shop.orders FOR EACH ROW WHEN (pg_trigger_depth() < 5) EXECUTE FUNCTION vault.add();
CREATE FUNCTION vault.count_rows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  RAISE NOTICE '% % by %', TG_OP, (SELECT count(*) FROM changed), current_user;
  INSERT INTO vault.log SELECT (SELECT count(*) + 1 FROM vault.log), string_agg(c.id::text, ',' ORDER BY c.id) FROM changed c HAVING count(*) > 1;
  RETURN NULL;
END $$;
CREATE TRIGGER c_count AFTER UPDATE ON shop.orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION vault.count_rows();
CREATE FUNCTION shop.trim_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := trim(NEW.note); RAISE NOTICE 'trimmed by %', current_user; RETURN NEW; END $$;
CREATE TRIGGER trim_note BEFORE INSERT OR UPDATE ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.trim_note();
CREATE TABLE shop.lines (id int PRIMARY KEY, "order" int REFERENCES shop.orders ON DELETE CASCADE, n int);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.lines TO clerk;
CREATE TRIGGER note AFTER INSERT OR DELETE ON shop.lines FOR EACH ROW EXECUTE FUNCTION vault.note();
RESET ROLE;
-- after each story
SELECT * FROM vault.log ORDER BY n;
SELECT * FROM vault.totals ORDER BY customer;
SELECT * FROM shop.orders ORDER BY id;
SELECT * FROM vault.blocked;
-- story: rows
INSERT INTO shop.orders VALUES (4, 2, 5, ' d '), (5, 3, 7, NULL) RETURNING *;
UPDATE shop.orders SET amount = amount + 1 WHERE customer = 1 RETURNING id, amount, note;
UPDATE shop.orders SET note = 'x' WHERE id < 3;
UPDATE shop.orders SET id = 30 WHERE id = 3;
DELETE FROM shop.orders WHERE id IN (4, 30);
-- story: errors undo what was written
INSERT INTO shop.orders VALUES (6, 9, 1, 'e');
INSERT INTO shop.orders VALUES (7, 1, 5000, 'f');
INSERT INTO shop.orders VALUES (8, 4, NULL, 'g');
INSERT INTO shop.orders VALUES (9, 1, 1, 'h'), (10, 9, 1, 'i');
BEGIN;
INSERT INTO shop.orders VALUES (11, 1, 1, 'j');
SAVEPOINT a;
INSERT INTO shop.orders VALUES (12, 9, 1, 'k');
ROLLBACK TO a;
INSERT INTO shop.orders VALUES (13, 1, 2, 'l');
COMMIT;
-- story: other ways to write
INSERT INTO shop.orders VALUES (1, 2, 3, 'again') ON CONFLICT (id) DO UPDATE SET amount = excluded.amount;
INSERT INTO shop.orders VALUES (2, 2, 3, 'again'), (14, 2, 3, 'new') ON CONFLICT DO NOTHING;
MERGE INTO shop.orders o USING (VALUES (2, 40), (15, 41)) v(id, n) ON o.id = v.id WHEN MATCHED THEN UPDATE SET amount = v.n;
MERGE INTO shop.orders o USING (VALUES (2, 40), (15, 41)) v(id, n) ON o.id = v.id WHEN NOT MATCHED THEN INSERT VALUES (v.id, 5, v.n, 'merged');
INSERT INTO shop.lines SELECT g, 3, g FROM generate_series(10, 12) g;
DELETE FROM shop.orders WHERE id = 1;
DELETE FROM shop.orders WHERE id = 2;
-- story: what a function of the client writes
DO $$ BEGIN INSERT INTO shop.orders VALUES (20, 7, 1, 'do'); DELETE FROM shop.lines WHERE id < 3; RAISE NOTICE '%', current_user; END $$;
SELECT * FROM shop.orders WHERE id = 20;
