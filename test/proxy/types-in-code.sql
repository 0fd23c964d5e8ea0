-- Variables, parameters and results of enums, domains and other types that the parser of PL/pgSQL does not know, in lists behind INTO.
CREATE TYPE state AS ENUM ('open', 'paid', 'sent');
CREATE TYPE "Mixed Case" AS ENUM ('A', 'b');
CREATE SCHEMA other;
CREATE TYPE other.size AS ENUM ('s', 'm', 'l');
CREATE DOMAIN amount AS numeric(10, 2) CHECK (VALUE >= 0);
CREATE EXTENSION citext;
CREATE TABLE orders (id int PRIMARY KEY, state state NOT NULL DEFAULT 'open', n int, total amount, size other.size, mixed "Mixed Case", mail citext);
CREATE TABLE log (entry text PRIMARY KEY);
INSERT INTO orders VALUES (1, 'open', 1, 5, 's', 'A', 'A@b'), (2, 'paid', 2, 7.5, 'm', 'b', 'c@D');
CREATE FUNCTION two(p int) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE x int; y CONSTANT text := 'y'; s state; z other.size NOT NULL := 's'; m "Mixed Case";
BEGIN SELECT n, state, size, mixed INTO x, s, z, m FROM orders WHERE id = p; RETURN concat_ws('/', x, y, s, z, m); END $$;
CREATE FUNCTION states() RETURNS state[] LANGUAGE plpgsql STABLE AS $$
DECLARE r state[]; c int; BEGIN SELECT array_agg(state ORDER BY id), count(*) INTO r, c FROM orders; RETURN r; END $$;
CREATE FUNCTION each() RETURNS TABLE (id int, told state) LANGUAGE plpgsql STABLE AS $$
DECLARE x int; y state; BEGIN FOR x, y IN SELECT o.id, o.state FROM orders o ORDER BY 1 LOOP id := x; told := y; RETURN NEXT; END LOOP; END $$;
CREATE FUNCTION out_of(p int, OUT x int, OUT y state, OUT z other.size) LANGUAGE plpgsql STABLE AS $$
BEGIN SELECT n, state, size INTO x, y, z FROM orders WHERE id = p; END $$;
CREATE FUNCTION advance(p int, p_to state DEFAULT 'sent'::state) RETURNS text LANGUAGE plpgsql AS $$
DECLARE x int; y state; old state;
BEGIN
  SELECT state, n INTO old, x FROM orders WHERE id = p;
  UPDATE orders SET n = n + 1, state = p_to WHERE id = p RETURNING n, state INTO x, y;
  <<inner_block>> DECLARE z state := y; w int; BEGIN SELECT n, state INTO w, z FROM orders WHERE id = p; y := z; END;
  RETURN old || '>' || y || x;
END $$;
CREATE FUNCTION totals(p int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE x int; t amount; BEGIN UPDATE orders SET total = total + 1 WHERE id = p RETURNING id, total INTO x, t; RETURN t; END $$;
CREATE FUNCTION mail_of(p int) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE x int; m citext; BEGIN SELECT id, mail INTO x, m FROM orders WHERE id = p; RETURN m; END $$;
CREATE FUNCTION rows_too(p int) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE o orders; x int; s state; r record;
BEGIN
  SELECT n, state INTO x, s FROM orders WHERE id = p;
  SELECT * INTO r FROM orders WHERE id = p;
  RETURN concat_ws(' ', x, s, r.state);
END $$;
CREATE PROCEDURE settle(p int, INOUT x int DEFAULT NULL, INOUT y text DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN UPDATE orders SET state = 'paid' WHERE id = p RETURNING n, state INTO x, y; END $$;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE x int; s state; BEGIN SELECT count(*), max(state) INTO x, s FROM orders; INSERT INTO log VALUES (NEW.id || ': ' || x || ' up to ' || s || ' by ' || NEW.state); RETURN NULL; END $$;
CREATE TRIGGER noted AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION note();
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE s state; k int; BEGIN SELECT NEW.state, coalesce(max(n), 0) INTO s, k FROM orders; NEW.n := k + 1; NEW.state := s; RETURN NEW; END $$;
CREATE TRIGGER filled BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION fill();

-- story: reads
UPDATE orders SET state = 'sent', n = 5, size = 'l', mixed = 'b' WHERE id = 1;
SELECT two(1), two(2), states()::text;
SELECT id, told::text FROM each();
SELECT x, y::text, z::text FROM out_of(1);
SELECT mail_of(1), rows_too(1);

-- story: writes
SELECT advance(1, 'paid'), advance(2);
SELECT totals(2);
SELECT totals(1) FROM orders WHERE id = 1;
CALL settle(2);
SELECT id, state::text, n, total::text FROM orders ORDER BY id;

-- story: triggers
INSERT INTO orders (id, state) VALUES (10, 'open'), (11, 'paid') RETURNING id, n;
INSERT INTO orders (id) SELECT g FROM generate_series(20, 22) g;
SELECT entry FROM log ORDER BY 1;
