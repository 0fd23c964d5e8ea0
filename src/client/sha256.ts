/** SHA-256 of bytes. Browsers load src/web/sha256.ts instead. */
import { createHash } from 'node:crypto';

/** Returns the hash as sha256sum prints it. @param hex the bytes in hexadecimal digits */
export function sha256(hex: string): string {
  return createHash('sha256').update(hex, 'hex').digest('hex');
}
