/** Values that come from another thread: a Buffer arrives as a plain array of bytes. */

/** Puts Buffers in the place of such arrays, within the value itself. */
export function withBuffers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length) as unknown as T;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withBuffers(members[key]);
  return value;
}
