/** The bytes that arrive at a socket are read completely and in order, and may be retained, whatever their sizes. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as tls from 'node:tls';
import { readPieces } from '../../src/server-connection/socket-reader.ts';
import { createCertificate } from '../helpers/login-server.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** The numbers of bytes that arrive at once, each after all before them are read. */
const sizes: Readonly<Record<string, readonly number[]>> = {
  'a few bytes': [1, 40, 5],
  'many bytes': [300_000, 70_000],
  'few and many': [20, 200_000, 3, 32_769, 65_536, 9, 500_000, 1],
};

suite('pieces of a socket', (test) => {
  let directory: string;
  let certificate: { cert: Buffer; key: Buffer };
  test.before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stage-reader-'));
    const { certFile, keyFile } = await createCertificate(directory, 'server');
    certificate = { cert: await readFile(certFile), key: await readFile(keyFile) };
  });
  test.after(() => rm(directory, { recursive: true }));

  /** Returns both ends of a connection. The accepted one is paused, as after a login. */
  async function connected(encrypted: boolean): Promise<readonly [Socket, Socket, Server]> {
    const server = encrypted ? tls.createServer(certificate) : createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, encrypted ? 'secureConnection' : 'connection');
    const client = encrypted
      ? tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    const [socket] = (await accepted) as [Socket];
    socket.pause();
    return [client, socket, server];
  }

  for (const encrypted of [false, true])
    for (const [name, counts] of Object.entries(sizes))
      test(`${name}${encrypted ? ', encrypted' : ''}`, async () => {
        const random = createRandom(counts.length);
        const [client, socket, server] = await connected(encrypted);
        const bytes = counts.map((size) => Buffer.alloc(size, random.below(256)));
        const sent = Buffer.concat(bytes);
        // bytes that arrived before the reader was set are read, too
        client.write(bytes[0] as Buffer);
        await delay(5); // no event reports their arrival
        const pieces: Buffer[] = [];
        let isPaused = true;
        const isShared = readPieces(socket, (piece) => {
          assert.not(isPaused);
          pieces.push(piece);
          isPaused = random.chance(0.3);
          if (isPaused) socket.pause();
        });
        // otherwise this version of Node stores its read buffer elsewhere
        assert.is(isShared, !encrypted);
        const taken = () => pieces.reduce((sum, { length }) => sum + length, 0);
        const untilTaken = (size: number) =>
          until(() => {
            isPaused = false;
            socket.resume();
            return taken() === size;
          });
        let written = counts[0] as number;
        for (const part of bytes.slice(1)) {
          client.write(part);
          await delay(5);
          written += part.length;
          await untilTaken(written);
          isPaused = true;
          socket.pause();
        }
        client.end();
        await untilTaken(written);
        assert.ok(sent.equals(Buffer.concat(pieces)));
        await until(() => socket.readableEnded);
        socket.destroy();
        server.close();
      });

  test('of one come to nobody else', async () => {
    const ends = await Promise.all(['a', 'b', 'c'].map(() => connected(false)));
    const pieces = ends.map((): Buffer[] => []);
    for (const [index, [, socket]] of ends.entries()) {
      readPieces(socket, (piece) => pieces[index]?.push(piece));
      socket.resume();
    }
    const counts = [10, 90_000, 1, 40_000, 5];
    for (const count of counts)
      for (const [index, [client]] of ends.entries()) client.write(Buffer.alloc(count, index + 1));
    const sum = counts.reduce((all, count) => all + count);
    await until(() => pieces.every((each) => Buffer.concat(each).length === sum));
    for (const [index, each] of pieces.entries())
      assert.ok(Buffer.concat(each).equals(Buffer.alloc(sum, index + 1)));
    for (const [client, socket, server] of ends) {
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
});
