/** `open_session`: opens a session, the beginning of an agent's work. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { JsonText } from '../../model/json.ts';
import type { Call } from '../tool.ts';
import { changing, defineTool } from '../tool.ts';

const purpose = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'a text without control characters');

export const openSession = defineTool({
  name: 'open_session',
  title: 'Open a session',
  description:
    'Starts a session to stage changes in. Nothing in it reaches production before a person has approved it. The same purpose gives the same session for as long as it takes writes.',
  input: {
    purpose: purpose.meta({
      description: 'What you are about to do, in one sentence; reviewers read it',
      examples: ['Raise the prices of mugs by 5 %'],
    }),
    project: purpose.optional().meta({
      description: 'Project to open it in; only if you were given one',
      examples: ['shop'],
    }),
  },
  takesSession: false,
  operations: ['createSession'],
  annotations: { ...changing, idempotentHint: true },
  work: async (input, call) => {
    const { id, status, projectId } = await open(call, input);
    return {
      summary: `The session ${id} is open.`,
      next: 'Pass this session_id to the other tools. Read with list_tables and query, change rows with stage_write.',
      facts: { session_id: id, status },
      data: { project_id: projectId },
    };
  },
});

/**
 * Creates a session, or returns the one of the same purpose. A session that accepts no more writes has used up its idempotency key, so the
 * next key is tried.
 */
async function open(
  { api, project, nonce }: Call,
  input: { purpose: string; project?: string | undefined },
) {
  const projectId = input.project ?? project;
  const metadata = new JsonText(JSON.stringify({ purpose: input.purpose, opened_by: 'stage mcp' }));
  for (let count = 1; ; count += 1) {
    const asked = JSON.stringify([nonce, input.purpose, projectId, count]);
    const idempotencyKey = createHash('sha256').update(asked).digest('hex');
    const wanted = { projectId, metadata, reads: 'staged', idempotencyKey } as const;
    const { value } = await api.createSession(wanted);
    if (value.status === 'active') return value;
  }
}
