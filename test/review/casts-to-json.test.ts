/** Types with a user-defined cast to JSON: approved values return exactly, and a cast that fails is no obstacle. */
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';

interface Subject {
  readonly type: string;
  /** SQL that creates the type, or objects of an extension. */
  readonly setup?: string;
  readonly extension?: string;
  readonly values: readonly [string, string, string, string];
  /** Whether its values can be a key. */
  readonly isKey?: boolean;
}

const hstore = ['a=>1', 'b=>NULL, "c d"=>"x, y"', '', 'a=>"1 ", b=>2'] as const;

/** An enum with a cast to json that fails for one value, and returns a number or an object for others. */
const own = `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'none');
CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF $1 = 'sad' THEN RAISE EXCEPTION 'not that'; END IF;
  RETURN CASE $1 WHEN 'ok' THEN '7' WHEN 'happy' THEN '{"how": "very"}' ELSE 'null' END::json;
END $$;
CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood);
CREATE TYPE pair AS (m mood, n int);
CREATE TYPE level AS ENUM ('low', 'mid', 'high', 'top');
CREATE FUNCTION level_text(level) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT '"same"'::json $$;
CREATE CAST (level AS json) WITH FUNCTION level_text(level);
CREATE DOMAIN feeling AS mood CHECK (VALUE <> 'none');`;

const subjects: readonly Subject[] = [
  { type: 'hstore', extension: 'hstore', values: hstore, isKey: true },
  {
    type: 'hstore[]',
    extension: 'hstore',
    values: [`{"a=>1"}`, '{NULL,""}', '{}', `[0:0]={"b=>2"}`],
  },
  {
    type: 'tagged',
    extension: 'hstore',
    setup: 'CREATE TYPE tagged AS (n int, tags hstore)',
    values: ['(1,"a=>1")', '(,)', '(2,"")', '(1,"a=>2")'],
  },
  {
    type: 'tags',
    extension: 'hstore',
    setup: `CREATE DOMAIN tags AS hstore CHECK (NOT VALUE ? 'z')`,
    values: hstore,
  },
  { type: 'citext', extension: 'citext', values: ['a', 'A', '', 'ä'] },
  { type: 'ltree', extension: 'ltree', values: ['a', 'a.b', '', 'A.b'], isKey: true },
  { type: 'cube', extension: 'cube', values: ['(1, 2)', '(1)', '(0, -0)', '(1),(2)'], isKey: true },
  {
    type: 'isbn',
    extension: 'isn',
    values: ['0-306-40615-2', '1-4028-9462-7', '0-393-04002-X', '0-14-020652-3'],
    isKey: true,
  },
  { type: 'int[]', extension: 'intarray', values: ['{1,2}', '{}', '[0:1]={1,2}', '{NULL}'] },
  { type: 'mood', values: ['sad', 'ok', 'happy', 'none'], isKey: true },
  { type: 'mood[]', values: ['{sad}', '{ok,NULL}', '{}', '{none}'] },
  { type: 'pair', values: ['(sad,1)', '(,)', '(happy,2)', '(none,3)'] },
  { type: 'feeling', values: ['sad', 'ok', 'happy', 'sad'] },
  { type: 'level', values: ['low', 'mid', 'high', 'top'], isKey: true },
];

suite('casts to json', (test) => {
  let database: TestDatabase;
  let rest: TestRest;
  const made = new Set<string>();
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(own);
    rest = await startTestRest({ database });
  });
  test.after(async () => {
    await rest.stop();
    await database.drop();
  });

  const call = async (status: number, method: string, path: string, json = {}) => {
    const sent = method === 'GET' ? {} : { json };
    const answer = await rest.call(method, `/sessions/${path}`, sent);
    const logged = answer.status === 500 ? rest.logged.slice(-1).join('') : '';
    assert.is(answer.status, status, `${path}: ${answer.text} ${logged}`);
    return answer.body;
  };
  const contents = async () =>
    (
      await database.query<{ row: string }>(
        'SELECT t::text AS row FROM t UNION ALL SELECT k::text FROM k ORDER BY 1',
      )
    ).map(({ row }) => row);

  async function staged(...statements: readonly string[]): Promise<string> {
    const id = await rest.newSession();
    for (const statement of statements) await rest.write(id, statement);
    return id;
  }

  async function approved(id: string): Promise<string> {
    await call(200, 'GET', `${id}/diff?steps=true`);
    await call(200, 'POST', `${id}/propose`);
    assert.is((await call(200, 'GET', `${id}/conflicts`)).total_count, 0);
    const rehearsed = await call(200, 'POST', `${id}/rehearse`);
    assert.equal([rehearsed.ok, rehearsed.failure], [true, null]);
    await call(200, 'POST', `${id}/approve`);
    return id;
  }

  for (const { type, extension, setup = '', values, isKey = false } of subjects) {
    const [first, second, third, fourth] = values.map((value) => `'${value}'::${type}`);
    const update = isKey ? [`UPDATE k SET x = ${fourth} WHERE id = 1`] : [];
    const statements = [
      'UPDATE t SET v = 2 WHERE id = 1',
      `UPDATE t SET x = ${third} WHERE id = 2`,
      `INSERT INTO t VALUES (4, 1, ${fourth}), (5, 1, NULL)`,
      'DELETE FROM t WHERE id = 3',
      ...update,
      `DELETE FROM k WHERE id = 2`,
      `INSERT INTO k VALUES (${third}, 3)`,
    ];

    const prepare = async () => {
      if (extension !== undefined) {
        await database.query(`CREATE EXTENSION IF NOT EXISTS ${extension}`).catch(() => {
          throw new MissingProgram(extension);
        });
      }
      await database.query(`DROP TABLE IF EXISTS t, k; ${made.has(type) ? '' : setup};
        CREATE TABLE t (id int PRIMARY KEY, v int, x ${type}); CREATE TABLE k (x ${type}, id int${isKey ? ', PRIMARY KEY (x)' : ''});
        INSERT INTO t VALUES (1, 1, ${first}), (2, 1, ${second}), (3, 1, ${third}); INSERT INTO k VALUES (${first}, 1), (${second}, 2);`);
      made.add(type);
    };

    test(`${type}: approved, and taken back`, async () => {
      await prepare();
      const before = await contents();
      const session = await approved(
        await staged(...statements.filter((text) => isKey || !text.includes(' k '))),
      );
      const after = await contents();
      const audit = await rest.call('GET', `/audit?project_id=default&session_id=${session}`);
      assert.is(audit.status, 200);
      const { session_id: inverse } = await call(201, 'POST', `${session}/revert`);
      await approved(inverse);
      assert.equal(await contents(), before);
      await approved((await call(201, 'POST', `${inverse}/revert`)).session_id);
      assert.equal(await contents(), after);
    });

    test(`${type}: settled, and taken out`, async () => {
      await prepare();
      const session = await staged(...statements);
      await database.query(`UPDATE t SET v = 9, x = ${second} WHERE id IN (1, 2); UPDATE t SET v = 9 WHERE id = 2;
        INSERT INTO t VALUES (4, 8, ${first}); UPDATE k SET id = 7 WHERE id = 2`);
      const found = await call(200, 'GET', `${session}/conflicts`);
      assert.ok(found.total_count > 0);
      if (isKey) await call(200, 'POST', `${session}/resolve`, { all: 'mine' });
      const { tables } = await call(200, 'GET', `${session}/diff`);
      const [change] = tables.t.changes;
      await call(200, 'POST', `${session}/unstage`, {
        rows: [
          { table: 't', row_id: change.row_id },
          ...(isKey ? [{ table: 'k', row_id: tables.k.changes[0].row_id }] : []),
        ],
      });
      await call(200, 'GET', `${session}/diff`);
    });
  }

  test('a value that is none of its type by now is not taken back', async () => {
    await database.query(`CREATE TYPE state AS ENUM ('open', 'shut');
      CREATE FUNCTION state_json(state) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT '{}'::json $$;
      CREATE CAST (state AS json) WITH FUNCTION state_json(state);
      CREATE TABLE door (id int PRIMARY KEY, s state); INSERT INTO door VALUES (1, 'open')`);
    const session = await approved(await staged(`UPDATE door SET s = 'shut' WHERE id = 1`));
    await database.query(`ALTER TYPE state RENAME VALUE 'shut' TO 'closed'`);
    assert.is((await call(409, 'POST', `${session}/revert`)).error, 'not_revertible');
  });
});
