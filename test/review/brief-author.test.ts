/** Flags of briefs that compare a session with its author's earlier ones, and the flag of triggers. */

import { flagsInWords } from '../../src/client/brief-words.ts';
import type { Brief, Flag } from '../../src/model/brief.ts';
import { JsonText } from '../../src/model/json.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { createSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE orders (id int PRIMARY KEY, note text);
CREATE TABLE prices (id int PRIMARY KEY, price int);
CREATE TABLE watched (id int PRIMARY KEY, note text);
CREATE TABLE idle (id int PRIMARY KEY, note text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER one AFTER INSERT ON watched FOR EACH ROW EXECUTE FUNCTION look();
CREATE TRIGGER two AFTER UPDATE ON watched FOR EACH STATEMENT EXECUTE FUNCTION look();
CREATE TRIGGER off AFTER INSERT ON idle FOR EACH ROW EXECUTE FUNCTION look();
ALTER TABLE idle DISABLE TRIGGER off`;

const data = 'INSERT INTO prices SELECT g, g FROM generate_series(1, 100) g';

suite('briefs of authors', (test) => {
  let staging: StagingDatabase;
  let next = 1000;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  const proposed = async (createdAs: string, statements: string, projectId = 'shop') => {
    const { id } = await createSession(staging.service, {
      ...{ projectId, createdAs, reads: 'staged' as const },
      metadata: new JsonText('{}'),
    });
    await staging.stage(id, statements);
    await proposeSession(staging.service, id);
    return id;
  };
  const approved = async (author: string, statements: string, project?: string) => {
    const id = await proposed(author, statements, project);
    await approveSession(staging.service, id, { approvedBy: null, digest: null });
    return id;
  };
  /** Returns the flags of a session that is given up. */
  const flagsOf = async (author: string, statements: string, project?: string) => {
    const id = await proposed(author, statements, project);
    const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
    const { flags }: Brief = await readBrief(staging.service, id, rules);
    await rejectSession(staging.service, id, null);
    return flags;
  };
  const only = (flags: readonly Flag[], code: Flag['code']) =>
    flags.filter((flag) => flag.code === code);
  const orders = (count: number) => {
    next += count;
    return `INSERT INTO orders SELECT g, 'x' FROM generate_series(${next - count + 1}, ${next}) g`;
  };
  const newTable = (table: string, count: number) => ({
    ...{ code: 'new_table_for_author', table, column: null, count },
  });

  test('new_table_for_author needs three approved sessions, none of which changed the table', async () => {
    const price = 'UPDATE prices SET price = price + 1 WHERE id <= 2';
    for (let earlier = 0; earlier < 3; earlier += 1) {
      assert.equal(only(await flagsOf('ann', price), 'new_table_for_author'), [], `${earlier}`);
      await approved('ann', orders(1));
    }
    assert.equal(only(await flagsOf('ann', price), 'new_table_for_author'), [
      newTable('prices', 2),
    ]);
    assert.equal(only(await flagsOf('ann', orders(1)), 'new_table_for_author'), []);
    assert.equal(only(await flagsOf('bob', price), 'new_table_for_author'), [], 'somebody else');
    assert.equal(only(await flagsOf('ann', price, 'other'), 'new_table_for_author'), [], 'project');
    await approved('ann', 'UPDATE prices SET price = price + 1 WHERE id = 9');
    assert.equal(only(await flagsOf('ann', price), 'new_table_for_author'), []);
  });

  test('rejected sessions are no experience of an author', async () => {
    for (let earlier = 0; earlier < 2; earlier += 1) await approved('cid', orders(1));
    await flagsOf('cid', orders(1));
    const found = await flagsOf('cid', 'UPDATE prices SET price = 0 WHERE id = 3');
    assert.equal(only(found, 'new_table_for_author'), []);
  });

  test('size_for_author is raised by more than ten times the median of approved sessions', async () => {
    const sizeOf = async (count: number) =>
      only(await flagsOf('dan', orders(count)), 'size_for_author');
    for (const count of [1, 2, 3]) {
      assert.equal(await sizeOf(60), [], 'too few sessions');
      await approved('dan', orders(count));
    }
    assert.equal(await sizeOf(20), []);
    assert.equal(await sizeOf(21), [
      { code: 'size_for_author', table: null, column: null, count: 21 },
    ]);
    await approved('dan', orders(30));
    await approved('dan', orders(30));
    assert.equal(await sizeOf(30), [], 'the median is three now');
    assert.equal((await sizeOf(31)).length, 1);
  });

  test('time_of_day needs ten sessions, all of which were proposed at other times of day', async () => {
    const setTime = (id: string, time: string) =>
      staging.database.query(
        `UPDATE stage.session SET proposed_at = '2026-03-01 ${time}+00' WHERE id = '${id.slice(5)}'`,
      );
    const flagsAt = async (time: string) => {
      const id = await proposed('fay', orders(1));
      await setTime(id, time);
      const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
      const { flags } = await readBrief(staging.service, id, rules);
      await rejectSession(staging.service, id, null);
      return only(flags, 'time_of_day');
    };
    for (let earlier = 0; earlier < 10; earlier += 1) {
      assert.equal(await flagsAt('12:00'), [], 'too few sessions');
      // at both sides of midnight
      await setTime(await approved('fay', orders(1)), earlier % 2 === 0 ? '23:00' : '00:30');
    }
    const flag = { code: 'time_of_day', table: null, column: null, count: 10 };
    for (const time of ['12:00', '03:31', '19:59']) assert.equal(await flagsAt(time), [flag], time);
    for (const time of ['03:30', '20:00', '23:59', '00:00'])
      assert.equal(await flagsAt(time), [], time);
    const { id } = await createSession(staging.service, {
      ...{ projectId: 'shop', createdAs: 'fay', reads: 'staged' as const },
      metadata: new JsonText('{}'),
    });
    await staging.stage(id, orders(1));
    const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
    const { flags } = await readBrief(staging.service, id, rules);
    assert.equal(only(flags, 'time_of_day'), [], 'it is not proposed');
  });

  test('triggers counts those that approval fires', async () => {
    const insert = (table: string) => flagsOf('eve', `INSERT INTO ${table} VALUES (1, 'x')`);
    const triggers = (count: number): Flag => ({
      ...{ code: 'triggers', table: 'watched', column: null, count },
    });
    assert.equal(only(await insert('watched'), 'triggers'), [triggers(1)]);
    const both = await flagsOf(
      'eve',
      `INSERT INTO watched VALUES (1, 'x'); UPDATE watched SET note = 'y'`,
    );
    assert.equal(only(both, 'triggers'), [triggers(2)], 'of all operations');
    assert.equal(only(await insert('idle'), 'triggers'), [], 'its trigger is disabled');
    assert.equal(only(await insert('orders'), 'triggers'), []);
  });

  test('one is not many in the words of flags', () => {
    const words = (code: Flag['code'], count: number) =>
      flagsInWords({
        revision: '',
        tables: [],
        overlaps: [],
        flags: [{ code, table: 't', column: null, count }],
      });
    const shows = 'of t, which no net change shows';
    assert.equal(words('further_changes', 1), [`1 further change ${shows}`]);
    assert.equal(words('further_changes', 2), [`2 further changes ${shows}`]);
    assert.equal(words('triggers', 1), ["1 of production's triggers on t runs at approval"]);
    assert.equal(words('triggers', 2), ["2 of production's triggers on t run at approval"]);
  });
});
