/** `comment`: adds a comment for the reviewer. */
import { JsonText } from '../../model/json.ts';
import { changing, defineTool } from '../tool.ts';
import { message, rowKey, tableName } from './inputs.ts';

export const comment = defineTool({
  name: 'comment',
  title: 'Comment on the session',
  description:
    'Says something to the reviewer about the session, a table or a row, in any state: answer a question, explain a change.',
  input: {
    body: message.meta({ description: 'What to say', examples: ['All prices are net.'] }),
    table: tableName.optional().describe('The table it is about'),
    row_id: rowKey.optional().meta({
      description: 'The row it is about, as row_id in show_diff; goes with table',
      examples: [7],
    }),
  },
  takesSession: true,
  operations: ['addComment'],
  annotations: changing,
  work: async ({ body, table, row_id: key }, { api, sessionId }) => {
    const rowId = key === undefined ? undefined : new JsonText(JSON.stringify(key));
    const { value } = await api.addComment(sessionId, { body, table, rowId });
    const { status } = (await api.getSession(sessionId)).value;
    return {
      summary: 'The comment is stored with the session.',
      next: 'Hear answers with session_status.',
      facts: { status, comment_id: value.id },
    };
  },
});
