/** Creates verdicts on reads and writes, with defaults for omitted properties. */
import { noCalls } from '../functions/calls.ts';
import type { Read } from '../read.ts';
import type { DefinitionWrite, QueryWrite } from '../write.ts';
import { refuse } from './refusal.ts';

/** Returns a read with the given properties; by default it uses nothing. */
export const plainRead = (given: Partial<Read> = {}): Read => ({
  kind: 'read',
  relations: [],
  functions: [],
  unclear: [],
  called: [],
  locking: [],
  qualifiers: [],
  groupings: [],
  wholeRows: [],
  copy: null,
  ...given,
});

/** Returns a query that writes, with the given properties; by default it uses nothing. */
export const plainWrite = (given: Partial<QueryWrite> = {}): QueryWrite => ({
  kind: 'write',
  form: 'query',
  relations: [],
  ...noCalls,
  unclear: [],
  called: [],
  locking: [],
  lockingParts: [],
  qualifiers: [],
  groupings: [],
  wholeRows: [],
  upserts: [],
  overriding: [],
  rights: [],
  merges: [],
  inserts: null,
  changes: null,
  ...given,
});

/** Returns a command that defines tables, with the given properties; by default it defines and requires nothing. */
export const plainDefinition = (given: Partial<DefinitionWrite>): DefinitionWrite => ({
  kind: 'write',
  form: 'definition',
  command: '',
  relations: [],
  ...noCalls,
  unclear: [],
  rights: [],
  created: [],
  skipsMissing: false,
  evaluates: false,
  copiesDefinition: false,
  query: null,
  fixed: [],
  probe: null,
  refusal: refuse('only temporary tables can be defined in a staged session', ''),
  ...given,
});
