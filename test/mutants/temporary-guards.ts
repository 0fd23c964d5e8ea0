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
  {
    name: 'rows that a client has written before are not taken for those of event triggers',
    without: 'CASE WHEN false THEN 0',
    tests: ['staging/logged-ddl'],
    until: 16,
  },
  {
    name: 'rows of others beside those of event triggers are found',
    without: 'AND p_logged ? t.relation::text)',
    tests: ['staging/logged-ddl'],
    until: 16,
  },
  {
    name: 'a table in which event triggers log is not emptied by others',
    without: 'AND NOT (p_nonce IS NOT NULL AND stage.is_logged(l.relation, stage.logged(p_nonce)))',
    tests: ['staging/logged-ddl'],
    until: 16,
  },
  {
    name: 'code cannot add its rows to those of event triggers',
    without: '',
    tests: ['proxy/merge-beside-logging'],
    until: 16,
  },
];
