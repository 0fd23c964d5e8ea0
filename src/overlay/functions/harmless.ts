/** Decides which VOLATILE functions a staged write may call: those that only read, and have no other effects either. */
import { setInternalPath } from '../../db/connection-settings.ts';
import type { Queryable } from '../../db/database.ts';
import type { FunctionBody } from '../../sql/functions/body-uses.ts';
import { checkBody, usesOfDefaults } from './check-body.ts';
import type { FoundUses, FunctionDefinition } from './function-script.ts';
import { reasonOf } from './function-script.ts';
import type { Lookup } from './own-path.ts';
import { lookupOf } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
}

type Bodies = readonly (readonly [FunctionDefinition, FunctionBody])[];

/**
 * Returns whether functions that only read have no effects. False also if all are STABLE or IMMUTABLE, which PostgreSQL keeps from writing.
 * @param uses collects the names that they use
 */
export async function isHarmless(
  context: Context,
  bodies: Bodies,
  uses: FoundUses,
): Promise<boolean> {
  if (!bodies.some(([each]) => each.isVolatile)) return false;
  const { tx } = context;
  await tx.query('SAVEPOINT harmless');
  const obstacle = await checkEffects(context, bodies, uses).then(() => null, reasonOf);
  if (obstacle !== null) await tx.query('ROLLBACK TO SAVEPOINT harmless');
  await tx.query('RELEASE SAVEPOINT harmless');
  return obstacle === null;
}

/** @throws Obstacle, or PostgreSQL's errors, for an effect, or a call whose effects are unknown */
async function checkEffects(context: Context, bodies: Bodies, uses: FoundUses): Promise<void> {
  for (const [each, body] of bodies) {
    const own = { ...context, ...(await lookupOf(context.tx, context, each)) };
    // guard: a staged write calls a VOLATILE function only if all that it calls has no effects
    for (const part of [...usesOfDefaults(each), body.uses])
      await checkBody({ ...own, uses, extent: 'reads' }, part);
  }
  // names of the service's own statements are not found in schemas of users
  await context.tx.query(setInternalPath);
}
