/** A review while the service disappears and returns; comments in it reach the other side. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { TestTerminal } from '../helpers/test-terminal.ts';

const patience = { timeout: 120_000 };

/** A connection to the service that can be cut and restored. */
class Path {
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  #server: Server | null = null;
  port = 0;

  constructor(url: string) {
    this.#target = Number(new URL(url).port);
  }

  async open(): Promise<void> {
    const server = createServer((socket) => {
      const upstream = connect(this.#target, '127.0.0.1');
      for (const each of [socket, upstream]) {
        this.#sockets.add(each);
        each.on('error', () => each.destroy());
      }
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server?.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await closed;
  }
}

suite('review of a service that goes away', (test) => {
  let rest: TestRest;
  let path: Path;
  let terminal: TestTerminal;
  let id: string;
  test.before(async () => {
    rest = await startTestRest();
    path = new Path(rest.url);
    await path.open();
  });
  test.beforeEach(async () => {
    id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = 1 WHERE sku = 'MUG-01'`);
    await rest.call('POST', `/sessions/${id}/propose`);
    terminal = new TestTerminal(`http://127.0.0.1:${path.port}`, id);
    await terminal.see(/> ~ +1 │ MUG-01/);
  });
  test.afterEach(() => terminal.leave());
  test.after(async () => {
    await path.cut();
    await rest.stop();
  });

  test(
    'says so until it is back, and then shows what has happened meanwhile',
    async () => {
      await path.cut();
      await terminal.see(/PROPOSED OFFLINE/);
      await terminal.press('j');
      await terminal.press('k');
      await terminal.see(/! Offline, trying again/);
      await rest.call('POST', `/sessions/${id}/reopen`, { json: { message: 'more' } });
      await rest.write(id, `UPDATE products SET price = 2 WHERE sku = 'TEE-M'`);
      await path.open();
      await terminal.see(/ACTIVE [^O]/);
      await terminal.see(/products 1\/2/);
      await terminal.see(/Comments 1/);
      assert.not.match(terminal.frame, /OFFLINE|Offline/);
    },
    patience,
  );

  test(
    'what is said and asked for reaches the other side',
    async () => {
      await terminal.press('M');
      await terminal.press('too cheap?\r');
      await terminal.see(/Comments 1/);
      await terminal.press('C');
      await terminal.see(/Give this session back/);
      await terminal.press('yes\r');
      await terminal.see(/What is to change/);
      await terminal.press('mind the price\r');
      await terminal.see(/Given back/);
      await terminal.see(/ACTIVE/);
      const { body } = await rest.call('GET', `/sessions/${id}/comments`);
      assert.equal(
        body.comments.map((each: { kind: string; body: string; table: string }) => [
          each.kind,
          each.body,
          each.table,
        ]),
        [
          ['comment', 'too cheap?', 'products'],
          ['changes_requested', 'mind the price', null],
        ],
      );
      await terminal.press('\r');
      await terminal.see(/Why[\s\S]*UPDATE products SET price = 1/);
    },
    patience,
  );
});
