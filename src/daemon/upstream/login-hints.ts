/** Hints for errors with which PostgreSQL refuses the service account's login. Waiting does not resolve these errors. */
import { StageError } from '../../errors.ts';
import { redactor } from '../redact.ts';

const whereUrl = 'the upstream URL (--upstream, STAGE_UPSTREAM or the configuration file)';

/** Hints by SQLSTATE. */
const loginHints: Readonly<Record<string, string>> = {
  '3D000': `Correct the database in ${whereUrl}, or create it.`,
};

/** Returns the hint for an error of a login; undefined for other errors. @param message the error's message without secrets */
export function loginHint(error: unknown, message: string): string | undefined {
  // pg's own message for a missing password
  if (message.includes('client password must be a string'))
    return `The server asks for a password: put it into ${whereUrl}, and start again.`;
  return loginHints[String((error as { code?: unknown } | null)?.code)];
}

/**
 * Runs the first query on an upstream.
 * @throws StageError with a hint if the service account's login is refused
 */
export async function reachable<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StageError) throw error;
    const message = redactor(url)(error instanceof Error ? error.message : String(error));
    const hint = loginHint(error, message);
    if (hint === undefined) throw error;
    throw new StageError('upstream_unavailable', message, { hint, cause: error });
  }
}
