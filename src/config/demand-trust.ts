/** Refuses to use settings from a project's configuration file that the user does not trust. */
import { StageError } from '../errors.ts';
import type { Config } from './load.ts';
import type { SettingName } from './schema.ts';
import { options } from './schema.ts';

/**
 * Demands that the project's file is trusted if it sets one of the settings.
 * @throws StageError `configuration_untrusted` that names the file and these settings
 */
export function demandTrust({ untrusted }: Config, needed: readonly SettingName[]): void {
  const meant = untrusted?.settings.filter((name) => needed.includes(name)) ?? [];
  // guard: a project decides nothing that matters before it is trusted
  if (untrusted === null || meant.length === 0) return;
  const { path, state } = untrusted;
  const [cause, is] =
    state === 'changed'
      ? ['has changed since you trusted it', 'what it says now']
      : ['is not trusted', 'it'];
  const keys = meant.map((name) => `\`${options[name].key}\``).join(', ');
  throw new StageError('configuration_untrusted', `${path} sets ${keys}, and ${cause}`, {
    detail: meant.map((name) => `${options[name].key}: ${options[name].project.why}`).join('\n'),
    hint: `Read the file. If ${is} is yours, say so once with \`stage trust\`; for one command --config FILE says it, in CI and containers STAGE_TRUST=1.`,
    facts: { file: path, settings: meant.map((name) => options[name].key) },
  });
}
