/** The mutation log: every statement that staged rows in a session, oldest first. */
import type { Database, Row } from '../db/database.ts';
import type { Mutation, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { sessionNotFound, sessionUuid } from './session-store.ts';

const filters = `
WHERE m.session = $1 AND ($2::text IS NULL OR m.table_name = $2) AND ($3::text IS NULL OR m.operation = $3)`;

/** A statement that writes to several tables has one text: it is withheld if one of them is. */
const selectMutations = `
WITH page AS MATERIALIZED (
  SELECT m.* FROM stage.mutation m ${filters} ORDER BY m.id LIMIT $4 OFFSET $5
), written AS MATERIALIZED (
  SELECT m.statement, stage.relation_of_mutation(m.id, m.relation) AS relation FROM stage.mutation m WHERE m.session = $1
), tables AS MATERIALIZED (
  SELECT DISTINCT w.relation FROM written w
), hidden AS MATERIALIZED (
  SELECT t.relation FROM tables t WHERE NOT stage.is_readable($1, t.relation)
), marked AS MATERIALIZED (
  SELECT p.*, $6::boolean AND p.statement IN (
    SELECT w.statement FROM written w WHERE w.relation IN (SELECT h.relation FROM hidden h)
  ) AS withheld FROM page p
)
SELECT m.id, m.operation, m.table_name, CASE WHEN NOT m.withheld THEN m.query END AS query,
  CASE WHEN NOT m.withheld THEN m.params END AS params, m.affected_rows,
  stage.iso_time(m.executed_at) AS executed_at, m.role
FROM marked m ORDER BY m.id`;

const countMutations = `
SELECT (SELECT count(*) FROM stage.mutation m ${filters}) FROM stage.session WHERE id = $1`;

export interface MutationFilter {
  /** The table's shown name. */
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
  /** Whether texts and parameters are withheld where a role that staged in the session may not read the table. */
  readonly readableOnly?: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface MutationPage {
  readonly mutations: Mutation[];
  /** How many mutations the filter matches, whatever the limit. */
  readonly totalCount: number;
}

/** Lists a session's mutations in the order in which they were executed. @throws StageError `session_not_found` */
export async function listMutations(
  db: Database,
  sessionId: string,
  filter: MutationFilter,
): Promise<MutationPage> {
  const matching = [sessionUuid(sessionId), filter.table ?? null, filter.type ?? null];
  const [rows, [total]] = await Promise.all([
    db.query(selectMutations, [
      ...matching,
      filter.limit,
      filter.offset,
      String(filter.readableOnly === true),
    ]),
    db.query(countMutations, matching),
  ]);
  if (total === undefined) throw sessionNotFound(sessionId);
  return {
    mutations: rows.map((row) => toMutation(row as MutationRow)),
    totalCount: Number(total['count']),
  };
}

type MutationRow = Row & {
  readonly id: string;
  readonly operation: Operation;
  readonly table_name: string;
  readonly query: string | null;
  readonly params: string | null;
  readonly affected_rows: string;
  readonly executed_at: string;
  readonly role: string | null;
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
    ...(row.query === null ? { hidden: true } : {}),
  };
}
