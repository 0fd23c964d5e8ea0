/**
 * Random sessions of which a random part is approved, through the proxy and REST, beside a twin of the database. The twin runs the whole
 * script as PostgreSQL does: its rows say what the session changes. Then the part's changes alone are made on the twin: production is the
 * same after the approval of the part. The rest still has the rest of the diff; after its approval production is as if all had been run.
 * STAGE_TEST_STATEMENTS is the number of scripts, STAGE_TEST_SEED the first seed.
 */
import type pg from 'pg';
import { drawn, firstSeed } from '../helpers/net.ts';
import { partData, partSchema, partStatement, partTables } from '../helpers/part-scripts.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(5, 'STATEMENTS');
const first = firstSeed();
const length = 7;

interface Change {
  readonly table: string;
  readonly row_id: unknown;
  readonly before: object | null;
  readonly after: object | null;
}

/** Writes a value with the members of objects in the order of their names. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
const shown = (changes: readonly Change[]) =>
  changes.map(({ table, row_id: id, before, after }) => textOf([table, id, before, after])).sort();

type Row = Pick<Change, 'table' | 'row_id'>;

/** Collects rows as a request names them. */
function chosenRows() {
  const only = new Map<string, object>();
  // rows without a key are chosen together
  const named = ({ table, row_id }: Row) => (table === 'loose' ? { table } : { table, row_id });
  return {
    add: (row: Row) => only.set(textOf(named(row)), named(row)),
    has: (row: Row) => only.has(textOf(named(row))),
    list: () => [...only.values()],
  };
}

suite('a part of a random session', (test) => {
  let proxied: Proxied;
  const found = { parts: 0, wholes: 0, cut: 0 };
  test.before(async () => {
    proxied = await startProxied(partSchema);
  });
  test.after(() => proxied.stop());

  const call = (path: string, json: object = {}) =>
    proxied.daemon.call('POST', `/sessions/${path}`, { json });
  const demand = async (path: string, json: object = {}) => {
    const { status, body } = await call(path, json);
    assert.is(status, 200, `${path} ${JSON.stringify(body)}`);
    return body;
  };

  const diffOf = async (id: string) => {
    const { body } = await proxied.daemon.call('GET', `/sessions/${id}/diff`);
    type Tables = Record<string, { readonly changes: readonly Omit<Change, 'table'>[] }>;
    const changes = Object.entries(body.tables as Tables).flatMap(([table, { changes: list }]) =>
      list.map((each): Change => ({ ...each, table })),
    );
    return { digest: body.digest as string, changes };
  };

  type Query = (text: string) => Promise<readonly { readonly row: object }[]>;
  const rowsOf = async (query: Query) => {
    const rows: string[] = [];
    for (const table of partTables)
      for (const { row } of await query(`SELECT to_jsonb(x) AS row FROM ${table} x`))
        rows.push(`${table} ${textOf(row)}`);
    return rows.sort();
  };
  const onTwin = (twin: pg.Client) => rowsOf(async (text) => (await twin.query(text)).rows);
  const inProduction = () => rowsOf((text) => proxied.database.query<{ row: object }>(text));

  /** Runs a script in a session, and in a transaction of the twin. Returns the statements that succeeded. */
  async function run(client: pg.Client, twin: pg.Client, random: Random): Promise<string[]> {
    const taken: string[] = [];
    for (let index = 0; index < length; index += 1) {
      const statement = partStatement(random);
      const staged = await client.query(statement).then(
        ({ rowCount }) => rowCount,
        ({ code }: pg.DatabaseError) => String(code),
      );
      await twin.query('SAVEPOINT before');
      const real = await twin.query(statement).then(
        ({ rowCount }) => rowCount,
        ({ code }: pg.DatabaseError) => String(code),
      );
      if (typeof real === 'string') await twin.query('ROLLBACK TO before');
      taken.push(statement);
      assert.is(staged, real, taken.join('; '));
    }
    return taken;
  }

  /** Makes changes on the twin, row by row. */
  async function make(twin: pg.Client, changes: readonly Change[]): Promise<void> {
    await twin.query('SET LOCAL session_replication_role = replica');
    for (const { table, before } of changes) {
      if (before === null) continue;
      const one = `SELECT ctid FROM ${table} x WHERE to_jsonb(x) = $1 LIMIT 1`;
      const { rowCount } = await twin.query(
        `DELETE FROM ${table} WHERE (tableoid, ctid) IN (${one.replace('ctid', 'tableoid, ctid')})`,
        [textOf(before)],
      );
      assert.is(rowCount, 1, `${table} ${textOf(before)}`);
    }
    for (const { table, after } of changes)
      if (after !== null)
        await twin.query(
          `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`,
          [textOf(after)],
        );
  }

  interface Chosen {
    readonly part: readonly Change[];
    readonly remaining: string | null;
  }

  /** Approves drawn rows, with those that they are tied to, which are named by a refusal. */
  async function approvePart(
    id: string,
    { digest, changes }: Awaited<ReturnType<typeof diffOf>>,
    random: Random,
  ): Promise<Chosen> {
    const only = chosenRows();
    for (const change of changes) if (random.chance(0.35)) only.add(change);
    const [any] = changes;
    if (only.list().length === 0 && any) only.add(any);
    const ask = () => call(`${id}/approve`, { digest, only: only.list() });
    let { status, body } = await ask();
    for (let cuts = 0; body.error === 'has_dependents' && cuts < 3; cuts += 1) {
      // nothing has changed
      assert.equal(await diffOf(id), { digest, changes });
      found.cut += 1;
      for (const dependent of body.dependents) only.add(dependent);
      ({ status, body } = await ask());
    }
    assert.is(status, 200, JSON.stringify(body));
    return { part: changes.filter(only.has), remaining: body.remaining_session_id ?? null };
  }

  async function check(seed: number): Promise<void> {
    const random = createRandom(seed);
    await proxied.database.query(partData);
    await proxied.twin.query(partData);
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    const twin = await proxied.connect(proxied.twin.url);
    await twin.query('BEGIN');
    const label = `seed ${seed}: ${(await run(client, twin, random)).join('; ')}`;
    await client.end();
    const whole = await onTwin(twin);
    await twin.query('ROLLBACK; BEGIN');
    const diff = await diffOf(id);
    if (diff.changes.length === 0) return void (await twin.end());
    await make(twin, diff.changes);
    assert.equal(await onTwin(twin), whole, `the diff is what changes; ${label}`);
    await twin.query('ROLLBACK; BEGIN');
    await demand(`${id}/propose`);
    const { part, remaining } = await approvePart(id, diff, random);
    await make(twin, part);
    assert.equal(await inProduction(), await onTwin(twin), `part; ${label}`);
    await twin.query('ROLLBACK');
    await twin.end();
    found[remaining === null ? 'wholes' : 'parts'] += 1;
    if (remaining === null) return assert.is(part.length, diff.changes.length, label);
    const rest = await diffOf(remaining);
    const others = diff.changes.filter((change) => !part.includes(change));
    assert.equal(shown(rest.changes), shown(others), `rest; ${label}`);
    await demand(`${remaining}/propose`);
    await demand(`${remaining}/approve`, { digest: rest.digest });
    assert.equal(await inProduction(), whole, `both; ${label}`);
  }

  test(
    'lands alone as its changes alone do, and the rest as the rest',
    async () => {
      for (let seed = first; seed < first + scripts; seed += 1) await check(seed);
      const { body } = await proxied.daemon.call('GET', '/audit/verify');
      assert.is(body.ok, true);
      assert.ok(found.parts > scripts / 4, JSON.stringify(found));
      if (scripts > 50) assert.ok(found.cut > 0 && found.wholes > 0, JSON.stringify(found));
    },
    { timeout: 36_000_000 },
  );
});
