/** What to do where PostgreSQL does not let the service account in: waiting does not cure that. */
import { StageError } from '../../errors.ts';
import { redactor } from '../redact.ts';

const whereUrl = 'the upstream URL (--upstream, STAGE_UPSTREAM or the configuration file)';

/** What to do where PostgreSQL lets the service account not in, by SQLSTATE. */
const loginHints: Readonly<Record<string, string>> = {
  '3D000': `Correct the database in ${whereUrl}, or create it.`,
};

/** Gives what to do about an error of a login; undefined for other errors. @param message the error's, which may be shown */
export function loginHint(error: unknown, message: string): string | undefined {
  // what pg itself says of a password that is not there
  if (message.includes('client password must be a string'))
    return `The server asks for a password: put it into ${whereUrl}, and start again.`;
  return loginHints[String((error as { code?: unknown } | null)?.code)];
}

/**
 * Runs the first query on an upstream.
 * @throws StageError with what to do where the service account is not let in
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
