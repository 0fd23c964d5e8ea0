/** Replaces the functions that a body calls, and gives them the rows that they take. */
import type { Queryable } from '../../db/database.ts';
import { qualifiedName } from '../../identifier.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { Replacement } from '../../sql/splice.ts';
import { callsOfWrites } from './calling-writes.ts';
import type { FoundUses } from './function-script.ts';
import { Obstacle } from './function-script.ts';
import type { FunctionUses, Known, OwnFunctions } from './known-functions.ts';
import { noteNotifying, noteReading, noteWriting } from './known-functions.ts';
import type { Lookup } from './own-path.ts';
import { recorded } from './own-path.ts';
import type { Called } from './rows-in.ts';
import { calledAs, demandSameRows, withBodyRows } from './rows-in.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  readonly own?: OwnFunctions;
  readonly stages?: boolean;
  readonly leavesOwners?: boolean;
  readonly notifies?: boolean;
  readonly fires?: boolean;
}

interface Following<Within> {
  /** Gets the names that are found. */
  readonly uses: FoundUses | FunctionUses;
  /** Follows the functions of a name; null if there are none with a body. */
  readonly follow: (context: Within, called: QualifiedName) => Promise<Known | null>;
}

/**
 * Returns the replacements of called functions in a body, and the given others with those of the rows that these functions take.
 * @throws Obstacle if staged functions would pass rows of theirs to functions that take rows of the table itself
 */
export async function withCalls<Within extends Context>(
  context: Within,
  body: BodyUses,
  others: readonly Replacement[],
  calls: Following<Within>,
): Promise<BodyReplacement[]> {
  const replacements: Replacement[] = [];
  const writes: BodyReplacement[] = [];
  const called = new Map<number, Called>();
  for (const { start, end, ...call } of body.called) {
    if (call.schema === 'pg_catalog') continue;
    const known = await followCall(context, call, body, calls);
    if (known === null) continue;
    writes.push(...(await callsOfWrites(context, call, known, body)));
    const staged = calledAs(context, known);
    // guard: NEW and OLD, which are no rows of staged functions, are passed to none
    if (context.fires === true && staged.functions.some(({ rows }) => rows.length > 0))
      throw new Obstacle(`calls ${call.name}(), which takes rows of a table`);
    called.set(start, staged);
    if (staged.schema !== null)
      replacements.push({ start, end, text: qualifiedName(staged.schema, call.name) });
  }
  const attributes: Called[] = [];
  const rows = await withBodyRows(context, body, [...others, ...replacements], {
    called,
    find: async (name) => {
      const known = await followCall(context, name, body, calls);
      if (known === null) return null;
      // guard: a function that stands behind a dot does not write
      if (known.uses.writes) throw new Obstacle(`calls ${name.name}(), which writes, as a column`);
      const found = calledAs(context, known);
      attributes.push(found);
      return found;
    },
  });
  demandSameRows(context, [...called.values(), ...attributes]);
  // a write may call several functions
  return [...rows, ...new Map(writes.map((each) => [each.start, each])).values()];
}

/** Follows a called function, and records what it uses. */
async function followCall<Within extends Context>(
  context: Within,
  call: QualifiedName,
  body: BodyUses,
  { uses, follow }: Following<Within>,
): Promise<Known | null> {
  uses.functions.push(recorded(context, call));
  const known = await follow(context, call);
  if (known === null) return null;
  uses.relations.push(...known.uses.relations.map((name) => recorded(context, name)));
  uses.functions.push(...known.uses.functions.map((name) => recorded(context, name)));
  noteWriting(context, known, call, body, uses);
  noteReading(known, uses);
  noteNotifying(context, known, call, uses);
  return known;
}
