/** Readers of events that reconnect at random, at two daemons. `STAGE_TEST_READERS=50` is the long form, with 10,000 events. */
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const readers = drawn(6, 'READERS');
const events = 200 * readers;
const seed = firstSeed();

suite('rest: readers of events that reconnect', (test) => {
  const daemons: TestRest[] = [];
  test.before(async () => {
    const one = await startTestRest();
    daemons.push(one, await startTestRest({ database: one.database }));
  });
  test.after(async () => {
    for (const daemon of daemons.reverse()) await daemon.stop();
  });

  /** Yields the messages of a stream. */
  async function* messagesOf(url: string, from: string, signal: AbortSignal) {
    const headers = { accept: 'text/event-stream', 'last-event-id': from };
    const { body } = await fetch(`${url}/events`, { headers, signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of body ?? []) {
      const messages = (text + decoder.decode(part, { stream: true })).split('\n\n');
      text = messages.pop() ?? '';
      yield* messages;
    }
  }

  /** Reads a stream, and leaves it after some messages. Returns the place to go on from. */
  async function readSome(url: string, from: string, most: number, reported: number[]) {
    const leaving = new AbortController();
    let [place, read] = [from, 0];
    for await (const message of messagesOf(url, from, leaving.signal)) {
      place = /^id: (\d+)$/m.exec(message)?.[1] ?? place;
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) reported.push(Number(JSON.parse(data).number));
      read += 1;
      if (read >= most || reported.length >= events) break;
    }
    leaving.abort();
    return place;
  }

  async function readAll(random: Random, from: string): Promise<number[]> {
    const reported: number[] = [];
    for (let place = from; reported.length < events; )
      place = await readSome(random.pick(daemons).url, place, 1 + random.below(150), reported);
    return reported;
  }

  test(
    `${readers} of them get each of ${events} events once, and in order`,
    async () => {
      const [one] = daemons;
      if (one === undefined) throw new Error('no daemon');
      const id = await one.newSession({});
      const { last } = (await one.call('GET', '/events?after=999999999&limit=1')).body;
      const reading = Array.from({ length: readers }, (_, n) =>
        readAll(createRandom(seed + n), last),
      );
      const random = createRandom(seed);
      for (let sent = 0; sent < events; ) {
        const count = Math.min(events - sent, 1 + random.below(60));
        await one.database.query(
          `DO $$ BEGIN FOR n IN 1 .. ${count} LOOP
           PERFORM stage.emit('${id.slice(5)}', 'default', 'comment', NULL, '{"message": "x"}'); END LOOP; END $$`,
        );
        sent += count;
      }
      const expected = Array.from({ length: events }, (_, n) => Number(last) + 1 + n);
      for (const [at, reported] of (await Promise.all(reading)).entries())
        assert.equal(reported, expected, `seed ${seed}, reader ${at}`);
    },
    { timeout: 36_000_000 },
  );
});
