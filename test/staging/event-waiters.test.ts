/**
 * The event watch with waiting requests: one query serves all of them, their number is limited, and none waits forever. No server is
 * needed.
 */
import type { EventWaiters } from '../../src/staging/event-waiters.ts';
import { createEventWaiters } from '../../src/staging/event-waiters.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('staging: event watch', (test) => {
  let looks: number;
  let atOnce: number;
  /** The sessions of the existing events, numbered from 1; null if the database cannot be queried. */
  let news: readonly string[] | null;
  let watch: EventWaiters;
  test.beforeEach(() => {
    [looks, atOnce, news] = [0, 0, []];
    watch = createEventWaiters({
      query: async (_, values = []) => {
        looks += 1;
        atOnce += 1;
        assert.is(atOnce, 1);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        if (news === null) throw new Error('the database is gone');
        const events = news.map((session_id, index) => ({
          number: String(index + 1),
          session_id,
          project_id: 'shop',
        }));
        return events.slice(Number(values[0]));
      },
    });
  });
  test.afterEach(() => watch.close());

  const wait = (session = 'a', signal = new AbortController().signal, timeoutMs = 600_000) => {
    let isOver = false;
    const concerns = ({ sessionId }: { sessionId: string }) => sessionId === session;
    const done = watch.next({ concerns, after: '0', timeoutMs, signal }).finally(() => {
      isOver = true;
    });
    return { done, isOver: () => isOver };
  };

  test('one look serves all, and wakes those of whom there is news', async () => {
    const waiters = Array.from({ length: 150 }, (_, index) => wait(String(index)));
    news = ['elsewhere', '1', '7'];
    await waiters[1]?.done;
    assert.ok(looks <= 3, String(looks));
    assert.equal(
      waiters.flatMap(({ isOver }, index) => (isOver() ? [index] : [])),
      [1, 7],
    );
    news = [...news, '2'];
    await waiters[2]?.done;
    assert.ok(!waiters[3]?.isOver());
  });

  test('is not woken by what was known before', async () => {
    news = ['a', 'a'];
    const concerns = () => true;
    const { signal } = new AbortController();
    let isOver = false;
    const waiting = watch.next({ concerns, after: '2', timeoutMs: 60_000, signal }).finally(() => {
      isOver = true;
    });
    await until(() => looks > 1);
    assert.not.ok(isOver);
    news = [...news, 'a'];
    await waiting;
  });

  test('asks for nothing while nobody waits', async () => {
    news = ['a'];
    await wait().done;
    const before = looks;
    // longer than the polling interval
    await new Promise((resolve) => setTimeout(resolve, 700));
    assert.is(looks, before);
  });

  test('wakes everybody where the database cannot be asked', async () => {
    news = null;
    await Promise.all([wait().done, wait().done]);
    assert.ok(looks > 0);
  });

  test('has 2,000 places, and gives those of readers that left to others', async () => {
    const controller = new AbortController();
    const waiters = Array.from({ length: 2_000 }, () => wait('a', controller.signal));
    const { code } = (await rejects(wait().done)) as { code?: string };
    assert.is(code, 'busy');
    controller.abort();
    await Promise.all(waiters.map(({ done }) => done));
    const next = wait();
    await until(() => looks > 1);
    assert.not.ok(next.isOver());
  });

  test('lets everybody go when it is closed, and takes nobody in', async () => {
    const waiters = Array.from({ length: 3 }, () => wait());
    watch.close();
    await Promise.all([...waiters, wait()].map(({ done }) => done));
    await wait('a', AbortSignal.abort()).done;
    assert.ok(waiters.every(({ isOver }) => isOver()));
  });

  test('gives up when the time is over', async () => {
    const began = performance.now();
    const { hasNews } = await wait('a', new AbortController().signal, 30).done;
    assert.ok(performance.now() - began >= 29);
    assert.not.ok(hasNews);
  });

  test('says whether there is something to read, and what was examined', async () => {
    news = ['elsewhere', 'a'];
    assert.equal(await wait('a').done, { hasNews: true, last: '0' });
    const waiting = wait('b', new AbortController().signal, 400);
    news = ['elsewhere', 'a', 'elsewhere'];
    assert.equal(await waiting.done, { hasNews: false, last: '3' });
  });

  test('remembers the newest 4,000 reads that found nothing', () => {
    assert.is(watch.quietUntil('0'), undefined);
    for (let read = 0; read <= 4_000; read += 1) watch.noteQuiet(String(read), '7');
    watch.noteQuiet('1', '8');
    watch.noteQuiet('new', '9');
    const known = ['0', '1', '2', '3', 'new'].map((read) => watch.quietUntil(read));
    assert.equal(known, [undefined, '8', undefined, '7', '9']);
  });

  test('runs equal reads of one turn once, and later ones again', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      const which = reads;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return which;
    };
    const all = Array.from({ length: 50 }, () => watch.share('a', read));
    const other = watch.share('b', async () => 'b');
    await new Promise((resolve) => setTimeout(resolve, 5));
    const late = watch.share('a', read);
    assert.equal([...new Set(await Promise.all(all))], [1]);
    assert.equal([await other, await late, reads], ['b', 2, 2]);
    const failing = () => Promise.reject(new Error('gone'));
    const both = [watch.share('a', failing), watch.share('a', failing)];
    for (const each of both) assert.match((await rejects(each)).message, /gone/);
  });
});
