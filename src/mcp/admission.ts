/** Admits callers to the tools: their token may stage and may not review. */
import { randomUUID } from 'node:crypto';
import { ApiClient } from '../client/api-client.ts';
import { StageError } from '../errors.ts';
import type { CallerReport, ServerInfo } from '../model/service.ts';
import { Gate } from './gate.ts';
import type { Connected } from './server.ts';
import { runStatement } from './statement.ts';

export interface AdmissionOptions {
  /** The service's address. */
  readonly server: string;
  /** Returns the URL of the agent's login. @param info the service's report, which has the address of the proxy */
  urlAt(info: ServerInfo): string;
  readonly pinned: string | null;
  readonly project: string | undefined;
  readonly version: string;
  /** Accepts tokens that may review, and no token where the service requires none. */
  readonly allowAnyToken: boolean;
}

/**
 * Makes a function that returns the context of a token. All contexts share the limit of concurrent statements.
 * @throws StageError `forbidden` from that function, for a token that is not accepted
 */
export function createAdmission(options: AdmissionOptions) {
  const gate = new Gate();
  const nonce = randomUUID();
  const { server, pinned, project, version } = options;
  let url: string | undefined;
  return async (token: string | null): Promise<Connected & { close(): Promise<void> }> => {
    const api = new ApiClient({ server, token });
    let caller: CallerReport;
    try {
      caller = (await api.whoami()).value;
      // guard: each request over HTTP needs a token
      if (!options.allowAnyToken) demandAgent(caller);
      // uses the caller's token, as the process may have none
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
      operations: caller.operations,
      reviewUrl: (id) => (hasPage(caller) ? new URL(`/review/${id}`, server).href : null),
      nonce: `${nonce} ${token ?? ''}`,
      run: (statement) => gate.pass(() => runStatement(login, statement)),
      close: () => api.close(),
    };
  };
}

/** Returns whether the daemon has a review page: without one, it permits nobody to make links. */
const hasPage = ({ operations }: CallerReport) => operations?.includes('makeReviewLink') ?? false;

/** Refuses tokens that may review, since text from the database can steer an agent: a row could have itself approved. */
function demandAgent({ name, role, rights }: CallerReport): void {
  // guard: stage mcp does not start where everybody may review
  if (name === null) throw refused('the service demands no token, so that everybody may approve');
  // a service that does not report rights may grant any
  // guard: stage mcp does not start with a token that may review
  if (rights.includes('review') || !rights.includes('write'))
    throw refused(`the token has the role ${role}, which is not that of an agent or author`);
}

function refused(message: string): StageError {
  return new StageError('forbidden', `stage mcp does not start: ${message}`, {
    hint: 'Give it a token of the role agent in STAGE_TOKEN: see `stage help agents`.',
  });
}
