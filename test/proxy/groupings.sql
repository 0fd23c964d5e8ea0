-- GROUP BY of a table's key, with other columns of the table in the query: works on staged rows as on the table itself.
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN short AS varchar(9);
CREATE TYPE pair AS (a int, b int);
CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL, "Bor n" date, m mood, tags short[], notes jsonb);
CREATE TABLE book (id int PRIMARY KEY, author int REFERENCES author, title text, price numeric, raw json, p pair);
CREATE TABLE line (book int, n int, what text, PRIMARY KEY (book, n));
CREATE TABLE loose (id int UNIQUE NOT NULL, name text);
CREATE TABLE later (id int PRIMARY KEY DEFERRABLE, name text);
CREATE TABLE part (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE author_stats (author int PRIMARY KEY, name text, books bigint);
CREATE SCHEMA other;
CREATE TABLE other.author (id int PRIMARY KEY, name text);
CREATE VIEW counted AS SELECT a.*, count(b.id) AS books FROM author a LEFT JOIN book b ON b.author = a.id GROUP BY a.id;
CREATE VIEW over_counted AS SELECT upper(name) AS name, books FROM counted WHERE books > 0;
CREATE VIEW whole AS SELECT to_jsonb(l.*) AS line, count(*) FROM line l GROUP BY l.book, l.n;
CREATE FUNCTION books_of(who int) RETURNS text LANGUAGE sql STABLE AS
  'SELECT a.name || count(b.id) FROM author a LEFT JOIN book b ON b.author = a.id WHERE a.id = who GROUP BY a.id';
CREATE FUNCTION pl_books() RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE r record; name text := 'of the function';
BEGIN
  FOR r IN SELECT public.author.m, author.name AS n, count(*) AS c FROM public.author JOIN book ON book.author = author.id GROUP BY public.author.id ORDER BY author.id
  LOOP RETURN NEXT r.n || r.m || r.c; END LOOP;
END $$;
INSERT INTO author VALUES (1, 'Ann', '1970-01-01', 'ok', '{a,b}', '{"x": 1}'), (2, 'Bob', NULL, 'sad', NULL, NULL), (3, 'Cyd', NULL, 'ok', NULL, '[]');
INSERT INTO book VALUES (1, 1, 'one', 10, '{}', '(1,2)'), (2, 1, 'two', 20, '[]', NULL), (3, 2, 'three', 30, NULL, NULL);
INSERT INTO line SELECT b, n, 'what ' || n FROM generate_series(1, 3) b, generate_series(1, 2) n;
INSERT INTO loose VALUES (1, 'a'); INSERT INTO later VALUES (1, 'a'); INSERT INTO part VALUES (1, 'a'); INSERT INTO other.author VALUES (1, 'other');

-- before each story
INSERT INTO author VALUES (4, 'Dan', '2000-02-29', 'sad', '{c}', '{}');
UPDATE author SET name = 'Anna', notes = NULL WHERE id = 1; DELETE FROM author WHERE id = 3;
INSERT INTO book VALUES (4, 4, 'four', 40, '{"a": 1}', '(3,4)'), (5, 4, NULL, 50);
DELETE FROM line WHERE book = 2; UPDATE loose SET name = 'b'; UPDATE later SET name = 'b'; UPDATE part SET name = 'b'; UPDATE other.author SET name = 'b';

-- story: the key, called in any way
SELECT a.name, count(b.id) FROM author a LEFT JOIN book b ON b.author = a.id GROUP BY a.id;
SELECT name, count(*) FROM author GROUP BY id;
SELECT author.name, author.m, count(*) FROM author JOIN book ON book.author = author.id GROUP BY author.id;
SELECT public.author.name, count(*) FROM public.author GROUP BY public.author.id;
SELECT id, name, count(*) FROM author GROUP BY 1;
SELECT a.id AS x, name, count(*) FROM author a GROUP BY x;
SELECT name, count(*) FROM author GROUP BY (id);
SELECT name, count(*) FROM author GROUP BY (m, id), "Bor n";
SELECT date_trunc($$year$$, "Bor n"), name, count(*) FROM author GROUP BY date_trunc($$year$$, "Bor n"), id;
SELECT l.what, l.n, count(*) FROM line l GROUP BY l.n, l.book;
SELECT a.* FROM author a GROUP BY a.id;
SELECT *, count(*) OVER () FROM author GROUP BY id;
SELECT p.name, count(*) FROM part p GROUP BY p.id;

-- story: columns anywhere in the query
SELECT count(*) FROM author a GROUP BY a.id HAVING a.name > $$B$$;
SELECT count(*) FROM author a GROUP BY a.id ORDER BY a."Bor n" DESC NULLS LAST, a.name LIMIT 2;
SELECT a.id, (SELECT max(b.price) FROM book b WHERE b.author = a.id AND a.name <> b.title) FROM author a GROUP BY a.id;
SELECT DISTINCT ON (a.m) a.m, a.name FROM author a GROUP BY a.id ORDER BY a.m, a.name;
SELECT a.name, rank() OVER (ORDER BY a.name DESC), rank() OVER w FROM author a GROUP BY a.id WINDOW w AS (PARTITION BY a.m ORDER BY a.id);
SELECT a.tags, a.notes, upper(a.name), a.tags[1], a.notes ->> $$x$$, max(b.price) FROM author a LEFT JOIN book b ON b.author = a.id GROUP BY a.id;
SELECT a.name, b.title, count(l.n) FROM author a JOIN book b ON b.author = a.id LEFT JOIN line l ON l.book = b.id GROUP BY a.id, b.id;
SELECT name FROM (SELECT a.name, count(*) AS c FROM author a GROUP BY a.id) t WHERE c > 0;
WITH t AS (SELECT a.name, count(*) FROM author a GROUP BY a.id) SELECT * FROM t UNION ALL SELECT m::text, count(*) FROM author GROUP BY id;
SELECT (SELECT count(*) FROM book b GROUP BY b.id HAVING b.title = $$four$$), 1;
SELECT name, count(*) FROM author JOIN line USING (id) GROUP BY id;
SELECT x.name, title FROM author x JOIN book USING (id) GROUP BY id, title;

-- story: whole rows
SELECT to_jsonb(a), count(*) FROM author a GROUP BY a.id;
SELECT to_jsonb(a.*), count(*) FROM author a GROUP BY a.id;
SELECT jsonb_build_object($$line$$, l), l.what FROM line l GROUP BY l.book, l.n;
SELECT count(l), count(l.*) FROM line l GROUP BY l.book, l.n;

-- story: columns by which nobody can group, in aggregates
SELECT b.title, json_agg(b.raw) FROM book b GROUP BY b.id;
SELECT b.title, array_agg(b.p) FROM book b GROUP BY b.id;
SELECT b.p, count(*) FROM book b GROUP BY b.id;
SELECT json_agg(b) FROM book b GROUP BY b.id;

-- story: what is an error is one
SELECT name, count(*) FROM author GROUP BY m;
SELECT l.what FROM line l GROUP BY l.book;
SELECT l.name FROM loose l GROUP BY l.id;
SELECT l.name FROM later l GROUP BY l.id;
SELECT a.name, b.title FROM author a JOIN book b ON b.author = a.id GROUP BY b.id;
SELECT a.name FROM author a, other.author b GROUP BY b.id;
SELECT a.name, b.name FROM author a, other.author b GROUP BY a.id, b.id;
SELECT name FROM author a, other.author b GROUP BY a.id, b.id;
SELECT nowhere FROM author GROUP BY id;
SELECT name FROM author GROUP BY 7;
SELECT name FROM author GROUP BY GROUPING SETS ((id), (m));
SELECT count(*) FROM author GROUP BY GROUPING SETS ((id), ());
SELECT t.name FROM (SELECT * FROM author) t GROUP BY t.id;

-- story: views and functions that group by a key
SELECT * FROM counted;
SELECT * FROM over_counted;
SELECT * FROM whole;
SELECT books_of(1), books_of(4);
SELECT * FROM pl_books();
