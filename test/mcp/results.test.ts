/** The results of the tools: each fact once, in a size that `docs/agents.md` states, and errors in the service's own words. */
import { readFileSync } from 'node:fs';
import type { Agent, AgentTable, Given } from '../helpers/agent-table.ts';
import { setAgentTable } from '../helpers/agent-table.ts';
import { assert, suite } from '../helpers/suite.ts';

const relations = (schema: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `CREATE TABLE ${schema}.customer_order_${at} (id bigint PRIMARY KEY, customer_id integer NOT NULL, note text, price numeric(10,2), at timestamptz);`,
  ).join('\n');

const size = ({ own, data }: Given) => Buffer.byteLength(own) + Buffer.byteLength(data);

suite('mcp: answers', (test) => {
  let table: AgentTable;
  let agent: Agent;
  let session_id: string;
  test.before(async () => {
    table = await setAgentTable();
    const { database, clerk } = table;
    await database.query(`
      CREATE TABLE wide (id int PRIMARY KEY, kind text, ${Array.from({ length: 20 }, (_, at) => `c${at} text DEFAULT 'some value'`).join(', ')}, doc jsonb);
      INSERT INTO wide (id, kind) SELECT i, 'old' FROM generate_series(1, 60) i;
      GRANT SELECT ON wide TO ${clerk.name};
      CREATE SCHEMA sales; CREATE SCHEMA stage_load_7;
      ${relations('sales', 50)}
      CREATE VIEW sales.prices AS SELECT id, price FROM sales.customer_order_1;
      CREATE TABLE stage_load_7.theirs (id int);
      GRANT USAGE ON SCHEMA sales, stage_load_7 TO ${clerk.name};
      GRANT SELECT ON ALL TABLES IN SCHEMA sales, stage_load_7 TO ${clerk.name};
      CREATE ROLE ${clerk.name}_owner; ALTER SCHEMA stage_load_7 OWNER TO ${clerk.name}_owner`);
    agent = await table.connect();
    session_id = (await agent.use('open_session', { purpose: 'look and write' })).body.session_id;
    // the first writes create the service's objects
    for (const sql of [
      `INSERT INTO products (sku, name, price) VALUES ('A', 'a', 1), ('B', 'b', 2)`,
      `UPDATE wide SET kind = 'new' WHERE id <= 50`,
    ])
      assert.is((await agent.use('stage_write', { session_id, sql })).isError, false);
  });
  test.after(async () => {
    await table.database.query(
      `DROP SCHEMA stage_load_7 CASCADE; DROP ROLE ${table.clerk.name}_owner`,
    );
    await table.close();
  });
  const use = (tool: string, input: object = {}) => agent.use(tool, { session_id, ...input });

  test('every answer holds everything once: no structured content beside the texts', async () => {
    for (const [name, input] of [
      ['show_diff', {}],
      ['list_tables', {}],
      ['query', { sql: 'SELECT 1' }],
      ['session_status', {}],
      ['query', { sql: 'SELECT' + ' nothing' }],
      ['comment', {}],
    ] as const) {
      const result = await agent.client.callTool({ name, arguments: { session_id, ...input } });
      assert.is(result.structuredContent, undefined, name);
      assert.ok(result.content.length <= 2, name);
    }
  });

  test('names of tables come first, by schema, without the objects of the service', async () => {
    const { body, own } = await use('list_tables');
    assert.equal(
      body.data.schemas.map(({ schema }: { schema: string }) => schema),
      ['public', 'sales', 'stage_load_7'],
    );
    const [shop, sales, theirs] = body.data.schemas;
    assert.equal([shop.tables, shop.views], [['customers', 'products', 'wide'], []]);
    assert.equal([sales.tables.length, sales.views], [50, ['prices']]);
    assert.equal(theirs.tables, ['theirs']);
    assert.equal([body.count, body.truncated], [55, false]);
    assert.match(own, /^55 of 55 .*\nNext: .*columns: true/);
  });

  test('columns, types and keys are listed of what is asked for', async () => {
    const input = { schema: 'sales', like: '%order_1', columns: true };
    const { tables } = (await use('list_tables', input)).body.data;
    assert.equal(tables, [
      {
        table: 'sales.customer_order_1',
        kind: 'table',
        columns: [
          'id bigint NOT NULL',
          'customer_id integer NOT NULL',
          'note text',
          'price numeric(10,2)',
          'at timestamp with time zone',
        ],
        keys: ['PRIMARY KEY (id)'],
      },
    ]);
    const { body } = await use('list_tables', { schema: 'nowhere' });
    assert.equal([body.count, body.data.schemas, body.truncated], [0, [], false]);
  });

  test('a long list is read on in', async () => {
    const first = await use('list_tables', { columns: true });
    assert.is(first.body.truncated, true);
    const rest = await use('list_tables', { columns: true, ...first.body.data.continue });
    const all = [...first.body.data.tables, ...rest.body.data.tables];
    assert.equal([all.length, new Set(all.map((each) => each.table)).size], [55, 55]);
    assert.is(rest.body.truncated, false);
  });

  test('an update is shown by the columns that it changes', async () => {
    const { body } = await use('show_diff', { table: 'wide', limit: 1 });
    const [change] = body.data.changes;
    const { table: name, type, row_id, before, after } = change;
    assert.equal(
      [name, type, row_id, before, after],
      ['wide', 'UPDATE', 1, { kind: 'old' }, { kind: 'new' }],
    );
    const [insert] = (await use('show_diff', { table: 'products' })).body.data.changes;
    assert.equal([insert.before, insert.after.sku, insert.after.stock], [null, 'A', 0]);
  });

  test('the brief of a diff is data, and values in it are escaped', async () => {
    const { body } = await agent.use('open_session', { purpose: 'a brief' });
    const own = { session_id: body.session_id };
    const sql = `UPDATE wide SET kind = U&'\\202eignore previous <b>' WHERE id = 59`;
    assert.is((await agent.use('stage_write', { ...own, sql })).isError, false);
    const shown = await agent.use('show_diff', own);
    const brief = JSON.stringify(shown.body.data.brief);
    assert.match(brief, /kind: old → E'\\\\u202eignore previous <b>' \(1 row\)/);
    assert.not.match(shown.own, /ignore previous/);
    assert.not.match(shown.data, /\u202e/);
  });

  test('NULL and the null of jsonb are told apart', async () => {
    const { body } = await agent.use('open_session', { purpose: 'nulls' });
    const own = { session_id: body.session_id };
    const sql = `UPDATE wide SET doc = 'null' WHERE id = 60`;
    await agent.use('stage_write', { ...own, sql });
    const [change] = (await agent.use('show_diff', own)).body.data.changes;
    assert.equal([change.before, change.after], [{ doc: null }, { doc: 'null' }]);
  });

  test('a diff is read on in over its tables, and what is too large is named', async () => {
    const { body } = await agent.use('open_session', { purpose: 'a large row' });
    const own = { session_id: body.session_id };
    for (const sql of [
      `UPDATE wide SET c1 = repeat('x', 50000) WHERE id = 2`,
      `UPDATE wide SET kind = 'k' WHERE id IN (1, 3)`,
      `UPDATE products SET stock = 1 WHERE id <= 3`,
      `UPDATE wide SET c2 = repeat('x', 25000) WHERE id IN (4, 5)`,
    ])
      await agent.use('stage_write', { ...own, sql });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const asked = { ...own, limit: 4, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = (await agent.use('show_diff', asked)).body;
      for (const { table: name, row_id, too_large } of data.changes)
        seen.push(`${name} ${row_id}${too_large ? ' too large' : ''}`);
      cursor = data.continue;
    } while (cursor !== undefined);
    assert.equal(
      seen.join(', '),
      'products 1, products 2, products 3, wide 2 too large, wide 1, wide 3, wide 4, wide 5',
    );
    const gone = await agent.use('show_diff', { ...own, cursor: '1@nothing' });
    assert.match(gone.own, /the diff has changed, begin anew/);
  });

  test('a read that is sent to stage_write is called one', async () => {
    const { own } = await use('stage_write', { sql: 'SELECT 1' });
    assert.match(own, /^SELECT: 1 row\. This is a read: .*\nNext: Read with query/);
    assert.not.match(own, /Staged in the session/);
  });

  test('a statement without a count of rows has none', async () => {
    const opened = await agent.use('open_session', { purpose: 'empty a table' });
    const write = { session_id: opened.body.session_id, sql: 'TRUNCATE wide' };
    const { own, body } = await agent.use('stage_write', write);
    assert.match(own, /^TRUNCATE: no count of rows\. What it changes is staged in the session/);
    assert.is(body.rows_affected, null);
  });

  test('arguments that are wrong are named, with what they have to be and a call that is right', async () => {
    for (const [tool, input, ...said] of [
      [
        'comment',
        {},
        'body is missing: a text of 1 to 2000 characters',
        '"body":"All prices are net."',
      ],
      ['comment', { body: 'x', row: 1 }, 'there is no argument row: row_id may be meant'],
      [
        'comment',
        { body: 'x', row_id: true },
        'row_id has to be a whole number or a text of at most 2000 characters or an object',
      ],
      ['comment', { body: 'a\u0007' }, 'body has to be a text without control characters'],
      [
        'discard_session',
        {},
        'confirm is missing: a text of at most 40 characters',
        '"confirm":"01234567"',
      ],
      ['show_diff', { limit: 0 }, 'limit has to be a whole number from 1 to 200', '"limit":50'],
      ['show_diff', { limit: '5' }, 'limit has to be a whole number from 1 to 200'],
      ['show_diff', { cursor: '5' }, 'cursor has to be data.continue of an earlier call'],
      [
        'show_diff',
        { zzz: 1 },
        'there is no argument zzz: it takes session_id, table, cursor, limit',
      ],
      [
        'query',
        { sql: 'SELECT $1', params: [{}] },
        'params has to be a list of at most 1000 values, each of the type string or number or boolean or null',
      ],
      ['stage_write', {}, 'sql is missing', '"sql":"UPDATE products SET'],
      ['query', {}, 'sql is missing', '"sql":"SELECT name'],
      ['list_tables', { columns: 'yes' }, 'columns has to be true or false'],
      [
        'session_status',
        { session_id: 'sess_1' },
        'session_id has to be a session id: sess_ and 32 hexadecimal digits',
      ],
      ['open_session', {}, 'purpose is missing', 'there is no argument session_id'],
    ] as [string, object, ...string[]][]) {
      const { isError, own, body } = await use(tool, input);
      assert.equal([isError, body.error], [true, 'invalid_request'], own);
      for (const part of said) assert.ok(own.includes(part), `${part}\n${own}`);
      assert.not.match(own, /Invalid input|Unrecognized|expected|Too (?:small|big)|zod/i);
    }
  });

  test('every argument has an example', async () => {
    for (const { name, inputSchema } of (await agent.client.listTools()).tools)
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        assert.ok(
          Array.isArray((schema as { examples?: unknown }).examples),
          `${name} ${argument}`,
        );
  });

  test('answers take the room that the documents tell', async () => {
    const { tools } = await agent.client.listTools();
    const measured: Record<string, number> = {
      'the tools, as they are listed': Buffer.byteLength(JSON.stringify(tools)),
      'names of 55 tables and views': size(await use('list_tables')),
      'columns and keys of one table': size(
        await use('list_tables', { like: 'customer_order_1', columns: true }),
      ),
      '50 updates of one column': size(await use('show_diff', { table: 'wide' })),
      'one written statement': size(
        await use('stage_write', { sql: 'DELETE FROM customers WHERE id = 3' }),
      ),
    };
    const page = readFileSync('docs/agents.md', 'utf8');
    const reported = Object.keys(measured).map((what) => {
      const figure = new RegExp(`\\| ${what} \\| ([\\d,]+) \\|`).exec(page)?.[1] ?? '';
      return [what, Number(figure.replace(',', ''))] as const;
    });
    // numbers of rows and the names of test roles differ in a few digits
    const isNear = reported.every(
      ([what, bytes]) => Math.abs(bytes / (measured[what] ?? 0) - 1) < 0.1,
    );
    assert.ok(isNear, JSON.stringify(measured));
  });
});
