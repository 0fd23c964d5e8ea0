-- Functions of users that have the names of the server's own.
CREATE SCHEMA other;
CREATE TABLE items (id int PRIMARY KEY, n int);
INSERT INTO items VALUES (1, 10), (2, 20);
CREATE TYPE kind AS ENUM ('small', 'big');
CREATE FUNCTION abs(text) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(n) FROM items WHERE id::text <> $1';
CREATE FUNCTION lower(int, int) RETURNS SETOF items LANGUAGE sql STABLE AS 'SELECT * FROM items WHERE id BETWEEN $1 AND $2 ORDER BY id';
CREATE FUNCTION upper(kind) RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM items WHERE (n > 15) = ($1 = 'big')); END $$;
CREATE FUNCTION left(p int) RETURNS int LANGUAGE sql AS 'INSERT INTO items VALUES (p, 0) RETURNING id';
CREATE FUNCTION other.now() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT max(n) FROM items';

-- story: read staged rows
UPDATE items SET n = 15 WHERE id = 1;
INSERT INTO items VALUES (3, 30);
SELECT public.abs('2'), abs(-2);
SELECT * FROM public.lower(1, 2);
SELECT lower('ABC'), upper('abc'), public.upper('big'::kind), public.upper('small'::kind);
SELECT length('four');
SELECT other.now();

-- story: in staged writes
UPDATE items SET n = public.abs('1') WHERE id = 1;
INSERT INTO items SELECT id + 10, length(upper('abc')) + public.upper('big'::kind) FROM public.lower(1, 2);
DELETE FROM items WHERE n = (SELECT max(n) FROM public.lower(1, 11));
SELECT public.left(40);
SELECT public.left(41) FROM generate_series(1, 1);
SELECT * FROM items ORDER BY id;
SELECT count(*), sum(abs(n)) FROM items WHERE lower(n::text) = upper(n::text);
