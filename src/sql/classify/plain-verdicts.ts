/** Verdicts on what reads and writes, with what holds where nothing else is given. */
import { noCalls } from '../functions/calls.ts';
import type { Read } from '../verdict.ts';
import type { QueryWrite } from '../write.ts';

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

/** A query that writes what is given, and nothing else. */
export const plainWrite = (given: Partial<QueryWrite> = {}): QueryWrite => ({
  kind: 'write',
  form: 'query',
  relations: [],
  ...noCalls,
  unclear: [],
  locking: [],
  qualifiers: [],
  groupings: [],
  upserts: [],
  overriding: [],
  rights: [],
  merges: [],
  brings: null,
  changes: null,
  ...given,
});
