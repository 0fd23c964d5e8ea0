/** Workers of one session that take jobs by one statement each: a SELECT within it locks the rows, and waits for nobody. */
import type pg from 'pg';
import { interleave } from '../helpers/interleaving.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { inAnyOrder, program, races, stagedReads, state } from './queue-forms.ts';
import { fill, startFilled } from './row-lock-tables.ts';

const first = firstSeed();
const programs = drawn(15, 'QUEUES');

suite('races of workers that take jobs', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startFilled();
  });
  test.after(() => proxied.stop());

  for (const [turn, [name, steps]] of Object.entries({ ...races, ...stagedReads }).entries()) {
    const isStaged = name in stagedReads || turn % 2 === 0;
    const queryMode = turn % 4 < 2 ? undefined : 'extended';
    test(`${name}, reads ${isStaged ? 'staged' : 'production'}, ${queryMode ?? 'simple'} protocol`, async () => {
      await proxied.twin.query(fill);
      const url = await proxied.session(isStaged ? 'staged' : 'production');
      const staged = await interleave(proxied.database, url, steps, { queryMode });
      const direct = await interleave(proxied.twin, proxied.twin.url, steps, { queryMode });
      assert.equal(inAnyOrder(staged), inAnyOrder(direct));
    });
  }

  test(
    'random programs of workers',
    async () => {
      for (let seed = first; seed < first + programs; seed += 1) {
        const random = createRandom(seed);
        const steps = program(random);
        const queryMode = random.chance(0.5) ? undefined : 'extended';
        await proxied.twin.query(fill);
        const url = await proxied.session('staged');
        const staged = await interleave(proxied.database, url, steps, { queryMode });
        const direct = await interleave(proxied.twin, proxied.twin.url, steps, { queryMode });
        assert.equal(inAnyOrder(staged), inAnyOrder(direct), `seed ${seed}`);
        assert.equal(await rowsAt(url), await rowsAt(proxied.twin.url), `seed ${seed}`);
      }
    },
    { timeout: 60_000 * Math.max(1, programs / 15) },
  );

  test('parameters within the sub-select, of a statement that is prepared once', async () => {
    const text = `UPDATE job SET state = $1 WHERE id IN (SELECT id FROM job WHERE state = $2 ORDER BY id LIMIT $3 OFFSET $4 FOR UPDATE SKIP LOCKED) RETURNING id`;
    await proxied.twin.query(fill);
    const outcomes = await Promise.all(
      [await proxied.session('staged'), proxied.twin.url].map(async (url) => {
        const [one, other] = await Promise.all([proxied.connect(url), proxied.connect(url)]);
        const found: unknown[] = [];
        const run = async (worker: pg.Client, count: number, offset: number) => {
          const values = ['taken', 'ready', count, offset];
          const { rows } = await worker.query({ name: 'take', text, values, rowMode: 'array' });
          found.push(rows.flat().sort());
        };
        await one.query('BEGIN');
        await run(one, 1, 1);
        await run(other, 2, 0);
        await other.query('BEGIN');
        await run(other, 1, 0);
        await run(one, 2, 0);
        await one.query('ROLLBACK');
        await run(other, 9, 0);
        await other.query('COMMIT');
        return found;
      }),
    );
    assert.equal(outcomes[0], [[2], [3, 4], [5], [1], [1, 2]]);
    assert.equal(outcomes[0], [[2], [3, 4], [5], [1], [1, 2]]);
  });

  test('workers at once take each job once', async () => {
    await proxied.twin.query(fill);
    const url = await proxied.session('staged');
    const random = createRandom(first);
    const seeding = await proxied.connect(url);
    await seeding.query(`INSERT INTO job SELECT g, 'mail' FROM generate_series(6, 60) g`);
    const workers = await Promise.all(Array.from({ length: 4 }, () => proxied.connect(url)));
    const taken = await Promise.all(
      workers.map(async (worker) => {
        const ids: number[] = [];
        for (;;) {
          const from = random.pick(['id IN (SELECT', 'id = ANY (ARRAY(SELECT']);
          const close = from.includes('ARRAY') ? '))' : ')';
          const limit = 1 + random.below(3);
          const { rows } = await worker.query<{ id: number }>(
            `DELETE FROM job WHERE ${from} id FROM job ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED${close} RETURNING id`,
          );
          if (rows.length === 0) return ids;
          ids.push(...rows.map(({ id }) => id));
        }
      }),
    );
    const ids = taken.flat().sort((one, other) => one - other);
    assert.equal(
      ids,
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });

  async function rowsAt(url: string): Promise<unknown[]> {
    const client = await proxied.connect(url);
    return (await client.query({ text: state, rowMode: 'array' })).rows;
  }
});
