-- BEFORE triggers whose functions are SECURITY DEFINER, between those that run with the client's rights. `owner`, `keeper` and `clerk` stand
-- for roles.
CREATE SCHEMA shop AUTHORIZATION owner;
CREATE SCHEMA vault AUTHORIZATION owner;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
GRANT USAGE ON SCHEMA vault TO keeper;
SET ROLE owner;
CREATE TABLE vault.log (n int PRIMARY KEY, what text);
CREATE TABLE vault.limits (customer int PRIMARY KEY, top int NOT NULL, taken int NOT NULL DEFAULT 0 CHECK (taken <= 50));
INSERT INTO vault.limits VALUES (1, 100), (2, 10), (3, 1000);
GRANT SELECT ON vault.limits TO keeper;
CREATE FUNCTION vault.stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = vault, pg_temp AS $$
DECLARE
  v_top int;
BEGIN
  IF FOUND THEN RAISE EXCEPTION 'FOUND is set'; END IF;
  RAISE NOTICE '% % % % for %', TG_NAME, TG_WHEN, TG_OP, current_user, session_user;
  IF TG_OP = 'DELETE' THEN
    INSERT INTO log VALUES (OLD.id, concat_ws(' ', TG_OP, TG_ARGV[0], OLD));
    IF OLD.note = 'keep' THEN RETURN NULL; END IF;
    RETURN OLD;
  END IF;
  SELECT top INTO v_top FROM limits WHERE customer = NEW.customer;
  IF NOT FOUND THEN RAISE EXCEPTION 'customer % is unknown', NEW.customer USING HINT = current_user, ERRCODE = 'P0099', DETAIL = NEW; END IF;
  IF NEW.amount > v_top THEN RAISE NOTICE 'too much: %', NEW; RETURN NULL; END IF;
  UPDATE limits SET taken = taken + coalesce(NEW.amount, 0) - CASE TG_OP WHEN 'UPDATE' THEN OLD.amount ELSE 0 END WHERE customer = NEW.customer;
  NEW.who := concat_ws(' ', TG_OP, NEW.who, current_user, TG_ARGV[1], NEW.note, '>');
  RETURN NEW;
END $$;
CREATE TABLE shop.orders (id int PRIMARY KEY, customer int NOT NULL, amount int NOT NULL DEFAULT 1, note text, who text, made text, twice int GENERATED ALWAYS AS (amount * 2) STORED);
CREATE TABLE shop.lines (id int PRIMARY KEY, "order" int REFERENCES shop.orders ON DELETE CASCADE ON UPDATE CASCADE, n int, who text);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.orders, shop.lines TO clerk, keeper;
CREATE FUNCTION shop.trim_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% by %: %', TG_NAME, current_user, NEW;
  NEW.note := trim(NEW.note);
  IF NEW.note = 'no' THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION shop.follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % % % %', TG_NAME, TG_WHEN, TG_OP, current_user, OLD, NEW;
  IF TG_WHEN = 'BEFORE' AND TG_OP <> 'DELETE' THEN NEW.who := concat(NEW.who, ' ', TG_NAME, ' ', current_user); END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER a_trim BEFORE INSERT OR UPDATE OF note ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.trim_note();
CREATE TRIGGER b_stamp BEFORE INSERT OR UPDATE OF customer, amount OR DELETE ON shop.orders FOR EACH ROW EXECUTE FUNCTION vault.stamp('an "argument"', '{x}');
CREATE TRIGGER c_follow BEFORE INSERT OR UPDATE OR DELETE ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.follow();
CREATE TRIGGER e_follow AFTER INSERT OR UPDATE OR DELETE ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.follow();
RESET ROLE;
CREATE FUNCTION shop.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = shop, vault AS $$
BEGIN
  NEW.made := concat_ws(' ', current_user, (SELECT top FROM limits WHERE customer = NEW.customer), (SELECT count(*) FROM orders), NEW.twice);
  RETURN NEW;
END $$;
ALTER FUNCTION shop.keep() OWNER TO keeper;
CREATE TRIGGER d_keep BEFORE INSERT OR UPDATE ON shop.orders FOR EACH ROW WHEN (NEW.amount > 2 AND pg_trigger_depth() < 3) EXECUTE FUNCTION shop.keep();
CREATE TRIGGER d_keep BEFORE INSERT OR UPDATE ON shop.lines FOR EACH ROW WHEN (false) EXECUTE FUNCTION shop.keep();
CREATE FUNCTION vault.line() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  RAISE NOTICE '% % by % at %', TG_TABLE_NAME, TG_OP, current_user, pg_trigger_depth();
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.who := current_user;
  RETURN NEW;
END $$;
ALTER FUNCTION vault.line() OWNER TO owner;
CREATE TRIGGER line BEFORE INSERT OR UPDATE OR DELETE ON shop.lines FOR EACH ROW EXECUTE FUNCTION vault.line();
CREATE TABLE shop.tickets (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code text UNIQUE, who text);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.tickets TO clerk;
CREATE FUNCTION vault.code() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  NEW.code := coalesce(NEW.code, 'code ' || NEW.id);
  NEW.who := NEW.who || current_user;
  RETURN NEW;
END $$;
ALTER FUNCTION vault.code() OWNER TO owner;
CREATE TRIGGER code BEFORE INSERT OR UPDATE ON shop.tickets FOR EACH ROW EXECUTE FUNCTION vault.code();
CREATE DOMAIN shop.short AS text CHECK (length(VALUE) < 30);
CREATE TABLE shop."a ""b.c" (id int PRIMARY KEY, "no. ""1" shop.short, state varchar(9), at timestamptz, span interval, list text[], j jsonb, f float8);
ALTER TABLE shop."a ""b.c" OWNER TO owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON shop."a ""b.c" TO clerk;
CREATE FUNCTION vault."f "" x"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = shop, pg_temp AS $$
DECLARE
  r record;
  t "a ""b.c";
BEGIN
  IF NEW.id = 1 THEN
    SELECT NEW.id, NEW."no. ""1", NEW.state, NEW.at, NEW.span, NEW.list, NEW.j, NEW.f INTO r;
    r.state := 'done'; r.span := r.span + interval '1 month';
    RETURN r;
  ELSIF NEW.id = 2 THEN
    t := NEW;
    t.list := t.list || NULL || '{"a,"}'::text[];
    t.at := t.at + interval '1 hour';
    RETURN t;
  ELSIF NEW.id = 3 THEN NEW := OLD;
  ELSIF NEW.id = 4 THEN NEW."no. ""1" := repeat('x', 31);
  ELSIF NEW.id = 5 THEN RETURN OLD;
  ELSIF NEW.id = 6 THEN NEW := NULL;
  END IF;
  RETURN NEW;
END $$;
ALTER FUNCTION vault."f "" x"() OWNER TO owner;
CREATE TRIGGER "t "" 1" BEFORE INSERT OR UPDATE ON shop."a ""b.c" FOR EACH ROW EXECUTE FUNCTION vault."f "" x"();
CREATE FUNCTION shop.floats() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.f := NEW.f / 3; RETURN NEW; END $$;
CREATE TRIGGER "t "" 2" BEFORE INSERT OR UPDATE ON shop."a ""b.c" FOR EACH ROW EXECUTE FUNCTION shop.floats();
CREATE TRIGGER "u" BEFORE INSERT OR UPDATE ON shop."a ""b.c" FOR EACH ROW EXECUTE FUNCTION vault."f "" x"();
CREATE FUNCTION shop.uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.uid', true), '')::int $$;
CREATE TABLE shop.notes (id int PRIMARY KEY, author int, text text);
ALTER TABLE shop.notes OWNER TO owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.notes TO clerk;
ALTER TABLE shop.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON shop.notes USING (author = shop.uid()) WITH CHECK (author = shop.uid() AND text <> 'bad');
CREATE FUNCTION vault.author() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  RAISE NOTICE '% % of %', TG_OP, current_user, (SELECT count(*) FROM shop.notes);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  IF NEW.text = 'none' THEN RETURN NULL; END IF;
  NEW.author := coalesce(NEW.author, shop.uid());
  NEW.text := coalesce(NEW.text, 'bad');
  RETURN NEW;
END $$;
ALTER FUNCTION vault.author() OWNER TO owner;
CREATE TRIGGER author BEFORE INSERT OR UPDATE OR DELETE ON shop.notes FOR EACH ROW EXECUTE FUNCTION vault.author();
-- after each story
SELECT * FROM shop."a ""b.c" ORDER BY id;
SELECT * FROM shop.notes ORDER BY id;
SELECT * FROM shop.orders ORDER BY id;
SELECT * FROM shop.lines ORDER BY id;
SELECT * FROM shop.tickets ORDER BY id;
-- story: rows
INSERT INTO shop.orders (id, customer, amount, note) VALUES (4, 2, 5, ' d '), (5, 3, 2, NULL), (6, 1, 7, ' no ') RETURNING *;
UPDATE shop.orders SET amount = amount + 1 WHERE customer = 1 RETURNING id, amount, note, who, made, twice;
UPDATE shop.orders SET note = ' x ' WHERE id < 3 RETURNING *;
UPDATE shop.orders SET id = 30 WHERE id = 3;
UPDATE shop.orders SET note = 'keep' WHERE id = 4;
DELETE FROM shop.orders WHERE id IN (4, 30, 2);
INSERT INTO shop.orders (id, customer, amount, note) SELECT g, 1, g, 'set' FROM generate_series(7, 9) g;
-- story: refused and suppressed rows
INSERT INTO shop.orders (id, customer, amount) VALUES (10, 77, 1);
INSERT INTO shop.orders (id, customer, amount) VALUES (11, 2, 11), (12, 2, 3), (13, 2, 12);
INSERT INTO shop.orders (id, customer, amount) VALUES (14, 3, 400);
INSERT INTO shop.orders (id, customer, amount) VALUES (15, 3, NULL);
INSERT INTO shop.orders (id, customer, amount) VALUES (1, 3, 1);
UPDATE shop.orders SET amount = 5000 WHERE id = 1;
UPDATE shop.orders SET customer = 77 WHERE id = 1;
BEGIN;
INSERT INTO shop.orders (id, customer, amount) VALUES (16, 1, 1);
SAVEPOINT a;
INSERT INTO shop.orders (id, customer, amount) VALUES (17, 77, 1);
ROLLBACK TO a;
INSERT INTO shop.orders (id, customer, amount) VALUES (18, 1, 2);
COMMIT;
-- story: other ways to write
INSERT INTO shop.orders (id, customer, amount, note) VALUES (1, 2, 3, 'again') ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, note = excluded.note || excluded.who RETURNING *;
INSERT INTO shop.orders (id, customer, amount, note) VALUES (19, 2, 1, ' up ') ON CONFLICT (id) DO UPDATE SET amount = excluded.amount RETURNING *;
INSERT INTO shop.orders (id, customer, amount, note) VALUES (20, 2, 99, 'gone'), (21, 2, 3, 'no') ON CONFLICT DO NOTHING;
MERGE INTO shop.orders o USING (VALUES (2, 40), (22, 41)) v(id, n) ON o.id = v.id WHEN MATCHED THEN UPDATE SET amount = v.n;
MERGE INTO shop.orders o USING (VALUES (2, 40), (23, 41)) v(id, n) ON o.id = v.id WHEN NOT MATCHED THEN INSERT (id, customer, amount) VALUES (v.id, 3, v.n);
INSERT INTO shop.lines SELECT g, 3, g FROM generate_series(10, 12) g RETURNING *;
UPDATE shop.orders SET id = 33 WHERE id = 3;
DELETE FROM shop.orders WHERE id = 1;
UPDATE shop.lines SET n = n + 1 WHERE id = 11;
-- story: identities
INSERT INTO shop.tickets (who) VALUES ('a '), ('b ') RETURNING *;
INSERT INTO shop.tickets (code, who) VALUES ('code 1', 'c ') ON CONFLICT (code) DO UPDATE SET who = excluded.who || 'again ' RETURNING *;
INSERT INTO shop.tickets (who) VALUES ('d ') ON CONFLICT (code) DO NOTHING RETURNING *;
INSERT INTO shop.tickets OVERRIDING SYSTEM VALUE VALUES (100, NULL, 'e ') RETURNING *;
INSERT INTO shop.tickets VALUES (101, NULL, 'f ');
UPDATE shop.tickets SET who = 'g ' WHERE id = 2;
-- story: what a function of the client writes
DO $$ BEGIN INSERT INTO shop.orders (id, customer, amount) VALUES (24, 1, 1); DELETE FROM shop.orders WHERE id = 2; RAISE NOTICE '%', current_user; END $$;
SELECT * FROM shop.orders WHERE id = 24;
-- story: rows of other types, and names
SET datestyle = 'SQL, DMY';
SET intervalstyle = sql_standard;
SET extra_float_digits = -3;
INSERT INTO shop."a ""b.c" VALUES (1, 'a', 'new', '2026-03-05 10:00', '3 days 2:00', '{a,NULL}', '{"a": [1]}', 0.1), (2, 'b', 'new', '05/03/2026', NULL, '{}', NULL, 1e300), (3, 'c', NULL, NULL, NULL, NULL, NULL, NULL) RETURNING *;
INSERT INTO shop."a ""b.c" VALUES (4, 'd');
INSERT INTO shop."a ""b.c" VALUES (5, 'e') RETURNING id;
INSERT INTO shop."a ""b.c" VALUES (6, 'f');
INSERT INTO shop."a ""b.c" VALUES (7, 'g', 'done', 'infinity', '-1 month +2 days', ARRAY['"', ''''], '"\"', 'NaN');
UPDATE shop."a ""b.c" SET f = 1.0 / 7, "no. ""1" = 'h' WHERE id IN (1, 2, 7) RETURNING *;
UPDATE shop."a ""b.c" SET id = 3 WHERE id = 7;
UPDATE shop."a ""b.c" SET id = 5, state = 'new' WHERE id = 1 RETURNING *;
-- story: policies apply to the row that the owner's trigger made
SET request.uid = '1';
INSERT INTO shop.notes (id, text) VALUES (10, 'a'), (11, 'b'), (12, 'none') RETURNING *;
INSERT INTO shop.notes (id) VALUES (13);
INSERT INTO shop.notes VALUES (14, 2, 'c');
UPDATE shop.notes SET text = text || '!' RETURNING *;
UPDATE shop.notes SET author = NULL WHERE id = 11 RETURNING *;
UPDATE shop.notes SET text = NULL WHERE id = 11;
INSERT INTO shop.notes (id, text) VALUES (10, 'again') ON CONFLICT (id) DO UPDATE SET text = excluded.text || excluded.author RETURNING *;
INSERT INTO shop.notes (id, text) VALUES (2, 'hidden') ON CONFLICT (id) DO UPDATE SET text = excluded.text;
INSERT INTO shop.notes (id, text) VALUES (2, 'hidden'), (15, 'none'), (16, 'new') ON CONFLICT DO NOTHING RETURNING *;
DELETE FROM shop.notes WHERE id <> 11;
