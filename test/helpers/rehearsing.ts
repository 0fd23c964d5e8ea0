/** A database whose triggers write to other tables, and what tests of rehearsals compare. */
import type { RehearsalRules } from '../../src/review/rehearse.ts';
import type { Desk } from './desk.ts';

export const schema = `
CREATE TABLE product (id int PRIMARY KEY, name text NOT NULL, price numeric CHECK (price < 1000), stock int);
CREATE TABLE price_log (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, product int, was numeric, price numeric);
CREATE TABLE touched (product int PRIMARY KEY, times int);
CREATE TABLE plain (id int PRIMARY KEY, a text);
CREATE TABLE parent (id int PRIMARY KEY, total int);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, amount int);
CREATE TABLE measure (day date, value int, PRIMARY KEY (day, value)) PARTITION BY RANGE (day);
CREATE TABLE measure_old PARTITION OF measure FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE measure_new PARTITION OF measure FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE TABLE loose (a int, b json);
CREATE TABLE merging (id int PRIMARY KEY, a text, b int);
CREATE FUNCTION log_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO price_log (product, was, price) VALUES (NEW.id, OLD.price, NEW.price);
  BEGIN
    UPDATE touched SET times = times + 1 WHERE product = NEW.id;
    DELETE FROM touched WHERE product = 100 + NEW.id;
  EXCEPTION WHEN unique_violation THEN NULL;
  END;
  RETURN NULL;
END $$;
CREATE TRIGGER log_price AFTER UPDATE ON product FOR EACH ROW EXECUTE FUNCTION log_price();
CREATE FUNCTION sum_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE parent SET total = total + NEW.amount WHERE id = NEW.parent;
  UPDATE measure SET value = value + 1 WHERE value = 7;
  UPDATE measure SET day = '2026-05-05' WHERE value = 9;
  DELETE FROM loose WHERE a = 1;
  INSERT INTO loose VALUES (3, '{"x": 1,  "x": 2}');
  UPDATE plain SET a = a;
  RETURN NULL;
END $$;
CREATE TRIGGER sum_up AFTER INSERT ON child FOR EACH ROW EXECUTE FUNCTION sum_up();`;
export const data = `
INSERT INTO product SELECT g, 'p' || g, g, 10 FROM generate_series(1, 5) g;
INSERT INTO touched VALUES (1, 0), (2, 0), (101, 0);
INSERT INTO plain SELECT g, 'x' FROM generate_series(1, 5) g;
INSERT INTO parent VALUES (1, 0), (2, 0);
INSERT INTO measure VALUES ('2025-05-05', 7), ('2026-02-02', 7), ('2025-01-01', 9);
INSERT INTO loose VALUES (1, '[1]'), (1, '[1]'), (2, NULL);
INSERT INTO merging VALUES (1, 'x', 1);`;

export const usual: RehearsalRules = {
  timeoutMs: 20_000,
  lockTimeoutMs: 2_000,
  scanRows: 1_000_000,
  readableOnly: false,
};

/** A digest of every row of every table, of the service's as of users'. */
export async function fingerprint(desk: Desk): Promise<string> {
  const tables = await desk.database.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('public', 'stage', 'stage_data') AND c.relkind = 'r' ORDER BY 1`,
  );
  const digests = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(x::text, '|' ORDER BY x::text), '')) AS md5 FROM ONLY ${name} x`,
  );
  const rows = await desk.database.query<{ name: string; md5: string }>(
    digests.join(' UNION ALL '),
  );
  return JSON.stringify(rows.map(({ name, md5 }) => [name, md5]).sort());
}
