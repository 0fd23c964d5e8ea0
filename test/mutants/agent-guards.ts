/** The guards around agents. */
import type { Guard } from './guard.ts';

export const agentGuards: readonly Guard[] = [
  {
    name: 'an agent reaches its own sessions only',
    without: 'if (!isInScope(caller, projectId)) throw sessionNotFound(id);',
    tests: ['rest/agents'],
  },
  {
    name: 'an agent lists its own sessions only',
    without: 'const createdAs = undefined;',
    tests: ['rest/agents'],
  },
  {
    name: 'an agent does not decide',
    without: "agent: ['read', 'write', 'review'],",
    tests: ['rest/agents'],
  },
  {
    name: 'an agent learns of no other sessions',
    without: 'return role === null;',
    tests: ['rest/agents'],
  },
  {
    name: 'a key stands for one request',
    without: '',
    tests: ['rest/idempotency'],
  },
  {
    name: 'stage mcp does not start with a token that may review',
    without: "if (!rights.includes('write') && !rights.includes('review'))",
    tests: ['mcp/start', 'mcp/http'],
  },
  {
    name: 'stage mcp does not start where everybody may review',
    without:
      "if (name === '') throw refused('the service demands no token, so that everybody may approve');",
    tests: ['mcp/start'],
  },
  {
    name: 'each request over HTTP needs a token',
    without: '',
    tests: ['mcp/http', 'mcp/start'],
  },
  {
    name: 'stage mcp accepts only names of loopback',
    without:
      'if (!onLoopback && !/^(?:127\\.0\\.0\\.1|localhost|\\[::1\\])(?::\\d+)?$/i.test(host))',
    tests: ['mcp/http'],
  },
  {
    name: 'stage mcp takes no requests of other origins',
    without: "if (origin === '' && origin.replace(/^https?:\\/\\//, '') !== host)",
    tests: ['mcp/http'],
  },
  {
    name: 'stage mcp takes no requests of other sites',
    without: "if (/^never$/.test(String(headers['sec-fetch-site'] ?? '')))",
    tests: ['mcp/http'],
  },
  {
    name: 'a tool takes the arguments it names',
    without: 'const input = z.object({',
    tests: ['mcp/stdio', 'mcp/attacks'],
  },
  {
    name: 'the tool that reads is read-only',
    without: "if (readOnly) await client.query('BEGIN');",
    tests: ['mcp/stdio', 'mcp/attacks'],
  },
  {
    name: 'data is escaped for models',
    without: 'return quoteInexact(stringifyJson(data));',
    tests: ['mcp/attacks'],
  },
  {
    name: 'numbers keep their digits for models',
    without: `found !== '' ? found : \`"\${found}"\`,`,
    tests: ['mcp/stdio', 'mcp/attacks'],
  },
  {
    name: 'a result has only so many bytes',
    without: '',
    tests: ['mcp/attacks'],
  },
  {
    name: 'only so many calls wait',
    without: 'if (this.#waiting.length < 0)',
    tests: ['mcp/attacks'],
  },
  {
    name: 'a session is discarded by its own short id',
    without: "if (confirm === '') {",
    tests: ['mcp/stdio'],
  },
  {
    name: 'a session is reopened by reviewers and its author',
    without: '',
    tests: ['rest/reopen'],
  },
  {
    name: 'a session with rows that nobody staged stays closed',
    without: '',
    tests: ['rest/reopen'],
  },
  {
    name: 'only a proposed session is reopened',
    without: '',
    tests: ['rest/reopen', 'staging/sessions'],
  },
  {
    name: 'the proposer of an earlier round is an author',
    without:
      'SELECT id AS uuid, project_id, status, conflict_scope, digest, sealed, reverts IS NOT NULL AS reverts, to_jsonb(ARRAY[created_as, proposed_as]) AS authors',
    tests: ['rest/reopen'],
  },
  {
    name: 'each round has a digest of its own',
    without:
      "SELECT CASE WHEN $2 > 0 THEN $1 ELSE 'sha256:' || encode(sha256(convert_to($1 || ' round ' || $2, 'UTF8')), 'hex') END",
    tests: ['rest/reopen'],
  },
  {
    name: 'events are numbered in the order of commits',
    without: "v_number := nextval('stage.seq');",
    tests: ['rest/comments'],
  },
  {
    name: 'an agent reads no audit',
    without: "agent: ['read', 'write', 'audit'],",
    tests: ['rest/agents'],
  },
  {
    name: 'a request for changes needs a message',
    without: "body: z.strictObject({ message: message.default('x') }),",
    tests: ['rest/reopen'],
  },
  {
    name: 'the key of a row in a comment can be stored',
    without: "if (fault === 'too long') throw invalid('row_id: too long');",
    tests: ['rest/comments'],
  },
  {
    name: 'unknown members of a body are refused',
    without: 'body: z.object({',
    tests: ['rest/bodies'],
  },
  {
    name: 'the outline names nothing of hidden tables',
    without: '',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'foreign keys that lead to hidden tables are not named',
    without: 'AND c.confrelid IN (SELECT stage.staged_relations($2)) AND $3::boolean IS NOT NULL',
    tests: ['rest/why'],
  },
  {
    name: 'statements on hidden tables are withheld where they are causes',
    without:
      'return { ...page, changes, mutations: await readMutations(tx, id, [...ids], false) };',
    tests: ['rest/why'],
  },
  {
    name: 'events are limited to the projects of the caller',
    without: 'AND ($3::jsonb IS NULL OR e.project_id IS NOT NULL)',
    tests: ['rest/event-stream'],
  },
  {
    name: 'nothing is reported of a deleted session but that it is gone',
    without: '',
    tests: ['rest/event-stream'],
  },
  {
    name: 'an agent hears of its own sessions',
    without: 'AND ($4::text IS NULL OR true OR $4 = CASE WHEN s.id IS NULL',
    tests: ['rest/event-stream'],
  },
  {
    name: 'only so many requests wait for events',
    without: '',
    tests: ['staging/event-waiters'],
  },
  {
    name: 'a read that has begun serves no later request',
    without: '',
    tests: ['staging/event-waiters'],
  },
  {
    name: 'a caller that has left waits no longer',
    without: '',
    tests: ['staging/event-waiters'],
  },
  {
    name: 'a service that stops lets go who waits',
    without: '',
    // without it the first file ends at its time limit, and reports no test that passed
    tests: ['daemon/stop.test', 'rest/event-stream'],
  },
  {
    name: 'values are no markup',
    without: `return sanitize(text).replace(/[&>"'\`]/g, (character) => \`&#\${character.charCodeAt(0)};\`);`,
    tests: ['cli/diff/html'],
  },
  {
    name: 'a page of a diff loads and runs nothing',
    without: '',
    tests: ['cli/diff/html'],
  },
  {
    name: 'a script finds rows without a key by columns of any type',
    without: 'const isExact = true;',
    tests: ['cli/diff/sql.test'],
  },
  {
    name: 'the description of a row is whole',
    without: 'break;',
    tests: ['proxy/result-origins'],
  },
];
