/** The columns of functions in FROM, whose names a statement does not show. */
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';

const statement: InternalStatement = {
  text: 'SELECT stage.columns_given($1, pg_catalog.current_schemas(true))',
};

/** Returns the names of the columns that functions may give. */
export async function columnsGiven(
  query: ServerQuery,
  givers: readonly QualifiedName[],
): Promise<ReadonlySet<string>> {
  if (givers.length === 0) return new Set();
  const [row] = await query(statement, [Buffer.from(JSON.stringify(givers))]);
  return new Set(JSON.parse(row?.[0]?.toString() ?? '[]') as string[]);
}
