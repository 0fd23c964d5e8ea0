-- Functions and triggers that write to tables with row-level security, as the remote procedures of Supabase do.
DO $$ BEGIN CREATE ROLE of_code_client; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE FUNCTION uid() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.uid', true), '')::int $$;
CREATE TABLE orgs (id int PRIMARY KEY, name text NOT NULL, founder int DEFAULT uid());
CREATE TABLE members (org int REFERENCES orgs ON DELETE CASCADE, who int, role text DEFAULT 'owner', PRIMARY KEY (org, who));
CREATE TABLE posts (id int PRIMARY KEY, org int REFERENCES orgs ON DELETE CASCADE, owner int DEFAULT uid(), title text, votes int DEFAULT 0);
CREATE TABLE feed (id int PRIMARY KEY, owner int, what text);
ALTER TABLE orgs ENABLE ROW LEVEL SECURITY;
ALTER TABLE members ENABLE ROW LEVEL SECURITY;
ALTER TABLE posts ENABLE ROW LEVEL SECURITY;
ALTER TABLE feed ENABLE ROW LEVEL SECURITY;
CREATE POLICY founded ON orgs USING (founder = uid());
CREATE POLICY see ON members FOR SELECT USING (who = uid());
CREATE POLICY invite ON members FOR INSERT WITH CHECK (org IN (SELECT id FROM orgs WHERE founder = uid()));
CREATE POLICY leave ON members FOR DELETE USING (who = uid());
CREATE POLICY work ON posts USING (org IN (SELECT org FROM members WHERE who = uid()));
CREATE POLICY kind ON posts AS RESTRICTIVE FOR UPDATE USING (true) WITH CHECK (title <> 'rude');
CREATE POLICY see ON feed FOR SELECT USING (owner = uid() OR owner = 0);
CREATE POLICY put ON feed FOR INSERT WITH CHECK (owner = uid());
CREATE POLICY change ON feed FOR UPDATE USING (true) WITH CHECK (what <> 'bad');
GRANT ALL ON orgs, members, posts, feed TO of_code_client;
CREATE FUNCTION found(p_id int, p_name text) RETURNS orgs LANGUAGE plpgsql AS $$
DECLARE o orgs;
BEGIN
  INSERT INTO orgs (id, name) VALUES (p_id, p_name) RETURNING * INTO o;
  INSERT INTO members VALUES (o.id, uid());
  INSERT INTO posts (id, org, title) VALUES (p_id * 10, o.id, 'welcome');
  RETURN o;
END $$;
CREATE FUNCTION vote(p_id int) RETURNS int LANGUAGE sql AS $$ UPDATE posts SET votes = votes + 1 WHERE id = p_id RETURNING votes $$;
CREATE FUNCTION retitle(p_title text, p_from text) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN UPDATE posts SET title = p_title WHERE title LIKE p_from RETURNING id LOOP RETURN NEXT r.id; END LOOP;
END $$;
CREATE FUNCTION rename(p_title text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int; BEGIN UPDATE feed SET what = p_title; GET DIAGNOSTICS n = ROW_COUNT; RETURN n; END $$;
CREATE FUNCTION put(p_id int, p_owner int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO feed VALUES (p_id, p_owner, 'put'); END $$;
CREATE FUNCTION put_seen(p_id int, p_owner int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE w text; BEGIN INSERT INTO feed AS f VALUES (p_id, p_owner, 'seen') ON CONFLICT (id) DO UPDATE SET what = f.what || ' again' RETURNING what INTO w; RETURN w; END $$;
CREATE PROCEDURE clear(p_org int) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM posts WHERE org = p_org; DELETE FROM members WHERE org = p_org; END $$;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO feed VALUES (NEW.id, NEW.votes, NEW.title); RETURN NEW; END $$;
CREATE TRIGGER noted AFTER INSERT ON posts FOR EACH ROW WHEN (NEW.title LIKE 'note%') EXECUTE FUNCTION note();
CREATE TABLE tags (id int PRIMARY KEY, name text);
-- of these rows, production would change those that policies hide from the client, too
CREATE FUNCTION spread() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE feed SET what = NEW.name WHERE id > 0; RETURN NEW; END $$;
CREATE TRIGGER spread AFTER UPDATE ON tags FOR EACH ROW WHEN (NEW.name = 'spread') EXECUTE FUNCTION spread();
CREATE FUNCTION sweep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM feed WHERE id > 0; RETURN OLD; END $$;
CREATE TRIGGER sweep AFTER DELETE ON tags FOR EACH ROW WHEN (OLD.name = 'sweep') EXECUTE FUNCTION sweep();
INSERT INTO orgs VALUES (1, 'first', 7), (2, 'second', 8);
INSERT INTO members VALUES (1, 7, 'owner'), (2, 8, 'owner'), (2, 7, 'guest');
INSERT INTO posts VALUES (1, 1, 7, 'one'), (2, 2, 8, 'two'), (3, 2, 8, 'three');
INSERT INTO feed VALUES (100, 0, 'all'), (101, 9, 'hidden');

-- before each story
SET ROLE of_code_client;
SET app.uid = '7';

-- after each story
RESET ROLE;
SELECT * FROM orgs ORDER BY id;
SELECT * FROM members ORDER BY org, who;
SELECT * FROM posts ORDER BY id;
SELECT * FROM feed ORDER BY id;

-- story: a remote procedure
SELECT * FROM found(5, 'fifth');
SELECT vote(50), vote(1), vote(3);
SELECT vote(99);
SELECT * FROM posts ORDER BY id;
SET app.uid = '9';
SELECT vote(50);
SELECT * FROM found(6, NULL);
SELECT * FROM found(6, 'sixth');
CALL clear(6);
CALL clear(5);
SELECT * FROM members ORDER BY org;

-- story: rows that policies refuse
SELECT retitle('rude', 't%');
SELECT retitle('fine', 't%');
SELECT put(102, 7), put(103, 7);
SELECT put(104, 8);
DO $$ BEGIN PERFORM put(102, 7); EXCEPTION WHEN unique_violation THEN PERFORM put(105, 7); END $$;
SELECT * FROM feed ORDER BY id;

-- story: rows that policies hide
SELECT put(101, 7);
SELECT put_seen(106, 7), put_seen(106, 7);
SELECT put_seen(100, 7);
SELECT put_seen(101, 7);
DO $$ DECLARE bad text := 'bad'; what int; BEGIN UPDATE feed SET what = bad WHERE id > 0; END $$;
DO $$ DECLARE r record; BEGIN SELECT 'of r' AS what INTO r; UPDATE feed SET what = r.what; END $$; -- refused: cannot stage UPDATE of rows of "feed" that policies for SELECT hide
DO $$ DECLARE r record; BEGIN SELECT 'of r' AS what INTO r; UPDATE feed f SET what = r.what WHERE f.id = 100; END $$;
DO $$ DECLARE good text := 'good'; BEGIN UPDATE feed SET what = good WHERE id > 0; END $$;
SELECT * FROM feed ORDER BY id;

-- story: a statement that names no column of its table is refused, since it may change hidden rows
SELECT rename('x'); -- refused: cannot stage UPDATE of rows of "feed" that policies for SELECT hide
RESET ROLE;
SELECT rename('y');

-- story: a trigger
INSERT INTO posts (id, org, title, votes) VALUES (20, 1, 'note 20', 7) RETURNING *;
INSERT INTO posts (id, org, title, votes) VALUES (21, 1, 'note 21', 8);
INSERT INTO posts (id, org, title) VALUES (22, 1, 'silent');
BEGIN;
INSERT INTO posts (id, org, title, votes) VALUES (101, 1, 'note 101', 7);
ROLLBACK;
SELECT * FROM feed ORDER BY id;

-- story: as the owner
RESET ROLE;
SELECT vote(2);
SELECT put(107, 3);
SELECT rename('owned');
