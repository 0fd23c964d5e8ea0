/** Reports which functions and procedures of a database are not staged, and why. */
import type { Database, Queryable } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import { loadParser } from '../../sql/parser/parser.ts';
import { oidArray } from '../object-names.ts';
import { approvalPath } from '../triggers/follow-triggers.ts';
import { beyondExtent, usesOfDefaults } from './check-body.ts';
import { checkWriting, checkWritten } from './check-writing.ts';
import type { Definition, FoundUses, FunctionDefinition } from './function-script.ts';
import { headOf, Obstacle, reasonOf } from './function-script.ts';
import type { Lookup } from './own-path.ts';
import { lookupOf } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/** Selects the names of functions that statements call: no functions of triggers, aggregates, extensions and the service. */
const called = `
SELECT DISTINCT n.nspname AS schema, p.proname AS name
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind IN ('f', 'p') AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) AND p.oid >= 16384
  AND NOT stage.is_internal_schema(n.oid) AND NOT stage.is_of_extension('pg_proc', p.oid) AND n.nspname !~ '^pg_'
ORDER BY 1, 2`;

/** Returns a line for each name: `public.charge() runs with its owner's rights`. It creates nothing. */
export async function unstagedFunctions(db: Database): Promise<string[]> {
  await loadParser();
  return db.transaction(async (tx: Queryable) => {
    const lines: string[] = [];
    const { oids } = await approvalPath(tx);
    for (const row of await tx.query(called)) {
      const name = { schema: String(row['schema']), name: String(row['name']) };
      await tx.query('SAVEPOINT examined');
      const obstacle = await examine({ tx, path: oids }, name).then(() => null, reasonOf);
      await tx.query('ROLLBACK TO SAVEPOINT examined');
      if (obstacle !== null) lines.push(`${shownName(name.schema, name.name)}() ${obstacle}`);
    }
    return lines;
  });
}

/** Examines the functions of a name. @throws Obstacle, or PostgreSQL's errors, if they are not staged */
async function examine(context: Context, called: QualifiedName): Promise<void> {
  const [row] = await context.tx.query('SELECT stage.function_definition($1, $2) AS definition', [
    JSON.stringify(called),
    oidArray(context.path),
  ]);
  const { functions } = JSON.parse(row?.['definition'] ?? '{"functions":[]}') as Definition;
  for (const each of functions)
    if (!(await isPlain(each, called))) await examineOne(context, each, called);
}

const languages = new Set<string>(['sql', 'plpgsql']);

/** Returns whether a function reads no relation and calls no function by name, so that it runs as it is. */
async function isPlain(each: FunctionDefinition, { name }: QualifiedName): Promise<boolean> {
  if (!languages.has(each.language) || each.isProcedure) return false;
  const body = await readBodyAnywhere({ ...each, head: headOf(each, name, 'record') });
  return body !== null && body.uses.relations.length === 0 && body.uses.called.length === 0;
}

/** Examines one function. @throws Obstacle if it is not staged */
async function examineOne(
  context: Context,
  each: FunctionDefinition,
  { name }: QualifiedName,
): Promise<void> {
  if (each.obstacle !== null) throw new Obstacle(each.obstacle);
  const head = headOf(each, name, 'record');
  if (!each.isProcedure && (await readBodyAnywhere({ ...each, head })) !== null) return;
  const body = await readBodyAnywhere({ ...each, head, extent: 'writes' });
  if (body === null || (await body.replaced([])) === null)
    throw new Obstacle(beyondExtent('writes'));
  const uses: FoundUses = { relations: [], functions: [] };
  await checkWriting(context, usesOfDefaults(each), uses);
  const own = { ...context, ...(await lookupOf(context.tx, context, each)) };
  await checkWriting(own, [body.uses], uses);
  await checkWritten(own, body.uses);
}
