/** `propose`: submits the session for review by a person. */
import { reportStatus, waiting } from '../status.ts';
import { changing, defineTool } from '../tool.ts';
import { message } from './inputs.ts';

const none = () => null;

export const propose = defineTool({
  name: 'propose',
  title: 'Propose for review',
  description:
    'Submits the session for review by a person. It takes no writes from then on, unless changes are requested. With wait_seconds it answers as soon as something happens, or when the time is over.',
  input: {
    message: message.optional().meta({
      description: 'What the reviewer should know',
      examples: ['As asked for in the ticket: prices of mugs only.'],
    }),
    wait_seconds: waiting,
  },
  takesSession: true,
  operations: ['proposeSession'],
  annotations: changing,
  work: async ({ message: text, wait_seconds: seconds }, call) => {
    const { api, sessionId, reviewUrl } = call;
    const { value } = await api.propose(sessionId, text);
    const digest = await api.readDigest(sessionId);
    // a wait that fails does not hide that the session is proposed
    const news =
      seconds > 0 ? await reportStatus(call, seconds, value.lastEvent).catch(none) : null;
    if (news !== null) return { ...news, facts: { ...news.facts, digest } };
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
