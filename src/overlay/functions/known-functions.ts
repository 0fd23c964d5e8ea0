/** Facts about the functions of a name: their uses, and whether they have staged functions. */
import type { Queryable } from '../../db/database.ts';
import { qualifiedName } from '../../identifier.ts';
import { standInSchema } from '../../model/internal-schemas.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { oidArray } from '../object-names.ts';
import type { Definition, FoundUses } from './function-script.ts';
import { Obstacle } from './function-script.ts';
import type { RecordedName } from './own-path.ts';
import { recorded } from './own-path.ts';

interface Uses {
  readonly relations: readonly RecordedName[];
  readonly functions: readonly RecordedName[];
  /** The tables that they write to, by their full names. */
  readonly written?: readonly RecordedName[];
  /** Whether they write, or draw from sequences: only a staged write calls them. */
  readonly writes?: boolean;
  /** Whether they notify, or call others that do. */
  readonly notifies?: boolean;
  readonly readsProduction?: boolean;
  /** Whether they read with the rights of an owner, by themselves or through functions. */
  readonly asOwner?: boolean;
  /** The number of the schema of copies that leave what they call with such rights to production. */
  readonly leaving?: string;
  /** Whether they read nothing that can be staged: only a staged write calls the copies, reads call the functions themselves. */
  readonly computes?: boolean;
}

/** The uses of functions. */
export interface FunctionUses extends FoundUses {
  readonly written: RecordedName[];
  writes: boolean;
  notifies?: boolean;
  /** Whether they have no effects: a staged write may call their copies, although they are VOLATILE. */
  isHarmless?: boolean;
  computes?: boolean;
  asOwner?: boolean;
  leaving?: string;
}

/** The facts about the functions of a name. */
export interface Known extends StagedFunctions, Pick<Definition, 'functions'> {}

export interface StagedFunctions {
  /** The schema of the staged functions; null if there are none. */
  readonly schema: string | null;
  /** The same with what reads with the rights of an owner left to production; null for functions that do so themselves. */
  readonly leaving: string | null;
  readonly uses: Uses;
  readonly obstacle: string | null;
}

/** Reads the recorded facts about the functions of a name under a search path. */
export async function readStagedFunctions(
  { tx, path }: { readonly tx: Queryable; readonly path: readonly number[] },
  { namespace, name }: Definition,
): Promise<StagedFunctions | null> {
  const [row] = await tx.query(
    `SELECT uses, obstacle, CASE WHEN obstacle IS NULL THEN id END AS id
     FROM stage.staged_function WHERE namespace = $1 AND name = $2 AND path = $3`,
    [namespace, name, oidArray(path)],
  );
  if (row === undefined) return null;
  const uses = JSON.parse(row['uses'] ?? '{}') as Uses;
  return stagedFunctions(row['id'] ?? null, uses, row['obstacle'] ?? null);
}

/** @param id the number of their schema; null if there are none */
export function stagedFunctions(
  id: string | null,
  uses: Uses,
  obstacle: string | null,
): StagedFunctions {
  const leaving = uses.asOwner === true && uses.writes !== true ? uses.leaving : id;
  const schemaOf = (number: string | null | undefined) =>
    number == null ? null : standInSchema('function', number);
  return { schema: schemaOf(id), leaving: schemaOf(leaving), uses, obstacle };
}

/**
 * Records the writes of a called function.
 * @throws Obstacle for a call that a trigger or a staged function must not make
 */
export function noteWriting(
  { role, stages }: { readonly role?: number | undefined; readonly stages?: boolean },
  known: Known,
  { name }: QualifiedName,
  { calledByWrites }: BodyUses,
  uses: FoundUses | FunctionUses,
): void {
  const { obstacle } = known;
  const writes = known.uses.writes === true;
  if (!('writes' in uses)) {
    if (!writes) return;
    // a second check: what the body of a trigger calls was checked before
    if (stages !== true) throw new Obstacle(`calls ${name}(), which writes`);
    if (obstacle !== null) throw new Obstacle(`calls ${name}(), which ${obstacle}`);
    return;
  }
  // guard: a statement that writes calls no function that writes: the two would be one statement
  if (writes && calledByWrites.some((each) => each.name === name))
    throw new Obstacle(`calls ${name}(), which writes, in a statement that writes`);
  // guard: a function that writes calls no function that is not staged
  if (obstacle !== null && obstacle !== readsNothing && (uses.writes || writes))
    throw new Obstacle(`calls ${name}(), which ${obstacle}`);
  uses.writes ||= writes;
  uses.written.push(...(known.uses.written ?? []).map((name) => recorded({ role }, name)));
}

/** Records what a called function reads: production, or staged rows with the rights of an owner. */
export function noteReading(known: Known, uses: FoundUses | FunctionUses): void {
  if (readsUnstaged(known)) uses.readsProduction = true;
  const { asOwner, computes } = known.uses;
  if ('writes' in uses && known.schema !== null && asOwner && !computes) uses.asOwner = true;
}

/**
 * Records the notifications of a called function.
 * @throws Obstacle for a call that would notify while rows are staged
 */
export function noteNotifying(
  { notifies }: { readonly notifies?: boolean },
  known: Known,
  { name }: QualifiedName,
  uses: FoundUses | FunctionUses,
): void {
  if ('writes' in uses && known.uses.notifies === true) uses.notifies = true;
  // guard: a trigger that notifies calls no function that would notify while rows are staged
  if (notifies === true && readsUnstaged(known))
    throw new Obstacle(`calls ${name}(), which ${known.obstacle ?? 'reads production'}`);
}

/** Returns whether functions are not staged although they may read tables, or call such functions. */
const readsUnstaged = ({ schema, obstacle, uses }: Known) =>
  uses.readsProduction === true || (schema === null && obstacle !== readsNothing);

/** The obstacle of functions that run as they are. */
export const readsNothing = 'reads nothing that can be staged';

/** Returns the uses without duplicates. */
export const distinct = ({ relations, functions }: FoundUses): FoundUses => ({
  relations: [...new Map(relations.map((name) => [JSON.stringify(name), name])).values()],
  functions: [...new Map(functions.map((name) => [JSON.stringify(name), name])).values()],
});

/** Returns a name without its place. */
export const nameOf = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name });

/** Functions that are being made, which may call themselves. */
export interface OwnFunctions {
  readonly key: string;
  readonly known: Known;
}

/** Returns functions that are being made. @param uses the names that are found in their bodies */
export function ownFunctions(
  definition: Definition,
  schema: string,
  uses: FunctionUses,
): OwnFunctions {
  const found = {
    ...{ relations: [], functions: [] },
    // known once the whole body is read
    get writes() {
      return uses.writes;
    },
  };
  return {
    key: qualifiedName(definition.schema, definition.name),
    known: { ...definition, schema, leaving: schema, obstacle: null, uses: found },
  };
}

/**
 * Returns functions that call themselves.
 * @throws Obstacle if the called functions would find names in other schemas than the functions being made
 */
export function ownOf({ known }: OwnFunctions, { functions }: Definition): Known {
  const paths = functions.filter(({ path }) => path !== null).length;
  // guard: functions that call themselves find the same names each time
  if (paths > 0 && paths < functions.length) throw new Obstacle('calls itself with another path');
  return known;
}
