/** `propose`: submits the session for review by a person. */
import { changing, defineTool } from '../tool.ts';
import { message } from './inputs.ts';

export const propose = defineTool({
  name: 'propose',
  title: 'Propose for review',
  description:
    'Submits the session for review by a person. It takes no writes from then on, unless changes are requested.',
  input: {
    message: message.optional().meta({
      description: 'What the reviewer should know',
      examples: ['As asked for in the ticket: prices of mugs only.'],
    }),
  },
  takesSession: true,
  operations: ['proposeSession'],
  annotations: changing,
  work: async (input, { api, sessionId, reviewUrl }) => {
    const { value } = await api.propose(sessionId, input.message);
    const digest = await api.readDigest(sessionId);
    return {
      summary: 'The session is proposed. A person decides about it.',
      next: 'Wait for the verdict with session_status, wait_seconds, and last_event as after_event.',
      facts: {
        status: value.status,
        round: value.round,
        mutation_count: value.mutationCount,
        digest,
        last_event: value.lastEvent,
        review_url: reviewUrl(sessionId) ?? undefined,
      },
    };
  },
});
