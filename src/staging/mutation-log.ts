/** The mutation log: every statement that staged rows in a session, oldest first. */
import type { Database, Row } from '../db/database.ts';
import type { Mutation, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { sessionNotFound, sessionUuid } from './session-store.ts';

const filters = `
WHERE m.session = $1 AND ($2::text IS NULL OR m.table_name = $2) AND ($3::text IS NULL OR m.operation = $3)`;

const selectMutations = `
SELECT m.id, m.operation, m.table_name, m.query, m.params, m.affected_rows, stage.iso_time(m.executed_at) AS executed_at
FROM stage.mutation m ${filters}
ORDER BY m.id LIMIT $4 OFFSET $5`;

const countMutations = `
SELECT (SELECT count(*) FROM stage.mutation m ${filters}) FROM stage.session WHERE id = $1`;

export interface MutationFilter {
  /** The table's shown name. */
  readonly table?: string | undefined;
  readonly type?: Operation | undefined;
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
    db.query(selectMutations, [...matching, filter.limit, filter.offset]),
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
  readonly query: string;
  readonly params: string;
  readonly affected_rows: string;
  readonly executed_at: string;
};

function toMutation(row: MutationRow): Mutation {
  return {
    id: `mut_${row.id}`,
    type: row.operation,
    table: row.table_name,
    query: row.query,
    params: new JsonText(row.params),
    affectedRows: Number(row.affected_rows),
    executedAt: row.executed_at,
  };
}
