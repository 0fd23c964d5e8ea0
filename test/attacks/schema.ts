/** A database full of traps: everything that can call a function calls one that writes. */
export const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, price numeric DEFAULT 1);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 5) g;
CREATE TABLE victim (id int);
CREATE SEQUENCE numbers;
CREATE TABLE serial_item (id serial PRIMARY KEY, name text);
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.victim VALUES (1); RETURN 1; END';
CREATE FUNCTION evil(anyelement) RETURNS int LANGUAGE sql AS 'SELECT public.evil()';
CREATE FUNCTION evil_definer() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT public.evil()';
CREATE FUNCTION evil_stable() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil(); END';
CREATE FUNCTION evil_immutable() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil(); END';
CREATE FUNCTION harmless() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 77; END';
CREATE FUNCTION evil_unwatched() RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN PERFORM set_config('stage.tripwire', '', true), set_config('stage.options', '{}', true); RETURN public.evil(); END$$;
CREATE FUNCTION evil_patient() RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN RETURN CASE current_setting('transaction_read_only') WHEN 'off' THEN public.evil_unwatched() ELSE 1 END; END$$;
CREATE FUNCTION evil_planned() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil_unwatched(); END';
CREATE FUNCTION evil_sealed() RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN PERFORM set_config('stage.tripwire', '', true), public.evil_truncation(), stage.begin_tripwire('mine'); RETURN 1; END$$;
CREATE FUNCTION evil_uncounted() RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN PERFORM public.evil_truncation(), set_config('stage.catalog_writes', stage.catalog_writes()::text, true); RETURN 1; END$$;
CREATE FUNCTION evil_truncation() RETURNS int LANGUAGE plpgsql AS 'BEGIN TRUNCATE public.victim; RETURN 1; END';
CREATE FUNCTION evil_ddl() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil_ddl_now(); END';
CREATE FUNCTION evil_ddl_now() RETURNS int LANGUAGE plpgsql AS 'BEGIN CREATE TABLE public.made(); RETURN 1; END';
CREATE FUNCTION evil_sequence() RETURNS int STABLE LANGUAGE plpgsql AS $$BEGIN RETURN nextval('public.numbers'); END$$;
CREATE FUNCTION anything(text) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; RETURN 1; END';
CREATE FUNCTION evil_held() RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN RETURN public.anything('DECLARE h CURSOR WITH HOLD FOR SELECT public.evil()'); END$$;
CREATE FUNCTION evil_set() RETURNS SETOF int LANGUAGE plpgsql AS 'BEGIN RETURN NEXT public.evil(); END';
CREATE PROCEDURE evil_procedure() LANGUAGE plpgsql AS 'BEGIN PERFORM public.evil(); COMMIT; END';
CREATE FUNCTION evil_step(int, int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil(); END';
CREATE AGGREGATE evil_sum(int) (SFUNC = evil_step, STYPE = int, INITCOND = '0');
CREATE FUNCTION evil_operator(int, int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil(); END';
CREATE OPERATOR %% (FUNCTION = evil_operator, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION evil_compare(text, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil() = 1; END';
CREATE OPERATOR = (FUNCTION = evil_compare, LEFTARG = text, RIGHTARG = int);
CREATE FUNCTION evil_check(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil() = 1; END';
CREATE DOMAIN evil_domain AS text CHECK (evil_check(VALUE));
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION evil_cast(pair) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil(); END';
CREATE CAST (pair AS int) WITH FUNCTION evil_cast(pair) AS ASSIGNMENT;
CREATE VIEW evil_view AS SELECT public.evil() AS x;
CREATE VIEW patient_rows AS SELECT * FROM item WHERE public.evil_patient() = 1;
CREATE VIEW evil_rows AS SELECT * FROM item WHERE public.evil_stable() = 1;
CREATE VIEW item_view AS SELECT id, name FROM item;
CREATE TABLE ruled (id int PRIMARY KEY);
INSERT INTO ruled VALUES (1);
CREATE RULE evil_rule AS ON UPDATE TO ruled DO ALSO INSERT INTO victim VALUES (2);
CREATE TABLE defaulted (id int PRIMARY KEY, made int DEFAULT public.evil_stable());
CREATE TABLE checked (id int PRIMARY KEY, name text CHECK (public.evil_check(name)));
CREATE TABLE domained (id int PRIMARY KEY, name evil_domain);
CREATE TABLE indexed (id int PRIMARY KEY, name text);
CREATE INDEX evil_index ON indexed (evil_check(name));
CREATE TABLE generated (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (evil_operator(id, id)) STORED);
CREATE TABLE guarded (id int PRIMARY KEY, name text);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY evil_policy ON guarded USING (public.evil_stable() = 1) WITH CHECK (public.evil_stable() = 1);
CREATE TABLE triggered (id int PRIMARY KEY);
INSERT INTO triggered VALUES (1);
CREATE FUNCTION evil_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM public.evil(); RETURN NEW; END';
CREATE TRIGGER evil_trigger BEFORE INSERT OR UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION evil_trigger();
CREATE TABLE parted (id int, part int, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
ALTER TABLE parted_1 ADD CHECK (public.evil_operator(id, id) > 0);
CREATE SCHEMA trap;
CREATE FUNCTION trap.lower(text) RETURNS text LANGUAGE sql AS 'SELECT public.evil()::text';
DO $$
DECLARE
  o record;
BEGIN
  -- every operator on types of one name each, in front of PostgreSQL's own
  FOR o IN SELECT oprname, oprleft::regtype AS l, oprright::regtype AS r, oprresult::regtype AS result, oid
    FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft <> 0 AND oprresult = 'boolean'::regtype
      AND oprleft IN ('int'::regtype, 'bigint'::regtype, 'text'::regtype, 'oid'::regtype, 'name'::regtype, '"char"'::regtype, 'jsonb'::regtype, 'uuid'::regtype, 'boolean'::regtype)
  LOOP
    EXECUTE format('CREATE FUNCTION trap.o%s(l %s, r %s) RETURNS %s LANGUAGE plpgsql AS %L', o.oid, o.l, o.r, o.result,
      format('BEGIN PERFORM public.evil(); RETURN l OPERATOR(pg_catalog.%s) r; END', o.oprname));
    EXECUTE format('CREATE OPERATOR trap.%s (FUNCTION = trap.o%s, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.oid, o.l, o.r);
  END LOOP;
END $$;
CREATE OPERATOR trap.->> (FUNCTION = jsonb_object_field_text, LEFTARG = jsonb, RIGHTARG = text);
`;
