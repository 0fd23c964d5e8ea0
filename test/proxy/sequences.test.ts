/** Keys that a client takes from a sequence, as Hibernate does before each INSERT; and the transaction's access as the client sees it. */

import type pg from 'pg';
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { d, p, q, run, s } from '../helpers/wire-script.ts';

const schema = `
CREATE SEQUENCE keys INCREMENT BY 50;
CREATE TABLE item (id bigint PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'one');
`;
const next = `select nextval('keys')`;

suite('sequences', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const reads of ['production', 'staged'] as const) {
    test(`are drawn from by SELECT, with reads ${reads}`, async () => {
      await assertAlike(
        proxied,
        [
          ...[q(next), run(next), s, p(next, 'n'), d('statement', 'n'), s],
          ...[run(`select nextval($1::regclass)`, 'keys'), s, q(`SELECT currval('keys')`)],
          q(`BEGIN; ${next}; INSERT INTO item VALUES (currval('keys'), 'drawn'); COMMIT`),
          ...[
            q('BEGIN'),
            q(next),
            q('SAVEPOINT a'),
            q(next),
            q('SELECT 1/0'),
            q(next),
            q('ROLLBACK TO a'),
            q(next),
            q('ROLLBACK'),
          ],
          q(
            `WITH k AS (SELECT nextval('keys') AS id FROM generate_series(1, 3)) SELECT min(id), max(id) FROM k`,
          ),
          q(`SELECT pg_catalog.nextval('keys'); ${next}; SELECT 2`),
          q(`PREPARE one AS ${next}; EXECUTE one; EXECUTE one`),
          ...[
            q('BEGIN READ ONLY'),
            q(next),
            q('ROLLBACK'),
            q(`SELECT nextval('nowhere')`),
            q(`SELECT nextval('item')`),
          ],
        ],
        { reads },
      );
    });
  }

  test('are not set, unless the configuration allows it', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    const error = await rejects(client.query(`SELECT setval('keys', (SELECT max(id) FROM item))`));
    assert.is(error.code, '0A000');
    assert.match((error as pg.DatabaseError).hint ?? '', 'allow_functions');
    const allowing = await startProxied(schema, { allowFunctions: 'setval' });
    try {
      const url = await allowing.session('staged');
      const other = await allowing.connect(url);
      await other.query(`INSERT INTO item VALUES (70, 'staged')`);
      const { rows } = await other.query(`SELECT setval('keys', max(id)) AS set FROM item`);
      assert.equal(rows, [{ set: '70' }]);
    } finally {
      await allowing.stop();
    }
  });

  test('take a right of their own', async () => {
    const role = await createRole(proxied.database, 'GRANT SELECT ON item TO $role');
    try {
      const { daemon, database } = proxied;
      const url = daemon.clientUrl(await daemon.newSession(), role.name, role.name);
      const client = await proxied.connect(url);
      assert.is((await rejects(client.query(next))).code, '42501');
      await database.query(`GRANT USAGE ON SEQUENCE keys TO ${role.name}`);
      await client.query(next);
      await client.end();
    } finally {
      await role.drop();
    }
  });

  test('a connection says that it takes writes', async () => {
    await assertAlike(proxied, [
      q('SHOW transaction_read_only'),
      ...[
        run('SHOW transaction_read_only'),
        s,
        p('show transaction_read_only', 'x'),
        d('statement', 'x'),
        s,
      ],
      ...[
        'BEGIN',
        'SHOW transaction_read_only',
        'COMMIT',
        'BEGIN READ ONLY',
        'SHOW transaction_read_only',
        'COMMIT',
      ].map(q),
      q('SELECT 1; SHOW transaction_read_only'),
    ]);
  });
});
