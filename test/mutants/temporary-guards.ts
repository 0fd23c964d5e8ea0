/** The guards around temporary tables. */
import type { Guard } from './guard.ts';

export const temporaryGuards: readonly Guard[] = [
  {
    name: 'a definition changes temporary tables of the connection alone',
    without: 'continue;',
    tests: ['proxy/other-relations'],
  },
  {
    name: 'a definition computes no code of users',
    without: '',
    tests: ['proxy/temporary-code'],
  },
  {
    name: 'the query of a definition writes nothing to the catalogs',
    without: 'IF false THEN',
    tests: ['proxy/temporary-code'],
  },
  {
    name: 'nobody but the proxy records the writes of a definition',
    without: 'IF false THEN',
    tests: ['proxy/temporary-code'],
  },
  {
    name: 'indexes get the names of the constraints that they are for',
    without: 'created: given.created ?? [],',
    tests: ['proxy/temporary-tables'],
  },
  {
    name: "a temporary table hides nothing of PostgreSQL's own",
    without: 'IF false THEN',
    tests: ['proxy/temporary-code'],
  },
];
