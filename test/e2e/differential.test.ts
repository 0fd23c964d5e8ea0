/**
 * Random statements, directly on one database and staged through the proxy over its twin: every answer is the same, and after
 * approval so are the databases. Replay one run with STAGE_TEST_SEED; STAGE_TEST_SEEDS and STAGE_TEST_STATEMENTS make it longer.
 */
import pg from 'pg';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createRandom } from '../helpers/random.ts';
import type { RandomStatement } from '../helpers/random-sql.ts';
import { randomSchema, randomStatement, randomTables } from '../helpers/random-sql.ts';
import { assert, suite } from '../helpers/suite.ts';

const seeds = process.env['STAGE_TEST_SEED']
  ? [Number(process.env['STAGE_TEST_SEED'])]
  : Array.from({ length: Number(process.env['STAGE_TEST_SEEDS'] ?? 10) }, (_, index) => index + 1);
const statementsPerSeed = Number(process.env['STAGE_TEST_STATEMENTS'] ?? 220);

/** pg's parsed answers would hide differences of format: everything stays text. */
const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

async function connect(connectionString: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    types: asText,
    ...(options === undefined ? {} : { options }),
  });
  // a failed comparison leaves it open; the daemon's end then ends it
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** What a client learns of a statement, comparable between the two databases. */
async function answer(
  client: pg.Client,
  statement: RandomStatement,
): Promise<Record<string, unknown>> {
  try {
    const { command, rowCount, rows, fields } = await client.query({
      text: statement.text,
      rowMode: 'array',
      ...(statement.values === null ? {} : { values: [...statement.values] }),
    });
    const columns = fields.map(({ name, dataTypeID }) => `${name}:${dataTypeID}`);
    return { command, rowCount, columns, rows: rows.map((row) => JSON.stringify(row)).sort() };
  } catch (error) {
    const { code, constraint, table, column, schema } = error as pg.DatabaseError;
    return { code, constraint, table, column, schema };
  }
}

const contentsOf = async (database: TestDatabase) =>
  Promise.all(
    randomTables.map(async (table) =>
      (await database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`))
        .map(({ row }) => row)
        .sort(),
    ),
  );

async function runSeed(seed: number): Promise<{ direct: unknown[]; staged: unknown[] }> {
  const twin = await createTestDatabase({ template: 'empty' });
  const database = await createTestDatabase({ template: 'empty' });
  const daemon = await startTestDaemon({ database });
  try {
    await twin.query(randomSchema);
    await database.query(randomSchema);
    const before = await contentsOf(database);
    const session = await daemon.newSession({ project_id: 'differential', reads: 'staged' });
    const direct = await connect(twin.url);
    const staged = await connect(daemon.clientUrl(session));
    await replay(seed, direct, staged);
    await Promise.all([direct.end(), staged.end()]);
    assert.equal(await contentsOf(database), before, `seed ${seed}: production is untouched`);
    for (const step of ['propose', 'approve']) {
      const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
      assert.is(status, 200, `seed ${seed}, ${step}: ${text}`);
    }
    return { direct: await contentsOf(twin), staged: await contentsOf(database) };
  } finally {
    await daemon.stop();
    await Promise.all([twin.drop(), database.drop()]);
  }
}

/** Sends the seed's statements to both connections and compares each answer. */
async function replay(seed: number, direct: pg.Client, staged: pg.Client): Promise<void> {
  const random = createRandom(seed);
  let inTransaction = false;
  for (let index = 0; index < statementsPerSeed; index++) {
    const statement = randomStatement(random, inTransaction);
    const expected = await answer(direct, statement);
    const actual = await answer(staged, statement);
    const place = `seed ${seed}, statement ${index}: ${statement.text} ${JSON.stringify(statement.values)}`;
    assert.equal(actual, expected, place);
    if (expected['command'] === 'BEGIN') inTransaction = true;
    const ended = /^(COMMIT|ROLLBACK)$/.test(String(expected['command']));
    if (ended && !/ TO /.test(statement.text)) inTransaction = false;
  }
  if (inTransaction) for (const client of [direct, staged]) await client.query('COMMIT');
}

suite('random statements, directly and staged', (test) => {
  for (const seed of seeds) {
    test(
      `seed ${seed}: ${statementsPerSeed} statements answer alike and leave the same database`,
      async () => {
        const { direct, staged } = await runSeed(seed);
        assert.equal(staged, direct, `seed ${seed}: after approval`);
      },
      { timeout: 60_000 + statementsPerSeed * 100 },
    );
  }
});
