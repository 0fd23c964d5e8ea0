-- Updatable views as targets: what is refused, and what happens when a definition changes.
CREATE FUNCTION sink() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE VIEW triggered AS SELECT * FROM item; CREATE TRIGGER t INSTEAD OF INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION sink();
CREATE VIEW over_triggered AS SELECT * FROM triggered;
CREATE VIEW ruled AS SELECT count(*) FROM item; CREATE RULE r AS ON INSERT TO ruled DO INSTEAD INSERT INTO item VALUES (99);
CREATE TABLE quiet (id int PRIMARY KEY); CREATE RULE q AS ON DELETE TO quiet DO INSTEAD NOTHING;
CREATE VIEW over_quiet AS SELECT id FROM quiet; CREATE VIEW catalog AS SELECT relname, reltuples FROM pg_class;
CREATE VIEW features AS SELECT * FROM information_schema.sql_sizing;
CREATE TABLE base (id int PRIMARY KEY, v text); CREATE VIEW moving AS SELECT id, v FROM base; CREATE VIEW over AS SELECT * FROM moving;
CREATE FUNCTION near(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 + 1';
CREATE FUNCTION "all"(int) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE VIEW calling AS SELECT id, near(id) AS n FROM item WHERE "all"(id) AND id NOT IN (SELECT count FROM (SELECT count(*) FROM pg_class) c);
CREATE TABLE loot (v text);
CREATE FUNCTION steal(int) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.loot VALUES ('x'); RETURN true; END$$;
CREATE VIEW thief AS SELECT * FROM item WHERE steal(id); CREATE VIEW fence AS SELECT id, name, steal(id) FROM item;

-- story: what triggers or rules carry out, and what is behind it that cannot be staged
INSERT INTO triggered VALUES (1); -- refused: C=0A000.*triggers or rules.*tables behind
INSERT INTO ruled VALUES (1); -- refused: C=0A000.*triggers or rules.*tables behind
DELETE FROM over_triggered; -- refused: C=0A000.* H=
DELETE FROM over_quiet; -- refused: C=0A000.* H=
DELETE FROM catalog; -- refused: C=0A000.* H=
DELETE FROM features; -- refused: C=0A000.* H=
DELETE FROM all_docs; -- refused: C=0A000.* H=

-- story: a view, and a table behind one, that changes
INSERT INTO over VALUES (1, 'one');
ALTER TABLE base ADD extra text DEFAULT 'e', ADD CHECK (id < 10); -- in production
INSERT INTO over VALUES (10);
CREATE OR REPLACE VIEW moving AS SELECT id, v, extra FROM base; -- in production
UPDATE moving SET extra = v || extra;
TABLE moving;
TABLE over;
CREATE OR REPLACE VIEW moving AS SELECT id, v, max(extra) AS extra FROM base GROUP BY 1, 2; -- in production
DELETE FROM over; -- refused: C=(55000|0A000)
DELETE FROM over; -- refused: C=55000.*GROUP BY

-- story: nothing that a definition calls is held fast
UPDATE calling SET id = id + 100 WHERE n > 0;
SELECT FROM calling;
DROP VIEW calling; DROP FUNCTION near, "all"; -- in production

-- story: a view that calls what writes lets nothing through
DELETE FROM thief; -- refused: C=0A000.*makes a function write
UPDATE fence SET name = 1 RETURNING *; -- refused: C=0A000.*makes a function write
