/**
 * Checks the result columns of prepared statements. PostgreSQL fixes them when it prepares a statement, and refuses to run it once its
 * tables would return other ones. Staged statements are prepared again when a table changes, so the proxy makes this check.
 */
import { StageError } from '../errors.ts';
import { hasNames } from '../rewrite/query-planner.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { preparingText } from '../server-connection/prepared-statements.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import { describeMessage } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';

/**
 * Records the result columns of a statement that is being prepared, if it may be prepared again.
 * @param prepared returns the entry for it when the server has prepared it; the client may have given its name away in the same batch
 */
export function noteResult(
  context: ConnectionContext,
  name: string,
  body: PreparedStatement['body'],
  prepared: () => PreparedStatement | undefined,
): void {
  // the unnamed statement is rarely bound again: if its client describes it, the columns are recorded then
  if (name === '' || !mayBePreparedAgain(context, body)) return;
  const { version } = context.names;
  const ignore = () => null;
  describe(context, name, ignore, (columns) => {
    const statement = prepared();
    if (statement) statement.result ??= { columns, version };
  });
}

const mayBePreparedAgain = ({ reads }: ConnectionContext, body: PreparedStatement['body']) =>
  body.kind === 'write' || (body.kind === 'read' && reads === 'staged' && hasNames(body));

/** Returns the handler that records the result columns of a statement when its client describes it; undefined if none is needed. */
export function recordDescribed(
  context: ConnectionContext,
  statement: PreparedStatement,
): ((description: Buffer) => void) | undefined {
  if (statement.result !== null || !mayBePreparedAgain(context, statement.body)) return undefined;
  const { version } = context.names;
  return (description) => {
    statement.result ??= { columns: withoutOrigins(description), version };
  };
}

/**
 * Checks the columns of a statement that may have been prepared again, before it runs. Ends an implicit transaction if names have changed.
 * @throws StageError when it returns other columns than it was prepared with
 */
export async function checkResult(
  context: ConnectionContext,
  statement: PreparedStatement,
): Promise<void> {
  const { version } = context.names;
  const { result, name } = statement;
  if (result === null || result.columns.length === 0 || result.version === version) return;
  const outcome = { isSame: true };
  const onError = mapErrors(preparingText(statement), context.names);
  describe(context, name, onError, (columns) => {
    outcome.isSame = columns.equals(result.columns);
    statement.result = { ...result, version: outcome.isSame ? version : null };
  });
  await syncAndGoOn(context);
  if (!outcome.isSame) throw otherColumns;
}

const otherColumns = new StageError(
  'statement_not_supported',
  'cached plan must not change result type',
);

function describe(
  { link }: ConnectionContext,
  name: string,
  onError: ErrorHandler,
  onColumns: (columns: Buffer) => void,
): void {
  const onDone = (payload: Buffer) => onColumns(withoutOrigins(payload));
  const expected = new PendingResponse('describe', 'nothing', { onError, onDone });
  link.send(describeMessage({ kind: 'statement', name }), expected);
}

/** The length of a table's OID and a column's number, and of all fields behind a column's name. */
const originBytes = 6;
const columnBytes = 18;

/** Returns a RowDescription or NoData without the origins of its columns, which may be overlays. */
function withoutOrigins(payload: Buffer): Buffer {
  const columns = Buffer.from(payload);
  for (let at = 2; at < columns.length; at += columnBytes) {
    at = columns.indexOf(0, at) + 1;
    columns.fill(0, at, at + originBytes);
  }
  return columns;
}
