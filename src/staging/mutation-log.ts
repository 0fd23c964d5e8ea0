/** The mutation log: every statement that staged rows in a session, oldest first. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Mutation, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import type { PageFilter } from '../model/paging.ts';
import { cutTo, rowsFor } from '../model/paging.ts';
import { sessionNotFound, sessionUuid } from './session-id.ts';

/** A log that is marked for removal counts as empty. */
const filters = `
-- guard: a mutation log that waits to be removed is not shown
WHERE m.session = $1 AND NOT EXISTS (SELECT FROM stage.discard d WHERE d.session = $1 AND d.log)
AND ($3::text IS NULL OR m.table_name = $3) AND ($4::text IS NULL OR m.operation = $4)`;

/** A statement that writes to several tables has one text. With $2 it is withheld if a role may not read one of these tables. */
const selectPage = (page: string) => `
WITH page AS MATERIALIZED (
  ${page}
), written AS MATERIALIZED (
  SELECT m.statement, stage.relation_of_mutation(m.id, m.relation) AS relation FROM stage.mutation m WHERE m.session = $1
), tables AS MATERIALIZED (
  SELECT DISTINCT w.relation FROM written w
), hidden AS MATERIALIZED (
  SELECT t.relation FROM tables t WHERE NOT stage.is_readable($1, t.relation)
), marked AS MATERIALIZED (
  SELECT p.*, $2::boolean AND p.statement IN (
    -- guard: the log withholds statements on hidden tables
    SELECT w.statement FROM written w WHERE w.relation IN (SELECT h.relation FROM hidden h)
  ) AS withheld FROM page p
)
SELECT m.id, m.operation, m.table_name, CASE WHEN NOT m.withheld THEN m.query END AS query,
  -- guard: the log withholds parameters, too
  CASE WHEN NOT m.withheld THEN m.params END AS params, m.affected_rows,
  -- guard: the log withholds settings, too
  CASE WHEN NOT m.withheld THEN m.settings END AS settings,
  stage.iso_time(m.executed_at) AS executed_at, m.role, m.login, m.statement
FROM marked m ORDER BY m.id`;

const selectMutations = selectPage(
  `SELECT m.* FROM stage.mutation m ${filters} AND m.id > $5 ORDER BY m.id LIMIT $6 OFFSET $7`,
);

const selectChosen = selectPage(
  'SELECT m.* FROM stage.mutation m WHERE m.session = $1 AND m.id = ANY ($3::bigint[])',
);

const countMutations = `
SELECT (SELECT count(*) FROM stage.mutation m ${filters} AND $2::boolean IS NOT NULL) FROM stage.session WHERE id = $1`;

export interface MutationFilter extends PageFilter {
  /** The table's name as shown to users. */
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
  /** Whether to withhold texts and parameters if a role that staged in the session may not read the table. */
  readonly readableOnly?: boolean;
}

export interface MutationPage {
  readonly mutations: Mutation[];
  /** Number of mutations that match the filter, regardless of the limit. */
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** Lists a session's mutations in the order of their execution. @throws StageError `session_not_found` */
export async function listMutations(
  db: Database,
  sessionId: string,
  filter: MutationFilter,
): Promise<MutationPage> {
  const readableOnly = String(filter.readableOnly === true);
  const matching = [
    sessionUuid(sessionId),
    readableOnly,
    filter.table ?? null,
    filter.type ?? null,
  ];
  const after = filter.after?.[0] ?? '0';
  const [read, [total]] = await Promise.all([
    db.query(selectMutations, [...matching, after, rowsFor(filter), filter.offset]),
    db.query(countMutations, matching),
  ]);
  if (total === undefined) throw sessionNotFound(sessionId);
  const { rows, hasMore } = cutTo(filter, read);
  return {
    mutations: rows.map((row) => toMutation(row as MutationRow)),
    totalCount: Number(total['count']),
    hasMore,
  };
}

/**
 * Reads mutations of a session by their ids, in the order of their execution.
 * @param readableOnly whether to withhold texts and parameters if a role that staged in the session may not read the table
 */
export async function readMutations(
  tx: Queryable,
  sessionId: string,
  ids: readonly string[],
  readableOnly: boolean,
): Promise<Mutation[]> {
  if (ids.length === 0) return [];
  const numbers = `{${ids.map((id) => id.slice('mut_'.length)).join(',')}}`;
  const values = [sessionUuid(sessionId), String(readableOnly), numbers];
  return (await tx.query(selectChosen, values)).map((row) => toMutation(row as MutationRow));
}

type MutationRow = Row & {
  readonly id: string;
  readonly operation: Operation;
  readonly table_name: string;
  readonly query: string | null;
  readonly params: string | null;
  readonly affected_rows: string;
  readonly settings: string | null;
  readonly executed_at: string;
  readonly role: string | null;
  readonly login: string | null;
  readonly statement: string;
};

function toMutation(row: MutationRow): Mutation {
  return {
    id: `mut_${row.id}`,
    type: row.operation,
    table: row.table_name,
    query: row.query,
    params: row.params === null ? null : new JsonText(row.params),
    affectedRows: Number(row.affected_rows),
    executedAt: row.executed_at,
    role: row.role,
    login: row.login,
    statement: row.statement,
    ...(row.settings === null ? {} : { settings: new JsonText(row.settings) }),
    ...(row.query === null ? { hidden: true } : {}),
  };
}
