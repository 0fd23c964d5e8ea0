/** Selection of a session's staged rows for an edit, and obstacles to unstaging them. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { JsonText } from '../../model/json.ts';
import type { Lineage, NamedLineage, StagedTable } from './lineages.ts';
import { findLineages, listLineages } from './lineages.ts';

/** A staged row, or all rows of a table. */
export interface Choice {
  readonly table: string;
  /** The key as diffs show it; null for all rows of the table. */
  readonly rowId: JsonText | null;
}

/** Builds the error for a table whose rows an edit cannot choose. */
export type Refusal = (table: string, why: string, hint?: string) => StageError;

/** Refuses a session whose staged rows a migration has orphaned. @throws StageError `not_unstageable`, or that of `refusal` */
export async function refuseParked(
  tx: Queryable,
  uuid: string,
  refusal: Refusal = notUnstageable,
): Promise<void> {
  const [parked] = await tx.query(
    'SELECT min(table_name) AS name FROM stage.parked_table WHERE session = $1',
    [uuid],
  );
  const name = parked?.['name'] ?? null;
  if (name !== null)
    throw refusal(name, 'a change of the table has made its staged rows ambiguous');
}

export interface Picked {
  readonly lineages: readonly Lineage[];
  /** Tables without lineages, of which all rows are chosen. */
  readonly whole: readonly number[];
}

/**
 * Finds the chosen rows.
 * @throws StageError `no_such_change` for the first choice that matches nothing, `not_unstageable` for a single row of a table without
 * lineages
 */
export async function pick(
  tx: Queryable,
  uuid: string,
  tables: readonly StagedTable[],
  choices: readonly Choice[],
  refusal: Refusal = notUnstageable,
): Promise<Picked> {
  const lineages = new Map<string, Lineage>();
  const whole: number[] = [];
  for (const name of new Set(choices.map(({ table }) => table))) {
    const chosen = choices.filter((choice) => choice.table === name);
    const table = tables.find((candidate) => candidate.name === name);
    const found = table && (await pickFrom(tx, uuid, table, chosen, refusal));
    if (table === undefined || found === undefined) throw noSuchChange(chosen[0]);
    if (found === 'whole') whole.push(table.relation);
    else for (const each of found) lineages.set(`${each.relation} ${each.root}`, each);
  }
  return { lineages: [...lineages.values()], whole };
}

/** Finds the chosen rows of one table; undefined if the caller may not know its rows. */
async function pickFrom(
  tx: Queryable,
  uuid: string,
  table: StagedTable,
  chosen: readonly Choice[],
  refusal: Refusal,
): Promise<readonly Lineage[] | 'whole' | undefined> {
  const keys = chosen.flatMap(({ rowId }) => rowId ?? []);
  const isWhole = keys.length < chosen.length;
  if (isWhole) return table.hasLineages ? listLineages(tx, uuid, table) : 'whole';
  // guard: rows of hidden tables cannot be named
  if (table.hidden) return undefined;
  if (!table.hasLineages)
    throw refusal(table.name, reasonOf(table), 'Name the table alone, for all its rows.');
  return findEach(tx, uuid, table, keys);
}

async function findEach(
  tx: Queryable,
  uuid: string,
  table: StagedTable,
  keys: readonly JsonText[],
): Promise<readonly NamedLineage[]> {
  const found = await findLineages(tx, uuid, table, keys);
  const places = new Set(found.map(({ place }) => place));
  const missing = keys.findIndex((_, place) => !places.has(place));
  if (missing >= 0) throw noSuchChange({ table: table.name, rowId: keys[missing] ?? null });
  return found;
}

/**
 * Checks that the chosen tables, and those connected with them (see `StagedTable.island`), are current and have lineages. A table without a
 * key is allowed if it is connected with no other.
 * @throws StageError `not_unstageable`
 */
export function demandOperable(
  tables: readonly StagedTable[],
  { lineages, whole }: Picked,
  refusal: Refusal = notUnstageable,
): void {
  const chosen = new Set([...whole, ...lineages.map(({ relation }) => relation)]);
  const islands = new Set(
    tables.filter(({ relation }) => chosen.has(relation)).map(({ island }) => island),
  );
  for (const table of tables.filter(({ island }) => islands.has(island))) {
    if (!table.isCurrent)
      throw refusal(table.name, 'the table is gone, or is one that cannot be staged any more');
    const isAlone = tables.filter(({ island }) => island === table.island).length === 1;
    if (!table.hasLineages && !(table.key.length === 0 && isAlone))
      throw refusal(table.name, reasonOf(table));
  }
}

/** Checks that rows of the tables can be resolved one by one. @throws StageError `not_unstageable` for a table without lineages */
export function demandLineages(tables: readonly StagedTable[]): void {
  const table = tables.find(({ hasLineages }) => !hasLineages);
  if (table !== undefined) throw notUnstageable(table.name, reasonOf(table));
}

const reasonOf = ({ key }: StagedTable) =>
  key.length === 0
    ? 'the table has no key: nobody can tell which of its rows belong to others'
    : 'the table is part of an inheritance tree';

function noSuchChange(choice: Choice | undefined): StageError {
  const { table = '', rowId = null } = choice ?? {};
  const row = rowId === null ? 'no row' : `no row ${rowId.text}`;
  return new StageError('no_such_change', `the session has staged ${row} of ${table}`, {
    hint: 'Check what it has staged: `stage diff`.',
    facts: { table, row_id: rowId },
  });
}

function notUnstageable(
  table: string,
  why: string,
  hint = 'Stage by hand what the rows are to be, or start anew: `stage session new`.',
): StageError {
  return new StageError('not_unstageable', `rows cannot be taken out: ${table}: ${why}`, {
    hint,
    facts: { table },
  });
}
