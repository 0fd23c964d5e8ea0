/** The tokens that the REST API takes: read again when their file changes, and at SIGHUP. A bad file changes nothing. */
import type { Settings } from '../config/schema.ts';
import { readTokens } from '../config/tokens.ts';
import type { Token } from '../model/access.ts';
import type { Parts } from './parts.ts';

export interface TokenWatch {
  /** Gives the tokens that count now. */
  accepted(): readonly Token[];
  /** Whether the file could not be used when it was last read, so that the tokens are those of before. */
  isStale(): boolean;
  /** Reads the file now. */
  reload(): void;
}

/** A file that somebody is writing is not taken half: it counts once it has been the same twice. */
const lookEveryMs = 1_000;

/** Keeps tokens that have been read already. */
export function startTokenWatch(
  { settings, log, releases }: Parts,
  first: readonly Token[],
): TokenWatch {
  let tokens = first;
  let seen = fingerprint(first);
  let fault: string | null = null;
  const take = (fresh: readonly Token[]) => {
    if (fault !== null || fingerprint(fresh) !== fingerprint(tokens))
      log.info('the tokens were read again', { tokens: fresh.length });
    fault = null;
    tokens = fresh;
  };
  const keep = ({ message }: Error) => {
    if (message !== fault) log.error('the former tokens are kept', { error: message });
    fault = message;
  };
  const look = (isSure: boolean) => {
    try {
      const fresh = readUsable(settings, tokens);
      const found = fingerprint(fresh);
      if (isSure || found === seen) take(fresh);
      seen = found;
    } catch (error) {
      keep(error as Error);
    }
  };
  if (settings.tokenFile !== null) {
    const timer = setInterval(() => look(false), lookEveryMs).unref();
    releases.push('watch over the tokens', async () => clearInterval(timer));
  }
  return { accepted: () => tokens, isStale: () => fault !== null, reload: () => look(true) };
}

/**
 * A token that is gone is given up, also where too few are left for `four_eyes`: what nobody may approve stays staged.
 * @throws StageError `configuration_invalid` for a file that a daemon would not start with, or that would let everybody in
 */
function readUsable(settings: Settings, former: readonly Token[]): readonly Token[] {
  const { accepted } = readTokens(settings);
  // guard: tokens do not become none while others are kept out by them
  if (former.length > 0 && accepted.length === 0) throw new Error('the token file is empty');
  return accepted;
}

function fingerprint(tokens: readonly Token[]): string {
  return JSON.stringify(tokens.map((token) => ({ ...token, hash: token.hash.toString('hex') })));
}
