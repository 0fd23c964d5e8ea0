/**
 * Sends the client's own texts of its prepared statements and cursors before a statement that lists them: `pg_prepared_statements` and
 * `pg_cursors` would show the texts that the proxy sent.
 */
import { readOf } from '../rewrite/query-planner.ts';
import { readsList } from '../rewrite/statement-lists.ts';
import type { SentText } from '../server-connection/position-map.ts';
import { preparingText } from '../server-connection/prepared-statements.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';

/** Returns whether a statement, or the one that it executes, lists prepared statements or cursors. */
export function listsStatements({ statements }: ConnectionContext, verdict: Verdict): boolean {
  const isExecute = verdict.kind === 'control' && verdict.action.type === 'execute';
  const body = isExecute ? statements.get(verdict.action.name)?.body : verdict;
  return body !== undefined && readsList(readOf(body) ?? body);
}

/** Sends the texts if the statement needs them. Call it directly before the statement is sent. */
export function sendWrittenTexts(context: ConnectionContext, verdict: Verdict): void {
  const { statements, portals, declared, internal, state } = context;
  if (state.failed || !listsStatements(context, verdict)) return;
  const written: Record<string, string> = Object.fromEntries(declared.entries());
  const prepared = [...statements.all(), ...portals.all()];
  for (const [, each] of prepared) {
    const statement = 'written' in each ? each : each.statement;
    note(written, preparingText(statement));
  }
  const value = Buffer.from(JSON.stringify(written));
  internal.guard();
  internal.run(setWritten, { values: [value] });
}

/** Stores the text of a cursor that is being declared. */
export function noteDeclared(
  { declared }: ConnectionContext,
  verdict: Verdict,
  text: SentText,
): void {
  if (verdict.kind !== 'control' || verdict.action.type !== 'declare') return;
  const { sent, written } = text;
  if (sent.equals(written)) return;
  if (declared.size === maxDeclared) declared.clear();
  declared.set(sent.toString(), written.toString());
}

/** The maximum number of stored cursors, because each takes memory until the connection ends. */
const maxDeclared = 1000;

function note(texts: Record<string, string>, { sent, written }: SentText): void {
  if (!sent.equals(written)) texts[sent.toString()] = written.toString();
}

const setWritten = {
  text: `SELECT pg_catalog.set_config('stage.written', $1, false)`,
  types: [25],
};
