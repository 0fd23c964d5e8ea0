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

/** A subject with tables of its own: one with a key beside it, one whose key it is, if it can be one. */
interface Case extends Subject {
  readonly t: string;
  readonly k: string;
  readonly literals: readonly string[];
}

const cases = subjects.map(
  (subject, at): Case => ({
    ...subject,
    t: `t${at}`,
    k: `k${at}`,
    literals: subject.values.map((value) => `'${value}'::${subject.type}`),
  }),
);

const tablesOf = ({ t, k, type, isKey = false }: Case) => `
  CREATE TABLE ${t} (id int PRIMARY KEY, v int, x ${type}); CREATE TABLE ${k} (x ${type}, id int${isKey ? ', PRIMARY KEY (x)' : ''});`;

/** The overlays of the tables stay. */
const refill = ({ t, k, literals: [first, second, third] }: Case) => `
  DELETE FROM ${t}; INSERT INTO ${t} VALUES (1, 1, ${first}), (2, 1, ${second}), (3, 1, ${third});
  DELETE FROM ${k}; INSERT INTO ${k} VALUES (${first}, 1), (${second}, 2);`;

function writesOf({ t, k, isKey, literals: [, , third, fourth] }: Case) {
  return {
    plain: [
      `UPDATE ${t} SET v = 2 WHERE id = 1`,
      `UPDATE ${t} SET x = ${third} WHERE id = 2`,
      `INSERT INTO ${t} VALUES (4, 1, ${fourth}), (5, 1, NULL)`,
      `DELETE FROM ${t} WHERE id = 3`,
    ],
    keyed: [
      ...(isKey ? [`UPDATE ${k} SET x = ${fourth} WHERE id = 1`] : []),
      `DELETE FROM ${k} WHERE id = 2`,
      `INSERT INTO ${k} VALUES (${third}, 3)`,
    ],
  };
}

/** What happens in production meanwhile. */
const othersOf = ({ t, k, literals: [first, second] }: Case) => `
  UPDATE ${t} SET v = 9, x = ${second} WHERE id IN (1, 2); UPDATE ${t} SET v = 9 WHERE id = 2;
  INSERT INTO ${t} VALUES (4, 8, ${first}); UPDATE ${k} SET id = 7 WHERE id = 2;`;

suite('casts to json', (test) => {
  let database: TestDatabase;
  let rest: TestRest;
  const lacking = new Set<string>();
  let tried: readonly Case[];
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
    await database.query(own);
    for (const { extension } of cases) {
      if (extension === undefined) continue;
      await database
        .query(`CREATE EXTENSION IF NOT EXISTS ${extension}`)
        .catch(() => lacking.add(extension));
    }
    tried = cases.filter(({ extension }) => extension === undefined || !lacking.has(extension));
    for (const one of tried) await database.query(`${one.setup ?? ''}; ${tablesOf(one)}`);
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

  async function contents(): Promise<string[]> {
    const tables = tried.flatMap(({ t, k }) => [t, k]);
    const rows = tables.map((name) => `SELECT '${name} ' || x::text AS row FROM ${name} x`);
    const found = await database.query<{ row: string }>(`${rows.join(' UNION ALL ')} ORDER BY 1`);
    return found.map(({ row }) => row);
  }

  async function staged(statements: readonly string[]): Promise<string> {
    await database.query(tried.map(refill).join(''));
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

  for (const extension of new Set(cases.flatMap(({ extension: name = [] }) => name))) {
    test(`types of ${extension} are among them`, () => {
      if (lacking.has(extension)) throw new MissingProgram(extension);
      assert.ok(tried.some((one) => one.extension === extension));
    });
  }

  test('every type: approved, and taken back', async () => {
    const id = await staged(
      tried.flatMap((one) => {
        const { plain, keyed } = writesOf(one);
        return [...plain, ...(one.isKey ? keyed : [])];
      }),
    );
    const before = await contents();
    const session = await approved(id);
    const after = await contents();
    assert.not.equal(after, before);
    const audit = await rest.call('GET', `/audit?project_id=default&session_id=${session}`);
    assert.is(audit.status, 200);
    const { session_id: inverse } = await call(201, 'POST', `${session}/revert`);
    await approved(inverse);
    assert.equal(await contents(), before);
    await approved((await call(201, 'POST', `${inverse}/revert`)).session_id);
    assert.equal(await contents(), after);
  });

  for (const isKey of [true, false]) {
    test(`${isKey ? 'types of keys' : 'other types'}: settled, and taken out`, async () => {
      const chosen = tried.filter((one) => (one.isKey ?? false) === isKey);
      const session = await staged(
        chosen.flatMap((one) => [...writesOf(one).plain, ...writesOf(one).keyed]),
      );
      await database.query(chosen.map(othersOf).join(''));
      const { conflicts } = await call(200, 'GET', `${session}/conflicts`);
      const found = new Set(conflicts.map(({ table }: { table: string }) => table));
      const missing = chosen.filter(({ t }) => !found.has(t));
      assert.equal(
        missing.map(({ type }) => type),
        [],
      );
      if (isKey) await call(200, 'POST', `${session}/resolve`, { all: 'mine' });
      const { tables } = await call(200, 'GET', `${session}/diff`);
      const names = chosen.flatMap(({ t, k }) => (isKey ? [t, k] : [t]));
      const rows = names.map((table) => ({ table, row_id: tables[table].changes[0].row_id }));
      await call(200, 'POST', `${session}/unstage`, { rows });
      await call(200, 'GET', `${session}/diff`);
    });
  }

  test('a value that is none of its type by now is not taken back', async () => {
    await database.query(`CREATE TYPE state AS ENUM ('open', 'shut');
      CREATE FUNCTION state_json(state) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT '{}'::json $$;
      CREATE CAST (state AS json) WITH FUNCTION state_json(state);
      CREATE TABLE door (id int PRIMARY KEY, s state); INSERT INTO door VALUES (1, 'open')`);
    const id = await rest.newSession();
    await rest.write(id, `UPDATE door SET s = 'shut' WHERE id = 1`);
    const session = await approved(id);
    await database.query(`ALTER TYPE state RENAME VALUE 'shut' TO 'closed'`);
    assert.is((await call(409, 'POST', `${session}/revert`)).error, 'not_revertible');
  });
});
