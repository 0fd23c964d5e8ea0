/** `propose`: hands the session over to people. */
import { changing, defineTool } from '../tool.ts';

export const propose = defineTool({
  name: 'propose',
  title: 'Propose for review',
  description:
    'Submits the session for review by a person. It takes no writes from then on, unless changes are requested.',
  input: {},
  takesSession: true,
  annotations: changing,
  work: async (_, { api, sessionId }) => {
    const { value } = await api.propose(sessionId);
    const digest = await api.readDigest(sessionId);
    return {
      says: 'The session is proposed. A person decides about it.',
      next: 'Wait for the verdict with session_status and wait_seconds.',
      facts: { status: value.status, mutation_count: value.mutationCount, digest },
    };
  },
});
