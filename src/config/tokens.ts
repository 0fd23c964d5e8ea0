/** The tokens of the REST API: from the environment, or from a file that nobody else can read. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { StageError } from '../errors.ts';
import type { Settings } from './schema.ts';

/**
 * Gives all tokens, the one set directly first.
 * @throws StageError `configuration_invalid` when the file cannot be read, or others could read or write it
 */
export function readTokens({ token, tokenFile }: Settings): string[] {
  const direct = token === null ? [] : [token];
  return tokenFile === null ? direct : [...direct, ...readTokenFile(tokenFile)];
}

/** Looks at the rights of the very file that it then reads. */
function readTokenFile(path: string): string[] {
  const file = open(path);
  try {
    if ((fstatSync(file).mode & 0o077) === 0) return lines(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
  throw new StageError('configuration_invalid', `the token file ${path} is open to others`, {
    hint: `Make it yours alone: chmod 600 ${path}`,
  });
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new StageError(
      'configuration_invalid',
      `the token file ${path} cannot be read: ${(cause as Error).message}`,
      {
        hint: 'Correct `token_file` (--token-file, STAGE_TOKEN_FILE).',
        cause,
      },
    );
  }
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
