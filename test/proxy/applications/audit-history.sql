-- Versions of rows by a generic trigger with dynamic SQL, and an audit log of changed columns in JSON.
CREATE SCHEMA app;
CREATE TABLE app.documents (id int PRIMARY KEY, title text NOT NULL, body text, version int NOT NULL DEFAULT 1, meta jsonb NOT NULL DEFAULT '{}');
CREATE TABLE app.documents_history (id int, version int, title text, body text, meta jsonb, PRIMARY KEY (id, version));
CREATE TABLE app.tags (id int PRIMARY KEY, name text UNIQUE, version int NOT NULL DEFAULT 1);
CREATE TABLE app.tags_history (id int, version int, name text, PRIMARY KEY (id, version));
CREATE TABLE app.audit (n bigint PRIMARY KEY, tab text NOT NULL, op text NOT NULL, pk text, old_row jsonb, changed jsonb, by text);
CREATE FUNCTION app.next_audit() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT coalesce(max(n), 0) + 1 FROM app.audit';
CREATE FUNCTION app.bump_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW IS DISTINCT FROM OLD THEN NEW.version := OLD.version + 1; END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION app.keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'documents' THEN
    INSERT INTO app.documents_history VALUES (OLD.id, OLD.version, OLD.title, OLD.body, OLD.meta);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION app.keep_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %I.%I (id, version, name) VALUES ($1, $2, $3)', 'app', 'tags_history') USING OLD.id, OLD.version, OLD.name;
  RETURN NULL;
END $$;
CREATE FUNCTION app.log_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_old jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  v_new jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
  v_changed jsonb;
BEGIN
  SELECT jsonb_object_agg(k.key, k.value) INTO v_changed FROM jsonb_each(v_new) k WHERE v_old IS NULL OR v_old -> k.key IS DISTINCT FROM k.value;
  INSERT INTO app.audit VALUES (app.next_audit(), TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME, TG_OP, coalesce(v_new, v_old) ->> TG_ARGV[0], v_old, v_changed,
    coalesce(nullif(current_setting('app.user', true), ''), 'nobody'));
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER a_bump BEFORE UPDATE ON app.documents FOR EACH ROW EXECUTE FUNCTION app.bump_version();
CREATE TRIGGER a_bump BEFORE UPDATE ON app.tags FOR EACH ROW EXECUTE FUNCTION app.bump_version();
CREATE TRIGGER b_keep AFTER UPDATE OR DELETE ON app.documents FOR EACH ROW EXECUTE FUNCTION app.keep_history();
CREATE TRIGGER b_keep AFTER UPDATE OR DELETE ON app.tags FOR EACH ROW WHEN (OLD.name IS NOT NULL) EXECUTE FUNCTION app.keep_tags();
CREATE TRIGGER c_log AFTER INSERT OR UPDATE OR DELETE ON app.documents FOR EACH ROW EXECUTE FUNCTION app.log_change('id');
CREATE TRIGGER c_log AFTER INSERT OR UPDATE OR DELETE ON app.tags FOR EACH ROW EXECUTE FUNCTION app.log_change('id');
INSERT INTO app.documents VALUES (1, 'One', 'first'), (2, 'Two', 'second');
INSERT INTO app.tags VALUES (1, 'red'), (2, 'blue');
-- after each story
SELECT * FROM app.documents ORDER BY id;
SELECT * FROM app.documents_history ORDER BY id, version;
SELECT * FROM app.tags ORDER BY id;
SELECT * FROM app.tags_history ORDER BY id, version;
SELECT * FROM app.audit ORDER BY n;
-- story: a day of an editor
SET app.user = 'ann';
INSERT INTO app.documents (id, title, body) VALUES (3, 'Three', NULL) RETURNING *;
UPDATE app.documents SET body = body || '!', meta = meta || '{"by": "ann"}' WHERE id < 3 RETURNING id, version, body;
UPDATE app.documents SET title = title WHERE id = 1 RETURNING version;
BEGIN;
UPDATE app.documents SET title = 'Deux' WHERE id = 2;
SAVEPOINT a;
DELETE FROM app.documents WHERE id = 1;
ROLLBACK TO a;
UPDATE app.documents SET title = upper(title) WHERE id = 2 RETURNING version;
COMMIT;
SET app.user = 'bob';
DELETE FROM app.documents WHERE id = 3 RETURNING *;
INSERT INTO app.tags VALUES (3, 'red');
INSERT INTO app.tags VALUES (3, 'green'), (4, NULL);
INSERT INTO app.tags VALUES (2, 'navy') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING *;
UPDATE app.tags SET name = name || 'ish' WHERE id = 3;
DELETE FROM app.tags WHERE id = 4;
DELETE FROM app.tags WHERE name = 'red';
