/** What comes before a command that defines temporary tables, beside what comes before every write. */
import type { Parameters, PreparedStatement } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { EnterCall } from './enter-call.ts';
import { enter } from './enter-call.ts';

/**
 * Enters a write, and has the proxy follow what it defines: names may mean something else behind it, and again when the transaction
 * or a savepoint is rolled back.
 * @param parameters null when there are too many or too few, which PostgreSQL refuses itself
 */
export function enterWrite(
  { internal, names }: Pick<ConnectionContext, 'internal' | 'names'>,
  call: EnterCall,
  { written, statement }: Pick<PreparedStatement, 'written' | 'statement'>,
  parameters: Parameters | null,
): void {
  enter(internal, call, parameters);
  const { definition, replacements } = call.rewrite;
  if (definition === null) return;
  names.forget();
  names.beUnsure();
  const { created, probe } = definition;
  if (probe === null || parameters === null) {
    internal.define(created, null);
    return;
  }
  const { types, values, formats } = parameters;
  const sent = textToSend(written, statement, false, [...replacements, probe]);
  const text = statementText(statement, sent);
  internal.define(created, () => {
    internal.run({ text, types }, { values, formats, onError: call.onError(sent) });
  });
}
