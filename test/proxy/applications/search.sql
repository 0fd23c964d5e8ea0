-- Search vectors with weights from the row and its children, slugs that are made unique.
CREATE FUNCTION slugify(p text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT trim(BOTH '-' FROM regexp_replace(lower(p), '[^a-z0-9]+', '-', 'g')) $$;
CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE books (id int PRIMARY KEY, author int REFERENCES authors, title text NOT NULL, summary text, slug text NOT NULL UNIQUE, words tsvector, title_length int GENERATED ALWAYS AS (length(title)) STORED);
CREATE TABLE book_tags (book int REFERENCES books ON DELETE CASCADE, tag text, PRIMARY KEY (book, tag));
CREATE INDEX ON books USING gin (words);
CREATE FUNCTION set_slug() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_base text := slugify(NEW.title);
  v_try text;
  v_n int := 1;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.title = OLD.title AND NEW.slug IS NOT NULL THEN RETURN NEW; END IF;
  v_try := coalesce(nullif(v_base, ''), 'book');
  WHILE EXISTS (SELECT 1 FROM books b WHERE b.slug = v_try AND b.id <> NEW.id) LOOP
    v_n := v_n + 1;
    v_try := v_base || '-' || v_n;
  END LOOP;
  NEW.slug := v_try;
  RETURN NEW;
END $$;
CREATE TRIGGER a_slug BEFORE INSERT OR UPDATE OF title, slug ON books FOR EACH ROW EXECUTE FUNCTION set_slug();
CREATE FUNCTION set_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.words := setweight(to_tsvector('simple', coalesce(NEW.title, '')), 'A') || setweight(to_tsvector('simple', coalesce(NEW.summary, '')), 'B')
    || setweight(to_tsvector('simple', coalesce((SELECT string_agg(t.tag, ' ' ORDER BY t.tag) FROM book_tags t WHERE t.book = NEW.id), '')), 'C')
    || setweight(to_tsvector('simple', coalesce((SELECT a.name FROM authors a WHERE a.id = NEW.author), '')), 'D');
  RETURN NEW;
END $$;
CREATE TRIGGER b_words BEFORE INSERT OR UPDATE ON books FOR EACH ROW EXECUTE FUNCTION set_words();
CREATE FUNCTION touch_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE books SET words = NULL WHERE id IN (NEW.book, OLD.book); RETURN NULL; END $$;
CREATE TRIGGER touch_book AFTER INSERT OR UPDATE OR DELETE ON book_tags FOR EACH ROW EXECUTE FUNCTION touch_book();
CREATE FUNCTION touch_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE books SET words = NULL WHERE author = NEW.id; RETURN NULL; END $$;
CREATE TRIGGER touch_books AFTER UPDATE OF name ON authors FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION touch_books();
INSERT INTO authors VALUES (1, 'Ada'), (2, 'Blaise');
INSERT INTO books (id, author, title, summary) VALUES (1, 1, 'On Engines', 'wheels and cards'), (2, 2, 'Thoughts', NULL);
INSERT INTO book_tags VALUES (1, 'history'), (2, 'faith');
-- after each story
SELECT * FROM books ORDER BY id;
SELECT * FROM book_tags ORDER BY book, tag;
-- story: a day of a librarian
INSERT INTO books (id, author, title) VALUES (3, 1, 'On  engines!'), (4, NULL, '???') RETURNING id, slug, title_length;
INSERT INTO books (id, author, title, slug) VALUES (5, 2, 'Letters', 'mine') RETURNING slug;
UPDATE books SET title = 'Thoughts' WHERE id = 5 RETURNING slug, words;
UPDATE books SET summary = 'Cards, again' WHERE id = 3 RETURNING words;
INSERT INTO book_tags VALUES (1, 'steam'), (3, 'steam');
UPDATE book_tags SET tag = 'brass' WHERE tag = 'steam';
UPDATE authors SET name = 'Ada Lovelace' WHERE id = 1;
SELECT id, ts_rank(words, q) > 0 FROM books, to_tsquery('simple', 'lovelace & cards') q WHERE words @@ q ORDER BY id;
DELETE FROM books WHERE id = 3 RETURNING slug;
INSERT INTO books (id, title) VALUES (6, 'On engines') RETURNING slug;
UPDATE books SET slug = NULL WHERE id = 6 RETURNING slug;
MERGE INTO book_tags t USING (VALUES (1, 'brass'), (1, 'new')) v(book, tag) ON t.book = v.book AND t.tag = v.tag WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (v.book, v.tag);
