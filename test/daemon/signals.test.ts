/** SIGTERM and SIGINT, sent to a separate process. */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { catchSignals } from '../../src/daemon/signals.ts';
import { createLog } from '../../src/log.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('daemon: signals', (test) => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];
  test.before(async () => {
    database = await createTestDatabase();
  });
  test.after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await database.drop();
  });

  const launch = async (): Promise<{ child: ChildProcess; url: string }> => {
    const { child, restUrl: url } = await spawnDaemon(database.url, {
      // longer than the test
      settings: { shutdownGraceMs: 600_000, maxConnections: 20 },
    });
    children.push(child);
    return { child, url };
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} ends the process in order, with code 0`, async () => {
      const { child, url } = await launch();
      assert.is((await callHttp(url, 'POST', '/sessions')).status, 201);
      const exited = once(child, 'exit');
      child.kill(signal);
      assert.equal(await exited, [0, null]);
      assert.is((await rejects(callHttp(url, 'GET', '/livez'))).code, 'ECONNREFUSED');
    });
  }

  test('SIGHUP ends nothing, however often it comes', async () => {
    const { child, url } = await launch();
    for (let time = 0; time < 3; time += 1) {
      child.kill('SIGHUP');
      assert.is((await callHttp(url, 'GET', '/livez')).status, 200);
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.equal(await exited, [0, null]);
  });

  test('a connection that idles does not hold it up', async () => {
    const { child, url } = await launch();
    const { hostname, port } = new URL(url);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    idle.on('error', () => undefined).resume();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.equal(await exited, [0, null]);
    idle.destroy();
  });
});

suite('daemon: catching signals', (test) => {
  const log = createLog('silent', { write: () => undefined });

  /** Replaces the process, which a test must not end. */
  const create = () => {
    const exits: (number | undefined)[] = [];
    const emitter = new EventEmitter();
    const target = Object.assign(emitter, { exit: (code?: number) => exits.push(code) });
    const listeners = () =>
      ['SIGTERM', 'SIGINT', 'SIGHUP'].reduce((sum, name) => sum + emitter.listenerCount(name), 0);
    return {
      exits,
      listeners,
      signals: catchSignals(target),
      send: (signal: string) => emitter.emit(signal, signal),
    };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('one that came before there was anything to stop is not lost', async () => {
    const { signals, send, exits } = create();
    send('SIGTERM');
    let stopped = false;
    await signals.stopOnFirst(async () => {
      stopped = true;
    }, log);
    assert.ok(stopped);
    assert.equal(exits, []);
  });

  test('the second ends the process at once, while stopping goes on', async () => {
    const { signals, send, exits, listeners } = create();
    let finish: () => void = () => undefined;
    const stopping = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const done = signals.stopOnFirst(() => stopping, log);
    send('SIGTERM');
    await turn();
    assert.equal(exits, []);
    send('SIGINT');
    assert.equal(exits, [130]);
    finish();
    await done;
    assert.is(listeners(), 0);
  });

  test('a failure of stopping is raised', async () => {
    const { signals, send } = create();
    const done = signals.stopOnFirst(() => Promise.reject(new Error('stuck')), log);
    send('SIGINT');
    assert.is((await rejects(done)).message, 'stuck');
  });

  test('SIGHUP does what it is to do, and before that nothing', () => {
    const { signals, send, exits } = create();
    send('SIGHUP');
    let times = 0;
    signals.onHangup(() => {
      times += 1;
    });
    send('SIGHUP');
    send('SIGHUP');
    assert.equal([times, exits], [2, []]);
  });

  test('released, they are left to their defaults', () => {
    const { signals, listeners } = create();
    assert.is(listeners(), 3);
    signals.release();
    assert.is(listeners(), 0);
  });
});
