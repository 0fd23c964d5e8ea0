/** Parses the bodies of the functions of a name. */
import type { Extent, FunctionBody } from '../../sql/functions/body-uses.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import { beyondExtent } from './check-body.ts';
import type { Definition, FunctionDefinition } from './function-script.ts';
import { headOf, Obstacle } from './function-script.ts';

export type Body = readonly [FunctionDefinition, FunctionBody];

/** Parses the bodies of all functions of a name. Returns null if one of them has a statement beyond the extent. */
export async function readBodies(
  { name, functions }: Definition,
  extent: Extent,
): Promise<readonly Body[] | null> {
  const bodies: Body[] = [];
  for (const each of functions) {
    if (each.obstacle !== null) throw new Obstacle(each.obstacle);
    const body = await readBodyAnywhere({ ...each, head: headOf(each, name, 'record'), extent });
    if (body === null) return null;
    bodies.push([each, body]);
  }
  return bodies;
}

/** Parses the bodies of all functions of a name, such as may write. @throws Obstacle if one of them does more */
export async function demandBodies(definition: Definition): Promise<readonly Body[]> {
  const bodies = await readBodies(definition, 'writes');
  if (bodies === null) throw new Obstacle(beyondExtent('writes'));
  return bodies;
}
