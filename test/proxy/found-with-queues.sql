-- PL/pgSQL as queues of jobs have it: all columns of one table among several, and locks before INTO.
CREATE TABLE jobs (id int PRIMARY KEY, weight int, queue text DEFAULT 'main');
INSERT INTO jobs (id, weight) VALUES (1, 1), (2, 1), (3, 5);
CREATE TABLE queues (queue text PRIMARY KEY, n int DEFAULT 0);
INSERT INTO queues VALUES ('main'), ('other');
CREATE FUNCTION all_jobs() RETURNS SETOF jobs LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT j.* FROM jobs j ORDER BY j.id; END $$;
CREATE FUNCTION with_queues() RETURNS TABLE (id int, weight int, queue text, n int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT j.*, q.n FROM jobs j LEFT JOIN queues q USING (queue) ORDER BY j.id;
END $$;
CREATE FUNCTION weight_of(p_id int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r jobs; BEGIN SELECT jobs.* INTO r FROM jobs WHERE id = p_id; RETURN r.weight; END $$;
CREATE FUNCTION sum_of() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  r record;
  s int := 0;
BEGIN
  FOR r IN SELECT a.*, b.* FROM jobs a, queues b LOOP s := s + r.weight + r.n; END LOOP;
  RETURN s;
END $$;
CREATE FUNCTION take_job(p_weight int) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY WITH candidate AS (SELECT j.* FROM jobs j WHERE j.weight < p_weight ORDER BY j.id LIMIT 1)
  UPDATE jobs SET weight = p_weight FROM candidate WHERE jobs.id = candidate.id RETURNING jobs.*;
END $$;
CREATE FUNCTION retry(p_id int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT weight FROM jobs WHERE id = p_id FOR UPDATE INTO v;
  UPDATE jobs SET weight = 9 WHERE id = p_id;
  RETURN v;
END $$;
CREATE FUNCTION count_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE c queues;
BEGIN
  SELECT x.* INTO c FROM queues x WHERE queue = NEW.queue;
  UPDATE queues SET n = c.n + 1 WHERE queue = NEW.queue;
  RETURN NULL;
END $$;
CREATE TRIGGER count_job AFTER INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION count_job();
CREATE SEQUENCE ticket_seq START 10;
CREATE SEQUENCE told_seq;
CREATE TABLE tickets (id int PRIMARY KEY, code text NOT NULL, batch int);
CREATE FUNCTION number_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id IS NULL THEN NEW.id := nextval('ticket_seq'); END IF;
  IF NEW.batch IS NULL THEN SELECT least(1, nextval('ticket_seq'::regclass)) INTO NEW.batch; END IF;
  NEW.code := 'T' || NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER number_ticket BEFORE INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION number_ticket();
CREATE TABLE told (ticket int PRIMARY KEY, is_numbered boolean);
CREATE FUNCTION tell_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  n bigint := nextval('told_seq');
  r record;
BEGIN
  r := ROW(nextval('told_seq'), NEW.id);
  INSERT INTO told VALUES (NEW.id, n > 0 AND r IS NOT NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER tell_ticket AFTER INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION tell_ticket();

-- after each story
SELECT * FROM tickets ORDER BY id;
SELECT * FROM told ORDER BY ticket;
SELECT * FROM jobs ORDER BY id;
SELECT * FROM queues ORDER BY queue;

-- story: reads show what is staged
UPDATE jobs SET weight = 100 WHERE id = 1;
INSERT INTO jobs (id, weight) VALUES (4, 7);
SELECT * FROM all_jobs();
SELECT * FROM with_queues();
SELECT weight_of(1), weight_of(4), sum_of();

-- story: jobs are taken
SELECT * FROM take_job(20);
SELECT * FROM take_job(20);
SELECT retry(3), retry(1);
SELECT sum_of();

-- story: triggers draw numbers in expressions
INSERT INTO tickets (batch) VALUES (1) RETURNING *;
INSERT INTO tickets DEFAULT VALUES RETURNING *;
INSERT INTO tickets (batch) VALUES (2), (3) RETURNING id, code;
INSERT INTO tickets (id, batch) VALUES (5, 1) RETURNING *;
UPDATE tickets SET batch = 7 WHERE id = 5;
