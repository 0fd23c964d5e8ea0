/** `stage doctor` lists the tables whose row-level security policies read production alone. */
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { createShell } from './stage.ts';

interface Finding {
  readonly check: string;
  readonly about: readonly string[];
}

suite('policies in stage doctor', (test) => {
  test('lists tables whose policies are not followed, with the reason', async () => {
    const shell = await createShell();
    const secured = await createTestDatabase();
    const daemon = await startTestDaemon({ database: secured });
    const tables = ['followed', 'plain', 'viewed', 'called', 'deep', 'keyless', 'operated', 'off'];
    try {
      await secured.query(`CREATE TABLE members (org int PRIMARY KEY); CREATE VIEW seen AS SELECT org FROM members;
        CREATE FUNCTION is_member(o int) RETURNS boolean LANGUAGE sql STABLE SET search_path = public AS 'SELECT EXISTS (SELECT FROM members WHERE org = o)';
        CREATE FUNCTION dynamic(o int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$DECLARE b boolean; BEGIN EXECUTE concat('SELECT ', 'true') INTO b; RETURN b; END$$;
        CREATE FUNCTION deeper(o int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT public.dynamic(o)';
        CREATE FUNCTION alike(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 = $2';
        CREATE OPERATOR ==> (LEFTARG = int, RIGHTARG = int, FUNCTION = alike);
        ${tables.map((name) => `CREATE TABLE ${name} (org int ${name === 'keyless' ? '' : 'PRIMARY KEY'}); ${name === 'off' ? '' : `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`}`).join(' ')}
        CREATE POLICY p ON followed USING (org IN (SELECT org FROM members) AND is_member(org));
        CREATE POLICY p ON plain USING (org > 1);
        CREATE POLICY p ON viewed USING (org IN (SELECT org FROM seen));
        CREATE POLICY p ON called USING (true) WITH CHECK (dynamic(org));
        CREATE POLICY p ON deep USING (deeper(org));
        CREATE POLICY p ON keyless USING (org IN (SELECT org FROM members));
        CREATE POLICY p ON operated USING (org ==> 1);
        CREATE POLICY p ON off USING (dynamic(org))`);
      const { stdout: json } = await shell.spawn(['doctor', '--json', '--upstream', secured.url]);
      const { findings } = JSON.parse(json) as { findings: Finding[] };
      const found = findings.find(({ check }) => check === 'policies_not_followed');
      assert.equal(found?.about, [
        'viewed: policies use seen, which is not followed',
        'called: policies call dynamic(), which does more than read, or cannot be followed',
        'deep: policies call dynamic(), which does more than read, or cannot be followed',
        'keyless: the table has no key',
        'operated: policies use ==>, which is not followed',
      ]);
      const { stdout } = await shell.spawn(['doctor', '--upstream', secured.url]);
      assert.match(stdout, /policies of these tables read production alone.*/);
      assert.match(stdout, /viewed: policies use seen, which is not followed/);
    } finally {
      await daemon.stop();
      await secured.drop();
      await shell.clear();
    }
  });
});
