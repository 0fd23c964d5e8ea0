/** Reloads the tokens of the REST API when their file changes, and on SIGHUP. An invalid file changes nothing. */
import type { Settings } from '../config/schema.ts';
import { readTokens } from '../config/tokens.ts';
import type { Token } from '../model/access.ts';
import type { Parts } from './parts.ts';

export interface TokenMonitor {
  /** Returns the current tokens. */
  accepted(): readonly Token[];
  /** Returns whether the file was invalid when it was last read, so that the former tokens are still in use. */
  isStale(): boolean;
  /** Reads the file now. */
  reload(): void;
}

/** Interval of checks. New content is used once two checks in a row have read it, so that no partly written file is used. */
const checkIntervalMs = 1_000;

/** Starts to monitor the token file. @param first the tokens that have been read already */
export function startTokenMonitor(
  { settings, log, releases }: Parts,
  first: readonly Token[],
): TokenMonitor {
  let tokens = first;
  let seen = fingerprint(first);
  let fault: string | null = null;
  const take = (fresh: readonly Token[]) => {
    if (fault !== null || fingerprint(fresh) !== fingerprint(tokens))
      log.info('the tokens were read again', { tokens: fresh.length });
    fault = null;
    tokens = fresh;
  };
  const retainFormer = ({ message }: Error) => {
    if (message !== fault) log.error('the former tokens stay valid', { error: message });
    fault = message;
  };
  const check = (isSure: boolean) => {
    try {
      const fresh = readUsable(settings, tokens);
      const found = fingerprint(fresh);
      if (isSure || found === seen) take(fresh);
      seen = found;
    } catch (error) {
      retainFormer(error as Error);
    }
  };
  if (settings.tokenFile !== null) {
    const timer = setInterval(() => check(false), checkIntervalMs).unref();
    releases.push('token monitor', async () => clearInterval(timer));
  }
  return { accepted: () => tokens, isStale: () => fault !== null, reload: () => check(true) };
}

/**
 * Reads the tokens. A removed token is dropped, even if too few are left for `four_eyes`: sessions that nobody may approve stay staged.
 * @throws StageError `configuration_invalid` for a file that cannot be read or parsed; Error if it has become empty, which would let
 *   everybody in
 */
function readUsable(settings: Settings, former: readonly Token[]): readonly Token[] {
  const { accepted } = readTokens(settings);
  // guard: a token file that was emptied does not open the service
  if (former.length > 0 && accepted.length === 0) throw new Error('the token file is empty');
  return accepted;
}

function fingerprint(tokens: readonly Token[]): string {
  return JSON.stringify(tokens.map((token) => ({ ...token, hash: token.hash.toString('hex') })));
}
