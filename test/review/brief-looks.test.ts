/** Flags of briefs about what somebody found who looked at production: conflicts, and rehearsals. */
import { flagsInWords } from '../../src/client/brief-words.ts';
import type { FlagCode } from '../../src/model/brief.ts';
import { JsonText } from '../../src/model/json.ts';
import type { BriefRules } from '../../src/review/brief/brief.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { resolveConflicts } from '../../src/review/edits/resolve.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE items (id int PRIMARY KEY, price int CHECK (price < 1000), seen int);
CREATE TABLE notes (id int PRIMARY KEY, note text)`;
const data = `
INSERT INTO items SELECT g, g, 0 FROM generate_series(1, 9) g;
INSERT INTO notes SELECT g, 'x' FROM generate_series(1, 9) g`;

suite('briefs of looks at production', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  const plain = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
  const briefOf = (id: string, rules: Partial<BriefRules> = {}) =>
    readBrief(staging.service, id, { ...plain, ...rules });
  const flagsOf = async (id: string, code: FlagCode, rules: Partial<BriefRules> = {}) =>
    (await briefOf(id, rules)).flags
      .filter((flag) => flag.code === code)
      .map(({ table, column, count }) => [table, column, count]);
  const never = (id: string, rules: Partial<BriefRules> = {}) =>
    flagsOf(id, 'never_rehearsed', rules);
  const conflicts = (id: string, rules: Partial<BriefRules> = {}) => flagsOf(id, 'conflict', rules);
  const staged = async (...statements: string[]) => {
    const id = await staging.open();
    await staging.stage(id, statements.join(';'));
    return id;
  };
  const proposed = async (...statements: string[]) => {
    const id = await staged(...statements);
    await proposeSession(staging.service, id);
    return id;
  };
  const rehearse = (id: string) => rehearseSession(staging.service, id, usual);
  const look = (id: string, ignoredColumns: string[] = []) =>
    findConflicts(staging.service, id, false, { ignoredColumns });
  const one = 'UPDATE items SET price = 5 WHERE id = 1';

  test('never_rehearsed is raised by a proposal until a rehearsal of it has succeeded', async () => {
    const id = await staged(one);
    assert.equal(await never(id), [], 'it is active');
    await proposeSession(staging.service, id);
    assert.equal(await never(id), [[null, null, 1]]);
    assert.equal(await never(id, { readableOnly: true, ownOnly: true }), [[null, null, 1]]);
    assert.equal(await never(id, { rehearses: false }), [], 'the service rehearses nothing');
    await rehearse(id);
    assert.equal(await never(id), []);
    await approveSession(staging.service, id, { approvedBy: null, digest: null });
    assert.equal(await never(id), []);
    assert.equal(await never(await proposed()), [], 'nothing is staged');
    const unrehearsed = await proposed('UPDATE items SET price = 6 WHERE id = 2');
    await approveSession(staging.service, unrehearsed, { approvedBy: null, digest: null });
    assert.equal(await never(unrehearsed), [], 'it is approved');
  });

  test('never_rehearsed is raised again by another round, and by what was staged since', async () => {
    const id = await proposed(one);
    await rehearse(id);
    await reopenSession(staging.service, id, {
      message: 'again',
      reopenedAs: null,
      asReviewer: true,
    });
    await proposeSession(staging.service, id);
    assert.equal(await never(id), [[null, null, 2]]);
    assert.ok(flagsInWords(await briefOf(id)).includes('no successful rehearsal in round 2 yet'));
    const early = await staged(one);
    await rehearse(early);
    await staging.stage(early, 'UPDATE items SET price = 6 WHERE id = 1');
    await proposeSession(staging.service, early);
    assert.equal(await never(early), [[null, null, 1]]);
    assert.ok(flagsInWords(await briefOf(early)).includes('no successful rehearsal yet'));
    const rehearsed = await staged(one);
    await rehearse(rehearsed);
    await proposeSession(staging.service, rehearsed);
    assert.equal(await never(rehearsed), [], 'nothing was staged since');
  });

  test('never_rehearsed stays while rehearsals fail, or find conflicts', async () => {
    await staging.database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const refused = await proposed(`UPDATE notes SET note = 'y' WHERE id = 1`);
    assert.is((await rehearse(refused)).failure?.sqlstate, 'P0001');
    assert.equal(await never(refused), [[null, null, 1]]);
    await staging.database.query('DROP TRIGGER refuse ON notes');
    const id = await proposed(one);
    await staging.database.query('UPDATE items SET seen = 1 WHERE id = 1');
    assert.is((await rehearse(id)).conflicts.length, 1);
    assert.equal(await never(id), [[null, null, 1]]);
    assert.equal(await conflicts(id), [['items', null, 1]], 'the rehearsal found it');
  });

  test('conflict counts the rows that the last look found, by table, with its time', async () => {
    const id = await proposed(
      'UPDATE items SET price = 5 WHERE id < 4',
      `UPDATE notes SET note = 'y'`,
    );
    await staging.database.query('UPDATE items SET seen = 1, price = 7 WHERE id IN (2, 3, 4)');
    await staging.database.query('DELETE FROM notes WHERE id = 9');
    assert.equal(await conflicts(id), [], 'nobody has looked');
    const before = new Date().toISOString();
    assert.is((await look(id)).length, 5);
    const brief = await briefOf(id);
    assert.equal(await conflicts(id), [
      ['items', null, 2],
      ['notes', null, 1],
    ]);
    assert.equal(await conflicts(id, { readableOnly: true }), await conflicts(id));
    const [first] = brief.flags;
    assert.is(first?.code, 'conflict', 'it comes first');
    assert.ok((first?.at ?? '') >= before.slice(0, 19) && (first?.at ?? '') < '3', first?.at);
    const [minute] = String(first?.at)
      .replace('T', ' ')
      .split(/:\d\d\./);
    assert.ok(
      flagsInWords(brief).includes(
        `in conflict with production: 2 rows of items, as of ${minute} UTC`,
      ),
      flagsInWords(brief).join('\n'),
    );
    await staging.database.query(`UPDATE items SET seen = 0, price = id WHERE id < 5`);
    await staging.database.query(`INSERT INTO notes VALUES (9, 'x')`);
    assert.is((await conflicts(id)).length, 2, 'nobody has looked since');
    await look(id);
    assert.equal(await conflicts(id), []);
  });

  test('conflict is not raised by what does not count, nor by a look at an earlier state', async () => {
    const id = await staged(one);
    await staging.database.query('UPDATE items SET seen = 1 WHERE id = 1');
    assert.is((await look(id, ['items.seen'])).length, 1);
    assert.equal(await conflicts(id), [], 'the column is ignored');
    const [found] = await look(id);
    assert.equal(await conflicts(id), [['items', null, 1]]);
    const { table = '', field = null } = found ?? {};
    await resolveConflicts(staging.service, id, {
      ...{ withDependents: false, resolvedAs: null, lockTimeoutMs: 2_000 },
      resolutions: [{ table, rowId: new JsonText('1'), field, take: 'mine' }],
    });
    assert.equal(await conflicts(id), [], 'it is settled');
    await staging.database.query('UPDATE items SET seen = 2 WHERE id = 1');
    await look(id);
    assert.is((await conflicts(id)).length, 1);
    await staging.stage(id, 'UPDATE items SET price = 6 WHERE id = 2');
    assert.equal(await conflicts(id), [], 'something was staged since');
  });

  test('a look waits for nobody who decides on the session', async () => {
    const id = await proposed(one);
    await staging.database.query('UPDATE items SET seen = 1 WHERE id = 1');
    await staging.another().transaction(async (tx) => {
      await tx.query('SELECT FROM stage.session WHERE id = $1 FOR UPDATE', [id.slice(5)]);
      assert.is((await look(id)).length, 1);
      assert.equal(await conflicts(id), []);
    });
    await look(id);
    assert.is((await conflicts(id)).length, 1);
  });
});
