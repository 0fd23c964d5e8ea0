/** What can be known to be wrong before anything is started. */
import type { Settings } from '../config/schema.ts';
import { readTokens } from '../config/tokens.ts';
import type { Token } from '../model/access.ts';
import { checkListenPolicy } from './listen-policy.ts';
import { readTlsFiles } from './tls-files.ts';

/**
 * Reads what the settings name; gives the tokens that the REST interface accepts.
 * @throws StageError `configuration_invalid` when a file cannot be used, or others could approve without a token
 */
export function checkStart(settings: Settings): readonly Token[] {
  const { accepted: tokens } = readTokens(settings);
  checkListenPolicy({ ...settings, tokens });
  readTlsFiles(settings);
  return tokens;
}
