/** A diff in parts: its outline, and pages of one table's changes. */
import type { Database, Queryable } from '../../db/database.ts';
import type { ChangePage, Outline, TableOutline } from '../../model/change.ts';
import { sumOf } from '../../model/change.ts';
import type { Session } from '../../model/session.ts';
import { readMutations } from '../../staging/mutation-log.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { getSession } from '../../staging/session-store.ts';
import { renewOutdated } from '../renew.ts';
import { inSnapshot } from '../snapshot.ts';
import { streamRows } from '../stream-rows.ts';
import { causesOf } from './causes.ts';
import type { DiffTable } from './diff-tables.ts';
import { countFurther, describe, diffTables } from './diff-tables.ts';
import type { Page, PageFilter } from './gathered-page.ts';
import { Gatherer } from './gathered-page.ts';
import { hasText, readSortedPage } from './sorted-page.ts';

/** The number of changes in one chunk of an outline. */
const chunkSize = 500;

/** A search reads this many changes per query, and returns its results so far after this many milliseconds. */
const searchStep = 2000;
const searchMs = 1500;

/**
 * Counts a session's net changes, chunk by chunk, without reading the rows themselves.
 * @param readableOnly whether tables that a role that staged in the session may not read are marked as hidden
 * @throws StageError `session_not_found`, `took_too_long`
 */
export async function readOutline(
  db: Database,
  id: string,
  readableOnly = false,
): Promise<Outline> {
  await renewOutdated(db, id);
  return inSnapshot(db, async (tx) => {
    const session = await getSession(tx, id);
    const tables: TableOutline[] = [];
    for (const table of await diffTables(tx, sessionUuid(id), session.status, readableOnly)) {
      const outline = await outlineOf(tx, sessionUuid(id), table);
      if (outline.chunks.length + outline.furtherChanges > 0) tables.push(outline);
    }
    return { revision: revisionOf(session), tables };
  });
}

/**
 * Returns the revision of a diff. It changes with every statement that stages something, with every edit of staged rows, and when the
 * session becomes final.
 */
export function revisionOf({ status, mutationCount, edits }: Session): string {
  const final = status === 'approved' || status === 'rejected';
  return `${final ? status : 'staged'}-${mutationCount}${edits === 0 ? '' : `-${edits}`}`;
}

async function outlineOf(tx: Queryable, uuid: string, table: DiffTable): Promise<TableOutline> {
  const rows = await tx.query(`SELECT * FROM ${table.outline} o`, [chunkSize]);
  const chunks = rows.map((row) => ({
    after: String(row['after']),
    inserts: Number(row['inserts']),
    updates: Number(row['updates']),
    deletes: Number(row['deletes']),
  }));
  return {
    table: table.name,
    ...(await describe(tx, uuid, table)),
    chunks,
    furtherChanges: await countFurther(tx, table, sumOf(chunks)),
    ...(table.hidden ? { hidden: true } : {}),
  };
}

/**
 * Reads some changes of one table. A page may be shorter than requested; it contains the cursor to continue from.
 * @throws StageError `session_not_found`, `took_too_long`, `invalid_request`
 */
export async function readChanges(
  db: Database,
  id: string,
  filter: PageFilter,
): Promise<ChangePage> {
  await renewOutdated(db, id);
  return inSnapshot(db, async (tx) => {
    const session = await getSession(tx, id);
    const { readableOnly } = filter;
    const tables = await diffTables(tx, sessionUuid(id), session.status, readableOnly);
    const table = tables.find(({ name }) => name === filter.table);
    const revision = revisionOf(session);
    if (table === undefined) return { revision, ...emptyPage };
    // guard: hidden tables have no pages
    if (table.hidden) return { revision, ...emptyPage, hidden: true };
    const page = { revision, ...(await pageOf(tx, table, filter)) };
    return filter.why ? explained(tx, id, table, page, readableOnly) : page;
  });
}

async function pageOf(tx: Queryable, table: DiffTable, filter: PageFilter): Promise<Page> {
  const { sort, search } = filter;
  if (sort !== undefined) return readSortedPage(tx, table, { ...filter, sort });
  return search === undefined ? readPage(tx, table, filter) : searchPage(tx, table, filter);
}

/** Adds the causes of its changes to a page. */
async function explained(
  tx: Queryable,
  id: string,
  table: DiffTable,
  page: ChangePage,
  readableOnly = false,
): Promise<ChangePage> {
  const numbers = page.changes.map(({ number }) => number);
  const causes = await causesOf(tx, sessionUuid(id), table, numbers, readableOnly);
  const changes = page.changes.map((change) => ({
    ...change,
    why: causes.get(change.number) ?? [],
  }));
  const ids = new Set(changes.flatMap(({ why }) => why.map(({ mutationId }) => mutationId)));
  // guard: statements on hidden tables are withheld where they are causes
  return { ...page, changes, mutations: await readMutations(tx, id, [...ids], readableOnly) };
}

const emptyPage: Page = { changes: [], nextCursor: null };

async function readPage(tx: Queryable, table: DiffTable, filter: PageFilter): Promise<Page> {
  const { cursor, type, offset, limit } = filter;
  const gathered = new Gatherer(table, filter);
  const select = `SELECT d.* FROM ${table.page} d`;
  const values = [cursor, type ?? null, offset, limit];
  for await (const row of streamRows(tx, 'stage_page', select, values)) {
    gathered.add(row);
    if (gathered.full) break;
  }
  const { changes, full } = gathered;
  return { changes, nextCursor: full ? (changes.at(-1)?.number ?? null) : null };
}

const searched = (page: string) => `
SELECT d.number, m.found, CASE WHEN m.found THEN d.operation END AS operation, CASE WHEN m.found THEN d.row_id END AS row_id,
  CASE WHEN m.found THEN d.before END AS before, CASE WHEN m.found THEN d.after END AS after,
  CASE WHEN m.found THEN d.texts END AS texts
FROM ${page} d CROSS JOIN LATERAL (SELECT ${hasText('$5')} AS found) m`;

async function searchPage(tx: Queryable, table: DiffTable, filter: PageFilter): Promise<Page> {
  const gathered = new Gatherer(table, filter);
  const { changes } = gathered;
  const end = Date.now() + searchMs;
  for (let { cursor } = filter; ; ) {
    const values = [cursor, filter.type ?? null, 0, searchStep, filter.search ?? ''];
    const rows = await tx.query(searched(table.page), values);
    for (const row of rows) {
      if (gathered.full) return { changes, nextCursor: cursor };
      cursor = String(row['number']);
      if (row['found'] === 't') gathered.add(row);
    }
    if (rows.length < searchStep) return { changes, nextCursor: null };
    if (Date.now() > end) return { changes, nextCursor: cursor };
  }
}
