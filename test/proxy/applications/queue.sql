-- A queue of jobs that workers claim with SKIP LOCKED, with retries, a dead letter table and statistics by statement triggers.
CREATE TABLE jobs (id int PRIMARY KEY, queue text NOT NULL DEFAULT 'default', payload jsonb NOT NULL DEFAULT '{}', state text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'running', 'done')), tries int NOT NULL DEFAULT 0, worker text, priority int NOT NULL DEFAULT 0);
CREATE TABLE dead (id int PRIMARY KEY, queue text, payload jsonb, reason text);
CREATE TABLE stats (queue text, state text, n int NOT NULL, PRIMARY KEY (queue, state));
CREATE INDEX ON jobs (queue, priority DESC, id) WHERE state = 'ready';
CREATE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM stats s WHERE EXISTS (SELECT FROM changed c WHERE c.queue = s.queue);
  INSERT INTO stats SELECT j.queue, j.state, count(*) FROM jobs j WHERE EXISTS (SELECT FROM changed c WHERE c.queue = j.queue) GROUP BY j.queue, j.state;
  RETURN NULL;
END $$;
CREATE TRIGGER count_new AFTER INSERT ON jobs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE TRIGGER count_changed AFTER UPDATE ON jobs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE TRIGGER count_old AFTER DELETE ON jobs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE FUNCTION claim(p_worker text, p_queue text DEFAULT 'default', p_most int DEFAULT 1) RETURNS SETOF jobs LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    UPDATE jobs j SET state = 'running', worker = p_worker, tries = j.tries + 1
    WHERE j.id IN (SELECT c.id FROM jobs c WHERE c.queue = p_queue AND c.state = 'ready' ORDER BY c.priority DESC, c.id LIMIT p_most FOR UPDATE SKIP LOCKED)
    RETURNING j.*;
END $$;
CREATE FUNCTION finish(p_id int, p_worker text) RETURNS boolean LANGUAGE sql AS $$
  UPDATE jobs SET state = 'done', payload = payload || '{"ok": true}' WHERE id = p_id AND worker = p_worker AND state = 'running' RETURNING true
$$;
CREATE FUNCTION fail(p_id int, p_reason text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v jobs;
BEGIN
  SELECT * INTO v FROM jobs WHERE id = p_id FOR UPDATE;
  IF v.tries >= 2 THEN
    WITH gone AS (DELETE FROM jobs WHERE id = p_id RETURNING *)
    INSERT INTO dead SELECT g.id, g.queue, g.payload, p_reason FROM gone g;
    RETURN 'dead';
  END IF;
  UPDATE jobs SET state = 'ready', worker = NULL WHERE id = p_id;
  RETURN 'again';
END $$;
INSERT INTO jobs (id, payload, priority) VALUES (1, '{"n": 1}', 0), (2, '{"n": 2}', 5);
-- after each story
SELECT * FROM jobs ORDER BY id;
SELECT * FROM dead ORDER BY id;
SELECT * FROM stats ORDER BY queue, state;
-- story: a day of workers
INSERT INTO jobs (id, queue, payload) SELECT g, 'mail', jsonb_build_object('to', g) FROM generate_series(10, 13) g;
SELECT * FROM claim('w1');
SELECT id, tries FROM claim('w2', 'mail', 1);
SELECT count(*) FROM claim('w3', 'none');
SELECT finish(2, 'w1'), finish(2, 'w1');
SELECT fail(10, 'no route');
SELECT id, tries FROM claim('w2', p_queue => 'mail');
SELECT fail(10, 'no route');
SELECT fail(99, 'unknown');
UPDATE jobs SET priority = 9 WHERE id = 13;
SELECT id FROM claim('w4', 'mail');
DELETE FROM jobs WHERE state = 'done';
BEGIN;
SELECT count(*) FROM jobs WHERE state = 'ready';
SELECT id FROM claim('w5');
ROLLBACK;
SELECT id FROM jobs WHERE id = (SELECT min(id) FROM jobs WHERE state = 'ready') FOR UPDATE SKIP LOCKED;
