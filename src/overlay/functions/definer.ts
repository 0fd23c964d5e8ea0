/** Copies of functions that run with the rights of their owners. */
import type { Queryable } from '../../db/database.ts';
import { quoteLiteral } from '../../identifier.ts';
import { asStatement, hasOptions } from '../../sql/functions/plpgsql-block.ts';
import { oidArray } from '../object-names.ts';
import type { Definition, FoundUses, FunctionDefinition } from './function-script.ts';
import { Obstacle } from './function-script.ts';
import type { FunctionUses } from './known-functions.ts';
import type { Lookup, RecordedName } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/**
 * Returns the body of a copy, with a check before it where the copy runs with the rights of an owner.
 * @param uses what the body, and what it calls, names
 * @throws Obstacle for a body that cannot be nested in a block
 */
export async function guardedBody(
  { tx, path }: Context,
  { oid, language, definer }: FunctionDefinition,
  body: string,
  uses: FoundUses | FunctionUses,
): Promise<string> {
  if (definer === null) return body;
  const written = 'written' in uses ? uses.written : [];
  const oids = async (names: readonly RecordedName[]) => oidArray(await oidsOf(tx, path, names));
  // those without a role belong to functions of the same name that run with the rights of their callers
  const named = await oids([...uses.relations.filter(({ role }) => role), ...written]);
  const check = `stage.enter_definer(${oid}, ${quoteLiteral(definer.version)}, ${quoteLiteral(named)}, ${quoteLiteral(await oids(written))})`;
  // guard: a copy with the rights of an owner is checked before anything else in it
  if (language === 'sql') return `SELECT ${check};\n${body}`;
  if (hasOptions(body)) throw new Obstacle('has options before its body');
  // a declaration: unlike a statement, it does not change FOUND
  return `DECLARE _stage_v_entered pg_catalog.bool := ${check}; BEGIN\n${asStatement(body)}\nEND`;
}

async function oidsOf(tx: Queryable, path: readonly number[], names: readonly RecordedName[]) {
  const rows = await tx.query(
    `SELECT DISTINCT stage.relation_in(n.name, $2) AS oid FROM jsonb_array_elements($1) n(name)`,
    [JSON.stringify(names), oidArray(path)],
  );
  return rows.flatMap(({ oid }) => (oid == null ? [] : [Number(oid)]));
}

/**
 * Checks that nobody may call a copy who may not call its function: default privileges may have granted more.
 * @throws Obstacle if somebody may
 */
export async function demandSameCallers(
  tx: Queryable,
  { name, functions }: Definition,
  schema: string,
): Promise<void> {
  for (const { oid, definer } of functions) {
    if (definer === null) continue;
    const [row] = await tx.query(
      `SELECT count(*) AS others FROM pg_proc o
       LEFT JOIN pg_proc c ON c.oid = to_regprocedure(format('%I.%I(%s)', $2::text, $3::text, stage.staged_arguments(o, true)))
       CROSS JOIN LATERAL aclexplode(coalesce(c.proacl, acldefault('f', coalesce(c.proowner, o.proowner)))) a
       WHERE o.oid = $1 AND (c.oid IS NULL OR c.proowner <> o.proowner OR a.grantee NOT IN (
         SELECT e.grantee FROM aclexplode(coalesce(o.proacl, acldefault('f', o.proowner))) e WHERE e.privilege_type = 'EXECUTE'))`,
      [oid, schema, name],
    );
    // guard: a copy with the rights of an owner is called by nobody else
    if (row?.['others'] !== '0') throw new Obstacle('has a copy that others may call');
  }
}
