-- Profiles made by a trigger of users, functions that a web API calls, votes once for each user, invitations, rows as JSON.
CREATE SCHEMA auth;
CREATE TABLE auth.users (id uuid PRIMARY KEY, email text UNIQUE NOT NULL, raw jsonb NOT NULL DEFAULT '{}');
CREATE TABLE profiles (id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, handle text UNIQUE, karma int NOT NULL DEFAULT 0);
CREATE TABLE polls (id int PRIMARY KEY, owner uuid REFERENCES profiles, question text NOT NULL, open boolean NOT NULL DEFAULT true, votes int NOT NULL DEFAULT 0);
CREATE TABLE choices (poll int REFERENCES polls ON DELETE CASCADE, n int, label text, votes int NOT NULL DEFAULT 0, PRIMARY KEY (poll, n));
CREATE TABLE votes (poll int, who uuid REFERENCES profiles ON DELETE CASCADE, n int NOT NULL, PRIMARY KEY (poll, who), FOREIGN KEY (poll, n) REFERENCES choices);
CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.jwt.claim.sub', true), '')::uuid $$;
CREATE FUNCTION handle_new_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_base text := lower(split_part(NEW.email, '@', 1));
  v_handle text := coalesce(NEW.raw ->> 'handle', v_base);
BEGIN
  INSERT INTO public.profiles (id, handle) VALUES (NEW.id, v_handle);
  RETURN NEW;
EXCEPTION WHEN unique_violation THEN
  INSERT INTO public.profiles (id, handle) VALUES (NEW.id, v_handle || '-' || left(NEW.id::text, 4));
  RETURN NEW;
END $$;
CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION handle_new_user();
CREATE FUNCTION tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN UPDATE choices SET votes = votes - 1 WHERE poll = OLD.poll AND n = OLD.n; UPDATE polls SET votes = votes - 1 WHERE id = OLD.poll; END IF;
  IF TG_OP <> 'DELETE' THEN UPDATE choices SET votes = votes + 1 WHERE poll = NEW.poll AND n = NEW.n; UPDATE polls SET votes = votes + 1 WHERE id = NEW.poll; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tally AFTER INSERT OR UPDATE OF n OR DELETE ON votes FOR EACH ROW EXECUTE FUNCTION tally();
CREATE FUNCTION create_poll(p_id int, p_question text, VARIADIC p_labels text[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE v_result jsonb;
BEGIN
  IF auth.uid() IS NULL THEN RAISE EXCEPTION 'not signed in' USING ERRCODE = '28000', HINT = 'Sign in first.'; END IF;
  IF cardinality(p_labels) < 2 THEN RAISE EXCEPTION 'too few choices' USING ERRCODE = 'PT400'; END IF;
  INSERT INTO polls (id, owner, question) VALUES (p_id, auth.uid(), p_question);
  INSERT INTO choices (poll, n, label) SELECT p_id, l.n, l.label FROM unnest(p_labels) WITH ORDINALITY l(label, n);
  SELECT jsonb_build_object('id', p.id, 'choices', (SELECT jsonb_agg(c.label ORDER BY c.n) FROM choices c WHERE c.poll = p.id)) INTO v_result FROM polls p WHERE p.id = p_id;
  RETURN v_result;
END $$;
CREATE FUNCTION vote(p_poll int, p_n int) RETURNS TABLE (label text, votes int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NOT (SELECT open FROM polls WHERE id = p_poll) THEN RAISE EXCEPTION 'poll % is closed', p_poll; END IF;
  INSERT INTO votes (poll, who, n) VALUES (p_poll, auth.uid(), p_n) ON CONFLICT (poll, who) DO UPDATE SET n = excluded.n;
  UPDATE profiles SET karma = karma + 1 WHERE id = auth.uid();
  RETURN QUERY SELECT c.label, c.votes FROM choices c WHERE c.poll = p_poll ORDER BY c.n;
END $$;
CREATE FUNCTION close_poll(p_poll int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_winner text;
BEGIN
  UPDATE polls SET open = false WHERE id = p_poll AND owner = auth.uid();
  IF NOT FOUND THEN RAISE EXCEPTION 'poll % is not yours', p_poll USING ERRCODE = '42501'; END IF;
  SELECT c.label INTO v_winner FROM choices c WHERE c.poll = p_poll ORDER BY c.votes DESC, c.n LIMIT 1;
  RETURN v_winner;
END $$;
INSERT INTO auth.users VALUES ('00000000-0000-4000-8000-000000000001', 'ann@x'), ('00000000-0000-4000-8000-000000000002', 'bob@x');
-- after each story
SELECT * FROM profiles ORDER BY id;
SELECT * FROM polls ORDER BY id;
SELECT * FROM choices ORDER BY poll, n;
SELECT * FROM votes ORDER BY poll, who;
-- story: a day of an API
SELECT create_poll(1, 'Tea?', 'yes', 'no');
SELECT set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-000000000001', false);
SELECT create_poll(1, 'Tea?', 'yes');
SELECT create_poll(1, 'Tea?', 'yes', 'no', 'later');
SELECT * FROM vote(1, 1);
SELECT * FROM vote(1, 2);
SELECT * FROM vote(1, 9);
INSERT INTO auth.users VALUES ('00000000-0000-4000-8000-000000000003', 'Ann@y') RETURNING email;
INSERT INTO auth.users VALUES ('00000000-0000-4000-8000-000000000004', 'd@y', '{"handle": "dee"}');
SELECT set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-000000000002', false);
SELECT label FROM vote(1, 2) WHERE votes > 0;
SELECT close_poll(1);
DELETE FROM auth.users WHERE email = 'bob@x';
SELECT set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-000000000001', false);
SELECT close_poll(1);
SELECT * FROM vote(1, 1);
