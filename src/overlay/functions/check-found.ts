/** Checks the calls of a body that the catalog has to tell: by names, operators, casts, types and fields. */
import type { Queryable, Row } from '../../db/database.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { hasEffects, isStageableVolatile } from '../../sql/functions/functions.ts';
import { isLastNumber } from '../../sql/functions/last-numbers.ts';
import { readWithPolicies } from './as-written-by.ts';
import { Obstacle } from './function-script.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

/**
 * Returns the functions of users that policies and views call: they run as they are, whatever calls of the body are replaced.
 * @throws Obstacle for another call that has effects, or whose effects are unknown
 */
export async function checkFound(
  context: Context,
  unclear: BodyUses['unclear'],
): Promise<QualifiedName[]> {
  const { behind, rows } = await found(context, unclear);
  const isBehind = (row: Row) =>
    row['is_code'] === 't' && row['is_named'] !== 't' && Number(row['place']) > behind;
  for (const row of rows) if (!isBehind(row)) checkRow(row);
  return rows
    .filter(isBehind)
    .map(({ schema, name }) => ({ schema: String(schema), name: String(name) }));
}

/**
 * Returns the functions that the called names may refer to, those of relations `behind` the others. The bodies of users' functions are parsed
 * in turn. Policies that do not apply to an owner call none.
 */
async function found({ tx, path, role }: Context, unclear: BodyUses['unclear']) {
  const relations = unclear.filter(({ kind }) => kind === 'relation');
  const read = role === undefined ? relations : await readWithPolicies(tx, relations, path, role);
  const others = unclear.filter(({ kind }) => kind !== 'relation');
  const calls = [...others, ...read].map(({ kind, schema, name }) => ({ kind, schema, name }));
  const rows: Row[] =
    calls.length === 0
      ? []
      : await tx.query(
          `SELECT f.* FROM stage.find_code($1) f WHERE f.is_found AND NOT (f.is_named AND f.is_code)`,
          [JSON.stringify(calls)],
        );
  return { behind: others.length, rows };
}

function checkRow(row: Row): void {
  const is = (fact: string) => row[fact] === 't';
  const schema = String(row['known_schema'] ?? row['schema']);
  const name = String(row['known_name'] ?? row['name']);
  if (is('is_code')) throw new Obstacle(`runs ${name}(), which no call names`);
  const effects = {
    ...{ schema, name, isVolatile: is('is_volatile'), isImmutable: is('is_immutable') },
    ...{ isCompiled: is('is_compiled'), isExtension: is('is_extension') },
  };
  const isVolatile = effects.isVolatile && !isStageableVolatile(schema, name);
  // only the body's own calls are replaced
  const isUnseen = isLastNumber(effects) && !is('is_named');
  if (isVolatile || isUnseen || hasEffects(effects, 'write')) throw new Obstacle(`calls ${name}()`);
}
