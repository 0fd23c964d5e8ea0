/** The guards around agents. */
import type { Guard } from './guard.ts';

export const agentGuards: readonly Guard[] = [
  {
    name: 'an agent reaches its own sessions only',
    file: 'src/rest/access.ts',
    text: 'if (isForeign || !isInScope(caller, projectId))',
    without: 'if (!isInScope(caller, projectId))',
    tests: ['rest/agents'],
  },
  {
    name: 'an agent lists its own sessions only',
    file: 'src/rest/routes/sessions.ts',
    text: 'const createdAs = seesOwnOnly(caller) ? caller.name : undefined;',
    without: 'const createdAs = undefined;',
    tests: ['rest/agents'],
  },
  {
    name: 'an agent does not decide',
    file: 'src/model/access.ts',
    text: "agent: ['read', 'write'],",
    without: "agent: ['read', 'write', 'review'],",
    tests: ['rest/agents'],
  },
  {
    name: 'an agent is told of no other sessions',
    file: 'src/model/access.ts',
    text: "role === 'agent';",
    without: 'role === null;',
    tests: ['rest/agents'],
  },
  {
    name: 'a key stands for one request',
    file: 'src/staging/session-once.ts',
    text: "if (row['request_hash'] !== request.hash) throw conflict(String(row['id']));",
    without: '',
    tests: ['rest/idempotency'],
  },
  {
    name: 'a key makes one session',
    file: 'templates/sql/migrations/000012_events.sql',
    text: 'NULLS NOT DISTINCT\nWHERE request_key IS NOT NULL;',
    without: 'NULLS NOT DISTINCT\nWHERE request_key IS NOT NULL AND id IS NULL;',
    tests: ['rest/idempotency'],
  },
];
