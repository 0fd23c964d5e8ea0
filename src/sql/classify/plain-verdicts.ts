/** Verdicts on what reads and writes, with what holds where nothing else is given. */
import type { Read, Write } from '../verdict.ts';

/** A read of what is given, and of nothing else. */
export const plainRead = (given: Partial<Read> = {}): Read => ({
  kind: 'read',
  relations: [],
  functions: [],
  unclear: [],
  called: [],
  locking: [],
  qualifiers: [],
  groupings: [],
  copy: null,
  ...given,
});

/** A write of what is given, and of nothing else: without targets it changes no rows, but runs only where writing is possible. */
export const plainWrite = (given: Partial<Write> = {}): Write => ({
  kind: 'write',
  relations: [],
  functions: [],
  fields: [],
  unclear: [],
  operators: [],
  types: [],
  locking: [],
  qualifiers: [],
  groupings: [],
  upserts: [],
  overriding: [],
  rights: [],
  merges: [],
  copy: null,
  truncate: null,
  ...given,
});
