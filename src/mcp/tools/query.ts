/** `query`: reads production merged with what the session has staged. */
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';
import { maxRows, params, sql } from './inputs.ts';

export const query = defineTool({
  name: 'query',
  title: 'Read rows',
  description:
    'Runs one SELECT. It sees live production merged with what this session has staged. It cannot write: use stage_write for that.',
  input: { sql, params, max_rows: maxRows },
  takesSession: true,
  operations: ['getSession'],
  annotations: reading,
  work: async (input, { run, api, sessionId, signal }) => {
    const statement = { sql: input.sql, params: input.params ?? [], maxRows: input.max_rows };
    const result = await run({ sessionId, signal, ...statement, readOnly: true });
    const { status } = (await api.getSession(sessionId)).value;
    const [rows, isCut] = fitting(result.rows);
    const truncated = result.truncated || isCut;
    return {
      summary: `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}.`,
      next: truncated
        ? 'Ask for less: fewer columns, a WHERE, or LIMIT and OFFSET with an ORDER BY.'
        : 'Change rows with stage_write; see all changes with show_diff.',
      facts: { status, row_count: rows.length },
      data: { columns: result.columns, rows },
      truncated,
    };
  },
});
