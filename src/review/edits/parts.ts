/**
 * Parts of a session: chosen staged rows, with all rows that these depend on and that depend on them. Each part can be applied without the
 * other, in either order.
 */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import { emit } from '../../staging/event-store.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { arraysOf, stagedTables, tiedLineages } from './lineages.ts';
import type { Choice, Picked, Refusal } from './row-choice.ts';
import { demandOperable, pick, refuseParked } from './row-choice.ts';
import type { RowCount, UnstagedRow } from './row-names.ts';
import { countLineages, countRows, mostNamed, Names, rowFacts } from './row-names.ts';

export interface Part {
  readonly rows: readonly Choice[];
  /** Whether rows that are tied to the chosen ones are included. Otherwise they make the request fail. */
  readonly withTies: boolean;
  /** Whether only counts are returned for tables that a role that staged in the session may not read. */
  readonly readableOnly?: boolean;
}

/** The rows of a part, before they are moved. */
export interface ChosenPart extends Picked {
  /** The number of its rows, by table. */
  readonly counts: readonly RowCount[];
  /** The first rows that were included without being chosen. */
  readonly tied: readonly UnstagedRow[];
  /** Whether it is everything that the session has staged. */
  readonly isWhole: boolean;
}

/**
 * Finds the rows of a part.
 * @throws StageError `no_such_change` for a row that is not staged, `has_dependents` with the rows that are tied to the chosen ones,
 * `not_splittable`
 */
export async function choosePart(
  tx: Queryable,
  uuid: string,
  { rows, withTies, readableOnly = false }: Part,
): Promise<ChosenPart> {
  await refuseParked(tx, uuid, notSplittable);
  const tables = await stagedTables(tx, uuid, readableOnly);
  const picked = await pick(tx, uuid, tables, rows, notSplittable);
  demandOperable(tables, picked, notSplittable);
  const ties = await tiedLineages(tx, uuid, picked.lineages);
  const tied = await new Names(tx, uuid, tables).of(ties, true);
  // guard: no part is cut off from rows that it is tied to
  if (ties.length > 0 && !withTies) throw hasTies(ties.length, tied);
  const lineages = [...picked.lineages, ...ties];
  const counts = await countRows(tx, uuid, tables, picked.whole, lineages);
  let isWhole = counts.length > 0;
  for (const { relation, hasLineages } of tables) {
    const chosen = lineages.filter((each) => each.relation === relation).length;
    const isAll = hasLineages
      ? (await countLineages(tx, uuid, relation)) === chosen
      : picked.whole.includes(relation);
    isWhole &&= isAll;
  }
  return { lineages, whole: picked.whole, counts, tied, isWhole };
}

/** The session that rows were moved to. */
export interface SplitOff {
  readonly uuid: string;
  readonly id: string;
}

/**
 * Moves rows of a session to a new one. The new one is active, with the same authors and the same mutation log.
 * @param which `chosen` for the rows of the part, `others` for all but them
 */
export async function moveRows(
  tx: Queryable,
  { uuid }: LockedSession,
  { lineages, whole }: Picked,
  which: 'chosen' | 'others',
): Promise<SplitOff> {
  const id = randomBytes(16).toString('hex');
  await tx.query('SELECT stage.split_session($1, $2)', [uuid, id]);
  await tx.query('SELECT stage.move_lineages($1, $2, $3, $4, $5, $6)', [
    uuid,
    id,
    ...arraysOf(lineages),
    `{${whole.join(',')}}`,
    String(which === 'others'),
  ]);
  return { uuid: id, id: `sess_${id}` };
}

/**
 * Emits the events of a split: the new session's creation, and the split of the other. Must be the last step before other events.
 * @param body further members of the event of the split
 * @returns the number of the last event
 */
export async function emitSplit(
  tx: Queryable,
  session: LockedSession,
  { uuid, id }: SplitOff,
  by: string | null,
  body: JsonObject,
): Promise<string> {
  const text = (members: JsonObject) => new JsonText(stringifyJson(members));
  const { projectId } = session;
  const created = { uuid, projectId, kind: 'created', by } as const;
  const [creator] = await tx.query('SELECT created_as FROM stage.session WHERE id = $1', [uuid]);
  const facts = { split_from: session.id, created_as: creator?.['created_as'] ?? null };
  // guard: a split is its creator's session, whoever made it
  await emit(tx, { ...created, body: text(facts) });
  return emit(tx, { ...session, kind: 'split', by, body: text({ session_id: id, ...body }) });
}

function hasTies(count: number, rows: readonly UnstagedRow[]): StageError {
  return new StageError(
    'has_dependents',
    `${count === 1 ? 'a staged row is' : `${count} staged rows are`} tied to the chosen ones: neither part could be applied without the other`,
    {
      hint: 'Include them with --with-ties ("with_ties": true), or choose other rows.',
      facts: { dependents: rows.slice(0, mostNamed).map(rowFacts), dependents_count: count },
    },
  );
}

const notSplittable: Refusal = (
  table,
  why,
  hint = 'Choose rows of other tables, or decide on the session as a whole.',
) =>
  new StageError('not_splittable', `rows cannot be split off: ${table}: ${why}`, {
    hint,
    facts: { table },
  });

/** Returns the error for a part that leaves nothing in the session. */
export const nothingLeft = () =>
  new StageError('not_splittable', 'the part is everything that the session has staged', {
    hint: 'Leave some rows in the session: `stage diff` shows what it has staged.',
  });
