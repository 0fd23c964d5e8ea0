/** Ends a command that needs what a project's file says, where the person has not said that this file is theirs. */
import { StageError } from '../errors.ts';
import type { Config } from './load.ts';
import type { SettingName } from './schema.ts';
import { options } from './schema.ts';

/**
 * Demands trust in the project's file if it has the say in one of the settings.
 * @throws StageError `configuration_untrusted` that names the file, and what it would decide
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
