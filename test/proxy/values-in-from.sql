-- Bodies in PL/pgSQL in which a name is that of a function, or of a function's result in FROM, and no row of a table.
CREATE TABLE kv (k text PRIMARY KEY, v text, n int DEFAULT 0);
CREATE TABLE counted (id int PRIMARY KEY, count int DEFAULT 0, top int);
INSERT INTO counted VALUES (1, 0, 5), (2, 3, 7);
CREATE FUNCTION fill(m int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kv SELECT concat('series ', g), g FROM generate_series(1, m) g;
  INSERT INTO kv SELECT concat('array ', u), u FROM pg_catalog.unnest(ARRAY['a', 'b']) u;
  INSERT INTO kv SELECT concat('json ', e), e FROM jsonb_array_elements_text('["x", "y"]') AS e;
  INSERT INTO kv SELECT unnest FROM unnest(ARRAY['bare']);
END $$;
CREATE FUNCTION among(a int[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM kv WHERE n = ANY (SELECT u FROM unnest(a) u));
END $$;
CREATE FUNCTION count_all(p_id int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  max int := 6;
BEGIN
  UPDATE counted SET count = count + (SELECT count(*) FROM kv) WHERE id = p_id;
  RETURN (SELECT max(c.id) FROM counted c WHERE c.id <= max);
END $$;
CREATE FUNCTION sum_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.v := (SELECT sum(g) FROM generate_series(1, NEW.n) g);
  RETURN NEW;
END $$;
CREATE TRIGGER sum_up BEFORE INSERT ON kv FOR EACH ROW WHEN (NEW.n > 0) EXECUTE FUNCTION sum_up();
CREATE FUNCTION whole() RETURNS SETOF kv LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY SELECT * FROM kv ORDER BY k; END $$;
CREATE FUNCTION as_json() RETURNS SETOF jsonb LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY SELECT to_jsonb(w) FROM whole() w ORDER BY w.k; END $$;

-- after each story
SELECT * FROM kv ORDER BY k;
SELECT * FROM counted ORDER BY id;

-- story: they are staged
SELECT fill(3);
SELECT among(ARRAY[0, 1]);
INSERT INTO kv (k, n) VALUES ('summed', 4) RETURNING *;
SELECT count_all(1), count_all(2);
DO $$ BEGIN PERFORM fill(0) FROM generate_series(1, 1) g WHERE g > 1; UPDATE kv SET n = 9 WHERE k IN (SELECT concat('series ', g) FROM generate_series(1, 2) g); END $$;
SELECT among(ARRAY[9]);
