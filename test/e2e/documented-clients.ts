/** The documents' statements about rights, functions, and what clients send. */
import type { SqlStatement } from './documented-form.ts';
import { limits, refused, same, works } from './documented-form.ts';

export const ofClients: readonly SqlStatement[] = [
  limits(
    'A role that may only SELECT can stage everything. Others approve it',
    `UPDATE item SET name = 'by a reader' WHERE id = 6 RETURNING name`,
    [['by a reader']],
    { rights: 'GRANT SELECT ON item TO $role' },
  ),
  limits(
    'A role that may write to some columns of a table is limited to its grants',
    `UPDATE item SET name = 'x' WHERE id = 6`,
    '42501',
    { rights: 'GRANT SELECT ON item TO $role; GRANT UPDATE (qty) ON item TO $role' },
  ),
  limits(
    'A role that may write to some columns of a table is limited to its grants',
    'UPDATE item SET qty = 5 WHERE id = 6 RETURNING qty',
    [[5]],
    { rights: 'GRANT SELECT ON item TO $role; GRANT UPDATE (qty) ON item TO $role' },
  ),
  limits(
    'Staging needs SELECT on every column of the table',
    'UPDATE item SET qty = 5 WHERE id = 7',
    '42501',
    { rights: 'GRANT SELECT (id, qty) ON item TO $role' },
  ),
  limits(
    'or of the role that SET ROLE has set, decide which rows it reads and writes, staged rows included',
    ['INSERT INTO owned VALUES (5, current_user)', 'SELECT id FROM owned'],
    [[5]],
    { rights: 'GRANT SELECT, INSERT ON owned TO $role' },
  ),
  limits(
    'or of the role that SET ROLE has set, decide which rows it reads and writes, staged rows included',
    `INSERT INTO owned VALUES (6, 'somebody')`,
    '42501',
    { rights: 'GRANT SELECT, INSERT ON owned TO $role' },
  ),
  limits(
    'Row locks are refused anywhere in a recursive WITH query',
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT id FROM item WHERE id = 3 FOR UPDATE)) SELECT * FROM r',
    refused,
  ),
  limits(
    'The statement calls the function by its name. It is a write, or the connection has `reads: staged`',
    [
      'UPDATE item SET qty = qty + 1000 WHERE id = 8',
      'SELECT stock() = (SELECT sum(qty) FROM item)',
    ],
    [[true]],
  ),
  limits(
    'Functions with a SET clause other than `search_path`, or in other languages',
    ['UPDATE item SET qty = qty + 1000 WHERE id = 8', 'SELECT real_stock(), settled_stock()'],
    [['210', '210']],
  ),
  limits(
    'In a staged write, functions read the rows that were staged before it',
    [
      'UPDATE item SET qty = qty + 1000 WHERE id = 8',
      'UPDATE item SET qty = stock() WHERE id = 9 RETURNING qty > 1000',
    ],
    [[true]],
  ),
  limits(
    'A condition may be evaluated for a row of production that the session has deleted or changed',
    ['DELETE FROM item WHERE id = 8', 'SELECT id FROM item WHERE 10 / (id - 8) > 5'],
    '22012',
  ),
  limits(
    'Write\n`CASE WHEN qty <> 0 THEN 10 / qty > 2 END`',
    [
      'DELETE FROM item WHERE id = 8',
      'SELECT id FROM item WHERE CASE WHEN id <> 8 THEN 10 / (id - 8) > 5 END',
    ],
    [[9]],
  ),
  limits(
    'A VOLATILE function of a user in a staged write is refused',
    'UPDATE item SET qty = writes() WHERE id = 9',
    refused,
  ),
  limits('A view over a function with effects is refused', 'SELECT * FROM locking', refused),
  limits(
    'A table whose defaults, checks, indexes, policies or domains call a function with effects',
    'INSERT INTO called VALUES (1)',
    refused,
  ),
  limits(
    'A staged write is refused when `search_path` has a schema before `pg_catalog`',
    ['SET search_path = public, pg_catalog', 'DELETE FROM item WHERE id = 10'],
    refused,
  ),
  limits(
    "INSERT and `SELECT nextval(...)` draw from production's sequences",
    `SELECT nextval('numbers')`,
    [['1']],
  ),
  limits(
    '`setval` is refused, unless `allow_functions` lists it',
    `SELECT setval('numbers', 5)`,
    refused,
  ),
  limits(
    'Taking one is refused, unless `allow_functions` lists the function',
    'SELECT pg_advisory_lock(1)',
    refused,
  ),
  limits(
    'AUTHORIZATION is refused, whatever role it names, except DEFAULT',
    'SET SESSION AUTHORIZATION postgres',
    '55P02',
  ),
  limits('SET ROLE works in all its forms', ['SET ROLE NONE', 'SHOW role'], [['none']]),
  limits(
    '`SHOW default_transaction_read_only` returns `on`',
    'SHOW default_transaction_read_only',
    [['on']],
  ),
  works(
    "Sequelize's `findOrCreate` sends CREATE FUNCTION, which is refused",
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    refused,
  ),
  works(
    "Knex's `truncate()` sends RESTART IDENTITY, which is refused",
    'TRUNCATE item RESTART IDENTITY',
    refused,
  ),
  works(
    'Prisma writes columns with schema and table in ON CONFLICT. That works',
    'INSERT INTO "public"."item" ("id", "name") VALUES (11, \'n\') ON CONFLICT ("id") DO UPDATE SET "qty" = "public"."item"."qty" + 1 RETURNING "public"."item"."qty"',
    same,
  ),
  works(
    "asyncpg's pool was run, with its reset query",
    'SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;',
    same,
  ),
  ...[
    'CHECKPOINT',
    `LOAD 'plpgsql'`,
    'SELECT pg_export_snapshot()',
    `SELECT query_to_xml('SELECT 1', true, true, '')`,
    'EXPLAIN ANALYZE DELETE FROM item',
  ].map((sql) =>
    works(
      'NOTIFY, `ctid`, EXPLAIN ANALYZE of writes, CHECKPOINT, LOAD, `pg_export_snapshot`, `query_to_xml`',
      sql,
      refused,
    ),
  ),
  {
    page: 'glossary',
    says: "With `staged`, production has the session's own rows merged in",
    sql: ['DELETE FROM item WHERE id = 12', 'SELECT count(*) FROM item WHERE id IN (12, 13)'],
    gives: same,
  },
  // the statements below prevent the session from writing
  limits(
    'Added columns take their default',
    [`UPDATE migrated SET v = 'staged' WHERE id = 1`, 'SELECT * FROM migrated'],
    [[1, 'staged', 'w', 'added']],
    { before: `ALTER TABLE migrated ADD COLUMN extra text DEFAULT 'added'` },
  ),
  limits(
    'further writes of the session fail with `55006`',
    `UPDATE migrated SET v = 'again'`,
    '55006',
    { before: 'ALTER TABLE migrated DROP COLUMN v' },
  ),
];
