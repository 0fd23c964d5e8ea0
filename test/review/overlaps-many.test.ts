/** Which open sessions change the same rows as one that changes more than a thousand. */
import { readOverlaps } from '../../src/review/brief/brief.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('overlaps of many rows', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE items (half int, id int, v int, PRIMARY KEY (half, id))',
      'INSERT INTO items SELECT g % 2, g, 0 FROM generate_series(1, 3000) g',
    );
  });
  test.after(() => staging.close());

  const staged = async (where: string) => {
    const id = await staging.open();
    await staging.stage(id, `UPDATE items SET v = v + 1 WHERE ${where}`);
    return id;
  };

  test('are those of sessions with fewer and with more rows', async () => {
    const large = await staged('id <= 1200');
    const few = await staged('id BETWEEN 1196 AND 1205');
    const more = await staged('id > 1000');
    await staged('id > 2990');
    const gone = await staged('id = 1');
    await proposeSession(staging.service, gone);
    await rejectSession(staging.service, gone, null);
    const elsewhere = await staged('id = 2');
    await staging.database.query(
      `UPDATE stage.session SET project_id = 'other' WHERE id = '${elsewhere.slice(5)}'`,
    );
    const { overlaps, flags } = await readOverlaps(staging.service, large);
    assert.equal(overlaps, [
      { sessionId: more, rows: 200, table: 'items' },
      { sessionId: few, rows: 5, table: 'items' },
    ]);
    assert.equal(flags, [{ code: 'overlap', table: 'items', column: null, count: 2 }]);
    const back = await readOverlaps(staging.service, few);
    assert.equal(back.overlaps.find(({ sessionId }) => sessionId === large)?.rows, 5);
  });

  test('are counted beyond the twenty that are named', async () => {
    const large = await staged('id BETWEEN 1500 AND 2700');
    const others: string[] = [];
    for (let n = 0; n < 22; n += 1) others.push(await staged(`id BETWEEN 1600 AND ${1600 + n}`));
    const { overlaps, flags } = await readOverlaps(staging.service, large);
    assert.is(overlaps.length, 20);
    // the session of the first test with rows above 1,000
    assert.is(flags[0]?.count, 23);
    assert.equal(
      overlaps.slice(1, 4).map(({ sessionId, rows }) => [sessionId, rows]),
      [21, 20, 19].map((n) => [others[n], n + 1]),
    );
  });
});
