/** `check_conflicts`: whether production has changed under the session's rows. */
import type { Conflict } from '../../model/conflict.ts';
import { conflictShape } from '../../model/conflict.ts';
import { writerOf } from '../../model/shape.ts';
import { fitting } from '../data.ts';
import { defineTool, reading } from '../tool.ts';

export const checkConflicts = defineTool({
  name: 'check_conflicts',
  title: 'Check for conflicts',
  description:
    'Reports whether production has changed since the session first touched its rows. Approval would be refused then. Changes nothing.',
  input: {},
  takesSession: true,
  operations: ['findConflicts'],
  annotations: reading,
  work: async (_, { api, sessionId }) => {
    const { value } = await api.findConflicts(sessionId);
    const found = value.filter(({ ignored }) => !ignored);
    const canBeSettled = found.every(({ kind }) => kind !== 'schema');
    const { status } = (await api.getSession(sessionId)).value;
    const [bodies, truncated] = fitting(value.map(conflictBody));
    const conflicts = bodies.slice(0, found.length);
    return {
      summary:
        found.length === 0
          ? 'There are no conflicts.'
          : `There ${found.length === 1 ? 'is 1 conflict' : `are ${found.length} conflicts`}.`,
      next:
        found.length === 0
          ? 'Propose the session when the diff is what was asked for.'
          : `The session cannot be approved as it is: ${canBeSettled ? 'ask a person to settle this with `stage resolve`; or ' : ''}discard it with discard_session, open another one, and stage the changes anew from what production holds now.`,
      facts: { status, count: found.length },
      data: { conflicts, ignored: bodies.slice(found.length) },
      truncated,
    };
  },
});

const bodyOf = writerOf(conflictShape);

/** Returns a conflict without the texts of its values, which add nothing for agents. */
const conflictBody = ({ texts: _, ...conflict }: Conflict) => bodyOf(conflict);
