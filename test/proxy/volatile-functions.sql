-- VOLATILE functions of users in staged writes. Functions are VOLATILE unless their definition says otherwise: most of these only compute.
CREATE TABLE post (id int PRIMARY KEY, title text, slug text UNIQUE, n int DEFAULT 0);
CREATE TABLE tag (id serial PRIMARY KEY, post int REFERENCES post ON DELETE CASCADE, name text);
INSERT INTO post VALUES (1, 'First Post', 'first-post', 1), (2, 'Second', 'second', 2);
CREATE FUNCTION slug_of(p_title text, p_join text = '-') RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text := lower(p_title);
BEGIN
  RETURN regexp_replace(v, '[^a-z0-9]+', p_join, 'g');
END $$;
CREATE FUNCTION free_slug(p_title text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text := slug_of(p_title); i int := 1;
BEGIN
  WHILE EXISTS (SELECT FROM post p WHERE p.slug = v) LOOP i := i + 1; v := slug_of(p_title) || i; END LOOP;
  RETURN v;
END $$;
CREATE FUNCTION next_id() RETURNS int LANGUAGE sql AS 'SELECT coalesce(max(id), 0) + 1 FROM post';
CREATE FUNCTION summed() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT sum(n) FROM post); END';
CREATE FUNCTION counted(p_table text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN EXECUTE 'SELECT count(*) FROM post WHERE id < $1' INTO v USING 100; RETURN v; END $$;
CREATE FUNCTION strict_sum(int, int) RETURNS int LANGUAGE plpgsql STRICT AS 'BEGIN RETURN $1 + $2; END';
CREATE FUNCTION two_of(p int, OUT a int, OUT b text) LANGUAGE plpgsql AS $$ BEGIN a := p + 1; b := 'b' || p; END $$;
CREATE FUNCTION ids(p int) RETURNS SETOF int LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT id FROM post WHERE id <= p ORDER BY id; END';
CREATE FUNCTION code(p int) RETURNS text LANGUAGE sql AS $$ SELECT left(md5(random()::text || p), 0) || 'c' || p $$;
CREATE FUNCTION first_post() RETURNS post LANGUAGE sql AS 'SELECT * FROM post ORDER BY id LIMIT 1';
CREATE FUNCTION title_of(p post) RETURNS text LANGUAGE sql STABLE AS 'SELECT p.title';
CREATE FUNCTION fails(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no %', p USING ERRCODE = 'ABC01'; END $$;
CREATE FUNCTION caught(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / p; EXCEPTION WHEN division_by_zero THEN RETURN -1; END $$;
CREATE FUNCTION tells(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('c', p::text); RETURN p; END $$;
CREATE FUNCTION tells_through(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN tells(p) + 1; END $$;
CREATE FUNCTION tells_by_default(p int = tells(1)) RETURNS int LANGUAGE sql AS 'SELECT p';
CREATE FUNCTION locks(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(p); RETURN p; END $$;
CREATE FUNCTION moves(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('search_path', 'pg_catalog', true); RETURN p; END $$;
CREATE FUNCTION runs(p text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN EXECUTE p INTO v; RETURN v; END $$;
-- story: values, conditions and results
INSERT INTO post VALUES (10, 'A New One', slug_of('A New One'), strict_sum(1, 2));
INSERT INTO post SELECT 11, 'x', slug_of('From a Query'), strict_sum(NULL, 1);
INSERT INTO post (id, title, slug) VALUES (12, 'y', slug_of('One', '_')), (13, 'z', slug_of('Two', p_join => '+')) RETURNING id, slug_of(title), slug;
UPDATE post SET slug = slug_of(title || ' again'), n = strict_sum(n, 5) WHERE slug_of(title) = 'first-post' RETURNING *, caught(0);
UPDATE post SET (n, title) = (SELECT a, b FROM two_of(4)) WHERE id = 2 RETURNING *;
UPDATE post p SET n = b.a FROM two_of(6) b WHERE p.id = 10 RETURNING p.n;
DELETE FROM post WHERE id = strict_sum(10, 1) RETURNING slug_of(slug || ' gone');
INSERT INTO post SELECT i, 't' || i, slug_of('row ' || i) FROM generate_series(20, 24) i;
INSERT INTO tag (post, name) SELECT i, code(i) FROM ids(12) i;
SELECT * FROM post ORDER BY id;
SELECT post, name FROM tag ORDER BY post;
-- story: what they read is staged
INSERT INTO post VALUES (next_id(), 'First Post', free_slug('First Post'));
INSERT INTO post VALUES (next_id(), 'First Post', free_slug('First Post')) RETURNING *;
UPDATE post SET n = counted('post') WHERE id = 1 RETURNING n;
DELETE FROM post WHERE id = next_id() - 1 RETURNING *, next_id();
INSERT INTO post VALUES (next_id(), 'First Post', free_slug('First Post')) RETURNING *;
BEGIN;
UPDATE post SET slug = 'moved' WHERE id = 1;
INSERT INTO post VALUES (next_id(), 'x', free_slug('First Post')) RETURNING *;
ROLLBACK;
SELECT id, slug, n FROM post ORDER BY id;
-- story: upserts, MERGE and several writes
UPDATE post SET n = 50 WHERE id = 2;
INSERT INTO post AS p VALUES (2, 'Upserted', slug_of('Upserted'), next_id()) ON CONFLICT (id) DO UPDATE SET slug = slug_of(excluded.title, '_'), n = p.n + strict_sum(counted('post'), 1) WHERE slug_of(p.title) <> 'none' RETURNING *, slug_of(p.title);
INSERT INTO post AS p VALUES (1, 'a', 'a', 1), (next_id(), 'b', free_slug('b'), 2), (2, 'c', 'c', 3) ON CONFLICT (id) DO UPDATE SET n = next_id() + summed() RETURNING id, n;
INSERT INTO post VALUES (1, 'x', 'first-post', strict_sum(1, 1)), (next_id(), 'e', 'e', 1) ON CONFLICT DO NOTHING RETURNING *;
MERGE INTO post p USING (VALUES (1, 'm'), (40, 'new one')) v(k, t) ON p.id = strict_sum(k, 0) WHEN MATCHED AND slug_of(p.title) <> 'x' THEN UPDATE SET slug = slug_of(t), n = next_id() WHEN NOT MATCHED THEN INSERT VALUES (k, t, free_slug(t), strict_sum(k, 1));
WITH gone AS (DELETE FROM tag WHERE name = code(12) RETURNING post) UPDATE post SET n = strict_sum(n, 1) FROM gone WHERE id = post RETURNING id, n;
SELECT * FROM post ORDER BY id;
-- story: errors
INSERT INTO post VALUES (30, 'x', 'y', fails(3));
INSERT INTO post VALUES (30, 'x', slug_of(1));
INSERT INTO post VALUES (30, 'x', slug_of());
INSERT INTO post VALUES (1, 'x', slug_of('dup'));
UPDATE post SET n = fails(id) WHERE id > 100;
SELECT id, slug FROM post WHERE id = 30 OR slug = slug_of('Second');
-- story: a function that is replaced
UPDATE post SET slug = slug_of('Before') WHERE id = 1 RETURNING slug;
CREATE OR REPLACE FUNCTION slug_of(p_title text, p_join text = '-') RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN upper(p_title); END'; -- in production
UPDATE post SET slug = slug_of('After') WHERE id = 1 RETURNING slug;
CREATE OR REPLACE FUNCTION slug_of(p_title text, p_join text = '-') RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('c', 'x'); RETURN 'told'; END $$; -- in production
UPDATE post SET slug = slug_of('told') WHERE id = 2; -- refused: C=0A000
CREATE OR REPLACE FUNCTION slug_of(p_title text, p_join text = '-') RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN lower(p_title); END'; -- in production
UPDATE post SET slug = slug_of('Last') WHERE id = 2 RETURNING slug;
-- story: rows of functions
INSERT INTO tag (post, name) SELECT p.id, title_of(p) FROM post p WHERE p.id = (first_post()).id;
SELECT * FROM tag ORDER BY 1, 2;

-- story: effects
INSERT INTO post VALUES (40, 'x', 'x', tells(1)); -- refused: C=0A000
INSERT INTO post VALUES (40, 'x', 'x', tells_through(1)); -- refused: C=0A000
INSERT INTO post VALUES (40, 'x', 'x', tells_by_default()); -- refused: C=0A000
UPDATE post SET n = locks(1) WHERE id = 1; -- refused: C=0A000
UPDATE post SET n = moves(1) WHERE id = 1; -- refused: C=0A000
UPDATE post SET n = runs('SELECT 1') WHERE id = 1; -- refused: C=0A000
INSERT INTO post VALUES (1, 'x', 'x') ON CONFLICT (id) DO UPDATE SET n = tells(1); -- refused: C=0A000
MERGE INTO post USING (SELECT 1 AS i) s ON id = i WHEN MATCHED THEN UPDATE SET n = tells(1); -- refused: C=0A000
WITH t AS (DELETE FROM tag) UPDATE post SET n = locks(1); -- refused: C=0A000
SELECT id, n FROM post WHERE id IN (1, 40);
