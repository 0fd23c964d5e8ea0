/**
 * The links of the audit's chain: the stored rows, and their canonical texts. The texts equal those of `stage.audit_text` and
 * `stage.approval_text`. They are computed here, because whoever can alter entries can alter these functions, too.
 */
import type { Row } from '../db/database.ts';

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ${column}`;

/** Selects approvals from number $1 on. */
export const selectApprovals = `
SELECT number, session, project_id, digest, first_position, entries, ${time('approved_at')}, approved_by, approved_as, hash::text,
  voters::text, grounds::text
FROM stage.approval WHERE number >= $1 ORDER BY number`;

export const selectEntries = `
SELECT position, session, project_id, relation, table_name, mutation, lineage, operation, row_id, row_key::text, old_data::text,
  new_data::text, ${time('approved_at')}, approved_by, hash::text, texts::text, staged::text
FROM stage.audit WHERE position >= $1 ORDER BY position`;

type Column<Name extends string, Null extends string = never> = {
  readonly [column in Name]: column extends Null ? string | null : string;
};

export type ApprovalRow = Row &
  Column<
    | 'number'
    | 'session'
    | 'project_id'
    | 'digest'
    | 'first_position'
    | 'entries'
    | 'approved_at'
    | 'approved_by'
    | 'approved_as'
    | 'hash'
    | 'voters'
    | 'grounds',
    'approved_by' | 'approved_as' | 'voters' | 'grounds'
  >;

export type EntryRow = Row &
  Column<
    | 'position'
    | 'session'
    | 'project_id'
    | 'relation'
    | 'table_name'
    | 'mutation'
    | 'lineage'
    | 'operation'
    | 'row_id'
    | 'row_key'
    | 'old_data'
    | 'new_data'
    | 'approved_at'
    | 'approved_by'
    | 'hash'
    | 'texts'
    | 'staged',
    'old_data' | 'new_data' | 'approved_by' | 'texts' | 'staged'
  >;

/** Builds an entry's canonical text: a JSON array as PostgreSQL prints jsonb. Values of jsonb columns are included verbatim. */
export function entryText(row: EntryRow): string {
  return `["stage.audit.${versionOf(row)}", ${row.position}, "${row.session}", ${quote(row.project_id)}, ${row.relation}, ${quote(row.table_name)}, ${row.mutation}, ${row.lineage}, ${quote(row.operation)}, ${quote(row.row_id)}, ${row.row_key}, ${row.old_data}, ${row.new_data}, ${quote(row.approved_at)}, ${quote(row.approved_by)}${addedParts(row)}]`;
}

/** Returns the version of an entry's text: later ones have more at the end. */
function versionOf({ texts, staged }: EntryRow): string {
  if (staged !== null) return 'v3';
  return texts === null ? 'v1' : 'v2';
}

function addedParts({ texts, staged }: EntryRow): string {
  if (staged !== null) return `, ${texts}, ${staged}`;
  return texts === null ? '' : `, ${texts}`;
}

/**
 * Builds an approval's canonical text. The second version has the names of all who agreed at its end, the third one its grounds as well.
 */
export function approvalText(row: ApprovalRow): string {
  const [version, added] = addedToApproval(row);
  return `["stage.approval.${version}", ${row.number}, "${row.session}", ${quote(row.project_id)}, ${quote(row.digest)}, ${row.first_position}, ${row.entries}, ${quote(row.approved_at)}, ${quote(row.approved_by)}, ${quote(row.approved_as)}${added}]`;
}

function addedToApproval({ voters, grounds }: ApprovalRow): readonly [string, string] {
  if (grounds !== null) return ['v3', `, ${voters}, ${grounds}`];
  return voters === null ? ['v1', ''] : ['v2', `, ${voters}`];
}

/** Quotes a text. JSON.stringify escapes the same characters as PostgreSQL, in the same way. */
function quote(text: string | null): string {
  return JSON.stringify(text);
}
