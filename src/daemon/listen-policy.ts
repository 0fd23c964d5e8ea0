/** The addresses on which the daemon may listen: on loopback freely, elsewhere only with tokens. */
import { StageError } from '../errors.ts';
import type { Token } from '../model/access.ts';

export interface ListenPolicy {
  readonly host: string;
  readonly tokens: readonly Token[];
  readonly allowUnauthenticated: boolean;
  readonly fourEyes: boolean;
}

/** Checks whether a listen address can be reached from this machine only. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Formats a host for a URL. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the host by which programs on this machine reach a listen address. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** Returns the accepted Host names: on loopback only those of loopback, elsewhere any (null). */
export function allowedHosts(host: string): readonly string[] | null {
  return isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', urlHost(host)] : null;
}

/** Checks the policy. @throws StageError `configuration_invalid` if others could approve without a token, or nobody could approve */
export function checkListenPolicy({
  host,
  tokens,
  allowUnauthenticated,
  fourEyes,
}: ListenPolicy): void {
  if (fourEyes && new Set(tokens.map(({ name }) => name)).size < 2) {
    throw new StageError(
      'configuration_invalid',
      '`four_eyes` needs tokens of at least two names',
      {
        hint: 'Give authors and reviewers tokens of their own in `token_file`.',
      },
    );
  }
  if (isLoopback(host) || tokens.length > 0 || allowUnauthenticated) return;
  throw new StageError('configuration_invalid', `refusing to listen on ${host} without a token`, {
    hint: 'Configure a token, listen on 127.0.0.1, or accept the risk with --allow-unauthenticated.',
  });
}

/** Converts an error of listening into one that names the setting to change. */
export function explainListenError(
  error: NodeJS.ErrnoException,
  where: { readonly host: string; readonly port: number; readonly flag: string },
): unknown {
  const reason = listenFailures[error.code ?? ''];
  if (reason === undefined) return error;
  return new StageError(
    'configuration_invalid',
    `cannot listen on ${where.host}:${where.port}: ${reason}`,
    {
      hint: `Choose another port with ${where.flag}, or another address with --host.`,
      cause: error,
    },
  );
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port',
  EACCES: 'this port needs more rights',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'this name is not known',
};
