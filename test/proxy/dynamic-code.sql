-- Texts that triggers and functions run by EXECUTE: they read and write staged rows.
CREATE TABLE orders (id int PRIMARY KEY, item text, qty int CHECK (qty < 100), "group" int);
INSERT INTO orders SELECT g, 'item ' || g, g FROM generate_series(1, 4) g;
CREATE TABLE orders_history (id int, item text, qty int, "group" int, op text, nth bigint, PRIMARY KEY (id, nth));
CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %I.%I SELECT ($1).*, %L, (SELECT count(*) FROM %2$I h WHERE h.id = ($1).id)', TG_TABLE_SCHEMA, TG_TABLE_NAME || '_history', TG_OP || ' it''s \')
    USING OLD;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER keep_history BEFORE UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TABLE events (tab text, op text, nth bigint, was jsonb, now jsonb, PRIMARY KEY (tab, nth));
CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  q text := 'INSERT INTO ' || quote_ident(TG_ARGV[0]) || ' SELECT $1, $2, count(*), $3, ' || quote_nullable(to_jsonb(NEW)) || '::jsonb FROM events';
BEGIN
  EXECUTE q USING TG_TABLE_NAME::text, TG_OP, to_jsonb(OLD); -- both
  RETURN NULL;
END $$;
CREATE TRIGGER note_event AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION note_event('events');
CREATE TABLE groups (id int PRIMARY KEY, members int NOT NULL DEFAULT 0, total int NOT NULL DEFAULT 0);
INSERT INTO groups VALUES (1), (2);
CREATE FUNCTION count_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %1$I SET %2$I = %2$I + $1 WHERE id = $2', TG_ARGV[0], TG_ARGV[1]) USING TG_ARGV[2]::int, NEW."group";
  RETURN NULL;
END $$;
CREATE TRIGGER a_count AFTER INSERT ON orders FOR EACH ROW WHEN (NEW."group" IS NOT NULL) EXECUTE FUNCTION count_member('groups', 'members', 1);
CREATE TRIGGER b_total AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION count_member('groups', 'total', '10');
CREATE FUNCTION clear_orders(low int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  n int;
  r record;
BEGIN
  FOR r IN EXECUTE 'SELECT id, item FROM orders WHERE qty >= $1 ORDER BY id' USING low LOOP
    RAISE NOTICE 'order % %', r.id, r.item;
  END LOOP;
  EXECUTE 'UPDATE orders SET qty = 0 WHERE qty >= $1' USING low;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
CREATE FUNCTION like_item(part text) RETURNS SETOF int LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT id FROM orders WHERE item LIKE ' || quote_literal(part) || ' ORDER BY id';
END $$;
CREATE FUNCTION rename_item(which int, new_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  q constant text := format('UPDATE orders SET item = %L WHERE id = %s RETURNING item', new_name, '$1');
  v text;
BEGIN
  EXECUTE q INTO STRICT v USING which;
  RETURN v;
EXCEPTION WHEN no_data_found THEN RETURN 'none';
END $$;

-- after each story
SELECT * FROM orders ORDER BY id;
SELECT * FROM orders_history ORDER BY id, nth;
SELECT * FROM events ORDER BY nth;
SELECT * FROM groups ORDER BY id;

-- story: triggers write by texts
UPDATE orders SET qty = qty + 1 WHERE id < 3 RETURNING *;
UPDATE orders SET item = 'it''s' WHERE id = 1;
DELETE FROM orders WHERE id = 2;
INSERT INTO orders VALUES (5, 'five', 5, 1), (6, 'six', 6, NULL), (7, NULL, 7, 2);
UPDATE orders SET qty = 100 WHERE id = 5;
INSERT INTO orders VALUES (5, 'again', 5, 2) ON CONFLICT (id) DO UPDATE SET item = excluded.item;

-- story: functions read and write by texts
SELECT clear_orders(4);
SELECT like_item('item %');
SELECT rename_item(3, 'it''s \ new');
SELECT rename_item(99, 'x');
SELECT * FROM like_item('it''s%');
DO $$ DECLARE n int; BEGIN EXECUTE 'DELETE FROM orders WHERE id = 4'; EXECUTE 'SELECT count(*) FROM orders' INTO n; RAISE NOTICE '% left', n; END $$;
SELECT clear_orders(NULL);
