/** Verdicts on what reads without being a query. */
import type { Read } from './verdict.ts';

/** A read of what is given, and of nothing else. */
export const plainRead = (
  given: Partial<Pick<Read, 'relations' | 'functions' | 'copy'>> = {},
): Read => ({
  kind: 'read',
  relations: [],
  functions: [],
  called: [],
  locking: [],
  qualifiers: [],
  groupings: [],
  copy: null,
  ...given,
});
