/**
 * Random frames from clients, at the start and later, and from servers: no crash, no hang, nothing is written, honest clients are still
 * served, and memory does not grow. STAGE_TEST_FRAMES (200,000) is their number, STAGE_TEST_SEED the first seed.
 */
import pg from 'pg';
import { createPipeline } from '../../src/statements/connection.ts';
import { startupMessage } from '../../src/wire/startup.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { listenerSettings, startTestListener } from '../helpers/test-listener.ts';
import { connectWire } from '../helpers/wire-script.ts';
import type { Memory, Meter } from './meter.ts';
import { startMeter } from './meter.ts';
import { randomTalk, talkAfterLogin, talkAtStart } from './random-talk.ts';
import type { RandomUpstream } from './random-upstream.ts';
import { startRandomUpstream } from './random-upstream.ts';

const count = drawn(50_000, 'FRAMES');
const first = firstSeed();
const timeout = Math.max(240_000, count);
const schema = `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one'), (2, 'two');`;

/** The number of concurrent connections, and the number of rounds after which honest clients connect. */
const atOnce = 20;
const everySoOften = 50;
/** Memory is first measured after this many rounds and this share of the frames: by then it has reached its normal size. */
const warmUp = { rounds: 10, part: 0.05 };
const mostMemory = 50 * 1024 * 1024;

suite(`random frames from seed ${first}`, (test) => {
  let meter: Meter;
  test.before(() => {
    meter = startMeter();
  });
  test.after(() => meter.stop());

  /**
   * Attacks until `frames` frames have been sent.
   * @param attack runs one connection and returns the number of frames
   * @param check throws if an honest client is not served
   * @param besides returns the number of frames that others have sent
   */
  async function attackWith(
    frames: number,
    attack: (seed: number) => Promise<number>,
    check: () => Promise<void>,
    besides = () => 0,
  ): Promise<void> {
    let sent = 0;
    let warm: Memory | null = null;
    let seed = first;
    for (let round = 0; sent + besides() < frames || warm === null; round += 1) {
      const seeds = Array.from({ length: atOnce }, (_, index) => seed + index);
      for (const said of await Promise.all(seeds.map(attack))) sent += said;
      seed += atOnce;
      const isWarm = round >= warmUp.rounds && sent + besides() >= frames * warmUp.part;
      if (isWarm) warm ??= meter.memory();
      if (round % everySoOften === 0) await check();
    }
    await check();
    const { inUse, resident } = meter.memory();
    const growth = { inUse: inUse - warm.inUse, resident: resident - warm.resident };
    const figures = `${sent} frames of clients, ${besides()} of servers in ${seed - first} connections, longest work ${meter.longestWork()} ms, ${growth.inUse} bytes more in use, ${growth.resident} resident`;
    process.stdout.write(`${figures}\n`);
    assert.ok(growth.inUse < mostMemory && growth.resident < mostMemory, figures);
    assert.ok(meter.longestWork() < 1000, figures);
  }

  async function serves(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT name FROM item ORDER BY id');
    await client.end();
    assert.equal(rows, [{ name: 'one' }, { name: 'two' }]);
  }

  test(
    'of clients, before a real server',
    async () => {
      const proxied: Proxied = await startProxied(schema);
      const url = await proxied.session();
      const before = await proxied.contents();
      const attack = async (seed: number) => {
        const random = createRandom(seed);
        const client = await connectWire(url);
        const heard = client.readToEnd();
        const { frames, bytes } = randomTalk(random);
        for (let at = 0; at < bytes.length && !client.socket.destroyed; at += 4000) {
          client.send(bytes.subarray(at, at + 4000));
          await new Promise(setImmediate);
        }
        client.close();
        await heard;
        return frames;
      };
      await attackWith(count * 0.03, attack, () => serves(url));
      assert.equal(await proxied.contents(), before);
      const { port } = proxied.daemon.proxy;
      await attackWith(
        count * 0.03,
        (seed) => talkAtStart(port, createRandom(seed)),
        () => {
          proxied.daemon.logged.length = 0;
          return serves(url);
        },
      );
      assert.equal(await proxied.contents(), before);
      await proxied.stop();
    },
    { timeout },
  );

  test(
    'of clients and servers at once',
    async () => {
      const upstream: RandomUpstream = await startRandomUpstream(first);
      const listener: TestListener = await startTestListener({
        upstream: `postgresql://x@127.0.0.1:${upstream.port}/d?sslmode=disable`,
        run: createPipeline(listenerSettings),
      });
      const startup = startupMessage([
        ['user', 'u'],
        ['database', 'd'],
        ['service_session', listener.session.id],
      ]);
      const attack = (seed: number) => talkAfterLogin(listener.port, startup, createRandom(seed));
      const check = async () => {
        upstream.behaves = true;
        const said = await talkAfterLogin(listener.port, startup, createRandom(1), 20_000);
        assert.ok(said > 0, `an honest login after ${upstream.sent.frames} frames of servers`);
        upstream.behaves = false;
        listener.pairs.length = 0;
        listener.log.length = 0;
      };
      await attackWith(count * 0.94, attack, check, () => upstream.sent.frames);
      await listener.stop();
      upstream.stop();
    },
    { timeout },
  );
});
