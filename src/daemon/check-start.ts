/** Validates the configuration before anything is started. */
import { clientOptions } from '../config/client-options.ts';
import { demandTrust } from '../config/demand-trust.ts';
import type { Config } from '../config/load.ts';
import { settingNames } from '../config/schema.ts';
import { readTokens } from '../config/tokens.ts';
import type { Token } from '../model/access.ts';
import { checkListenPolicy } from './listen-policy.ts';
import { readTlsFiles } from './tls-files.ts';

/** The settings that the daemon uses. Those of the production database are checked where it is chosen. */
const needed = settingNames.filter(
  (name) => !(name in clientOptions) && name !== 'upstream' && name !== 'embedded',
);

/**
 * Validates the settings and reads the files that they name. Returns the tokens that the REST API accepts.
 * @throws StageError `configuration_invalid` if a file cannot be used, or others could approve without a token;
 *   `configuration_untrusted` if an untrusted project file sets one of the settings
 */
export function checkStart(config: Config): readonly Token[] {
  demandTrust(config, needed);
  const { settings } = config;
  const { accepted: tokens } = readTokens(settings);
  checkListenPolicy({ ...settings, tokens });
  readTlsFiles(settings);
  return tokens;
}
