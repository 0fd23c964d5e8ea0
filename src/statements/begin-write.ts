/** Sends `stage.begin_statement` for a write, and prepares for a command that defines temporary tables. */
import type { Parameters, PreparedStatement } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { BeginCall } from './begin-statement.ts';
import { beginStatement } from './begin-statement.ts';
import type { ConnectionContext } from './connection-context.ts';

/**
 * Sends `stage.begin_statement` for a write, and tracks what the write defines: names may resolve differently afterwards, and again after a
 * rollback of the transaction or to a savepoint.
 * @param parameters null when their number is wrong, which PostgreSQL itself refuses
 */
export function beginWrite(
  { internal, names }: Pick<ConnectionContext, 'internal' | 'names'>,
  call: BeginCall,
  { written, statement }: Pick<PreparedStatement, 'written' | 'statement'>,
  parameters: Parameters | null,
): void {
  beginStatement(internal, call, parameters);
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
