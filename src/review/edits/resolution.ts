/** Resolution of conflicts: the side that each conflict takes, and its effect on a staged row. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict, ConflictKind } from '../../model/conflict.ts';
import type { JsonText } from '../../model/json.ts';
import { conflictFacts } from '../conflicts.ts';
import { InTheWay } from '../lock-budget.ts';
import type { FoundLineage, Lineage, StagedTable } from './lineages.ts';
import { findLineages } from './lineages.ts';

export const sides = ['mine', 'theirs'] as const;
/** The side whose value applies: `mine` is the session's, `theirs` is production's. */
export type Side = (typeof sides)[number];

export interface Resolution {
  readonly table: string;
  readonly rowId: JsonText;
  /** One column; null for all conflicts of the row. */
  readonly field: string | null;
  readonly take: Side;
  /** The production value that the caller expects; not compared where it is left out. */
  readonly productionCurrent?: JsonText | undefined;
}

/** The conflicts of one row to resolve, and the side that each of them takes. */
export interface ResolvedRow {
  readonly conflicts: readonly Conflict[];
  readonly sides: readonly Side[];
}

/** Joins several parts to one name. */
const textOf = (parts: readonly (string | null)[]) => JSON.stringify(parts);

/** Converts a key to the form in which it is compared: 7 and "7" mean the same row. */
function keyOf({ text }: JsonText): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' ? JSON.stringify(sorted(value)) : String(value);
}

const sorted = (value: object | null) =>
  Object.entries(value ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));

const rowOf = ({ table, rowId }: { readonly table: string; readonly rowId: JsonText }) =>
  textOf([table, keyOf(rowId)]);

/**
 * Finds the requested conflicts, grouped by row.
 * @throws StageError `no_such_conflict`, `conflict_detected` where production has another value than the caller expects, or
 * `invalid_request` for a row that is resolved in two ways
 */
export function chooseSides(
  found: readonly Conflict[],
  resolutions: readonly Resolution[] | Side,
): ResolvedRow[] {
  // guard: conflicts of hidden tables are not settled
  const visible = found.filter(({ hidden }) => !hidden);
  if (typeof resolutions === 'string') {
    if (visible.length === 0 || visible.length < found.length) throw noSuchConflict(null);
    return byRows(visible.map((conflict) => [conflict, resolutions]));
  }
  const chosen = new Map<Conflict, Side>();
  for (const resolution of resolutions) {
    const meant = visible.filter(
      (conflict) =>
        rowOf(conflict) === rowOf(resolution) &&
        (resolution.field === null || conflict.field === resolution.field),
    );
    if (meant.length === 0) throw noSuchConflict(resolution);
    for (const conflict of meant) {
      demandSame(found, conflict, resolution);
      const other = chosen.get(conflict);
      if (other !== undefined && other !== resolution.take) throw contradiction(resolution);
      chosen.set(conflict, resolution.take);
    }
  }
  return byRows([...chosen]);
}

function byRows(chosen: readonly (readonly [Conflict, Side])[]): ResolvedRow[] {
  const rows = new Map<string, { conflicts: Conflict[]; sides: Side[] }>();
  for (const [conflict, side] of chosen) {
    const row = rows.get(rowOf(conflict)) ?? { conflicts: [], sides: [] };
    row.conflicts.push(conflict);
    row.sides.push(side);
    rows.set(rowOf(conflict), row);
  }
  return [...rows.values()];
}

/** Checks that production has the value that the caller expects. @throws StageError `conflict_detected` */
function demandSame(
  found: readonly Conflict[],
  { productionCurrent }: Conflict,
  { productionCurrent: thought }: Resolution,
): void {
  // guard: nothing is settled that the caller saw differently
  if (thought === undefined || isSame(thought, productionCurrent)) return;
  throw new StageError('conflict_detected', 'production has another value by now', {
    hint: 'Check the conflicts again: `stage check`.',
    facts: { conflicts: found.map(conflictFacts) },
  });
}

/**
 * Compares two values as JSON. Programs may format numbers in other ways than PostgreSQL, and may round those with many digits, so such
 * numbers must be equal as texts.
 */
function isSame(one: JsonText, other: JsonText | null): boolean {
  const [left, right] = [bare(one.text), bare(other?.text ?? 'null')];
  if (left === right) return true;
  if (manyDigits.test(left) || manyDigits.test(right)) return false;
  return JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right));
}

const manyDigits = /(?:\d\.?){16}/;
const bare = (text: string) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');

/**
 * Rebases a staged row on production's row, with the chosen sides.
 * @returns the lineage if nothing is left of it, else null
 * @throws StageError `not_resolvable`
 */
export async function settle(
  tx: Queryable,
  uuid: string,
  tables: readonly StagedTable[],
  row: ResolvedRow,
): Promise<Lineage | null> {
  const [first] = row.conflicts;
  const [side] = row.sides;
  if (first === undefined) return null;
  const { kind, table: name } = first;
  const table = tables.find((candidate) => candidate.name === name);
  if (kind === 'cascade' || kind === 'schema' || table === undefined)
    throw notResolvable(first, reasons[kind === 'schema' ? 'schema' : 'cascade']);
  if (new Set(row.conflicts.map((conflict) => conflict.kind)).size > 1)
    throw notResolvable(first, 'there is more than one kind of conflict about it');
  const lineage = await lineageOf(tx, uuid, table, first);
  const isOneSided = row.sides.every((each) => each === side);
  if (kind !== 'changed' || lineage.type === 'DELETE') {
    if (!isOneSided) throw notResolvable(first, 'the row as a whole is one side or the other');
    if (side === 'theirs') return lineage;
    if (kind !== 'changed') return beginAnew(tx, uuid, lineage, first);
  }
  return rebase(tx, uuid, lineage, row);
}

/** Returns the lineage if nothing is left of it. */
async function rebase(
  tx: Queryable,
  uuid: string,
  lineage: FoundLineage,
  row: ResolvedRow,
): Promise<Lineage | null> {
  const fields = (wanted: Side) =>
    row.conflicts.flatMap(({ field }, index) => (row.sides[index] === wanted ? (field ?? []) : []));
  const [rebased] = await tx.query(
    `SELECT * FROM stage_data.rebase_${lineage.relation}($1, $2, ARRAY(SELECT jsonb_array_elements_text($3)), ARRAY(SELECT jsonb_array_elements_text($4)))`,
    [uuid, lineage.root, JSON.stringify(fields('theirs')), JSON.stringify(fields('mine'))],
  );
  await demandSeen(tx, rebased?.['current'] ?? null, row.conflicts, lineage.rowId);
  // guard: a settled row without a change is unstaged
  return rebased?.['is_void'] === 't' ? lineage : null;
}

/**
 * Makes an UPDATE of an INSERT whose row production has now, and an INSERT of an UPDATE whose row is gone.
 * @returns the lineage if nothing is left of it, else null
 */
async function beginAnew(
  tx: Queryable,
  uuid: string,
  lineage: FoundLineage,
  conflict: Conflict,
): Promise<Lineage | null> {
  if (lineage.type === null || lineage.type === 'DELETE') return lineage;
  const [begun] = await tx.query(`SELECT * FROM stage_data.rebegin_${lineage.relation}($1, $2)`, [
    uuid,
    lineage.root,
  ]);
  if (begun?.['is_possible'] !== 't')
    throw notResolvable(conflict, reasons[conflict.kind as keyof typeof reasons]);
  const current = begun['current'] ?? null;
  const [row] = await tx.query('SELECT $1::jsonb IS NOT DISTINCT FROM $2::jsonb AS same', [
    current,
    conflict.productionCurrent?.text ?? null,
  ]);
  if (row?.['same'] !== 't') throw changing(lineage.rowId);
  return begun['is_void'] === 't' ? lineage : null;
}

async function lineageOf(
  tx: Queryable,
  uuid: string,
  table: StagedTable,
  conflict: Conflict,
): Promise<FoundLineage> {
  const found = await findLineages(tx, uuid, table, [conflict.rowId]);
  const isOwn = conflict.kind === 'key_exists';
  const [lineage, another] = found.filter((each) => each.isOwn === isOwn);
  if (lineage === undefined || another !== undefined)
    throw notResolvable(conflict, 'the row has moved to another key in the session');
  return lineage;
}

/** Checks that production has not changed again since the conflicts were determined: a change that nobody has seen is not resolved. */
async function demandSeen(
  tx: Queryable,
  current: string | null,
  conflicts: readonly Conflict[],
  rowId: JsonText,
): Promise<void> {
  for (const { field, productionCurrent } of conflicts) {
    const [row] = await tx.query(
      'SELECT ($1::jsonb -> $2)::text IS NOT DISTINCT FROM ($3::jsonb)::text AS same',
      [current, field, productionCurrent?.text ?? 'null'],
    );
    if (row?.['same'] !== 't') throw changing(rowId);
  }
}

/** Returns the error for a production row that has changed since the conflicts were determined. It makes the whole attempt run again. */
export const changing = ({ text }: JsonText) =>
  new InTheWay('40001', `row ${text} is being changed in production`);

/** Why a conflict cannot be resolved in place. A conflict of a changed row always can be. */
const reasons: Readonly<Record<Exclude<ConflictKind, 'changed'>, string>> = {
  gone: 'its row is gone from production, and the session has moved it or inserted it anew: take it out, and insert it anew',
  key_exists:
    'production has a row of that key, and the session has moved its own there or away: take it out, and update that one',
  cascade:
    'production rows that nobody reviewed hang on it: take the change of their parent out, and make it again',
  schema: 'its table has changed: stage the changes anew in another session',
};

function noSuchConflict(resolution: Resolution | null): StageError {
  const { table = null, rowId = null, field = null } = resolution ?? {};
  const place =
    resolution === null ? '' : ` of ${table} ${rowId?.text}${field === null ? '' : ` ${field}`}`;
  return new StageError('no_such_conflict', `there is no such conflict${place}`, {
    hint: 'Check the conflicts: `stage check`.',
    facts: { table, row_id: rowId, field },
  });
}

function contradiction({ table, rowId }: Resolution): StageError {
  return new StageError('invalid_request', `${table} ${rowId.text} is resolved in two ways`, {
    hint: 'Name each conflict once.',
  });
}

function notResolvable(conflict: Conflict, why: string): StageError {
  const { table, rowId, kind } = conflict;
  const place = kind === 'schema' ? table : `${table} ${rowId.text}`;
  return new StageError(
    'not_resolvable',
    `the conflict cannot be settled in place: ${place}: ${why}`,
    {
      hint: 'Take rows out with `stage unstage`, and stage them anew.',
      facts: { conflicts: [conflictFacts(conflict)] },
    },
  );
}
