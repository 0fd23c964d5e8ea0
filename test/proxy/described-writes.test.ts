/** The first description of a write after a change of its table returns the new types, as in PostgreSQL. */

import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, e, exchange, h, inWords, p, s } from '../helpers/wire-script.ts';

const schema = 'CREATE TABLE rc (id int PRIMARY KEY, v int)';
const insert = 'INSERT INTO rc (id, v) VALUES ($1, $2)';
const update = 'UPDATE rc SET v = $1 WHERE id = $2';

const changes: Readonly<Record<string, { readonly sql: string; readonly value: string }>> = {
  'a longer type': { sql: 'ALTER TABLE rc ALTER v TYPE bigint', value: '3000000000' },
  'another type': {
    sql: 'ALTER TABLE rc ALTER v TYPE date USING $$2020-01-01$$::date',
    value: '2020-02-02',
  },
  'a column that is made anew': {
    sql: 'ALTER TABLE rc DROP v; ALTER TABLE rc ADD v text',
    value: 'x',
  },
  'a table that is made anew': {
    sql: 'DROP TABLE rc; CREATE TABLE rc (id int PRIMARY KEY, v numeric)',
    value: '1.5',
  },
};

suite('writes that are described', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, { sql, value }] of Object.entries(changes)) {
    test(`after a change: ${name}`, async () => {
      const again = `DROP TABLE rc; ${schema}`;
      const heard = [];
      for (const [database, url] of [
        [proxied.database, await proxied.session('staged')],
        [proxied.twin, proxied.twin.url],
      ] as const) {
        await database.query(again);
        const client = await proxied.wire(url);
        const batch = (...messages: Buffer[]) => exchange(client, ...messages, s);
        await batch(p(insert), b(['1', null]), e(), p(update), b([null, '1']), e());
        await batch(p('DELETE FROM rc'), b(), e());
        await database.query(sql);
        const described = [await batch(p(insert), d('statement'))];
        described.push(await batch(b(['2', value]), e()));
        client.send(p(update), d('statement'), h);
        described.push((await client.readTo(backend.noData)).map(inWords));
        described.push(await batch(b([value, '2']), e()));
        client.close();
        heard.push(described);
      }
      assert.equal(heard[0], heard[1]);
    });
  }
});
