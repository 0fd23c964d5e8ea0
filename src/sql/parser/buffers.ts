/** Restores values received from another thread, where a Buffer arrives as a plain Uint8Array. */

/** Replaces each Uint8Array in a value by a Buffer over the same memory, in place. Returns the value. */
export function withBuffers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length) as unknown as T;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withBuffers(members[key]);
  return value;
}
