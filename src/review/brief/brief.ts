/** Reads a session's brief: what its diff means, in facts that are counted in the database. */
import type { Database, Queryable } from '../../db/database.ts';
import { loadSql } from '../../db/sql-file.ts';
import type { Brief, Flag, FlagCode, Overlap, TableBrief } from '../../model/brief.ts';
import type { ChangeCounts } from '../../model/change.ts';
import { changesIn } from '../../model/change.ts';
import { columnsMatching, isTableMatching, isTablePattern } from '../../model/column-patterns.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { getSession } from '../../staging/session-store.ts';
import { revisionOf } from '../diff/diff-pages.ts';
import type { DiffTable } from '../diff/diff-tables.ts';
import { countChanges, diffTables, triggersOf } from '../diff/diff-tables.ts';
import { readKnownFlags, withKnown } from '../looks.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import type { ColumnFacts } from './column-facts.ts';
import { columnFacts } from './column-facts.ts';
import type { BriefShape } from './sample.ts';
import { rowsUpTo } from './sample.ts';
import { rowsWithoutWhere } from './statement-facts.ts';
import {
  carriedFacts,
  keyColumns,
  keyOf,
  overlappingSessions,
  shapeForBrief,
  triggerFacts,
} from './table-facts.ts';

/** The least number of earlier approved sessions with which an author's tables and number of changes are compared. */
const fewestSessions = 3;
const unusualShare = 20;
const unusualFactor = 10;
/** The least number of earlier approved sessions that show the times of day at which an author works. */
const fewestTimes = 10;
const unusualSeconds = 3 * 3600;

export interface BriefRules {
  /** Whether a table is only counted if some role that staged in the session may not read it. */
  readonly readableOnly: boolean;
  /** Whether other sessions are counted, but not named. */
  readonly ownOnly: boolean;
  /** Patterns of columns that the configuration marks as sensitive. */
  readonly sensitiveColumns: readonly string[];
  /** Whether the service rehearses sessions; true by default. */
  readonly rehearses?: boolean;
}

/**
 * Reads the brief of a session.
 * @throws StageError `session_not_found`, `took_too_long`
 */
export async function readBrief(db: Database, id: string, rules: BriefRules): Promise<Brief> {
  return (await readRound(db, id, rules)).brief;
}

export interface BriefOfRound {
  readonly brief: Brief;
  /** The brief without the flags of what is known only now. */
  readonly lasting: Brief;
  /** How often the session was proposed. */
  readonly round: number;
}

/** Reads a brief with the session's round. @throws StageError as `readBrief` does */
export async function readRound(
  db: Database,
  id: string,
  rules: BriefRules,
): Promise<BriefOfRound> {
  await renewOutdated(db, id);
  return inSnapshot(db, (tx) => briefIn(tx, id, rules));
}

/** Reads a brief in the caller's snapshot. */
export async function briefIn(tx: Queryable, id: string, rules: BriefRules): Promise<BriefOfRound> {
  const session = await getSession(tx, id);
  const uuid = sessionUuid(id);
  const briefs: TableBrief[] = [];
  const flags: Flag[] = [];
  const overlaps: Overlap[] = [];
  for (const table of await diffTables(tx, uuid, session.status, rules.readableOnly)) {
    const counts = await countChanges(tx, table);
    if (counts === null) continue;
    const found = await tableBrief(tx, uuid, table, counts, rules);
    briefs.push(found.brief);
    flags.push(...found.flags);
    overlaps.push(...found.overlaps);
  }
  flags.push(...(await authorFlags(tx, uuid, briefs)));
  const { rehearses = true } = rules;
  const known = await readKnownFlags(tx, session, rehearses && briefs.length > 0);
  const lasting = { revision: revisionOf(session), tables: briefs, flags, overlaps };
  const brief = { ...lasting, flags: withKnown(flags, known, (flag) => flag) };
  return { brief, lasting, round: session.round };
}

/** Open sessions that change the same rows: the first ones of each table, and flags that count all. */
export interface Overlaps {
  readonly overlaps: readonly Overlap[];
  readonly flags: readonly Flag[];
}

/** Reads the open sessions that change the same rows as a session does now, by table, as a brief that hides nothing shows them. */
export async function readOverlaps(db: Database, id: string): Promise<Overlaps> {
  return inSnapshot(db, async (tx) => {
    const { status } = await getSession(tx, id);
    const uuid = sessionUuid(id);
    const overlaps: Overlap[] = [];
    const flags: Flag[] = [];
    for (const table of await diffTables(tx, uuid, status)) {
      const key = await keyColumns(tx, table);
      const { sessions, count } = await overlappingSessions(tx, uuid, table, key);
      overlaps.push(...sessions.map((each) => ({ ...each, table: table.name })));
      if (count > 0) flags.push({ code: 'overlap', table: table.name, column: null, count });
    }
    return { overlaps, flags };
  });
}

/** Returns a brief's flags with those for overlaps replaced by the present ones. */
export const withOverlaps = (flags: readonly Flag[], now: readonly Flag[]): Flag[] => [
  ...flags.filter(({ code }) => code !== 'overlap'),
  ...now,
];

const stepsOf = (counts: ChangeCounts) => changesIn(counts) + counts.furtherChanges;

interface FoundInTable {
  readonly brief: TableBrief;
  readonly flags: readonly Flag[];
  readonly overlaps: readonly Overlap[];
}

async function tableBrief(
  tx: Queryable,
  uuid: string,
  table: DiffTable,
  counts: ChangeCounts,
  { readableOnly, ownOnly, sensitiveColumns }: BriefRules,
): Promise<FoundInTable> {
  const flags: Flag[] = [];
  const flag = (code: FlagCode, count: number, column: string | null = null) => {
    if (count > 0) flags.push({ code, table: table.name, column, count });
  };
  flag('deletes', counts.deletes);
  flag('further_changes', counts.furtherChanges);
  const plain = { ...counts, sampled: null, facts: [] };
  // guard: a brief shows only counts of hidden tables
  const shape = table.hidden ? null : await shapeForBrief(tx, uuid, table);
  if (shape === null) return { brief: plain, flags, overlaps: [] };
  const columns = await columnFacts(tx, table, shape, counts);
  const carried = await carriedFacts(tx, uuid, table, shape, readableOnly);
  const written = await triggerFacts(tx, uuid, table, shape, readableOnly);
  flags.push(...columns.flags);
  flag('carried_along', carried.rows);
  flag('no_where', await rowsWithoutWhere(tx, uuid, { ...table, table: shape.name }));
  if (table.kind === 'staged') flag('share_of_table', await shareOf(tx, counts, shape));
  for (const { column, count } of sensitiveIn(table.name, sensitiveColumns, counts, shape, columns))
    flag('sensitive_column', count, column);
  if (shape.hasTriggers) flag('triggers', (await triggersOf(tx, uuid, table)).length);
  const others = await overlappingSessions(tx, uuid, table, keyOf(shape), stepsOf(counts));
  flag('overlap', others.count);
  const { sampled } = columns;
  return {
    brief: { ...counts, sampled, facts: [...columns.facts, ...carried.facts, ...written] },
    flags,
    overlaps: others.sessions.map(({ sessionId, rows }) => ({
      // guard: other sessions are not named to those who see their own only
      sessionId: ownOnly ? null : sessionId,
      table: table.name,
      rows,
    })),
  };
}

/** Returns the sensitive columns of a table with their numbers of rows; null stands for the whole table. */
function sensitiveIn(
  table: string,
  patterns: readonly string[],
  counts: ChangeCounts,
  shape: BriefShape,
  facts: ColumnFacts,
): { readonly column: string | null; readonly count: number }[] {
  const ofColumns = patterns.filter((text) => !isTablePattern(text));
  return [
    ...(isTableMatching(patterns, table) ? [{ column: null, count: changesIn(counts) }] : []),
    ...columnsMatching(ofColumns, table).map((column) => ({
      column,
      count: rowsOf(column, counts, shape, facts),
    })),
  ];
}

/** Returns the share of a table's rows that are changed, in percent; 0 for a usual share. */
async function shareOf(
  tx: Queryable,
  { updates, deletes }: ChangeCounts,
  shape: BriefShape,
): Promise<number> {
  const touched = updates + deletes;
  // a table with more rows than these has a usual share
  const most = Math.floor((100 * touched) / unusualShare);
  const rows = touched === 0 ? 0 : await rowsUpTo(tx, shape, most + 1);
  if (rows > most) return 0;
  return Math.min(Math.floor((100 * touched) / Math.max(rows, 1)), 100);
}

/** Returns the number of rows in which a sensitive column is set, changed or deleted. If only a sample was read, all updates count. */
function rowsOf(
  column: string,
  counts: ChangeCounts,
  shape: BriefShape,
  { sampled, changed }: ColumnFacts,
): number {
  if (!shape.columns.some(({ name }) => name === column)) return 0;
  if (sampled !== null) return changesIn(counts);
  return counts.inserts + counts.deletes + (changed.get(column) ?? 0);
}

/** Compares a session with the earlier ones of its author: their tables, the number of their changes, and when they were proposed. */
async function authorFlags(
  tx: Queryable,
  uuid: string,
  briefs: readonly TableBrief[],
): Promise<Flag[]> {
  const [row] = await tx.query(loadSql('brief/author.sql'), [uuid]);
  const count = Number(row?.['sessions']);
  const flags: Flag[] = [];
  if (count >= fewestTimes && Number(row?.['nearest']) > unusualSeconds)
    flags.push({ code: 'time_of_day', table: null, column: null, count });
  if (count < fewestSessions) return flags;
  const usual = new Set(JSON.parse(row?.['tables'] ?? '[]') as string[]);
  for (const counts of briefs.filter(({ table }) => !usual.has(table)))
    flags.push({
      ...{ code: 'new_table_for_author', table: counts.table, column: null },
      count: stepsOf(counts),
    });
  const all = briefs.reduce((sum, counts) => sum + stepsOf(counts), 0);
  if (all > unusualFactor * Math.max(1, Number(row?.['median'])))
    flags.push({ code: 'size_for_author', table: null, column: null, count: all });
  return flags;
}
