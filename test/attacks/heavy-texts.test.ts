/**
 * Short texts that cause much work: other clients are served meanwhile, the daemon survives, and the sender gets an error. Each text took
 * seconds to minutes of the main thread, which serves everybody.
 */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { startMeter } from './meter.ts';

const repeated = (part: string, times: number, between = '') =>
  Array(times).fill(part).join(between);

/** Each text, with the SQLSTATE that the sender gets. */
const texts: Readonly<Record<string, readonly [string, string]>> = {
  'open comments': [repeated('/*', 15_000), '54001'],
  'more open comments': [repeated('/*', 100_000), '54001'],
  'balanced comments': [repeated('/**/', 16_000), '54001'],
  'comments in comments': [
    `SELECT 1 /* ${repeated('/*', 8000)} ${repeated('*/', 8000)} */`,
    '54001',
  ],
  signs: [`SELECT ${repeated('+', 31_000)}1`, '54001'],
  'signs of two kinds': [`SELECT ${repeated('+-', 15_000)}1`, '54001'],
  'many short runs': [`SELECT ${repeated(`${repeated('+', 900)}1`, 400, ',')}`, '54000'],
  'an assignment of many columns': [
    `UPDATE item SET (${repeated('id', 1000, ',')}) = (SELECT ${repeated('1', 1000, ',')})`,
    '54000',
  ],
  'assignments in one another': [
    `${repeated('UPDATE item SET (id, note) = (WITH x AS (', 40)}SELECT 1${repeated(') SELECT 1)', 40)}`,
    '54000',
  ],
  'groupings in one another': [
    `${repeated('SELECT (', 500)}1${repeated(') FROM item GROUP BY id', 500)}`,
    '54001',
  ],
  'many ON CONFLICT': [
    `WITH ${Array.from({ length: 400 }, (_, at) => `a${at} AS (INSERT INTO missing VALUES (1) ON CONFLICT DO NOTHING)`)} SELECT 1`,
    '42P01',
  ],
};

/** The longest delay that a text may cause to others, in milliseconds of CPU time. */
const longestWork = 1500;

suite('attacks: heavy texts', (test) => {
  let proxied: Proxied;
  let session: string;
  test.before(async () => {
    proxied = await startProxied(`
      CREATE TABLE item (id int PRIMARY KEY, note text); INSERT INTO item VALUES (1, 'a');
      CREATE FUNCTION commented() RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN ${repeated('/**/', 2500)} RETURN (SELECT count(*) FROM item); END $$;
      CREATE FUNCTION listed() RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN RETURN (SELECT count(*) FROM item WHERE id NOT IN (${repeated('5', 20_000, ',')})); END $$;
      CREATE VIEW listed_items AS SELECT id FROM item WHERE id NOT IN (${repeated('5', 20_000, ',')});`);
    session = await proxied.session('staged');
  });
  test.after(() => proxied.stop());

  /** Runs an attack beside a client that only reads, and returns the number of its responses. */
  async function beside(attack: () => Promise<unknown>): Promise<number> {
    const quiet = await proxied.connect(session);
    let isOver = false;
    const over = attack().finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    let answers = 0;
    while (!isOver) {
      const { rows } = await quiet.query('SELECT 1 AS one');
      assert.equal(rows, [{ one: 1 }]);
      answers += 1;
    }
    await over;
    await quiet.end();
    return answers;
  }

  for (const [name, [text, sqlstate]] of Object.entries(texts)) {
    test(`${name}: the sender gets ${sqlstate}, others their answers`, async () => {
      const meter = startMeter();
      const sender = await proxied.connect(session);
      await beside(async () => {
        for (const query of [text, { text, values: [] }, { name: 'kept', text, values: [] }])
          assert.is(await sender.query(query).catch(({ code }) => code), sqlstate);
      });
      assert.ok(meter.longestWork() < longestWork, `${meter.longestWork()} ms`);
      meter.stop();
      assert.equal((await sender.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
      await sender.end();
    });
  }

  test('a body of comments is not followed, bodies and views of many words are', async () => {
    const client = await proxied.connect(session);
    await client.query(`INSERT INTO item VALUES (2, 'b')`);
    await beside(async () => {
      const { rows } = await client.query('SELECT commented() AS c, listed() AS l');
      assert.equal(rows, [{ c: '1', l: '2' }]);
      assert.is((await client.query('SELECT * FROM listed_items')).rows.length, 2);
    });
    await client.end();
  });

  test('what a sender leaves behind is dropped', async () => {
    const heavy = `SELECT 1 IN (${repeated('1', 240_000, ',')})`;
    const senders = await Promise.all(Array.from({ length: 8 }, () => proxied.connect(session)));
    const lost = senders.map((sender) => sender.query(heavy).catch(() => 'lost'));
    for (const sender of senders) sender.connection.stream.destroy();
    assert.equal(
      await Promise.all(lost),
      senders.map(() => 'lost'),
    );
    const client = await proxied.connect(session);
    const next = `SELECT 1 AS one${' '.repeat(40_000)}`;
    assert.equal((await client.query(next)).rows, [{ one: 1 }]);
    await client.end();
  });

  test('more than may wait is refused, and nobody waits for it', async () => {
    const huge = `SELECT '${'x'.repeat(15_900_000)}'`;
    const senders = await Promise.all(Array.from({ length: 6 }, () => proxied.connect(session)));
    const outcomes: string[] = [];
    await beside(async () => {
      const sent = senders.map((sender) =>
        sender.query(huge).then(
          () => 'answered',
          ({ code }) => code,
        ),
      );
      outcomes.push(...(await Promise.all(sent)));
    });
    assert.ok(
      outcomes.every((outcome) => ['answered', '53200'].includes(outcome)),
      `${outcomes}`,
    );
    await Promise.all(senders.map((sender) => sender.end()));
  });
});
