/**
 * Random frames from clients: no crash, nothing written, honest clients are served on, memory does not grow.
 * STAGE_TEST_FRAMES (100,000) is their number, STAGE_TEST_SEED the first seed.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { connectWire } from '../helpers/wire-script.ts';
import { randomFrame } from './random-frames.ts';

const count = Number(process.env['STAGE_TEST_FRAMES'] ?? 100_000);
const firstSeed = Number(process.env['STAGE_TEST_SEED'] ?? Date.now() % 1_000_000_000);
const perConnection = 60;
const schema = `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one'), (2, 'two');`;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

suite(`random frames from seed ${firstSeed}`, (test) => {
  let proxied: Proxied;
  let url: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    url = await proxied.session();
  });
  test.after(() => proxied.stop());

  /** Sends frames until the connection ends, or ends it in the midst of whatever it is in. */
  const attack = async (seed: number) => {
    const random = createRandom(seed);
    const client = await connectWire(url);
    const heard = client.readToEnd();
    for (let sent = 0; sent < perConnection && !client.socket.destroyed; sent += 1) {
      client.send(randomFrame(random));
      if (random.chance(0.1)) await new Promise(setImmediate);
    }
    client.close();
    await heard;
  };

  const serves = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT name FROM item ORDER BY id');
    await client.end();
    return rows;
  };

  const heapInUse = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };

  test(
    'the service goes on',
    async () => {
      const before = await proxied.contents();
      let inUse = 0;
      const connections = Math.ceil(count / perConnection);
      for (let first = 0; first < connections; first += 20) {
        const seeds = Array.from({ length: 20 }, (_, index) => firstSeed + first + index);
        await Promise.all(seeds.map(attack));
        if (first === 200) inUse = heapInUse();
        if (first % 200 === 0) {
          assert.equal(
            await serves(),
            [{ name: 'one' }, { name: 'two' }],
            `seed ${firstSeed + first}`,
          );
        }
      }
      assert.equal(await proxied.contents(), before);
      assert.ok(heapInUse() - inUse < 50 * 1024 * 1024, `${heapInUse() - inUse} bytes more`);
    },
    { timeout: Math.max(240_000, count * 5) },
  );
});
