/** What can be known to be wrong before anything is started. */
import { clientOptions } from '../config/client-options.ts';
import { demandTrust } from '../config/demand-trust.ts';
import type { Config } from '../config/load.ts';
import { settingNames } from '../config/schema.ts';
import { readTokens } from '../config/tokens.ts';
import type { Token } from '../model/access.ts';
import { checkListenPolicy } from './listen-policy.ts';
import { readTlsFiles } from './tls-files.ts';

/** The settings that a daemon goes by. What its production is, is asked where that is chosen. */
const needed = settingNames.filter(
  (name) => !(name in clientOptions) && name !== 'upstream' && name !== 'embedded',
);

/**
 * Reads what the settings name; gives the tokens that the REST interface accepts.
 * @throws StageError `configuration_invalid` when a file cannot be used, or others could approve without a token;
 *   `configuration_untrusted` when a project's file decides
 */
export function checkStart(config: Config): readonly Token[] {
  demandTrust(config, needed);
  const { settings } = config;
  const { accepted: tokens } = readTokens(settings);
  checkListenPolicy({ ...settings, tokens });
  readTlsFiles(settings);
  return tokens;
}
