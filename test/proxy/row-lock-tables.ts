/** The tables of the tests of row locks, accounts and a queue of jobs, and common statements on them. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';

const schema = `
CREATE TABLE account (id int PRIMARY KEY, owner int, balance int NOT NULL, version int NOT NULL DEFAULT 0);
CREATE TABLE owner (id int PRIMARY KEY, name text);
CREATE TABLE job (id int PRIMARY KEY, queue text NOT NULL, state text NOT NULL DEFAULT 'ready', run_at timestamptz NOT NULL DEFAULT '2026-01-01');
CREATE FUNCTION owned(int) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM account WHERE owner = $1';`;
export const fill = `
TRUNCATE account, owner, job;
INSERT INTO owner VALUES (1, 'ann'), (2, 'bob');
INSERT INTO account SELECT g, g % 2 + 1, g * 100 FROM generate_series(1, 4) g;
INSERT INTO job SELECT g, 'mail' FROM generate_series(1, 5) g;`;

export const take =
  'DELETE FROM job WHERE id = (SELECT id FROM job ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id';
export const spend = 'UPDATE account SET balance = balance - 10 WHERE id = 1 RETURNING balance';
export const lock = 'SELECT id FROM account WHERE id = 1 FOR UPDATE';

/** Starts both databases with the same rows. */
export async function startFilled(): Promise<Proxied> {
  const proxied = await startProxied(schema);
  await proxied.database.query(fill);
  await proxied.twin.query(fill);
  return proxied;
}
