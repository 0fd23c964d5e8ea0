/** A cancel request during a COPY that waits for data ends the COPY when the next data arrives, as in PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { b, data, done, e, exchange, h, inWords, p, q, s } from '../helpers/wire-script.ts';

const schema = 'CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, $$a$$)';
const line = (id: number) => data(`${id}\tx\n`);
/** Waits longer than the proxy's threshold for a pause. */
const pause = () => delay(120);

/** The messages after the CopyInResponse. */
const stories: Readonly<Record<string, (client: WireClient) => Promise<void>>> = {
  'before the data': async (client) => {
    await client.cancel();
    await pause();
    client.send(line(500), done);
  },
  'before the data, at once': async (client) => {
    await client.cancel();
    client.send(line(500), done);
  },
  'between data': async (client) => {
    client.send(line(500));
    await client.cancel();
    await pause();
    client.send(line(501), done);
  },
  'after a pause': async (client) => {
    client.send(line(500));
    await pause();
    await client.cancel();
    await pause();
    client.send(line(501), done);
  },
  'among much': async (client) => {
    for (let id = 500; id < 700; id += 1) {
      if (id === 600) await client.cancel();
      client.send(line(id));
    }
    client.send(done);
  },
  'twice, before data that is wrong': async (client) => {
    await client.cancel();
    await client.cancel();
    await pause();
    client.send(line(1), line(501), done);
  },
};

suite('COPY that is cancelled', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const reported = async (url: string, inBlock: boolean, isExtended: boolean, name: string) => {
    const client = await proxied.wire(url);
    const answer = (...messages: Buffer[]) => exchange(client, ...messages);
    const heard = inBlock ? await answer(q('BEGIN')) : [];
    if (isExtended) client.send(p('COPY item FROM STDIN'), b(), e(), h);
    else client.send(q('COPY item FROM STDIN'));
    await client.readTo(backend.copyInResponse);
    await stories[name]?.(client);
    heard.push(
      ...(isExtended ? await answer(s) : (await client.readTo(backend.readyForQuery)).map(inWords)),
    );
    if (inBlock) heard.push(...(await answer(q('COMMIT'))));
    heard.push(...(await answer(q('SELECT * FROM item ORDER BY id'))));
    client.close();
    return heard;
  };

  for (const name of Object.keys(stories)) {
    test(name, async () => {
      for (const [inBlock, isExtended] of [
        [false, false],
        [true, false],
        [false, true],
      ] as const) {
        const staged = await reported(await proxied.session('staged'), inBlock, isExtended, name);
        assert.equal(staged, await reported(proxied.twin.url, inBlock, isExtended, name));
        assert.match(staged.join('\n'), /C=57014 M=canceling statement due to user request/);
      }
    });
  }
});
