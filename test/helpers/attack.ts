/** Attempts to write through the proxy with a function that writes. Production must not change. */
import type { Proxied } from './proxied.ts';
import { startProxied } from './proxied.ts';
import { assert, suite } from './suite.ts';
import { runScript } from './wire-script.ts';

export const attackSchema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 5) g;
CREATE TABLE victim (id int);
CREATE SEQUENCE written;
-- What EXECUTE runs is not followed, so that the function is not staged. A rollback leaves the sequence as it is: it shows a write that is
-- undone because the commit check refuses it.
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql AS
  $$BEGIN EXECUTE 'INSERT INTO victim VALUES (1)'; PERFORM nextval('written'); RETURN 1; END$$;
CREATE FUNCTION evil(int) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION dormant() RETURNS SETOF int LANGUAGE plpgsql AS
  'BEGIN RETURN NEXT 1; RETURN NEXT 2; PERFORM evil(); RETURN NEXT 3; END';
CREATE FUNCTION lift() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('default_transaction_read_only', 'off', false)$$;
CREATE FUNCTION lift_now() RETURNS text LANGUAGE sql AS
  $$SELECT set_config('transaction_read_only', 'off', true)$$;
CREATE FUNCTION anything(text) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; RETURN 1; END';
CREATE SCHEMA trap;
CREATE FUNCTION trap.lower(text) RETURNS text LANGUAGE sql AS 'SELECT public.evil()::text';
CREATE FUNCTION plant() RETURNS int LANGUAGE plpgsql AS
  $$BEGIN EXECUTE 'PREPARE planted AS SELECT evil()'; RETURN 1; END$$;
CREATE VIEW evil_view AS SELECT evil() AS x;
CREATE VIEW lift_view AS SELECT lift() AS x;
CREATE OPERATOR %% (FUNCTION = evil, RIGHTARG = int);
CREATE FUNCTION name(item) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION tag(item) RETURNS text LANGUAGE sql AS 'SELECT evil()::text';
`;

/** Writes to production if the proxy lets it. */
export const evil = 'SELECT evil()';
/** A staged write that is allowed. */
export const stage = `UPDATE item SET name = 'staged' WHERE id = 1`;

/**
 * Defines a suite with one test for each attempt.
 * @param attempts the messages that a client sends, by the name of the attempt
 * @param undone the attempts in which the function runs, and the statement is refused and undone afterwards
 */
export function attack(
  name: string,
  attempts: Record<string, readonly Buffer[]>,
  undone: readonly string[] = [],
): void {
  suite(name, (test) => {
    let proxied: Proxied;
    let before: string[];
    test.before(async () => {
      proxied = await startProxied(attackSchema);
      before = await proxied.contents();
    });
    test.after(() => proxied.stop());

    // A breach must not affect the tests after it.
    test.beforeEach(() =>
      proxied.database
        .query(`TRUNCATE victim; ALTER SEQUENCE written RESTART`)
        .then(() => undefined),
    );

    for (const [attempt, messages] of Object.entries(attempts)) {
      test(attempt, async () => {
        const answers = await runScript(await proxied.session(), messages);
        assert.equal(await proxied.contents(), before);
        const [sequence] = await proxied.database.query('SELECT is_called FROM written');
        assert.is(sequence?.['is_called'], undone.includes(attempt), 'the function ran to its end');
        assert.ok(answers.includes('Z I'));
      });
    }

    test('and the function does write where it is let', async () => {
      await proxied.twin.query('SELECT evil()');
      assert.is((await proxied.twin.query('SELECT FROM victim')).length, 1);
    });
  });
}
