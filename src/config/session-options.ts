/** The options of the lifetime of sessions; part of the table in schema.ts. */
import type { Option } from './types.ts';
import { afterTrust, whole } from './types.ts';

interface SessionOptions {
  readonly activeSessionTtlHours: Option<number | null>;
  readonly proposedSessionTtlHours: Option<number | null>;
}

const hours = () => whole({ least: 1, most: 87_600 }, 'a number of hours');

export const sessionOptions: SessionOptions = {
  activeSessionTtlHours: {
    type: hours(),
    default: null,
    defaultText: 'for ever',
    env: ['STAGE_ACTIVE_SESSION_TTL_HOURS'],
    flag: '--active-session-ttl-hours HOURS',
    key: 'active_session_ttl_hours',
    project: afterTrust('rejects sessions'),
    sentence:
      'How long an active session may go without a write, a comment or a change of state; then it is rejected as expired.',
  },
  proposedSessionTtlHours: {
    type: hours(),
    default: null,
    defaultText: 'for ever',
    env: ['STAGE_PROPOSED_SESSION_TTL_HOURS'],
    flag: '--proposed-session-ttl-hours HOURS',
    key: 'proposed_session_ttl_hours',
    project: afterTrust('rejects sessions'),
    sentence:
      'How long a proposed session may wait for a decision or a comment; then it is rejected as expired.',
  },
};
