/** The user's folders, from the XDG variables. A process may have none, for example an unknown user without HOME. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const kinds = {
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config' },
  data: { variable: 'XDG_DATA_HOME', usual: '.local/share' },
  state: { variable: 'XDG_STATE_HOME', usual: '.local/state' },
} as const;

/** Returns the user's folder for settings, data or state of `stage`; null if the user has none. */
export function userFolder(env: Environment, kind: keyof typeof kinds): string | null {
  const { variable, usual } = kinds[kind];
  const given = env[variable];
  if (given && isAbsolute(given)) return join(given, 'stage');
  const home = env['HOME'] || accountHome();
  return home === null ? null : join(home, usual, 'stage');
}

function accountHome(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}
