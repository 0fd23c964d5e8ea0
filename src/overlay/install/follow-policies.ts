/** Follows the policies of tables: the same expressions, with overlays in place of the tables that they read. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { Policy, Table } from '../../model/table.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import type { FoundUses } from '../functions/function-script.ts';
import { Obstacle } from '../functions/function-script.ts';
import type { FunctionUses } from '../functions/known-functions.ts';
import { replacedBody } from '../functions/replaced-body.ts';
import type { Context } from '../functions/staged-function.ts';
import { replacementsIn } from '../functions/staged-function.ts';
import { isKeyless } from '../object-names.ts';

/** The policies of a table, followed. */
export interface FollowedPolicies {
  readonly table: Table;
  /** The policies, with overlays in place of tables. */
  readonly policies: readonly Policy[];
  readonly uses: FoundUses;
  readonly read: readonly ReadRelation[];
  /** Whether they read a table in which rows can be staged. */
  readonly isStaged: boolean;
  readonly obstacle: string | null;
}

/** A relation that policies read. */
interface ReadRelation {
  readonly oid: number;
  /** Whether it is a table of users. */
  readonly isTable: boolean;
  readonly asCaller: boolean;
}

/**
 * The search path of the names in policies. PostgreSQL shows the expressions of policies with full names. Functions that they call may find
 * others under the client's path: these are not followed.
 */
const path = `ARRAY['pg_catalog'::regnamespace::oid]`;

/** Follows the policies of a table, and those of the tables that they read, and so on. Returns them by the OIDs of the tables. */
export async function followPolicies(
  tx: Queryable,
  first: number,
  server: number,
): Promise<Map<number, FollowedPolicies>> {
  const found = new Map<number, FollowedPolicies>();
  const open = new Set([first]);
  // iteration over a set includes elements that are added meanwhile
  for (const oid of open) {
    const table = await readTable(tx, oid);
    if (table === null || table.policies === null || table.obstacle !== null) continue;
    const followed = await followTable(tx, table, table.policies, server);
    found.set(oid, followed);
    for (const read of followed.read) if (read.isTable) open.add(read.oid);
  }
  return found;
}

async function followTable(
  tx: Queryable,
  table: Table,
  policies: readonly Policy[],
  server: number,
): Promise<FollowedPolicies> {
  const uses: FunctionUses = { relations: [], functions: [], written: [], writes: false };
  const schemas = await schemasOfPolicies(tx);
  const context = { tx, path: schemas, server, open: new Set<string>() };
  await tx.query('SAVEPOINT followed_policies');
  const made = await replacedPolicies(context, table, policies, uses).then(
    (replaced) => ({ replaced, obstacle: null }),
    (error: Error) => ({ replaced: policies, obstacle: obstacleIn(error) }),
  );
  if (made.obstacle !== null) await tx.query('ROLLBACK TO SAVEPOINT followed_policies');
  await tx.query('RELEASE SAVEPOINT followed_policies');
  const isStaged = JSON.stringify(made.replaced) !== JSON.stringify(policies);
  const obstacle = made.obstacle ?? (isStaged ? tableObstacle(table) : null);
  const read = await readRelations(tx, uses);
  return { table, policies: made.replaced, uses, read, isStaged, obstacle };
}

/** Returns the search path of the names in policies. */
export async function schemasOfPolicies(tx: Queryable): Promise<readonly number[]> {
  const [row] = await tx.query(`SELECT to_json((${path})::int8[]) AS path`);
  return JSON.parse(row?.['path'] ?? '[]') as number[];
}

/**
 * Returns why policies are not followed. Statements on the table go on as if they could not be: only a failure that will pass stops them.
 * @throws the error if another try may succeed: connections, serialization, resources, locks and cancelled statements
 */
function obstacleIn(error: Error): string {
  const { code = '' } = error as { code?: string };
  if (/^(08|40|53|55|57|58)/.test(code)) throw error;
  return error.message;
}

/** Returns why the policies of a table read production although they could be followed. */
export function tableObstacle(table: Table): string | null {
  // the versions of a row are not found
  if (isKeyless(table)) return 'has no key';
  return table.hasChildren && table.kind !== 'partitioned' ? 'has children' : null;
}

/** Returns the policies with overlays in place of tables. @throws Obstacle, or PostgreSQL's errors */
async function replacedPolicies(
  context: Context,
  { oid }: Table,
  policies: readonly Policy[],
  uses: FunctionUses,
): Promise<readonly Policy[]> {
  const replaced: Policy[] = [];
  for (const policy of policies) {
    const using = policy.using && (await replacedExpression(context, policy.using, uses));
    const check = policy.check && (await replacedExpression(context, policy.check, uses));
    replaced.push({ ...policy, using, check });
  }
  await demandWhole(context.tx, oid, uses);
  return replaced;
}

const select = 'SELECT ';

async function replacedExpression(
  context: Context,
  expression: string,
  uses: FunctionUses,
): Promise<string> {
  const body = await bodyOfPolicy(expression);
  const replaced = await replacedBody(body, await replacementsIn(context, body.uses, uses));
  return replaced.slice(select.length);
}

/** Returns the expression of a policy as the body of a function. @throws Obstacle if it cannot be followed */
export async function bodyOfPolicy(expression: string) {
  const body = await readBodyAnywhere({ language: 'sql', body: select + expression, head: '' });
  if (body === null) throw new Obstacle('cannot be followed');
  return body;
}

/**
 * Checks that everything that policies read is read with staged rows: otherwise, a row might pass that neither all rows nor production's
 * rows alone let through.
 * @throws Obstacle if it is not
 */
async function demandWhole(tx: Queryable, oid: number, uses: FunctionUses): Promise<void> {
  if (uses.writes) throw new Obstacle('call functions that write');
  // guard: policies are followed as a whole
  if (uses.readsProduction) throw new Obstacle('call functions that are not staged');
  await demandFollowed(tx, oid, uses);
}

/** Checks that policies name what they read. @throws Obstacle if they do not */
export async function demandFollowed(tx: Queryable, oid: number, uses: FoundUses): Promise<void> {
  const [found] = await tx.query(
    `SELECT n.name ->> 'name' AS name FROM jsonb_array_elements($1) n(name) WHERE stage.function_definition(n.name, ${path}) IS NULL
     UNION ALL SELECT n.name ->> 'name' FROM jsonb_array_elements($2) n(name) LEFT JOIN pg_class c ON c.oid = stage.relation_in(n.name, ${path})
       WHERE c.oid IS NULL OR c.relkind = 'v' AND c.oid >= 16384
     UNION ALL SELECT o.oprname FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_operator'::regclass
       JOIN pg_operator o ON o.oid = d.refobjid WHERE p.polrelid = $3 AND o.oid >= 16384 AND NOT stage.is_of_extension('pg_operator', o.oid)
     LIMIT 1`,
    [JSON.stringify(uses.functions), JSON.stringify(uses.relations), oid],
  );
  // guard: what a policy finds under the path of the client is not followed
  if (found !== undefined) throw new Obstacle(`use ${found['name']}, which is not followed`);
}

async function readRelations(tx: Queryable, { relations }: FoundUses): Promise<ReadRelation[]> {
  const rows = await tx.query(
    `SELECT c.oid, c.relkind IN ('r', 'p') AND c.oid >= 16384 AS is_table, bool_or(n.name -> 'role' IS NULL) AS as_caller
     FROM jsonb_array_elements($1) n(name) JOIN pg_class c ON c.oid = stage.relation_in(n.name, ${path}) GROUP BY c.oid ORDER BY c.oid`,
    [JSON.stringify(relations)],
  );
  return rows.map((row) => ({
    oid: Number(row['oid']),
    isTable: row['is_table'] === 't',
    asCaller: row['as_caller'] === 't',
  }));
}

/** Returns the policies of a table and of all tables that these read. */
export function behind(
  found: ReadonlyMap<number, FollowedPolicies>,
  first: number,
): readonly FollowedPolicies[] {
  const all = new Set([first]);
  for (const oid of all) for (const read of found.get(oid)?.read ?? []) all.add(read.oid);
  return [...all].flatMap((oid) => found.get(oid) ?? []);
}
