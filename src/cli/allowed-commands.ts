/** Finds out which operations the token allows, for the help. The help waits for the daemon only a moment, and needs none. */
import type { CallerReport } from '../model/service.ts';
import type { Host } from './host.ts';

/** How long the help waits for the daemon. */
const mostMs = 500;

/** Whether a command line requests the list of all commands. */
export function asksForCommands([, , first, second]: readonly string[]): boolean {
  return first === undefined || (second === undefined && ['--help', '-h', 'help'].includes(first));
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
