/** Reports which tables have policies that read production's rows alone, and why. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Database, Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import { loadParser } from '../../sql/parser/parser.ts';
import { beyondExtent } from '../functions/check-body.ts';
import type { Definition, FoundUses } from '../functions/function-script.ts';
import { headOf, Obstacle, reasonOf } from '../functions/function-script.ts';
import type { Lookup } from '../functions/own-path.ts';
import { lookupOf, recorded } from '../functions/own-path.ts';
import { oidArray } from '../object-names.ts';
import {
  bodyOfPolicy,
  demandFollowed,
  schemasOfPolicies,
  tableObstacle,
} from './follow-policies.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  /** The functions that were examined. */
  readonly examined: Set<string>;
}

/** A partition's own policies apply only to statements that name it. */
const withPolicies = `
SELECT DISTINCT c.oid AS relation FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
WHERE c.relrowsecurity AND NOT c.relispartition AND NOT stage.is_internal_schema(c.relnamespace) ORDER BY 1`;

/** Returns a line for each table: `public.notes: policies use seen, which is not followed`. It creates nothing. */
export async function unfollowedPolicies(db: Database): Promise<string[]> {
  await loadParser();
  return db.transaction(async (tx: Queryable) => {
    const lines: string[] = [];
    for (const { relation } of await tx.query(withPolicies)) {
      const table = await readTable(tx, Number(relation));
      if (table === null || table.policies === null || table.obstacle !== null) continue;
      await tx.query('SAVEPOINT examined');
      const obstacle = await examine(tx, table).catch(
        (error: Error) => `policies ${reasonOf(error)}`,
      );
      await tx.query('ROLLBACK TO SAVEPOINT examined');
      if (obstacle !== null) lines.push(`${shownName(table.schema, table.name)}: ${obstacle}`);
    }
    return lines;
  });
}

/** Examines the policies of a table. @throws Obstacle, or PostgreSQL's errors, if they are not followed */
async function examine(tx: Queryable, table: Table): Promise<string | null> {
  const uses: FoundUses = { relations: [], functions: [] };
  const path = await schemasOfPolicies(tx);
  const context = { tx, path, examined: new Set<string>() };
  for (const { using, check } of table.policies ?? [])
    for (const expression of [using, check])
      if (expression) await noteUses(context, (await bodyOfPolicy(expression)).uses, uses);
  await demandFollowed(tx, table.oid, uses);
  const obstacle = uses.relations.length > 0 ? tableObstacle(table) : null;
  return obstacle === null ? null : `the table ${obstacle}`;
}

async function noteUses(
  context: Context,
  { relations, called }: BodyUses,
  uses: FoundUses,
): Promise<void> {
  uses.relations.push(...relations.map((use) => recorded(context, use)));
  for (const call of called) {
    if (call.schema === 'pg_catalog') continue;
    const name = recorded(context, call);
    const key = JSON.stringify(name);
    if (context.examined.has(key)) continue;
    context.examined.add(key);
    uses.functions.push(name);
    await noteCalled(context, call, uses);
  }
}

async function noteCalled(
  context: Context,
  { schema, name }: QualifiedName,
  uses: FoundUses,
): Promise<void> {
  const { tx, path } = context;
  const [row] = await tx.query('SELECT stage.function_definition($1, $2) AS definition', [
    JSON.stringify({ schema, name }),
    oidArray(path),
  ]);
  if (row?.['definition'] == null) return;
  const { isNative, functions } = JSON.parse(row['definition']) as Definition;
  if (isNative) return;
  for (const each of functions) {
    const body = await readBodyAnywhere({ ...each, head: headOf(each, name, 'record') });
    const reason = each.obstacle ?? (body === null ? beyondExtent('reads') : null);
    if (reason !== null || body === null) throw new Obstacle(`call ${name}(), which ${reason}`);
    await noteUses({ ...context, ...(await lookupOf(tx, context, each)) }, body.uses, uses);
  }
}
