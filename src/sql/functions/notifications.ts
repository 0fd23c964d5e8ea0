/** Calls of pg_notify(), and the statement NOTIFY, in the bodies of functions. */
import { quoteLiteral } from '../../identifier.ts';
import { parseTree, scanTokens } from '../parser/parser.ts';
import type { CallPlace } from '../places.ts';
import type { Replacement } from '../splice.ts';
import type { FunctionUse, QualifiedName } from './calls.ts';

/** Returns whether a name is that of PostgreSQL's function that notifies, which comes first in each search path. */
export const isNotify = ({ schema, name }: QualifiedName) =>
  name === 'pg_notify' && (schema === null || schema === 'pg_catalog');

interface Notification {
  readonly called: readonly CallPlace[];
  readonly functions: readonly FunctionUse[];
}

/** Returns a statement NOTIFY as a call of the function that notifies; null for another statement. */
export function notification(statement: Buffer): Notification | null {
  const node = parseTree(statement).stmts?.[0]?.stmt;
  if (!node || !('NotifyStmt' in node)) return null;
  const { conditionname = '', payload = '' } = node.NotifyStmt;
  const tokens = scanTokens(statement).filter(({ text }) => !/^(--|\/\*)/.test(text));
  const place = { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
  const text = `CALL stage.notify(${quoteLiteral(conditionname)}, ${quoteLiteral(payload)})`;
  const name = { schema: 'pg_catalog', name: 'pg_notify' };
  return { called: [{ ...name, ...place, statement: text }], functions: [name] };
}

/** Returns the replacements of what notifies, by functions of the service. */
export const notifyCalls = (called: readonly CallPlace[]): Replacement[] =>
  called
    .filter(isNotify)
    .map(({ start, end, statement }) => ({ start, end, text: statement ?? 'stage.pg_notify' }));
