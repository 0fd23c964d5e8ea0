-- Events by triggers on several tables, numbered within their stream, projections that apply them, and settings as key and value.
CREATE TABLE settings (key text PRIMARY KEY, value jsonb NOT NULL);
CREATE TABLE events (stream text, nth int, kind text NOT NULL, body jsonb NOT NULL, PRIMARY KEY (stream, nth));
CREATE TABLE customers (id int PRIMARY KEY, name text, city text, vip boolean NOT NULL DEFAULT false);
CREATE TABLE addresses (customer int REFERENCES customers ON UPDATE CASCADE ON DELETE CASCADE, kind text, line text, PRIMARY KEY (customer, kind));
CREATE TABLE cities (name text PRIMARY KEY, customers int NOT NULL);
CREATE FUNCTION emit(p_stream text, p_kind text, p_body jsonb) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  IF coalesce((SELECT value FROM settings WHERE key = 'events'), 'true') = 'false' THEN RETURN NULL; END IF;
  INSERT INTO events SELECT p_stream, coalesce(max(e.nth), 0) + 1, p_kind, jsonb_strip_nulls(p_body) FROM events e WHERE e.stream = p_stream RETURNING nth INTO v;
  RETURN v;
END $$;
CREATE FUNCTION customer_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN PERFORM emit('customer-' || NEW.id, 'created', to_jsonb(NEW));
    WHEN 'DELETE' THEN PERFORM emit('customer-' || OLD.id, 'deleted', '{}');
    ELSE
      IF NEW.name IS DISTINCT FROM OLD.name THEN PERFORM emit('customer-' || NEW.id, 'renamed', jsonb_build_object('from', OLD.name, 'to', NEW.name)); END IF;
      IF (NEW.city, NEW.vip) IS DISTINCT FROM (OLD.city, OLD.vip) THEN PERFORM emit('customer-' || NEW.id, 'changed', jsonb_build_object('city', NEW.city, 'vip', NEW.vip)); END IF;
  END CASE;
  RETURN NULL;
END $$;
CREATE TRIGGER a_events AFTER INSERT OR UPDATE OR DELETE ON customers FOR EACH ROW EXECUTE FUNCTION customer_events();
CREATE FUNCTION project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') AND OLD.city IS NOT NULL THEN
    UPDATE cities SET customers = customers - 1 WHERE name = OLD.city;
    DELETE FROM cities WHERE name = OLD.city AND customers = 0;
  END IF;
  IF TG_OP IN ('UPDATE', 'INSERT') AND NEW.city IS NOT NULL THEN
    INSERT INTO cities VALUES (NEW.city, 1) ON CONFLICT (name) DO UPDATE SET customers = cities.customers + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER b_project AFTER INSERT OR UPDATE OF city OR DELETE ON customers FOR EACH ROW EXECUTE FUNCTION project();
CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name := regexp_replace(btrim(NEW.name), '\s+', ' ', 'g');
  NEW.city := initcap(nullif(btrim(NEW.city), ''));
  RETURN NEW;
END $$;
CREATE TRIGGER tidy BEFORE INSERT OR UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION tidy();
CREATE FUNCTION get(p_key text, p_default jsonb) RETURNS jsonb LANGUAGE sql STABLE AS 'SELECT coalesce((SELECT value FROM settings WHERE key = p_key), p_default)';
CREATE FUNCTION put(p_key text, p_value jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE v_old jsonb := get(p_key, 'null');
BEGIN
  INSERT INTO settings AS s (key, value) VALUES (p_key, p_value) ON CONFLICT (key) DO UPDATE SET value = s.value || excluded.value;
  RETURN v_old;
END $$;
INSERT INTO customers VALUES (1, 'Ann', 'rome'), (2, 'Bob', NULL);
INSERT INTO addresses VALUES (1, 'home', 'x'), (1, 'work', 'y'), (2, 'home', 'z');
-- after each story
SELECT * FROM customers ORDER BY id;
SELECT * FROM addresses ORDER BY customer, kind;
SELECT * FROM events ORDER BY stream, nth;
SELECT * FROM cities ORDER BY name;
SELECT * FROM settings ORDER BY key;
-- story: a day of a clerk
INSERT INTO customers VALUES (3, '  Cy   Young ', ' oslo') RETURNING *;
UPDATE customers SET city = 'ROME' WHERE id IN (2, 3);
UPDATE customers SET name = name WHERE id = 1;
UPDATE customers SET name = 'Anna', vip = true WHERE id = 1 RETURNING *;
SELECT put('theme', '{"dark": true}'), put('theme', '{"size": 3}');
SELECT get('theme', '{}') ->> 'size', get('none', '7');
SELECT put('events', 'false');
UPDATE customers SET vip = false WHERE id = 1;
UPDATE settings SET value = 'true' WHERE key = 'events';
UPDATE customers SET id = 20 WHERE id = 2;
DELETE FROM customers WHERE id = 3;
DELETE FROM customers WHERE id = 1;
INSERT INTO customers VALUES (20, 'Bo', 'Paris') ON CONFLICT (id) DO UPDATE SET city = excluded.city, name = excluded.name RETURNING *;
INSERT INTO customers SELECT g, 'n' || g, 'lima' FROM generate_series(30, 32) g;
