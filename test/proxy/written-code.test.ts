/** Code of the database writes to tables that run code of users: answers as directly, approved rows as a twin's. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/written-code.sql');

suite('code that writes to tables with code', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

/** A trigger of `source` writes to `middle`, whose trigger writes to `target`, where a default or a check writes to production. */
const harmful = `
CREATE TABLE victim (id int PRIMARY KEY);
CREATE FUNCTION harm() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.victim VALUES (1); RETURN 1; END $$;
CREATE FUNCTION is_fine(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN IF $1 = 2 THEN PERFORM public.harm(); END IF; RETURN true; END $$;
CREATE TABLE source (id int PRIMARY KEY, given int);
CREATE TABLE middle (id int PRIMARY KEY, given int);
CREATE TABLE target (id int PRIMARY KEY, n int DEFAULT harm(), given int CHECK (is_fine(given)));
CREATE FUNCTION to_middle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO middle VALUES (NEW.id, NEW.given); RETURN NULL; END $$;
CREATE FUNCTION to_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.given = 1 THEN INSERT INTO target (id) VALUES (NEW.id); ELSE INSERT INTO target VALUES (NEW.id, 0, NEW.given); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER go AFTER INSERT ON source FOR EACH ROW EXECUTE FUNCTION to_middle();
CREATE TRIGGER go AFTER INSERT ON middle FOR EACH ROW EXECUTE FUNCTION to_target();
CREATE FUNCTION fill() RETURNS void LANGUAGE sql AS 'INSERT INTO target (id) VALUES (9)'`;

suite('code that writes where code of users writes to production', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(harmful);
  });
  test.after(() => proxied.stop());

  const refused = /^0A000 cannot stage a statement that makes a function write to "public.victim"/;
  for (const text of [
    'INSERT INTO source VALUES (1, 1)',
    'INSERT INTO source VALUES (2, 2)',
    'INSERT INTO middle VALUES (3, 1)',
    'SELECT fill()',
    'DO $$ BEGIN INSERT INTO source VALUES (4, 2); END $$',
  ])
    test(`is refused at once, and nothing is written: ${text}`, async () => {
      const { daemon, database } = proxied;
      const client = await proxied.connect(
        daemon.clientUrl(await daemon.newSession({ reads: 'staged' })),
      );
      await client.query('BEGIN');
      const { code, message } = await client.query(text).catch((error) => error);
      assert.match(`${code} ${message}`, refused, `${code} ${message}`);
      await client.query('COMMIT');
      await client.query('INSERT INTO source VALUES (5, 0)');
      const harmed = 'SELECT FROM victim UNION ALL SELECT FROM target UNION ALL SELECT FROM source';
      assert.is((await database.query(harmed)).length, 0);
    });
});
