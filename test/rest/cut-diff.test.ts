/** A diff that times out while it is sent: its reader is told about the time, and not that the service is unavailable. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { createTransport } from '../../src/client/transport.ts';
import { StageError } from '../../src/errors.ts';
import type { Change } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import { diffStream } from '../../src/rest/diff-stream.ts';
import { createShell } from '../cli/stage.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const counts = { table: 't', inserts: 9, updates: 0, deletes: 0, furtherChanges: 0 };

/** Large enough that its text is sent. */
const change: Change = {
  table: 't',
  type: 'INSERT',
  rowId: new JsonText('1'),
  before: null,
  after: new JsonText(`{"a":"${'x'.repeat(100_000)}"}`),
};

suite('a diff that is cut', (test) => {
  /** Serves such a diff at any path, to a function that gets the address. */
  async function served<T>(error: Error, read: (url: string) => Promise<T>): Promise<T> {
    const app = new Koa();
    app.silent = true;
    app.use((ctx) => {
      ctx.type = 'json';
      ctx.body = diffStream(
        'sess_1',
        {
          status: 'active',
          counts: [{ ...counts, columns: [], triggers: [] }],
          changes: (async function* () {
            yield [change];
            throw error;
          })(),
          steps: (async function* () {})(),
          digest: async () => '',
          close: async () => {},
        },
        { offset: 0 },
      );
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      return await read(`http://127.0.0.1:${port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const failing = (error: Error) =>
    served(error, async (server) => {
      const transport = createTransport({ server, token: null });
      let text = '';
      const read = async () => {
        for await (const part of transport.stream({ method: 'GET', path: '/' })) text += part;
      };
      try {
        return { error: await rejects<StageError>(read()), text };
      } finally {
        await transport.close();
      }
    });

  test('because it took too long says so', async () => {
    const { error, text } = await failing(
      new StageError('took_too_long', 'reading took longer', { hint: 'Read it in pages.' }),
    );
    assert.equal(
      [error.code, error.message, error.hint],
      ['took_too_long', 'reading took longer', 'Read it in pages.'],
    );
    assert.not.match(text, /error|\n/);
  });

  test('for another reason has broken off, which is not that nobody is there', async () => {
    const { error } = await failing(new Error('boom'));
    assert.is(error.code, 'server_unavailable');
    assert.match(error.message, /the answer of http:.* broke off: /);
    assert.match(error.hint ?? '', /stage status/);
  });

  test('does not end as a whole one in any form', async () => {
    const late = new StageError('took_too_long', 'reading took longer');
    const id = `sess_${'0'.repeat(32)}`;
    await served(late, async (url) => {
      const shell = await createShell(url);
      for (const form of ['text', 'markdown', 'json', 'jsonl', 'csv']) {
        const { code, stdout, stderr } = await shell.run(['diff', id, '-o', form]);
        assert.not.match(stdout, /end|digest/, form);
        assert.match(stderr, 'reading took longer');
        assert.is(code, 1, form);
      }
      await shell.clear();
    });
  });
});
