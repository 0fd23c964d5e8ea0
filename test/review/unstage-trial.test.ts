/** Unstage, checked by production: objections of its triggers to the remaining rows are found in a trial that leaves nothing behind. */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { fingerprint } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/** A reference that only a trigger knows. With rights of its own, the trigger fires at approval only. */
const schema = `
CREATE TABLE kind (id int PRIMARY KEY);
CREATE TABLE thing (id int PRIMARY KEY, kind int);
CREATE TABLE log (id int PRIMARY KEY);
CREATE FUNCTION demand_kind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW.id = 60 THEN PERFORM pg_sleep(60); END IF;
  INSERT INTO log SELECT coalesce(max(id), 0) + 1 FROM log;
  IF NOT EXISTS (SELECT FROM kind k WHERE k.id = NEW.kind) THEN RAISE EXCEPTION 'no kind %', NEW.kind USING ERRCODE = '23503'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER demand_kind BEFORE INSERT ON thing FOR EACH ROW EXECUTE FUNCTION demand_kind()`;

const both = 'INSERT INTO kind VALUES (1), (2); INSERT INTO thing VALUES (1, 1), (2, 2)';

suite('unstage: trial', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema);
  });
  test.after(() => staging.close());

  const take = (session: string, key: number, trialMs: number | null = 10_000) =>
    unstageRows(staging.service, session, {
      rows: [{ table: 'kind', rowId: new JsonText(String(key)) }],
      withDependents: false,
      unstagedAs: null,
      trialMs,
      lockTimeoutMs: 5_000,
    });

  async function staged(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    return session;
  }

  test('refuses what production would refuse then, and leaves nothing', async () => {
    const session = await staged(both);
    const before = [await fingerprint(staging), await diffOf(staging.service, session)];
    const error = await rejects<StageError>(take(session, 2));
    assert.is(error.code, 'not_unstageable');
    assert.match(error.message, /no kind 2/);
    assert.equal([error.facts['sqlstate'], error.facts['table']], ['23503', 'thing']);
    assert.equal([await fingerprint(staging), await diffOf(staging.service, session)], before);
    assert.equal(await brokenInvariants(staging.database), []);
  });

  test('is not asked where the caller may not rehearse', async () => {
    const session = await staged(both);
    assert.is((await take(session, 2, null)).isTried, false);
  });

  test('says nothing of a session that production would refuse anyway', async () => {
    const session = await staged(`${both}; INSERT INTO thing VALUES (9, 9)`);
    const before = await staging.contents();
    await take(session, 2);
    assert.equal((await diffOf(staging.service, session)).changes.length, 4);
    assert.equal(await staging.contents(), before);
    assert.equal(await brokenInvariants(staging.database), []);
  });

  test('ends in time', async () => {
    const session = await staged(`${both}; INSERT INTO thing VALUES (60, 1)`);
    const error = await rejects<StageError>(take(session, 2, 300));
    assert.is(error.code, 'took_too_long');
    assert.equal((await diffOf(staging.service, session)).changes.length, 5);
  });
});
