/** Changes of ignored columns, as each interface reports them. No request can make a column ignored. */
import { ApiClient } from '../../src/client/api-client.ts';
import { checkConflicts } from '../../src/mcp/tools/check-conflicts.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('columns that do not count, told', (test) => {
  const served = serve(test, { ignoredColumns: ['products.stock'] });

  async function drifted(set: string): Promise<string> {
    const id = await served.rest.newSession();
    await served.rest.write(id, 'UPDATE products SET price = price + 1 WHERE id = 1');
    await served.rest.database.query(`UPDATE products SET ${set} WHERE id = 1`);
    return id;
  }

  test('as ignored by REST, check, its forms, a rehearsal and the tool of agents', async () => {
    const { rest, shell } = served;
    const id = await drifted('stock = 77');
    const { body } = await rest.call('GET', `/sessions/${id}/conflicts`);
    assert.equal([body.conflicts, body.total_count], [[], 0]);
    assert.equal(
      body.ignored.map((each: Record<string, unknown>) => [
        each['field'],
        each['production_current'],
      ]),
      [['stock', 77]],
    );
    const rehearsed = await rest.call('POST', `/sessions/${id}/rehearse`);
    assert.equal([rehearsed.body.ok, rehearsed.body.ignored.length], [true, 1]);

    const words = 'ignored: its column does not count';
    const check = await shell.run(['check', id]);
    assert.is(check.code, 0);
    assert.is(check.stdout, `products\t1\tstock\t${words}\t120\t120\t77\n`);
    assert.match((await shell.run(['check', id, '-o', 'markdown'])).stdout, 'does not count');
    const json = JSON.parse((await shell.run(['check', id, '--json'])).stdout);
    assert.equal([json.conflicts, json.ignored.length], [[], 1]);
    const rehearsal = await shell.run(['check', id, '--rehearse']);
    assert.is(rehearsal.code, 0);
    assert.match(rehearsal.stdout, /^would land 1 row: products ~1\n/);
    assert.match(
      rehearsal.stdout,
      `products 1 stock: ${words}; was 120, staged 120, in production 77\n`,
    );
    const page = (await shell.run(['diff', id, '-o', 'html'])).stdout;
    assert.match(page, 'No conflicts with production.');

    const api = new ApiClient({ server: rest.url, token: null });
    const call = { api, sessionId: id } as unknown as Parameters<typeof checkConflicts.work>[1];
    const { summary, data } = await checkConflicts.work({}, call);
    assert.is(summary, 'There are no conflicts.');
    const { conflicts, ignored } = { ...data } as Record<string, unknown[]>;
    assert.equal([conflicts, ignored?.length], [[], 1]);
  });

  test('beside those that count, which decide', async () => {
    const id = await drifted(`stock = 78, name = 'other'`);
    const check = await served.shell.run(['check', id]);
    assert.is(check.code, 3);
    assert.equal(
      check.stdout.split('\n').map((line) => line.split('\t')[2]),
      ['name', 'stock', undefined],
    );
    await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    const { status, body } = await served.rest.call('POST', `/sessions/${id}/approve`, {
      json: {},
    });
    assert.equal([status, body.conflicts.length], [409, 1]);
  });

  test('and are chosen by no client', async () => {
    const { call } = served.rest;
    const id = await drifted(`name = 'third'`);
    const json = { conflict_ignore_columns: ['*.name'], ignored_columns: ['*.name'] };
    assert.is((await call('POST', '/sessions', { json })).status, 400);
    await call('POST', `/sessions/${id}/propose`, { json: {} });
    assert.is((await call('POST', `/sessions/${id}/approve`, { json })).status, 400);
    const query = '?conflict_ignore_columns=*.name&ignored_columns=*.name';
    for (const [method, path] of [
      ['GET', 'conflicts'],
      ['POST', 'rehearse'],
      ['POST', 'approve'],
    ] as const) {
      const { status, body } = await call(method, `/sessions/${id}/${path}${query}`, {
        ...(method === 'POST' ? { json: {} } : {}),
      });
      assert.ok(status >= 400 || body.conflicts.length === 1, `${path} ${status}`);
    }
  });
});
