-- Partitioned tables with triggers, and to which triggers and functions write.
DO $$ BEGIN CREATE ROLE of_partitions_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE of_partitions_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE TABLE events (id int, day date, title text, slug text NOT NULL, touched int NOT NULL DEFAULT 0, place text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE events_2 PARTITION OF events FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') PARTITION BY LIST (id);
CREATE TABLE events_2_few PARTITION OF events_2 FOR VALUES IN (2, 4, 6, 8);
CREATE TABLE events_2_more PARTITION OF events_2 DEFAULT;
CREATE TABLE history (id int, day date DEFAULT '2026-01-05', source text, op text, old text, new text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE history_1 PARTITION OF history FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE history_2 PARTITION OF history FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE totals (day date PRIMARY KEY, n int) PARTITION BY LIST (day);
CREATE TABLE totals_1 PARTITION OF totals FOR VALUES IN ('2026-01-05');
CREATE TABLE totals_2 PARTITION OF totals DEFAULT;
CREATE FUNCTION slugged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.slug := lower(replace(NEW.title, ' ', '-')); NEW.place := TG_TABLE_NAME; RETURN NEW; END $$;
CREATE TRIGGER a_slug BEFORE INSERT OR UPDATE OF title ON events FOR EACH ROW EXECUTE FUNCTION slugged();
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.touched := OLD.touched + 1; RETURN NEW; END $$;
CREATE TRIGGER b_touch BEFORE UPDATE ON events FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION touch();
CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.title = 'move' THEN NEW.day := '2026-02-20'; END IF; RETURN NEW; END $$;
CREATE TRIGGER c_move BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION move();
CREATE FUNCTION guarded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF OLD.title = 'kept' THEN RETURN NULL; ELSIF OLD.title = 'held' THEN RAISE 'held in %', TG_TABLE_NAME; END IF; RETURN OLD; END $$;
CREATE TRIGGER guarded BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION guarded();
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_of text := TG_TABLE_SCHEMA || '.' || TG_RELNAME || ' ' || (TG_RELID = TG_TABLE_NAME::regclass);
BEGIN
  INSERT INTO history (id, source, day, op, old, new) VALUES ((SELECT count(*) + 1 FROM history), v_of, CASE TG_OP WHEN 'DELETE' THEN OLD.day ELSE NEW.day END, TG_OP,
    CASE WHEN TG_OP <> 'INSERT' THEN OLD.title END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.title END);
  RETURN NULL;
END $$;
CREATE TRIGGER keep AFTER INSERT OR UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION keep();
CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE NOTICE '% %', TG_TABLE_NAME, (SELECT count(*) FROM made); RETURN NULL; END $$;
CREATE TRIGGER counted AFTER INSERT ON events REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION counted();
CREATE FUNCTION total() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO totals AS t VALUES (NEW.day, 1) ON CONFLICT (day) DO UPDATE SET n = t.n + 1; RETURN NULL; END $$;
CREATE TRIGGER total AFTER INSERT ON history FOR EACH ROW EXECUTE FUNCTION total();
CREATE FUNCTION note(p_day date, p_text text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO history (id, day, source, op) VALUES ((SELECT count(*) + 1 FROM history), p_day, 'note', p_text) RETURNING id INTO n;
  UPDATE totals SET n = totals.n + 100 WHERE day = p_day;
  RETURN n;
END $$;
CREATE PROCEDURE sweep(p_op text) LANGUAGE plpgsql AS $$
DECLARE n int; BEGIN DELETE FROM history WHERE op = p_op; GET DIAGNOSTICS n = ROW_COUNT; RAISE NOTICE 'swept %', n; END $$;
CREATE FUNCTION tally(p_day date) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$ INSERT INTO totals SELECT p_day, count(*) FROM events RETURNING n $$;
ALTER FUNCTION tally OWNER TO of_partitions_owner;
CREATE FUNCTION by_name() RETURNS void LANGUAGE sql AS $$ INSERT INTO history_1 (id, day, op) VALUES (99, '2026-01-07', 'by name') $$;
CREATE TABLE parts (id int, kind text, size int, version int DEFAULT 1, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN ('b');
CREATE FUNCTION versioned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.version := OLD.version + 1; IF NEW.size > 100 THEN NEW.kind := 'b'; END IF; RETURN NEW; END $$;
CREATE TRIGGER versioned BEFORE UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION versioned();
CREATE TABLE written (id int, kind text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE written_a PARTITION OF written FOR VALUES IN ('a');
CREATE TABLE written_b PARTITION OF written FOR VALUES IN ('b');
CREATE FUNCTION kept_before() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO totals VALUES (date '2026-08-01' + NEW.id, 1); RETURN NEW; END $$;
CREATE TRIGGER kept_before BEFORE INSERT ON written FOR EACH ROW EXECUTE FUNCTION kept_before();
CREATE TABLE vanishing (id int, kind text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE vanishing_a PARTITION OF vanishing FOR VALUES IN ('a');
CREATE TABLE vanishing_b PARTITION OF vanishing FOR VALUES IN ('b');
CREATE FUNCTION vanish() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.kind = 'b' THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE TRIGGER vanish BEFORE INSERT ON vanishing FOR EACH ROW EXECUTE FUNCTION vanish();
INSERT INTO written VALUES (1, 'a'); INSERT INTO vanishing VALUES (1, 'a');
CREATE FUNCTION half(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 2';
CREATE FUNCTION third(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 3';
REVOKE ALL ON FUNCTION half(int), third(int) FROM PUBLIC;
CREATE TABLE halves (id int, title text) PARTITION BY RANGE (half(id));
CREATE TABLE halves_1 PARTITION OF halves FOR VALUES FROM (0) TO (50) PARTITION BY RANGE (third(id));
CREATE TABLE halves_1_1 PARTITION OF halves_1 (PRIMARY KEY (id)) FOR VALUES FROM (0) TO (1000);
CREATE TABLE halves_2 PARTITION OF halves (PRIMARY KEY (id)) FOR VALUES FROM (50) TO (1000);
INSERT INTO halves VALUES (1, 'one'), (200, 'two');
GRANT ALL ON halves TO of_partitions_client;
-- tables whose partitions differ from them
CREATE FUNCTION counted_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% rows', (SELECT count(*) FROM mixed); RETURN NULL; END $$;
CREATE TABLE mixed (id int PRIMARY KEY, label text) PARTITION BY RANGE (id);
CREATE TABLE mixed_1 PARTITION OF mixed FOR VALUES FROM (0) TO (100);
CREATE TABLE mixed_2 PARTITION OF mixed FOR VALUES FROM (100) TO (200);
CREATE FUNCTION label() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.label := concat(NEW.label, ' ', TG_NAME); RETURN NEW; END $$;
CREATE TRIGGER b_all BEFORE INSERT ON mixed FOR EACH ROW EXECUTE FUNCTION label();
CREATE TRIGGER a_own BEFORE INSERT ON mixed_2 FOR EACH ROW EXECUTE FUNCTION label();
CREATE TRIGGER c_sums AFTER INSERT ON mixed_1 FOR EACH STATEMENT EXECUTE FUNCTION counted_rows();
CREATE TABLE paused (id int PRIMARY KEY, label text) PARTITION BY RANGE (id);
CREATE TABLE paused_1 PARTITION OF paused FOR VALUES FROM (0) TO (100);
CREATE TRIGGER b_all BEFORE INSERT ON paused FOR EACH ROW EXECUTE FUNCTION label();
ALTER TABLE paused_1 DISABLE TRIGGER b_all;
CREATE TABLE turned (id int PRIMARY KEY, label text) PARTITION BY RANGE (id);
CREATE TABLE turned_1 (label text, id int NOT NULL);
ALTER TABLE turned ATTACH PARTITION turned_1 FOR VALUES FROM (0) TO (100);
CREATE TRIGGER b_all BEFORE INSERT ON turned FOR EACH ROW EXECUTE FUNCTION label();
INSERT INTO events (id, day, title) VALUES (1, '2026-01-05', 'First One'), (2, '2026-02-05', 'Second One'), (7, '2026-01-07', 'kept'), (8, '2026-02-08', 'held');
INSERT INTO parts VALUES (1, 'a', 1), (2, 'b', 2);
GRANT ALL ON events, history, totals, parts TO of_partitions_client, of_partitions_owner;

-- story: triggers fire for the rows of partitions, and write to partitioned tables
INSERT INTO events (id, day, title) VALUES (3, '2026-01-06', 'Third One') RETURNING *;
INSERT INTO events (id, day, title) VALUES (4, '2026-02-06', 'Fourth One'), (5, '2026-01-07', 'Fifth') RETURNING *;
UPDATE events SET title = 'New ' || title WHERE id IN (1, 3) RETURNING *;
UPDATE events SET touched = touched WHERE id = 2 RETURNING touched;
UPDATE events SET touched = 10 WHERE id = 2 RETURNING touched, slug, place;
DELETE FROM events WHERE id = 4 RETURNING id, slug;
DELETE FROM events WHERE id = 7;
DELETE FROM events WHERE id = 8;
SELECT * FROM events ORDER BY id, day;
SELECT * FROM history ORDER BY id, day;
SELECT * FROM totals ORDER BY day;

-- story: the partition is looked for before triggers fire, and no trigger changes it
INSERT INTO events (id, day, title) VALUES (6, '2026-05-06', 'Nowhere');
INSERT INTO events (id, day, title) VALUES (6, '2026-05-06', 'move');
INSERT INTO events (id, title) VALUES (6, 'Nowhere');
INSERT INTO events (id, day, title) VALUES (6, '2026-01-06', 'move');
INSERT INTO events (id, day, title) VALUES (6, '2026-02-06', 'move') RETURNING *;
INSERT INTO events (id, day, title) VALUES (9, '2026-02-06', 'move') RETURNING *;
SELECT source, day, op, new FROM history ORDER BY id, day;

-- story: ON CONFLICT, MERGE, COPY and foreign keys reach them
INSERT INTO events (id, day, title) VALUES (1, '2026-01-05', 'again') ON CONFLICT (id, day) DO UPDATE SET title = excluded.title || ' ' || excluded.slug RETURNING *;
INSERT INTO events (id, day, title) VALUES (9, '2026-01-06', 'again') ON CONFLICT (id, day) DO UPDATE SET title = excluded.title || ' ' || excluded.slug RETURNING *;
MERGE INTO events e USING (VALUES (9, '2026-01-06'::date), (10, '2026-02-06')) v (id, day) ON e.id = v.id AND e.day = v.day WHEN MATCHED THEN UPDATE SET title = 'merged' WHEN NOT MATCHED THEN INSERT (id, day, title) VALUES (v.id, v.day, 'Merged in');
SELECT * FROM events ORDER BY id, day;
SELECT source, day, op, old, new FROM history ORDER BY id, day;

-- story: functions write to partitioned tables
SELECT note('2026-01-05', 'x');
SELECT note('2026-02-05', 'y');
SELECT note('2026-07-05', 'y');
CALL sweep('x');
DO $$ BEGIN INSERT INTO totals VALUES ('2026-04-01', 5), ('2026-01-05', 1) ON CONFLICT (day) DO NOTHING; END $$;
SELECT * FROM history ORDER BY id, day;
SELECT * FROM totals ORDER BY day;
SELECT by_name(); -- refused: cannot execute INSERT in a read-only transaction

-- story: as a client with rights of its own
SET ROLE of_partitions_client;
INSERT INTO events (id, day, title) VALUES (13, '2026-01-06', 'Mine'), (14, '2026-02-06', 'Yours') RETURNING *;
SELECT note('2026-01-05', 'mine');
SELECT source, day, op, new FROM history ORDER BY id, day;
RESET ROLE;

-- story: rows move to other partitions
UPDATE parts SET kind = 'b' WHERE id = 1 RETURNING *;
UPDATE parts SET size = 101 WHERE id = 1 RETURNING *;
UPDATE parts SET kind = 'a' WHERE id = 2 RETURNING *;
UPDATE parts SET size = 102 WHERE id = 2 RETURNING *;
SELECT * FROM parts ORDER BY id;

-- story: rows that move are deleted and inserted again
INSERT INTO events (id, day, title) VALUES (40, '2026-01-06', 'To move'), (41, '2026-02-06', 'kept'), (42, '2026-01-06', 'held');
UPDATE events SET day = '2026-02-10' WHERE id = 40 RETURNING *;
UPDATE events SET day = '2026-02-11', title = 'Moved' WHERE id = 40 RETURNING *;
UPDATE events SET day = '2026-01-11', touched = 5 WHERE id = 40 RETURNING *;
UPDATE events SET day = '2026-01-11' WHERE id = 41 RETURNING *;
UPDATE events SET day = '2026-02-11' WHERE id = 42;
UPDATE events SET day = '2026-01-12', title = 'move' WHERE id = 40;
UPDATE events SET day = '2026-02-12', title = 'move' WHERE id = 40;
UPDATE events SET day = '2026-07-12' WHERE id = 40;
UPDATE events SET day = day + 31 WHERE id IN (1, 40) AND day < '2026-02-01' RETURNING id, day, touched, place;
SELECT * FROM events ORDER BY id, day;
SELECT source, day, op, old, new FROM history ORDER BY id, day;
UPDATE written SET kind = 'b' WHERE id = 1; -- refused: moves a row of "written" to another partition
UPDATE written SET id = 5 WHERE id = 1;
UPDATE vanishing SET kind = 'b' WHERE id = 1; -- refused: moves a row of "vanishing" to another partition

-- story: what a statement stages in a partition by its name counts for code with its owner's rights
INSERT INTO events (id, day, title) VALUES (31, '2026-01-06', 'by its table');
SELECT tally('2026-03-01');
INSERT INTO events_1 (id, day, title, slug) VALUES (30, '2026-01-09', 'by name', 'by-name');
SELECT tally('2026-03-02');

-- story: a partition key calls nothing for a client that it may not call
SET ROLE of_partitions_client;
INSERT INTO halves VALUES (4, 'x');
DELETE FROM halves WHERE id = 1;
UPDATE halves SET title = 'y' WHERE id = 200;
RESET ROLE;
GRANT EXECUTE ON FUNCTION half(int) TO of_partitions_client; -- in production
SET ROLE of_partitions_client;
INSERT INTO halves VALUES (5, 'x');
RESET ROLE;
GRANT EXECUTE ON FUNCTION third(int) TO of_partitions_client; -- in production
SET ROLE of_partitions_client;
INSERT INTO halves VALUES (6, 'x'), (206, 'y') RETURNING *;
UPDATE halves SET id = 210 WHERE id = 6;
SELECT * FROM halves ORDER BY id;
RESET ROLE;
