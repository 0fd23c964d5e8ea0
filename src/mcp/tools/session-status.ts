/** `session_status`: reports the state of the session, at once or after the next event, with its comments. */
import { z } from 'zod';
import { reportStatus, waiting } from '../status.ts';
import { defineTool, reading } from '../tool.ts';

export const sessionStatus = defineTool({
  name: 'session_status',
  title: 'Status of the session',
  description:
    'Tells the state of the session, the verdict, and the events with their comments. With wait_seconds it answers as soon as something happens, or when the time is over. With after_event it tells only what happened behind that event.',
  input: {
    wait_seconds: waiting,
    after_event: z
      .string()
      .regex(/^\d{1,18}$/, 'last_event of an earlier answer')
      .optional()
      .meta({ description: 'last_event of an earlier answer', examples: ['42'] }),
  },
  takesSession: true,
  operations: ['getSession', 'listEvents'],
  annotations: reading,
  work: ({ wait_seconds: seconds, after_event: after }, call) => reportStatus(call, seconds, after),
});
