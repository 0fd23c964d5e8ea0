/**
 * A crowd of idle clients, and as many that send a byte now and then and never log in: honest clients still get in. STAGE_TEST_CROWD (100)
 * is the number of each.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { createPipeline } from '../../src/statements/connection.ts';
import { startupMessage } from '../../src/wire/startup.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { connectRaw, listenerSettings, startTestListener } from '../helpers/test-listener.ts';
import type { RandomUpstream } from './random-upstream.ts';
import { startRandomUpstream } from './random-upstream.ts';

const crowd = Number(process.env['STAGE_TEST_CROWD'] ?? 100);
const logins = 100;
const loginTimeoutMs = 10_000;

suite('a crowd', (test) => {
  let upstream: RandomUpstream;
  let listener: TestListener;
  const sockets: Socket[] = [];
  test.before(async () => {
    upstream = await startRandomUpstream(1);
    upstream.behaves = true;
    const settings = { ...listenerSettings, loginTimeoutMs };
    listener = await startTestListener({
      upstream: `postgresql://x@127.0.0.1:${upstream.port}/d?sslmode=disable`,
      settings,
      maxConnections: crowd + 2,
      run: createPipeline(settings),
    });
  });
  test.after(async () => {
    for (const socket of sockets) socket.destroy();
    await listener.stop();
    upstream.stop();
  });

  /** Logs in, and returns how long that took. */
  async function logIn(stays: boolean): Promise<number> {
    const start = performance.now();
    const client = await connectRaw(listener.port, login());
    for (let types = ''; !types.endsWith('Z'); )
      types += String.fromCharCode((await client.stream.next()).type);
    const took = performance.now() - start;
    if (stays) sockets.push(client.socket);
    else client.socket.end(Buffer.from('5800000004', 'hex'));
    if (!stays) await once(client.socket.resume(), 'close');
    return took;
  }

  const login = () =>
    startupMessage([
      ['user', 'u'],
      ['database', 'd'],
      ['service_session', listener.session.id],
    ]);

  test(
    `of ${crowd} idle and ${crowd} slow clients does not keep others out`,
    async () => {
      const empty = await percentile(() => logIn(false));
      for (let count = 0; count < crowd; count += 1) await logIn(true);
      const slow = Array.from({ length: crowd }, () => slowly(listener.port, login()));
      await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
      const full = await percentile(() => logIn(false));
      const ended = await Promise.all(slow.map(({ closed }) => closed));
      process.stdout.write(
        `p99 of a login: ${empty} ms alone, ${full} ms in the crowd; ${ended.length} slow ones ended\n`,
      );
      assert.ok(full < 1000, `${full} ms`);
      assert.ok(await logIn(false));
    },
    { timeout: 120_000 },
  );
});

async function percentile(work: () => Promise<number>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < logins; count += 1) took.push(await work());
  return Math.round(took.sort((a, b) => a - b)[Math.floor(logins * 0.99) - 1] ?? 0);
}

/** Sends a byte of a packet every half second until the connection is closed. */
function slowly(port: number, packet: Buffer): { socket: Socket; closed: Promise<void> } {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(packet.subarray(at, at + 1));
    at = Math.min(at + 1, packet.length - 2);
  }, 500);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      resolve();
    });
  });
  socket.resume();
  return { socket, closed };
}
