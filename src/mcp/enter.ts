/** Who may come to the table: a token that stages and does not decide. */
import { randomUUID } from 'node:crypto';
import type { ServerInfo } from '../client/answers.ts';
import { ApiClient } from '../client/api-client.ts';
import { StageError } from '../errors.ts';
import { Gate } from './gate.ts';
import type { Place } from './server.ts';
import { runStatement } from './statement.ts';

export interface EnterOptions {
  /** The service's address. */
  readonly server: string;
  /** The agent's own login at the proxy that the service tells of. */
  urlAt(info: ServerInfo): string;
  readonly pinned: string | null;
  readonly project: string | undefined;
  readonly version: string;
  /** Takes tokens that may review, and no token where none is demanded. */
  readonly allowAnyToken: boolean;
}

/** Makes places to work at, one for each token, that share the limit of statements at once. */
export function createEntrance(options: EnterOptions) {
  const gate = new Gate();
  const nonce = randomUUID();
  const { server, pinned, project, version } = options;
  let url: string | undefined;
  return async (token: string | null): Promise<Place & { close(): Promise<void> }> => {
    const api = new ApiClient({ server, token });
    try {
      // guard: each request over HTTP is asked for its token
      if (!options.allowAnyToken) await demandAgent(api);
      // asked with the token that has come: the process may have none of its own
      url ??= options.urlAt((await api.info()).value);
    } catch (error) {
      await api.close();
      throw error;
    }
    const login = url;
    return {
      api,
      pinned,
      project,
      version,
      nonce: `${nonce} ${token ?? ''}`,
      run: (statement) => gate.pass(() => runStatement(login, statement)),
      close: () => api.close(),
    };
  };
}

/** Whoever holds the agent's words holds its token: one that decides would let a row of the database approve itself. */
async function demandAgent(api: ApiClient): Promise<void> {
  const { name, role, rights } = (await api.whoami()).value;
  // guard: stage mcp does not start where everybody may review
  if (name === null) throw refused('the service demands no token, so that everybody may approve');
  // a service that does not tell its rights may give any
  // guard: stage mcp does not start with a token that may review
  if (rights.includes('review') || !rights.includes('write'))
    throw refused(`the token has the role ${role}, which is not that of an agent or author`);
}

function refused(message: string): StageError {
  return new StageError('forbidden', `stage mcp does not start: ${message}`, {
    hint: 'Give it a token of the role agent in STAGE_TOKEN: see `stage help agents`.',
  });
}
