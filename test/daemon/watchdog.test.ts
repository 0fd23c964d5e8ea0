/** A daemon whose event loop hangs ends, and leaves nothing that the next one does not clean up. */
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('the watchdog', (test) => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];
  test.before(async () => {
    database = await createTestDatabase();
  });
  test.after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await database.drop();
  });

  /** Starts a daemon that blocks its event loop for the given time on a signal. */
  async function serve(seconds: number): Promise<SpawnedDaemon> {
    const daemon = await spawnDaemon(database.url, {
      modules: [pathToFileURL(resolve('test/fixtures/daemon/stand-still.mjs')).href],
      env: { STAND_STILL_SECONDS: String(seconds) },
    });
    children.push(daemon.child);
    return daemon;
  }

  async function standStill(): Promise<void> {
    const { child, logged, ended, restUrl: rest } = await serve(3_600);
    const { body } = await callHttp(rest, 'POST', '/sessions', { json: {} });
    child.kill('SIGUSR2');
    const start = performance.now();
    assert.equal(await ended, [null, 'SIGKILL']);
    const seconds = (performance.now() - start) / 1000;
    assert.ok(seconds > 28 && seconds < 45, `ended after ${seconds} s`);
    const last = logged.at(-1);
    assert.is(last?.['message'], 'the event loop stands still: ending');
    assert.is(last?.['level'], 'error');
    const next = await serve(1);
    const found = await callHttp(next.restUrl, 'GET', `/sessions/${body.session_id}`);
    assert.is(found.body.status, 'active');
    next.child.kill('SIGTERM');
    await next.ended;
  }

  async function stop(): Promise<void> {
    const { child, logged, ended, restUrl: rest } = await serve(5);
    child.kill('SIGUSR2');
    await until(() => logged.some(({ message }) => message === 'standing still'));
    assert.is((await callHttp(rest, 'GET', '/livez')).status, 200);
    child.kill('SIGSTOP');
    // longer than an event loop may hang
    await delay(32_000);
    child.kill('SIGCONT');
    assert.is((await callHttp(rest, 'GET', '/livez')).status, 200);
    child.kill('SIGTERM');
    assert.equal(await ended, [0, null]);
    assert.is(logged.filter(({ level }) => level === 'error').length, 0);
  }

  // Both wait for half a minute: at the same time.
  let stopped: Promise<unknown>;

  test(
    'ends a process whose event loop has stood for 30 s, and says so',
    async () => {
      stopped = stop().catch((error: unknown) => error);
      await standStill();
    },
    { timeout: 90_000 },
  );

  test(
    'leaves alone one that stands for a while, and one that is stopped as a whole',
    async () => {
      assert.is(await stopped, undefined);
    },
    { timeout: 90_000 },
  );
});
