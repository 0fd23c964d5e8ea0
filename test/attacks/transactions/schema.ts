/** The database of random programs: two tables, functions and an operator that run any text, and views that call them. */

export const schema = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE note (v text);
CREATE FUNCTION wr(x text) RETURNS text LANGUAGE plpgsql AS
  $$BEGIN INSERT INTO public.note VALUES (x); RETURN x; END$$;
CREATE FUNCTION wr_def(x text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
  $$BEGIN INSERT INTO public.note VALUES (x); RETURN x; END$$;
CREATE FUNCTION anything(x text) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE x; RETURN 1; END';
CREATE FUNCTION runs(x text, y int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN EXECUTE x; RETURN true; END';
CREATE VIEW writes AS SELECT wr('view') AS v;
CREATE VIEW lifts AS SELECT anything('SET default_transaction_read_only = off') AS v;
CREATE OPERATOR !> (FUNCTION = runs, LEFTARG = text, RIGHTARG = int);
`;

/** Restores the tables, and drops what a program's DDL created. */
export const reset = `
DROP TABLE IF EXISTS made;
DROP INDEX IF EXISTS made_index;
TRUNCATE t, note;
INSERT INTO t SELECT g, 'row ' || g FROM generate_series(1, 5) g;
`;

const writing =
  'GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public TO $role';

/** The rights of the roles. */
export const rights = {
  reader: 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role',
  writer: `${writing}; GRANT CREATE ON SCHEMA public TO $role`,
  writing,
} as const;
