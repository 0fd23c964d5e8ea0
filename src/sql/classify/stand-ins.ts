/**
 * Statements in whose place a text of ours is sent, which gives the same: no name in it can mean anything but what is
 * PostgreSQL's, so that it may run where the client's own could not.
 */
import type { FuncCall, Node, ResTarget, SelectStmt } from 'libpg-query';
import { constantOf, textsOf } from '../parser/syntax-tree.ts';
import type { Read } from '../read.ts';
import type { Replacement } from '../splice.ts';
import type { Write } from '../write.ts';
import { plainRead, plainWrite } from './plain-verdicts.ts';

/** The whole of a statement, replaced. */
export function standIn(statement: Buffer, text: string): Replacement {
  return { start: 0, end: statement.length, text };
}

/** Gives the verdict on a query in whose place a text of ours is sent; null for all others. */
export function classifyStandIn(query: Node, statement: Buffer): Read | Write | null {
  if (!('SelectStmt' in query)) return null;
  const call = onlyCall(query.SelectStmt);
  if (call === null) return null;
  return setByCatalog(query.SelectStmt, call, statement) ?? shownAccess(call, statement);
}

interface OnlyCall {
  readonly name: string;
  readonly call: FuncCall;
  readonly alias: string | null;
  /** The other clauses that the query has. */
  readonly clauses: readonly string[];
}

/** Fields of a SELECT that say nothing when nothing is written. */
const silent = new Set(['targetList', 'limitOption', 'op']);
/** Fields of a plain call, without FILTER and the like. */
const plain = new Set(['funcname', 'args', 'funcformat', 'location']);

/** The call of one of PostgreSQL's functions that is the only column of a SELECT. */
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
 * `SELECT set_config(name, 'value', false) FROM pg_settings WHERE name = 'setting'`, by which pg_dump sets what not every
 * server has: the name is computed, and constant all the same.
 */
function setByCatalog(
  { fromClause = [], whereClause }: SelectStmt,
  { name, call, alias, clauses }: OnlyCall,
  statement: Buffer,
): Read | null {
  if (name !== 'set_config' || clauses.join() !== 'fromClause,whereClause') return null;
  const [column, given, local, ...more] = call.args ?? [];
  const [value, isLocal] = [constantOf(given), constantOf(local)];
  const setting = settingAsked(whereClause);
  if (!isPlainColumn(column) || !isSettingsView(fromClause) || more.length > 0) return null;
  if (value === null || setting === null || !/^(true|false)$/.test(isLocal ?? '')) return null;
  const set = quote(setting === 'restrict_nonsystem_relation_kind' ? withoutViews(value) : value);
  const text = `SELECT pg_catalog.set_config(${quote(setting)}, ${set}, ${isLocal})${as(alias)} FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) ${quote(setting)}`;
  const use = { schema: 'pg_catalog', name, setting: setting.toLowerCase() };
  return plainRead({ functions: [use], standIn: standIn(statement, text) });
}

/** What is staged is read through views; of those that users made, the proxy sees to what they call. */
function withoutViews(kinds: string): string {
  return kinds
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind.toLowerCase() !== 'view')
    .join(', ');
}

/** `name = 'setting'`. */
function settingAsked(where: Node | undefined): string | null {
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

/** `SELECT current_setting('transaction_read_only')`: as SHOW does, it must tell the client's access, not that of a guarded read. */
function shownAccess({ name, call, alias, clauses }: OnlyCall, statement: Buffer): Write | null {
  if (name !== 'current_setting' || clauses.length > 0) return null;
  const [setting, ...others] = call.args ?? [];
  if (others.length > 0 || constantOf(setting)?.toLowerCase() !== 'transaction_read_only')
    return null;
  const text = `SELECT pg_catalog.current_setting('transaction_read_only')${as(alias)}`;
  return plainWrite({ standIn: standIn(statement, text) });
}

function as(alias: string | null): string {
  return alias === null ? '' : ` AS "${alias.replaceAll('"', '""')}"`;
}

/** With standard_conforming_strings, which is pinned. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
