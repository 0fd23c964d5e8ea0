/** Attempts to write through the proxy with a function that writes. Production must not change. */
import type { Proxied } from './proxied.ts';
import { startProxied } from './proxied.ts';
import { assert, suite } from './suite.ts';
import { runScript } from './wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 5) g;
CREATE TABLE victim (id int);
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO victim VALUES (1); RETURN 1; END';
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
 */
export function attack(name: string, attempts: Record<string, readonly Buffer[]>): void {
  suite(name, (test) => {
    let proxied: Proxied;
    let before: string[];
    test.before(async () => {
      proxied = await startProxied(schema);
      before = await proxied.contents();
    });
    test.after(() => proxied.stop());

    // A breach must not affect the tests after it.
    test.beforeEach(() => proxied.database.query('TRUNCATE victim').then(() => undefined));

    for (const [attempt, messages] of Object.entries(attempts)) {
      test(attempt, async () => {
        const answers = await runScript(await proxied.session(), messages);
        assert.equal(await proxied.contents(), before);
        assert.ok(answers.includes('Z I'));
      });
    }

    test('and the function does write where it is let', async () => {
      await proxied.twin.query('SELECT evil()');
      assert.is((await proxied.twin.query('SELECT FROM victim')).length, 1);
    });
  });
}
