/** `stage session show`: shows one session's fields. */

import type { ApiClient } from '../../../client/api-client.ts';
import {
  approvalsInWords,
  breakersInWords,
  checkSession,
  verdictInWords,
} from '../../../client/policy.ts';
import type { Session } from '../../../model/session.ts';
import { openStates } from '../../arguments/session-argument.ts';
import { defineSessionCommand } from '../../define-command.ts';
import { sessionRows } from '../../output/session-text.ts';

export const sessionShowCommand = defineSessionCommand({
  description: 'Show a session: its state, its counts and its times.',
  examples: ['stage session show', 'stage session show sess_2f0c... --json'],
  states: openStates,
  work: async ({ context, connection, id }) => {
    const { body, value } = await connection.api.getSession(id);
    if (context.out.json) return context.out.document(body);
    const rules = await rulesOf(connection.api, value);
    await context.out.record([...sessionRows(value), ...rules]);
  },
});

/** Returns the rules that hold for a session, and the votes on it, as rows; none if no policy is set, or it is decided. */
async function rulesOf(api: ApiClient, { id, status }: Session): Promise<[string, string][]> {
  if (status !== 'active' && status !== 'proposed') return [];
  const { verdicts, approvals, breakGlass } = (await checkSession(api, id)).value;
  return [
    ...verdicts.map((verdict): [string, string] => ['rule', verdictInWords(verdict)]),
    ...(approvals === undefined
      ? []
      : [['approvals', approvalsInWords(approvals)] as [string, string]]),
    ...(breakGlass === undefined
      ? []
      : [['may approve', breakersInWords(breakGlass)] as [string, string]]),
  ];
}
