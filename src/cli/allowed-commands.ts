/** Finds out which operations the token allows, for the help. The help waits for the daemon only a moment, and needs none. */
import type { CallerReport } from '../model/service.ts';
import type { Host } from './host.ts';

/** How long the help waits for the daemon. */
const mostMs = 500;

/** Returns the group of which a command line requests the list of commands, empty for all commands; null if it requests none. */
export function groupToList([, , ...words]: readonly string[]): string | null {
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h';
  const [first = '', second, third] = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  if (first === '' || isHelp(first)) return second === undefined ? '' : null;
  return second === undefined || (isHelp(second) && third === undefined) ? first : null;
}

/** Returns the caller that STAGE_TOKEN identifies; null without it, and if the daemon does not respond at once. */
export async function callerForHelp(host: Host): Promise<CallerReport | null> {
  if (!host.env['STAGE_TOKEN']) return null;
  const { readSettings } = await import('./settings.ts');
  const { ApiClient } = await import('../client/api-client.ts');
  try {
    const settings = await readSettings(host, { color: 'auto' });
    const api = new ApiClient({ ...settings, signal: AbortSignal.timeout(mostMs) });
    return await api
      .whoami()
      .then(({ value }) => value)
      .finally(() => api.close());
  } catch {
    // help needs no daemon
    return null;
  }
}
