/** `discard_session`: deletes the session and everything staged in it. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import { shortId } from '../../model/session.ts';
import { changing, defineTool } from '../tool.ts';

export const discardSession = defineTool({
  name: 'discard_session',
  title: 'Discard the session',
  description:
    'Deletes the session and everything staged in it, for good. Production is not touched. Only for work that is to be given up.',
  input: {
    confirm: z
      .string()
      .max(40)
      .meta({
        description:
          'The eight characters behind sess_ of the session_id, to show that you mean it',
        examples: ['01234567'],
      }),
  },
  takesSession: true,
  operations: ['deleteSession'],
  annotations: { ...changing, destructiveHint: true },
  work: async ({ confirm }, { api, sessionId }) => {
    // guard: a session is discarded by its own short id
    if (confirm !== shortId(sessionId)) {
      throw new StageError(
        'invalid_request',
        `confirm has to be ${shortId(sessionId)} to discard this session`,
        {},
      );
    }
    await api.deleteSession(sessionId);
    return {
      summary: 'The session and everything staged in it are gone. Production is unchanged.',
      next: 'Start anew with open_session if there is more to do.',
      facts: { status: 'deleted' },
    };
  },
});
