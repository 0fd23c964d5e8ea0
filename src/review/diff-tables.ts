/** Where a session's net changes are read from, table by table: the shadow tables, or after approval the audit. */
import { createHash } from 'node:crypto';
import type { Queryable, Row } from '../db/database.ts';
import type { ChangeCounts } from '../model/change.ts';
import type { SessionStatus } from '../model/session.ts';

const stagedTables = `
SELECT o.relation, o.shown_name AS name FROM stage.overlay o
WHERE o.relation IN (SELECT stage.staged_relations($1)) ORDER BY o.shown_name COLLATE "C", o.relation`;

const appliedTables = `
SELECT a.relation, a.table_name AS name FROM stage.audit a
WHERE a.session = $1 GROUP BY a.relation, a.table_name ORDER BY a.table_name COLLATE "C", a.relation`;

/** One table of a diff. */
export interface DiffTable {
  readonly name: string;
  /** Gives number, operation, row_id, before and after of each change in order; SQL of a row source. */
  readonly changes: string;
}

export interface DiffSummary {
  /** Only tables with changes, in the diff's order. */
  readonly counts: ChangeCounts[];
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Lists the tables of a session's diff, ordered by name. */
export async function diffTables(
  tx: Queryable,
  uuid: string,
  status: SessionStatus,
): Promise<DiffTable[]> {
  const applied = status === 'approved';
  const rows = await tx.query(applied ? appliedTables : stagedTables, [uuid]);
  return rows.map((row) => {
    const relation = Number(row['relation']);
    const source = applied
      ? `stage.audit_diff('${uuid}', ${relation})`
      : `stage_data.diff_${relation}('${uuid}')`;
    return { name: String(row['name']), changes: source };
  });
}

/**
 * Counts the changes and computes their digest, without any of them leaving the database.
 * The digest is the hash chain of the canonical texts `["stage.diff.v1", table, operation, row_id, before, after]` as
 * PostgreSQL prints jsonb: h = sha256(h || text), from the empty string; without any change it is that of the empty string.
 */
export async function summarizeDiff(
  tx: Queryable,
  tables: readonly DiffTable[],
): Promise<DiffSummary> {
  const counts: ChangeCounts[] = [];
  let hash = '';
  for (const { name, changes } of tables) {
    const [row] = await tx.query(summarize(changes), [`\\x${hash}`, name]);
    const summary = row as SummaryRow;
    if (summary.hash === null) continue;
    hash = summary.hash;
    counts.push({
      table: name,
      inserts: Number(summary.inserts),
      updates: Number(summary.updates),
      deletes: Number(summary.deletes),
    });
  }
  return { counts, digest: `sha256:${hash || createHash('sha256').digest('hex')}` };
}

/** The aggregate takes the rows in the order in which the function gives them. */
const summarize = (changes: string) => `
SELECT encode(stage.chain($1::bytea, convert_to(
    jsonb_build_array('stage.diff.v1', $2::text, d.operation, d.row_id, d.before, d.after)::text, 'UTF8')), 'hex') AS hash,
  count(*) FILTER (WHERE d.operation = 'INSERT') AS inserts,
  count(*) FILTER (WHERE d.operation = 'UPDATE') AS updates,
  count(*) FILTER (WHERE d.operation = 'DELETE') AS deletes
FROM ${changes} d`;

type SummaryRow = Row & {
  readonly hash: string | null;
  readonly inserts: string;
  readonly updates: string;
  readonly deletes: string;
};
