-- Functions and triggers that insert into tables with GENERATED ALWAYS columns without a list of columns, and give these no value.
CREATE TABLE invoices (n int, net numeric DEFAULT 10, gross numeric GENERATED ALWAYS AS (net * 1.2) STORED, id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE tickets (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text DEFAULT 'none', loud text GENERATED ALWAYS AS (upper(note)) STORED);
CREATE TABLE drafts (n int PRIMARY KEY, net numeric);
INSERT INTO drafts VALUES (1, 5), (2, 6), (3, 7);
CREATE FUNCTION new_ticket() RETURNS int LANGUAGE sql AS 'INSERT INTO tickets DEFAULT VALUES RETURNING id';
CREATE FUNCTION new_tickets() RETURNS SETOF tickets LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tickets DEFAULT VALUES;
  RETURN QUERY INSERT INTO tickets VALUES (DEFAULT, 'a', DEFAULT), (DEFAULT, DEFAULT, DEFAULT), (DEFAULT, 'c', DEFAULT) RETURNING *;
END $$;
CREATE FUNCTION ticket_of(p_note text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text;
BEGIN
  INSERT INTO tickets VALUES (DEFAULT, p_note, DEFAULT) RETURNING loud INTO v;
  RETURN v;
END $$;
CREATE FUNCTION bill(p_n int) RETURNS SETOF invoices LANGUAGE sql AS $$
  INSERT INTO invoices SELECT n, net FROM drafts WHERE n = p_n RETURNING *;
$$;
CREATE PROCEDURE bill_both() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invoices SELECT n FROM drafts WHERE n < 2 UNION ALL SELECT n + 10 FROM drafts ORDER BY 1;
  INSERT INTO invoices VALUES (21, 1), (22, 2);
  INSERT INTO invoices WITH d AS (SELECT * FROM drafts) SELECT n + 30, net FROM d WHERE n = 1;
END $$;
CREATE TABLE fees (n int PRIMARY KEY, net numeric DEFAULT 3, gross numeric GENERATED ALWAYS AS (net * 1.2) STORED);
CREATE FUNCTION add_fee(p_n int) RETURNS numeric LANGUAGE sql AS 'INSERT INTO fees SELECT p_n UNION ALL SELECT p_n + 1 RETURNING gross';
CREATE FUNCTION bill_draft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fees VALUES (NEW.n, NEW.net), (NEW.n + 10, 4);
  PERFORM add_fee(NEW.n + 20);
  INSERT INTO fees VALUES (NEW.n + 30, DEFAULT, DEFAULT);
  RETURN NULL;
END $$;
CREATE TRIGGER bill_draft AFTER INSERT ON drafts FOR EACH ROW EXECUTE FUNCTION bill_draft();
SET check_function_bodies = off;
CREATE PROCEDURE gives_star() LANGUAGE sql AS 'INSERT INTO tickets SELECT * FROM tickets';
CREATE PROCEDURE gives_late_star() LANGUAGE sql AS 'INSERT INTO invoices SELECT 7, d.* FROM drafts d';
CREATE PROCEDURE gives_row() LANGUAGE plpgsql AS 'DECLARE t tickets; BEGIN INSERT INTO tickets VALUES (t.*); END';
CREATE PROCEDURE gives_fields() LANGUAGE sql AS 'INSERT INTO tickets SELECT (t).* FROM tickets t';
CREATE PROCEDURE gives_union() LANGUAGE sql AS 'INSERT INTO tickets SELECT 1 UNION SELECT 2';
CREATE PROCEDURE gives_table() LANGUAGE sql AS 'INSERT INTO tickets TABLE tickets';
CREATE PROCEDURE gives_in_one_row() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tickets VALUES (DEFAULT, 'a'), (NULL, 'b'); END $$;
CREATE PROCEDURE gives_generated() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tickets VALUES (DEFAULT, 'a', 'A'); END $$;
CREATE PROCEDURE gives_last() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO invoices VALUES (1, 2, DEFAULT, 3); END $$;

-- story: by functions
SELECT new_ticket();
SELECT * FROM new_tickets();
SELECT ticket_of('x'), ticket_of(NULL);
SELECT * FROM bill(2);
CALL bill_both();
DO $$ BEGIN INSERT INTO tickets DEFAULT VALUES; INSERT INTO invoices VALUES (99); END $$;
SELECT * FROM tickets ORDER BY id;
SELECT * FROM invoices ORDER BY id;

-- story: by triggers
INSERT INTO drafts VALUES (4, 8), (6, 9);
SELECT * FROM fees ORDER BY n;

-- story: values are refused
CALL gives_star(); -- refused: fills a column itself
CALL gives_late_star(); -- refused: fills a column itself
CALL gives_row(); -- refused: fills a column itself
CALL gives_fields(); -- refused: fills a column itself
CALL gives_union(); -- refused: fills a column itself
CALL gives_table(); -- refused: fills a column itself
CALL gives_in_one_row(); -- refused: fills a column itself
CALL gives_generated(); -- refused: fills a column itself
CALL gives_last(); -- refused: fills a column itself
SELECT * FROM tickets ORDER BY id;
