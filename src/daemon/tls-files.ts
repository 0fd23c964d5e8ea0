/** Reads the daemon's TLS certificate and key. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Settings } from '../config/schema.ts';
import { StageError } from '../errors.ts';

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads certificate and key; null if none are configured.
 * @throws StageError `configuration_invalid` if they cannot be read, or do not match
 */
export function readTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<Settings, 'tlsCert' | 'tlsKey'>): TlsFiles | null {
  if (tlsCert === null || tlsKey === null) return null;
  const files = { cert: readPem(tlsCert), key: readPem(tlsKey) };
  try {
    createSecureContext(files);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw unusable(`${tlsCert} and ${tlsKey} cannot be used for TLS: ${reason}`, cause);
  }
  return files;
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unusable(`cannot read ${path}: ${(cause as Error).message}`, cause);
  }
}

function unusable(message: string, cause: unknown): StageError {
  const hint = 'Correct `tls_cert` and `tls_key` (--tls-cert, --tls-key).';
  return new StageError('configuration_invalid', message, { hint, cause });
}
