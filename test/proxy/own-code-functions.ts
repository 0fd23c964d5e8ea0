/** Ordinary calls of ordinary functions and procedures, written after public projects. */
import type { OwnCode } from './own-code-tables.ts';
import { accounts, audit, counts, jobs, posts, see, trigger } from './own-code-tables.ts';

export const ownFunctions: readonly OwnCode[] = [
  {
    name: 'transfer by a function',
    schema: `${accounts('c2')}
CREATE FUNCTION c2_transfer(f int, t int, n numeric) RETURNS numeric LANGUAGE plpgsql AS $f$ DECLARE v numeric; BEGIN UPDATE c2_accounts SET balance = balance - n WHERE id = f RETURNING balance INTO v; UPDATE c2_accounts SET balance = balance + n WHERE id = t; INSERT INTO c2_lines (account, amount) VALUES (f, -n), (t, n); RETURN v; END $f$;`,
    statements: [
      'SELECT c2_transfer(1, 2, 25)',
      'SELECT c2_transfer(1, 2, 250)',
      ...see('c2_accounts'),
    ],
  },
  {
    name: 'transfer by a procedure',
    schema: `${accounts('c3')}
CREATE PROCEDURE c3_deposit(a int, INOUT n numeric) LANGUAGE plpgsql AS $f$ BEGIN UPDATE c3_accounts SET balance = balance + n WHERE id = a RETURNING balance INTO n; END $f$;`,
    statements: ['CALL c3_deposit(1, 25)', ...see('c3_accounts')],
  },
  {
    name: 'upsert by a function in PL/pgSQL',
    schema: `${counts('c4')}
CREATE FUNCTION c4_bump(a int, by int) RETURNS int LANGUAGE plpgsql AS $f$ DECLARE v int; BEGIN INSERT INTO c4_counts AS c (author, n) VALUES (a, by) ON CONFLICT (author) DO UPDATE SET n = c.n + by RETURNING n INTO v; RETURN v; END $f$;`,
    statements: [
      'SELECT c4_bump(0, 3)',
      'SELECT c4_bump(7, 3)',
      'SELECT c4_bump(7, 4)',
      ...see('c4_counts'),
    ],
  },
  {
    name: 'upsert by a function in SQL',
    schema: `${counts('c5')}
CREATE FUNCTION c5_bump(a int, by int) RETURNS int LANGUAGE sql AS $f$ INSERT INTO c5_counts (author, n) VALUES (a, by) ON CONFLICT (author) DO UPDATE SET n = c5_counts.n + $2 RETURNING n $f$;`,
    statements: ['SELECT c5_bump(0, 3)', 'SELECT c5_bump(7, 3)', ...see('c5_counts')],
  },
  {
    name: 'RPC with the rights of its owner',
    schema: `${accounts('c6')}
CREATE FUNCTION c6_deposit(a int, n numeric) RETURNS numeric LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $f$ DECLARE v numeric; BEGIN UPDATE c6_accounts SET balance = balance + n WHERE id = a RETURNING balance INTO v; RETURN v; END $f$;`,
    statements: [
      'SELECT c6_deposit(1, 5)',
      'SELECT * FROM c6_deposit(2, 5) AS balance',
      ...see('c6_accounts'),
    ],
  },
  {
    name: 'RPC with a search path',
    schema: `${accounts('c7')}
CREATE FUNCTION c7_deposit(a int, n numeric) RETURNS numeric LANGUAGE sql SET search_path = '' AS $f$ UPDATE public.c7_accounts SET balance = balance + n WHERE id = a RETURNING balance $f$;`,
    statements: ['SELECT c7_deposit(1, 5)', ...see('c7_accounts')],
  },
  {
    name: 'a function that reads, with the rights of its owner',
    schema: `${accounts('c8')}
CREATE FUNCTION c8_total() RETURNS numeric LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $f$ SELECT sum(balance) FROM c8_accounts $f$;`,
    statements: ['UPDATE c8_accounts SET balance = 1 WHERE id = 1', 'SELECT c8_total()'],
  },
  {
    name: 'a function that reads, with a search path',
    schema: `${accounts('c9')}
CREATE FUNCTION c9_total() RETURNS numeric LANGUAGE sql STABLE SET search_path = public AS $f$ SELECT sum(balance) FROM c9_accounts $f$;`,
    statements: ['UPDATE c9_accounts SET balance = 1 WHERE id = 1', 'SELECT c9_total()'],
  },
  {
    name: 'queue with SKIP LOCKED',
    schema: jobs('d1'),
    statements: [
      `UPDATE d1_jobs SET state = 'running' WHERE id = (SELECT id FROM d1_jobs WHERE state = 'queued' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id`,
      ...see('d1_jobs'),
    ],
  },
  {
    name: 'queue by a function',
    schema: `${jobs('d2')}
CREATE FUNCTION d2_take() RETURNS SETOF d2_jobs LANGUAGE plpgsql AS $f$ BEGIN RETURN QUERY UPDATE d2_jobs SET state = 'running', tries = tries + 1 WHERE id = (SELECT j.id FROM d2_jobs j WHERE j.state = 'queued' ORDER BY j.id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *; END $f$;`,
    statements: ['SELECT * FROM d2_take()', 'SELECT id, tries FROM d2_take()', ...see('d2_jobs')],
  },
  {
    name: 'a function that writes, in INSERT ... SELECT',
    schema: `${accounts('d3')}
CREATE FUNCTION d3_take(a int) RETURNS numeric LANGUAGE sql AS $f$ UPDATE d3_accounts SET balance = balance - 1 WHERE id = a RETURNING balance $f$;`,
    statements: [
      'INSERT INTO d3_lines (account, amount) SELECT 1, d3_take(1)',
      ...see('d3_accounts'),
    ],
  },
  {
    name: 'a function that writes, in WITH',
    schema: `${accounts('d4')}
CREATE FUNCTION d4_take(a int) RETURNS numeric LANGUAGE sql AS $f$ UPDATE d4_accounts SET balance = balance - 1 WHERE id = a RETURNING balance $f$;`,
    statements: ['WITH x AS (SELECT d4_take(2) AS n) SELECT n FROM x', ...see('d4_accounts')],
  },
  {
    name: 'DO that writes',
    schema: accounts('d5'),
    statements: [
      `DO $$ BEGIN FOR i IN 1..3 LOOP UPDATE d5_accounts SET balance = balance + i WHERE id = i; END LOOP; END $$`,
      ...see('d5_accounts'),
    ],
  },
  {
    name: 'DO that reads',
    schema: accounts('d6'),
    statements: [
      'UPDATE d6_accounts SET balance = 7 WHERE id = 1',
      `DO $$ BEGIN RAISE NOTICE '%', (SELECT sum(balance) FROM d6_accounts); END $$`,
    ],
  },
  {
    name: 'a function with dynamic SQL',
    schema: `${accounts('d7')}
CREATE FUNCTION d7_zero(tab text, a int) RETURNS void LANGUAGE plpgsql AS $f$ BEGIN EXECUTE format('UPDATE %I SET balance = 0 WHERE id = $1', tab) USING a; END $f$;`,
    statements: [`SELECT d7_zero('d7_accounts', 1)`, ...see('d7_accounts')],
  },
  {
    name: 'a recursive function that writes',
    schema: `CREATE TABLE d8_tree (id int PRIMARY KEY, parent int, depth int); INSERT INTO d8_tree VALUES (1, NULL), (2, 1), (3, 2);
CREATE FUNCTION d8_depth(r int, n int) RETURNS void LANGUAGE plpgsql AS $f$ DECLARE c int; BEGIN UPDATE d8_tree SET depth = n WHERE id = r; FOR c IN SELECT id FROM d8_tree WHERE parent = r ORDER BY id LOOP PERFORM d8_depth(c, n + 1); END LOOP; END $f$;`,
    statements: ['SELECT d8_depth(1, 0)', ...see('d8_tree')],
  },
  {
    name: 'a procedure that calls another one',
    schema: `${accounts('d9')}
CREATE PROCEDURE d9_inner(a int) LANGUAGE plpgsql AS $f$ BEGIN UPDATE d9_accounts SET balance = 5 WHERE id = a; END $f$;
CREATE PROCEDURE d9_outer() LANGUAGE plpgsql AS $f$ BEGIN CALL d9_inner(1); CALL d9_inner(2); END $f$;`,
    statements: ['CALL d9_outer()', ...see('d9_accounts')],
  },
  {
    name: 'a function with an exception block for others',
    schema: `${accounts('e1')}
CREATE FUNCTION e1_try(a int) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN UPDATE e1_accounts SET balance = balance - 60 WHERE id = a; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $f$;`,
    statements: ['SELECT e1_try(1)', 'SELECT e1_try(1)', ...see('e1_accounts')],
  },
  {
    name: 'history of versions by BEFORE trigger that writes',
    schema:
      posts('e2') +
      audit('e2') +
      trigger(
        'e2_old',
        `BEGIN INSERT INTO e2_audit (op, was) VALUES (TG_OP, to_jsonb(OLD)); NEW.likes := OLD.likes + 1; RETURN NEW; END`,
        'BEFORE UPDATE ON e2_posts FOR EACH ROW',
      ),
    statements: [
      `UPDATE e2_posts SET title = 'x' WHERE id < 3 RETURNING likes`,
      'SELECT op, was FROM e2_audit ORDER BY tab, op, was::text',
    ],
  },
  {
    name: 'temporary table as a helper',
    schema: accounts('e3'),
    statements: [
      'CREATE TEMP TABLE e3_new AS SELECT 1 AS id, 9 AS n',
      'UPDATE e3_accounts a SET balance = t.n FROM e3_new t WHERE t.id = a.id',
      ...see('e3_accounts'),
    ],
  },
  {
    name: 'updated_at only if something changed',
    schema:
      posts('e4') +
      trigger(
        'e4_touch',
        `BEGIN NEW.likes := NEW.likes + 1; RETURN NEW; END`,
        'BEFORE UPDATE ON e4_posts FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)',
      ),
    statements: [
      'UPDATE e4_posts SET title = title WHERE id = 1 RETURNING likes',
      `UPDATE e4_posts SET title = 'z' WHERE id = 1 RETURNING likes`,
    ],
  },
];
