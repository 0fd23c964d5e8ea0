/** Every type of PostgreSQL: staged, read back, diffed and approved, its values equal those of a direct write. */
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import type { Comparison } from '../helpers/type-cases.ts';
import {
  connectRaw,
  contentsOf,
  insertedImages,
  runTable,
  twinUrl,
} from '../helpers/type-cases.ts';
import type { TypeTable } from '../helpers/type-tables.ts';
import { createTables, typeTables } from '../helpers/type-tables.ts';
import { families } from './types/families.ts';
import type { Family } from './types/family.ts';

const countCases = ({ subjects }: Family) =>
  subjects.reduce((sum, { values, refused = [] }) => sum + values.length + refused.length, 0);

suite('types', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon | null = null;

  test.beforeEach(async () => {
    database = await createTestDatabase({ template: 'migrated' });
  });
  test.afterEach(async () => {
    await daemon?.stop();
    daemon = null;
    await database.drop();
  });

  async function requirePart(part: string): Promise<void> {
    const found = await database
      .query(
        part === 'xml'
          ? `SELECT '<a/>'::xml`
          : `SELECT FROM pg_available_extensions WHERE name = '${part}'`,
      )
      .catch(() => []);
    if (found.length === 0) throw new MissingProgram(part);
  }

  for (const family of families) {
    test(
      `${family.name}: ${countCases(family)} cases`,
      async () => {
        if (family.needs !== undefined) await requirePart(family.needs);
        await database.query(family.setup ?? '');
        const tables = typeTables(family);
        await database.query(createTables(tables));
        daemon = await startTestDaemon({ database });
        const session = await daemon.newSession({ reads: 'staged' });
        const stagedUrl = daemon.clientUrl(session);
        const directUrl = twinUrl(database);
        const [staged, direct] = await Promise.all([connectRaw(stagedUrl), connectRaw(directUrl)]);
        const comparison: Comparison = {
          daemon,
          staged,
          direct,
          stagedUrl,
          directUrl,
          differences: [],
        };
        try {
          await story(comparison, tables, session);
        } finally {
          await Promise.all([staged.end(), direct.end()]);
        }
      },
      { timeout: 240_000 },
    );
  }

  async function story(
    comparison: Comparison,
    tables: readonly TypeTable[],
    session: string,
  ): Promise<void> {
    for (const table of tables) await runTable(comparison, table);
    assert.equal(comparison.differences, [], 'statements');
    const expected = await contentsOf(comparison.directUrl, tables);
    assert.equal(await contentsOf(comparison.stagedUrl, tables), expected, 'read back');
    const diff = () => comparison.daemon.call('GET', `/sessions/${session}/diff`);
    const first = await diff();
    assert.is(first.status, 200, first.text);
    assert.is((await diff()).text, first.text, 'the diff is stable');
    const missing = (await insertedImages(comparison.direct, tables)).filter(
      (image) => !first.text.includes(`"after":${image}`),
    );
    assert.equal(missing, [], 'the diff shows every value as it is');
    await comparison.daemon.call('POST', `/sessions/${session}/propose`);
    const approved = await comparison.daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(approved.status, 200, approved.text + comparison.daemon.logged.slice(-2));
    assert.equal(await contentsOf(database.url, tables), expected, 'in production');
  }
});
