-- BEFORE triggers that draw a key from a counter in a table, if the client gives none.
CREATE TABLE counters (tenant int PRIMARY KEY, n int NOT NULL, changes int NOT NULL DEFAULT 0);
INSERT INTO counters VALUES (1, 0), (2, 10);
CREATE TABLE invoices (tenant int, n int, amount int, note text, PRIMARY KEY (tenant, n));
INSERT INTO invoices VALUES (2, 10, 1);
CREATE TABLE lines (tenant int, invoice int, pos int, amount int, PRIMARY KEY (tenant, invoice, pos), FOREIGN KEY (tenant, invoice) REFERENCES invoices ON DELETE CASCADE);
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counters SET n = n + 1 WHERE tenant = NEW.tenant RETURNING n INTO NEW.n;
  RETURN NEW;
END $$;
CREATE TRIGGER number_invoice BEFORE INSERT ON invoices FOR EACH ROW WHEN (NEW.n IS NULL) EXECUTE FUNCTION number_invoice();
CREATE FUNCTION note_invoice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := concat('#', NEW.n, ' of ', NEW.tenant); RETURN NEW; END $$;
CREATE TRIGGER z_note BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION note_invoice();

CREATE TABLE series (name text PRIMARY KEY, n int);
CREATE TABLE papers (id text PRIMARY KEY, kind text, title text);
CREATE TABLE reviews (paper text REFERENCES papers, n int, PRIMARY KEY (paper, n));
CREATE FUNCTION next_of(p_name text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  INSERT INTO series AS s VALUES (p_name, 1) ON CONFLICT (name) DO UPDATE SET n = s.n + 1 RETURNING s.n INTO v_n;
  RETURN v_n;
END $$;
CREATE FUNCTION name_paper() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_n int;
BEGIN
  IF NEW.id IS NULL THEN
    v_n := next_of(NEW.kind);
    NEW.id := NEW.kind || '-' || v_n;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER name_paper BEFORE INSERT ON papers FOR EACH ROW EXECUTE FUNCTION name_paper();

-- after each story
SELECT * FROM counters ORDER BY tenant;
SELECT * FROM invoices ORDER BY tenant, n;
SELECT * FROM lines ORDER BY tenant, invoice, pos;
SELECT * FROM series ORDER BY name;
SELECT * FROM papers ORDER BY id;
SELECT * FROM reviews ORDER BY paper, n;

-- story: numbers are drawn, and the counters keep them
INSERT INTO invoices (tenant, amount) VALUES (1, 5), (1, 6), (2, 7) RETURNING tenant, n, note;
INSERT INTO invoices (tenant, n, amount) VALUES (1, 100, 9);
INSERT INTO lines VALUES (1, 1, 1, 5), (1, 2, 1, 6), (2, 11, 1, 7);
INSERT INTO lines VALUES (1, 3, 1, 1);
UPDATE invoices SET amount = amount + 1 WHERE tenant = 1 AND n = 2;
DELETE FROM invoices WHERE tenant = 1 AND n = 1;
INSERT INTO invoices (tenant, amount) VALUES (1, 8);

-- story: the client sets a counter, too
INSERT INTO invoices (tenant, amount) VALUES (2, 1);
UPDATE counters SET n = n + 5, changes = changes + 1 WHERE tenant = 2;
INSERT INTO invoices (tenant, amount) VALUES (2, 2);
BEGIN;
INSERT INTO invoices (tenant, amount) VALUES (2, 3);
ROLLBACK;
INSERT INTO invoices (tenant, amount) SELECT 2, g FROM generate_series(4, 6) g;

-- story: a function draws the number for the trigger
INSERT INTO papers (kind, title) VALUES ('note', 'first'), ('note', 'second');
INSERT INTO papers VALUES ('own', 'note', 'third');
INSERT INTO reviews VALUES ('note-1', 1), ('note-2', 1), ('own', 1);
UPDATE papers SET title = upper(title) WHERE kind = 'note';
INSERT INTO papers (kind, title) VALUES ('note', 'fourth'), ('memo', 'fifth') RETURNING id;
