/** Verdicts on what reads without being a query, or writes no rows. */
import type { Read, Write } from '../verdict.ts';

/** A read of what is given, and of nothing else. */
export const plainRead = (
  given: Partial<
    Pick<Read, 'relations' | 'functions' | 'unclear' | 'copy' | 'standIn' | 'explainsWrite'>
  > = {},
): Read => ({
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

/** What changes no rows, but runs only where writing is possible. */
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
