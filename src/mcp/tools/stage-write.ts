/** `stage_write`: stages one statement that changes rows. */
import { fitting } from '../data.ts';
import { changing, defineTool } from '../tool.ts';
import { maxRows, params, sql } from './inputs.ts';

const write = sql.meta({
  ...sql.meta(),
  examples: ['UPDATE products SET price = 9.5 WHERE id = $1'],
});

export const stageWrite = defineTool({
  name: 'stage_write',
  title: 'Stage a change',
  description:
    'Runs one INSERT, UPDATE, DELETE or MERGE and stages what it changes. Nothing reaches production before a person has approved the session. All of the statement is staged, or nothing. RETURNING gives rows.',
  input: { sql: write, params, max_rows: maxRows },
  takesSession: true,
  operations: ['createSession'],
  annotations: changing,
  work: async (input, { run, api, sessionId, signal }) => {
    const statement = { sql: input.sql, params: input.params ?? [], maxRows: input.max_rows };
    const result = await run({ sessionId, signal, ...statement, readOnly: false });
    const { status, mutationCount } = (await api.getSession(sessionId)).value;
    const [rows, isCut] = fitting(result.rows);
    const { command } = result;
    const { affected } = result;
    const counted =
      affected === null ? 'no count of rows' : `${affected} ${affected === 1 ? 'row' : 'rows'}`;
    return {
      summary: isRead(command)
        ? `${command}: ${counted}. This is a read: only what a WITH query of it changes is staged, and production is unchanged.`
        : `${command ?? 'The statement'}: ${counted}. ${affected === null ? 'What it changes is staged' : 'Staged'} in the session; production is unchanged.`,
      next: isRead(command)
        ? 'Read with query, and keep stage_write for INSERT, UPDATE, DELETE and MERGE.'
        : 'Check all changes with show_diff; propose when they are what was asked for.',
      facts: { status, rows_affected: affected, mutation_count: mutationCount },
      ...(result.columns.length > 0 ? { data: { columns: result.columns, rows } } : {}),
      truncated: result.truncated || isCut,
    };
  },
});

/** Returns whether a command tag is that of a read. The tag is that of the outermost statement. */
function isRead(command: string | null): boolean {
  return /^(?:SELECT|SHOW|EXPLAIN|FETCH)/.test(command ?? '');
}
