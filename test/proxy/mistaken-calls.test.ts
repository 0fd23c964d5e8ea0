/** CALL of what is no procedure, or of none that is there, fails as in PostgreSQL. */
import { alikeEachWay } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE t (id int PRIMARY KEY);
CREATE FUNCTION computes(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION writes(int) RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES ($1)';
CREATE FUNCTION writes_unseen(int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE concat('INSERT INTO t VALUES (', $1, ')'); END $$;
CREATE AGGREGATE total(int) (sfunc = int4pl, stype = int);
CREATE PROCEDURE add(int) LANGUAGE sql AS 'INSERT INTO t VALUES ($1)';
CREATE PROCEDURE add_unseen(int) LANGUAGE plpgsql AS $$ BEGIN EXECUTE concat('INSERT INTO t VALUES (', $1, ')'); END $$;
CREATE SCHEMA other;
`;

suite('CALL that PostgreSQL refuses', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  const alike = alikeEachWay(test, () => proxied, ['SELECT * FROM t']);

  alike('of what is no procedure', [
    'CALL computes(1)',
    'CALL writes(1)',
    'CALL writes_unseen(1)',
    'CALL total(1)',
    "CALL lower('x')",
    'CALL pg_catalog.now()',
    'CALL count(*)',
    'BEGIN',
    'CALL writes(1)',
    'ROLLBACK',
  ]);
  alike('of none that is there', [
    'CALL nope()',
    "CALL nope(1, 'x'::text)",
    'CALL other.nope(1)',
    'CALL nowhere.nope(1)',
    'CALL other.add(1)',
    'BEGIN READ ONLY',
    'CALL nope()',
    'ROLLBACK',
  ]);
  alike('with other arguments', [
    'CALL add()',
    'CALL add(1, 2)',
    "CALL add('x')",
    "CALL add('x'::text)",
    'CALL add(id => 1)',
    'CALL add(1, VARIADIC ARRAY[1])',
    'CALL add_unseen(1, 2)',
    'CALL computes()',
    'CALL add(nonsense)',
  ]);
});
