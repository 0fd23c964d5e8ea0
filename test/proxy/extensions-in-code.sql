-- Functions of extensions in bodies that write, and beside functions of the server with the same names.
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION pgcrypto;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION unaccent;
CREATE EXTENSION "uuid-ossp";
CREATE TABLE pages (id int PRIMARY KEY, name citext, slug text, token text, public uuid, likeness real);
CREATE FUNCTION fill_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slug := replace(lower(unaccent(NEW.name::text)), ' ', '-');
  NEW.token := encode(digest(concat(NEW.id, NEW.slug), 'sha1'), 'hex');
  NEW.public := uuid_generate_v5(uuid_ns_url(), NEW.slug);
  NEW.likeness := similarity(NEW.slug, 'a-page');
  RETURN NEW;
END $$;
CREATE TRIGGER fill_page BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION fill_page();
CREATE TABLE log (n int PRIMARY KEY, op text, changed hstore);
CREATE FUNCTION log_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log SELECT coalesce(max(l.n), 0) + 1, TG_OP, hstore(NEW) - hstore(OLD) FROM log l;
  RETURN NULL;
END $$;
CREATE TRIGGER log_page AFTER UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION log_page();
CREATE FUNCTION next_page() RETURNS int LANGUAGE sql AS $$
  INSERT INTO pages (id, name) SELECT coalesce(max(p.id), 0) + 1, split_part('next:page', ':', 2) || min(p.id) FROM pages p RETURNING id
$$;
CREATE FUNCTION add_page(p_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_id int;
BEGIN
  SELECT coalesce(max(id), 0) + 1 INTO v_id FROM pages WHERE name <> translate(p_name, 'xyz', 'abc')::citext;
  INSERT INTO pages (id, name) VALUES (v_id, regexp_replace(p_name, 'é+', 'e'));
  RETURN crypt('a', '$1$abcdefgh') || strpos(p_name, 'g');
END $$;
INSERT INTO pages (id, name) VALUES (1, 'A Page');

-- after each story
SELECT id, name::text, slug, token, public, likeness FROM pages ORDER BY id;
SELECT n, op, changed::text FROM log ORDER BY n;

-- story: triggers and functions call them
INSERT INTO pages (id, name) VALUES (2, 'Déjà Vu') RETURNING id, slug, token, public, likeness;
UPDATE pages SET name = 'Other Page' WHERE id = 1;
SELECT add_page('Xéé page');
SELECT next_page();
UPDATE pages SET name = name || '!' WHERE name = 'OTHER PAGE';
SELECT max(name)::text, min(name::text) FROM pages;
