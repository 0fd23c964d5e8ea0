/** Code that is replaced after the proxy took it for harmless: READ ONLY protects production from it all the same. */
import { backend } from '../../src/wire/message-codes.ts';
import { attackSchema, stage } from '../helpers/attack.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, connectWire, e, p, q, runScriptOn, s } from '../helpers/wire-script.ts';

const harmless = `CREATE OR REPLACE VIEW first AS SELECT 'a'::text AS x; CREATE OR REPLACE VIEW second AS SELECT 1 AS x`;
const harmful =
  'CREATE OR REPLACE VIEW first AS SELECT lift() AS x; CREATE OR REPLACE VIEW second AS SELECT evil() AS x';

const prepared = [p('SELECT x FROM first', 'first'), p('SELECT x FROM second', 'second'), s];
const batch = (name: string) => Buffer.concat([b([], name), e(), s]);

suite('code that is replaced', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(attackSchema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    await proxied.database.query(`ALTER SEQUENCE written RESTART; ${harmless}`);
  });

  const attempts = {
    'lift READ ONLY for what is sent behind': [batch('first'), batch('second')],
    'lift READ ONLY for what follows': [batch('first'), 'wait', batch('second')],
    write: [batch('second')],
  } as const;

  for (const [attempt, steps] of Object.entries(attempts)) {
    test(`cannot ${attempt}`, async () => {
      const before = await proxied.contents();
      const client = await connectWire(await proxied.session());
      try {
        await runScriptOn(client, [...prepared, ...[batch('first'), batch('second')]]);
        await proxied.database.query(harmful);
        const answers = await runScriptOn(client, steps);
        assert.ok(
          answers.some((answer) => answer.startsWith('E ') && answer.includes('C=25006')),
          answers.join('\n'),
        );
      } finally {
        client.close();
      }
      assert.equal(await proxied.contents(), before);
      const [sequence] = await proxied.database.query('SELECT is_called FROM written');
      assert.is(sequence?.['is_called'], false, 'the function ran to its end');
    });
  }

  test('cannot write while names are resolved in a transaction that writes', async () => {
    const { database } = proxied;
    const read = `SELECT pg_get_functiondef('stage.name_context()'::regprocedure) AS text`;
    const [own] = await database.query(read);
    const client = await connectWire(await proxied.session());
    try {
      client.send(q('BEGIN'), q(stage));
      await client.readTo(backend.readyForQuery, 2);
      await database.query(`CREATE OR REPLACE FUNCTION stage.name_context() RETURNS text LANGUAGE plpgsql AS
        'BEGIN RETURN nextval(''public.written'')::text; END'`);
      const answers = await runScriptOn(client, [q('INSERT INTO victim VALUES (2)')]);
      assert.ok(
        answers.some((answer) => answer.includes('C=25006')),
        answers.join('\n'),
      );
    } finally {
      client.close();
      await database.query(String(own?.['text']));
    }
    const [sequence] = await database.query('SELECT is_called FROM written');
    assert.is(sequence?.['is_called'], false);
  });
});
