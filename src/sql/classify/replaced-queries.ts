/** Queries that an equivalent internal text replaces. Its names are all PostgreSQL's own, so it may run where the client's might not. */
import type { FuncCall, Node, ResTarget, SelectStmt } from 'libpg-query';
import { constantOf, textsOf } from '../parser/syntax-tree.ts';
import type { Read } from '../read.ts';
import type { Replacement } from '../splice.ts';
import type { Write } from '../write.ts';
import { plainRead, plainWrite } from './plain-verdicts.ts';

/** Returns the replacement of a whole statement. */
export function replaceQuery(statement: Buffer, text: string): Replacement {
  return { start: 0, end: statement.length, text };
}

/** Returns the verdict on a query that an internal text replaces; null for all others. */
export function classifyReplaced(query: Node, statement: Buffer): Read | Write | null {
  if (!('SelectStmt' in query)) return null;
  const call = onlyCall(query.SelectStmt);
  if (call === null) return null;
  return setByCatalog(query.SelectStmt, call, statement) ?? shownAccess(call, statement);
}

interface OnlyCall {
  readonly name: string;
  readonly call: FuncCall;
  readonly alias: string | null;
  /** The names of the query's other clauses. */
  readonly clauses: readonly string[];
}

/** Fields that a SELECT has even without the clauses they belong to. */
const silent = new Set(['targetList', 'limitOption', 'op']);
/** Fields of a plain call, without FILTER and similar clauses. */
const plain = new Set(['funcname', 'args', 'funcformat', 'location']);

/** Returns the call of a built-in function that is the only column of a SELECT. */
function onlyCall(select: SelectStmt): OnlyCall | null {
  const [target, ...others] = select.targetList ?? [];
  if (target === undefined || others.length > 0 || !('ResTarget' in target)) return null;
  const { val, name, indirection }: ResTarget = target.ResTarget;
  if (val === undefined || !('FuncCall' in val) || indirection !== undefined) return null;
  const call = val.FuncCall;
  if (!Object.keys(call).every((field) => plain.has(field))) return null;
  const [last, schema = 'pg_catalog', ...more] = textsOf(call.funcname).reverse();
  if (schema !== 'pg_catalog' || more.length > 0) return null;
  const clauses = Object.keys(select).filter((field) => !silent.has(field));
  return { name: last ?? '', call, alias: name ?? null, clauses };
}

/**
 * Classifies `SELECT set_config(name, 'value', false) FROM pg_settings WHERE name = 'setting'`. pg_dump uses it for settings that not every
 * server has. The name is an expression, but always has the value of the constant.
 */
function setByCatalog(
  { fromClause = [], whereClause }: SelectStmt,
  { name, call, alias, clauses }: OnlyCall,
  statement: Buffer,
): Read | null {
  if (name !== 'set_config' || clauses.join() !== 'fromClause,whereClause') return null;
  const [column, given, local, ...more] = call.args ?? [];
  const [value, isLocal] = [constantOf(given), constantOf(local)];
  const setting = settingRead(whereClause);
  if (!isPlainColumn(column) || !isSettingsView(fromClause) || more.length > 0) return null;
  if (value === null || setting === null || !/^(true|false)$/.test(isLocal ?? '')) return null;
  const set = quote(setting === 'restrict_nonsystem_relation_kind' ? withoutViews(value) : value);
  const text = `SELECT pg_catalog.set_config(${quote(setting)}, ${set}, ${isLocal})${as(alias)} FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) ${quote(setting)}`;
  const use = { schema: 'pg_catalog', name, setting: setting.toLowerCase() };
  return plainRead({ functions: [use], replacement: replaceQuery(statement, text) });
}

/** Removes `view` from the restricted kinds. Staged rows are read through views, and the proxy checks the calls of users' views. */
function withoutViews(kinds: string): string {
  return kinds
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind.toLowerCase() !== 'view')
    .join(', ');
}

/** Returns the setting of a condition `name = 'setting'`. */
function settingRead(where: Node | undefined): string | null {
  if (where === undefined || !('A_Expr' in where)) return null;
  const { kind, name, lexpr, rexpr } = where.A_Expr;
  const isEquality = kind === 'AEXPR_OP' && textsOf(name).join('.') === '=';
  return isEquality && isPlainColumn(lexpr) ? constantOf(rexpr) : null;
}

function isPlainColumn(node: Node | undefined): boolean {
  if (node === undefined || !('ColumnRef' in node)) return false;
  const { fields = [] } = node.ColumnRef;
  return fields.length === 1 && textsOf(fields).join() === 'name';
}

function isSettingsView([from, ...others]: readonly Node[]): boolean {
  if (from === undefined || others.length > 0 || !('RangeVar' in from)) return false;
  const { catalogname, schemaname = 'pg_catalog', relname, alias } = from.RangeVar;
  const isView = schemaname === 'pg_catalog' && relname === 'pg_settings';
  return isView && catalogname === undefined && alias === undefined;
}

/** Classifies `SELECT current_setting('transaction_read_only')`. Like SHOW, it must return the client's access mode. */
function shownAccess({ name, call, alias, clauses }: OnlyCall, statement: Buffer): Write | null {
  if (name !== 'current_setting' || clauses.length > 0) return null;
  const [setting, ...others] = call.args ?? [];
  if (others.length > 0 || constantOf(setting)?.toLowerCase() !== 'transaction_read_only')
    return null;
  const text = `SELECT pg_catalog.current_setting('transaction_read_only')${as(alias)}`;
  return plainWrite({ replacement: replaceQuery(statement, text) });
}

function as(alias: string | null): string {
  return alias === null ? '' : ` AS "${alias.replaceAll('"', '""')}"`;
}

/** Quotes a literal for standard_conforming_strings, which is pinned. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
