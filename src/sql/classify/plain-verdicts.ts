/** Verdicts on what reads and writes, with what holds where nothing else is given. */
import { noCalls } from '../functions/calls.ts';
import type { Read } from '../read.ts';
import type { DefinitionWrite, QueryWrite } from '../write.ts';
import { refuse } from './refusal.ts';

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

/** A command that defines nothing and that nothing is in the way of. */
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
