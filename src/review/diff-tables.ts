/** Where a session's net changes are read from, table by table: the shadow tables, what is parked, or after approval the audit. */
import { createHash } from 'node:crypto';
import type { Queryable, Row } from '../db/database.ts';
import type { ChangeCounts } from '../model/change.ts';
import type { SessionStatus } from '../model/session.ts';

const stagedTables = `
SELECT t.* FROM (
  SELECT o.relation, o.shown_name AS name, 'staged' AS kind FROM stage.overlay o
  WHERE o.relation IN (SELECT stage.staged_relations($1))
  UNION ALL
  SELECT p.relation, p.table_name, 'parked' FROM stage.parked_table p WHERE p.session = $1
) t ORDER BY t.name COLLATE "C", t.relation`;

/** From table to table through the index, past the entries of each. */
const appliedTables = `
WITH RECURSIVE t AS (
  (SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = $1 ORDER BY a.relation LIMIT 1)
  UNION ALL
  SELECT n.* FROM t CROSS JOIN LATERAL (
    SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = $1 AND a.relation > t.relation ORDER BY a.relation LIMIT 1
  ) n
)
SELECT t.relation, t.table_name AS name, 'applied' AS kind FROM t ORDER BY t.table_name COLLATE "C", t.relation`;

/** One table of a diff. Its texts are SQL of row sources. */
export interface DiffTable {
  readonly relation: number;
  readonly name: string;
  /** Gives number, operation, row_id, before and after of each change in order. */
  readonly changes: string;
  /** The same behind the number $1, of the kind $2 if that is not null, skipping $3, at most $4. */
  readonly page: string;
  /** Gives after, inserts, updates and deletes of each chunk of $1 changes. */
  readonly outline: string;
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
  return rows.map((row) => tableOf(uuid, row as TableRow));
}

type TableRow = Row & {
  readonly relation: string;
  readonly name: string;
  readonly kind: 'staged' | 'parked' | 'applied';
};

function tableOf(uuid: string, { relation, name, kind }: TableRow): DiffTable {
  const oid = Number(relation);
  if (kind === 'staged') return stagedTable(uuid, oid, name);
  if (kind === 'parked') return parkedTable(uuid, oid, name);
  const changes = `stage.audit_diff('${uuid}', ${oid})`;
  const page = `stage.audit_diff('${uuid}', ${oid}, $1, $2, $3, $4)`;
  return { relation: oid, name, changes, page, outline: outlineOf(changes) };
}

function stagedTable(uuid: string, relation: number, name: string): DiffTable {
  return {
    relation,
    name,
    changes: `stage_data.diff_${relation}('${uuid}')`,
    page: `stage_data.diff_${relation}('${uuid}', $1, $2, $3, $4)`,
    outline: `stage_data.outline_${relation}('${uuid}', $1)`,
  };
}

/** Of a table whose changes are kept as a diff shows them. */
function parkedTable(uuid: string, relation: number, name: string): DiffTable {
  const changes = `(SELECT p.number, p.operation, p.row_id, p.before, p.after FROM stage.parked_change p
    WHERE p.session = '${uuid}' AND p.relation = ${relation} ORDER BY p.number)`;
  const page = `(SELECT * FROM ${changes} a WHERE a.number > $1 AND ($2::text IS NULL OR a.operation = $2) OFFSET $3 LIMIT $4)`;
  return { relation, name, changes, page, outline: outlineOf(changes) };
}

const outlineOf = (changes: string) => `(
  SELECT coalesce(lag(max(c.number)) OVER (ORDER BY c.chunk), 0) AS after, ${countsByKind('c')}
  FROM (SELECT a.number, a.operation, (row_number() OVER (ORDER BY a.number) - 1) / $1::int AS chunk FROM ${changes} a) c
  GROUP BY c.chunk ORDER BY c.chunk)`;

const countsByKind = (source: string) =>
  ['INSERT', 'UPDATE', 'DELETE']
    .map(
      (kind) => `count(*) FILTER (WHERE ${source}.operation = '${kind}') AS ${kind.toLowerCase()}s`,
    )
    .join(', ');

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
  ${countsByKind('d')}
FROM ${changes} d`;

type SummaryRow = Row & {
  readonly hash: string | null;
  readonly inserts: string;
  readonly updates: string;
  readonly deletes: string;
};
