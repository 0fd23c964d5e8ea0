/** The treatment of a statement of a regression file by the comparison: decided by PostgreSQL's own grammar. */
import { parseTree } from '../../src/sql/parser/parser.ts';

/**
 * - `both`: DDL and the like, run directly on both databases
 * - `role`: changes a role, which both databases share: run once
 * - `setting`: run on every connection
 * - `become`: acts as another role from here on, or no longer
 * - `skip`: cannot be run without psql, makes triggers and rules (which run at approval), or looks at how rows are stored
 * - `compare`: everything else
 */
export type StatementKind = 'both' | 'role' | 'setting' | 'become' | 'skip' | 'compare';

const compared = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'CopyStmt',
  'TruncateStmt',
  'TransactionStmt',
  'PrepareStmt',
  'ExecuteStmt',
  'DeallocateStmt',
  'DeclareCursorStmt',
  'FetchStmt',
  'ClosePortalStmt',
  'ExplainStmt',
  'VariableShowStmt',
  'ConstraintsSetStmt',
  'LockStmt',
]);

/** Files' sizes, statistics, and the catalogs, where the service's objects stand beside the file's own. */
const physical = /\binformation_schema\.|\bpg_(total_)?(relation|table|indexes)_size\b|\bpg_stat_/i;

const ofRoles = new Set(['CreateRoleStmt', 'DropRoleStmt', 'AlterRoleStmt', 'GrantRoleStmt']);

/** A statement that cannot be parsed is compared: both sides should report the same error. */
export function kindOf(text: string): StatementKind {
  if (/(^|[^:]):['"]?[A-Za-z_]\w*['"]?/.test(withoutStrings(text)) && /:['"]/.test(text))
    return 'skip';
  if (physical.test(text)) return 'skip';
  const types = nodeTypes(text);
  if (types === null) return 'compare';
  if (types.some(({ type }) => ofRoles.has(type))) return 'role';
  if (types.some(({ type }) => type === 'CreateTrigStmt' || type === 'RuleStmt')) return 'skip';
  const setting = types.find(({ type }) => type === 'VariableSetStmt');
  if (setting)
    return isRole(setting.fields) ? 'become' : isLocal(setting.fields) ? 'compare' : 'setting';
  if (types.some(({ type, fields }) => type === 'InsertStmt' && drawsInOrder(fields)))
    return 'both';
  const directly = types.some(({ type, fields }) => !compared.has(type) || 'intoClause' in fields);
  return directly ? 'both' : 'compare';
}

/** Which row gets which key depends on the order in which they are read, which without ORDER BY nobody promises. */
function drawsInOrder(insert: object): boolean {
  if (!('cols' in insert && 'selectStmt' in insert)) return false;
  const { SelectStmt: select } = insert.selectStmt as { SelectStmt?: object };
  return select !== undefined && 'fromClause' in select && !('sortClause' in select);
}

const withoutStrings = (text: string) =>
  text.replaceAll(/'[^']*'/g, (found) => (found === "''" ? '' : "''"));

interface Node {
  readonly type: string;
  readonly fields: object;
}

function nodeTypes(text: string): Node[] | null {
  try {
    return (parseTree(Buffer.from(text)).stmts ?? []).flatMap(({ stmt }) =>
      Object.entries(stmt ?? {}).map(([type, fields]) => ({ type, fields: fields as object })),
    );
  } catch {
    return null;
  }
}

const isRole = (fields: object) =>
  'name' in fields && (fields.name === 'role' || fields.name === 'session_authorization');

const isLocal = (fields: object) =>
  ('is_local' in fields && fields.is_local === true) ||
  ('kind' in fields && fields.kind === 'VAR_SET_MULTI');
