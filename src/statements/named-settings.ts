/** Handles `set_config($1, ...)`. The setting that it sets, and thereby whether it may run, is known once the statement has values. */

import { namedByParameter } from '../rewrite/query-planner.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { functionRefusal, refusedFunctions } from '../sql/functions/functions.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { Message } from '../wire/framer.ts';
import { decodeBind } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import { learnParameterTypes } from './shared-steps.ts';

/** A statement with the texts of its parameters; null for one that only the server knows. */
export interface Execution {
  readonly statement: PreparedStatement;
  readonly values: readonly (string | null)[];
}

/** The OIDs of `text` and `varchar`, whose values reach the function as the client sends them, in either format. */
const plainTexts: readonly (number | undefined)[] = [25, 1043];

/** Returns the statement that an EXECUTE currently runs under its name; null for any other command. */
export function executionIn({ statements }: ConnectionContext, body: Verdict): Execution | null {
  if (body.kind !== 'control' || body.action.type !== 'execute') return null;
  const statement = statements.get(body.action.name);
  return statement ? { statement, values: body.action.constants } : null;
}

/** Returns whether the values of a statement must be checked before it runs. In a failed transaction it does not run. */
export function namesSettings({ state }: ConnectionContext, body: Verdict): boolean {
  return !state.failed && namedByParameter(body).length > 0;
}

/** Does the same as `checkNamed` for a statement that is bound. */
export async function checkBound(
  context: ConnectionContext,
  statement: PreparedStatement,
  { payload }: Message,
): Promise<void> {
  if (!namesSettings(context, statement.body)) return;
  const values = decodeBind(payload).values.map((value) => value?.toString() ?? null);
  await checkNamed(context, { statement, values });
}

/** Checks the settings that parameters name. @throws StageError when one of them is a setting that clients may not set */
export async function checkNamed(
  context: ConnectionContext,
  { statement, values }: Execution,
): Promise<void> {
  await learnParameterTypes(context, statement);
  const types = statement.parameterTypes;
  // PostgreSQL refuses a wrong number of values
  if (types !== null && values.length !== types.length) return;
  const uses = namedByParameter(statement.body).map(({ schema, name, parameter = 0 }) => {
    // guard: a value that becomes another one on its way names no setting
    const value = plainTexts.includes(types?.[parameter - 1]) ? values[parameter - 1] : null;
    return { schema, name, ...(value != null && { setting: value.toLowerCase() }) };
  });
  // guard: a setting that a parameter names is set only if a client may set it
  const refused = refusedFunctions(uses, 'read', []);
  if (refused !== null) throw refusalError(functionRefusal(refused));
}
