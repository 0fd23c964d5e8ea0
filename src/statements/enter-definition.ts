/** Prepares for a command that defines temporary tables, beyond the preparation for every write. */
import type { Parameters, PreparedStatement } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { EnterCall } from './enter-call.ts';
import { enter } from './enter-call.ts';

/**
 * Sends `stage.enter` for a write, and tracks what the write defines: names may resolve differently afterwards, and again after a rollback
 * of the transaction or to a savepoint.
 * @param parameters null when their number is wrong, which PostgreSQL itself refuses
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
