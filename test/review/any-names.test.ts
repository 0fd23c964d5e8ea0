/**
 * Columns named like anything in the service's own SQL, like any keyword and like the service's own objects: a table of them goes through
 * the whole life cycle beside its twin. STAGE_TEST_NAMES=2000 takes all names instead of some; STAGE_TEST_SEED repeats a draw.
 */
import { planRemoval, remove } from '../../src/daemon/uninstall.ts';
import { createDatabase } from '../../src/db/database.ts';
import { identifiersIn, inLots } from '../helpers/all-names.ts';
import type { Lot } from '../helpers/named-tables.ts';
import {
  columnsOf,
  createChild,
  createTable,
  each,
  list,
  quoted,
  readLots,
  seed,
  written,
} from '../helpers/named-tables.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

suite(`tables whose columns are called like anything, by seed ${seed}`, (test) => {
  let proxied: Proxied;
  let lots: Awaited<ReturnType<typeof readLots>>;
  let before: string[];
  test.before(async () => {
    proxied = await startProxied('', { rehearsalTimeoutMs: 600_000 });
    lots = await readLots(proxied.database);
    for (const database of [proxied.database, proxied.twin])
      for (const [index, lot] of [...lots.keyed, ...lots.keyless].entries())
        await database.query(
          createTable(lot, index) + (index % 3 === 0 && lot.key.length > 0 ? createChild(lot) : ''),
        );
    before = await proxied.contents();
  });
  test.after(() => proxied.stop());

  const long = { timeout: 900_000 };
  const call = async (status: number, method: string, path: string, json = {}) => {
    const answer = await proxied.daemon.call(
      method,
      `/sessions/${path}`,
      method === 'GET' ? {} : { json },
    );
    assert.is(
      answer.status,
      status,
      `${path}: ${answer.text.slice(0, 2000)} ${proxied.daemon.logged.filter((line) => line.includes('"error"')).slice(-2)}`,
    );
    return answer.body;
  };

  /** Returns the tables whose rows differ. */
  function differing(one: readonly string[], other: readonly string[]): string[] {
    const all = [
      one.filter((row) => !other.includes(row)),
      other.filter((row) => !one.includes(row)),
    ];
    return [...new Set(all.flat().map((row) => row.split(' ', 1)[0] ?? ''))];
  }
  const assertTwins = async () =>
    assert.equal(differing(await proxied.contents(), await proxied.twinContents()), []);

  /** Stages the story of each lot, and runs it on the twin. */
  async function staged(
    some: readonly Lot[],
    story: (lot: Lot) => Buffer[],
    isReal = true,
  ): Promise<string> {
    const session = await proxied.daemon.newSession({ reads: 'staged' });
    for (const lot of some) {
      const answers = await runScript(proxied.daemon.clientUrl(session), story(lot));
      if (!isReal) {
        assert.equal(
          answers.filter((answer) => answer.startsWith('E')),
          [],
          lot.name,
        );
        continue;
      }
      assert.equal(
        answers.sort(),
        (await runScript(proxied.twin.url, story(lot))).sort(),
        lot.name,
      );
    }
    return session;
  }

  async function approved(session: string): Promise<void> {
    await call(200, 'POST', `${session}/propose`);
    assert.is((await call(200, 'GET', `${session}/conflicts`)).total_count, 0);
    assert.is((await call(200, 'POST', `${session}/rehearse`)).ok, true);
    await call(200, 'POST', `${session}/approve`);
  }

  const both = async (text: string) => {
    for (const database of [proxied.database, proxied.twin]) await database.query(text);
  };
  const first = ({ key, others }: Lot) => quoted([...key, ...others][0] ?? '');
  const added = ({ key, others }: Lot, by: number) =>
    each(others.length > 0 ? others : key, (column) => `${column} = ${column} + ${by}`);
  const row = (lot: Lot, value: number) =>
    `INSERT INTO ${lot.name} (${list(columnsOf(lot))}) VALUES (${columnsOf(lot)
      .map(() => value)
      .join(', ')})`;
  /** Changes a row of production and one that will be deleted, and inserts a new one. */
  const touches = (lot: Lot) => [
    q(`UPDATE ${lot.name} SET ${added(lot, 1)} WHERE ${first(lot)} = 7`),
    q(`UPDATE ${lot.name} SET ${added(lot, 1)} WHERE ${first(lot)} = 8`),
    q(row(lot, 31)),
  ];

  test(
    'rejected',
    async () => {
      const session = await staged([...lots.keyed, ...lots.keyless], touches, false);
      const { summary } = await call(200, 'GET', `${session}/diff`);
      assert.is(summary.total_inserts, lots.keyed.length + lots.keyless.length);
      await call(200, 'POST', `${session}/propose`);
      await call(200, 'POST', `${session}/reject`);
      assert.equal(differing(await proxied.contents(), before), []);
    },
    long,
  );

  test(
    'taken out of a session',
    async () => {
      const session = await staged(lots.keyed, touches, false);
      const { tables } = await call(200, 'GET', `${session}/diff`);
      const rows = lots.keyed.map(({ name }) => ({
        table: name,
        row_id: tables[name].changes[0].row_id,
      }));
      await call(200, 'POST', `${session}/unstage`, { rows });
      const left = (await call(200, 'GET', `${session}/diff`)).summary;
      assert.equal(
        [left.total_updates, left.total_inserts],
        [lots.keyed.length, lots.keyed.length],
      );
      await proxied.daemon.call('DELETE', `/sessions/${session}`);
    },
    long,
  );

  test(
    'approved, and taken back',
    async () => {
      const session = await staged(lots.keyed, written);
      await approved(session);
      await assertTwins();
      await approved((await call(201, 'POST', `${session}/revert`)).session_id);
      assert.equal(differing(await proxied.contents(), before), []);
      // approve the same revert on the twin
      await approved(
        (
          await call(
            201,
            'POST',
            `${(await proxied.daemon.call('GET', '/sessions')).body.sessions[0].id}/revert`,
          )
        ).session_id,
      );
      await assertTwins();
    },
    long,
  );

  test(
    'approved without a key',
    async () => {
      await approved(await staged(lots.keyless, written));
      await assertTwins();
    },
    long,
  );

  test(
    'in conflict with production',
    async () => {
      const [keyed, keyless] = await Promise.all([
        staged(lots.keyed, touches, false),
        staged(lots.keyless, touches, false),
      ]);
      for (const lot of [...lots.keyed, ...lots.keyless])
        await both(
          `UPDATE ${lot.name} SET ${added(lot, 5)} WHERE ${first(lot)} = 7; DELETE FROM ${lot.name} WHERE ${first(lot)} = 8; ${row(lot, 31)}`,
        );
      for (const session of [keyed, keyless]) {
        await call(200, 'POST', `${session}/propose`);
        assert.ok((await call(200, 'GET', `${session}/conflicts`)).total_count > 0);
        assert.is((await call(409, 'POST', `${session}/approve`)).error, 'conflict_detected');
        await call(200, 'POST', `${session}/reopen`, { message: 'settle it' });
      }
      await call(200, 'POST', `${keyed}/resolve`, { all: 'mine' });
      for (const lot of lots.keyed) {
        const values = lot.others.map(() => '9');
        await proxied.twin.query(`UPDATE ${lot.name} SET ${each(lot.others, (column) => `${column} = 8`)} WHERE ${first(lot)} = 7;
        INSERT INTO ${lot.name} (${list(columnsOf(lot))}) VALUES (${[...lot.key.map(() => '8'), ...values].join(', ')})`);
      }
      await approved(keyed);
      await assertTwins();
      await proxied.daemon.call('DELETE', `/sessions/${keyless}`);
    },
    long,
  );

  test(
    'added to a table with staged rows',
    async () => {
      const some = inLots(identifiersIn('table'), 150).map((names, index) => ({
        name: `added_${index}`,
        key: ['_id'],
        others: names,
      }));
      for (const { name } of some)
        await both(
          `CREATE TABLE ${name} (_id int PRIMARY KEY, _v int); INSERT INTO ${name} VALUES (1, 1), (2, 2)`,
        );
      const session = await staged(some, ({ name }) => [
        q(`INSERT INTO ${name} VALUES (3, 3)`),
        q(`UPDATE ${name} SET _v = 9 WHERE _id = 1`),
      ]);
      for (const { name, others } of some)
        await both(
          `ALTER TABLE ${name} ${each(others, (column) => `ADD COLUMN ${column} int DEFAULT 4`)}`,
        );
      await approved(session);
      await assertTwins();
    },
    long,
  );

  test(
    'left as they are when the service is taken out',
    async () => {
      const db = createDatabase({ url: proxied.database.url, maxConnections: 1 });
      try {
        await remove(db, await planRemoval(db));
      } finally {
        await db.close();
      }
      assert.equal(
        await proxied.database.query(`SELECT FROM pg_namespace WHERE nspname ~ '^stage'`),
        [],
      );
      await assertTwins();
    },
    long,
  );
});
