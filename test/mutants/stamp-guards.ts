/** The guards of what a review knows without looking at everything: stamps of definitions, and the tables of a session. */
import type { Guard } from './guard.ts';

const stamps = ['staging/definition-stamps'];
const renamed = ['proxy/renamed-parts', 'staging/definition-stamps'];
const meanwhile = ['staging/changed-meanwhile'];

export const stampGuards: readonly Guard[] = [
  {
    name: 'keys of parents and objects of partitions belong to a definition',
    without: 'SELECT p_relation',
    tests: stamps,
  },
  {
    name: 'a definition depends on the types below domains and arrays',
    without: '',
    lines: 2,
    tests: stamps,
  },
  { name: 'a definition depends on functions', without: '', tests: stamps },
  { name: 'a definition depends on casts to json', without: '', lines: 2, tests: stamps },
  {
    name: 'a definition depends on whether policies apply to the service',
    without: "SELECT concat_ws('.', count(*), sum(hashtextextended(v.version::text, 0)))",
    tests: stamps,
  },
  {
    name: 'a stamp that differs may be that of the same definition',
    without: 'RETURN false;',
    tests: stamps,
  },
  { name: 'a stamp covers the names of attributes', without: '', tests: renamed },
  { name: 'a stamp covers configurations of text search', without: '', tests: renamed },
  { name: 'a stamp covers schemas that a definition names', without: '', tests: renamed },
  {
    name: 'a stamp covers the names of columns on the other side of foreign keys',
    without: '',
    lines: 2,
    tests: renamed,
  },
  {
    name: 'a stamp covers the sequences of identity columns',
    without: '',
    lines: 7,
    tests: renamed,
  },
  {
    name: 'a change that is committed while an overlay is made is not taken for part of it',
    without:
      "await tx.query('SELECT stage.table_stamp($1) AS stamp', [table.oid]).then(([now]) => now?.['stamp'] ?? null),",
    tests: meanwhile,
  },
  {
    name: 'a change that is committed while a tree is made is not taken for part of it',
    without:
      "await tx.query('SELECT stage.tree_stamp($1) AS stamp', [root]).then(([now]) => now?.['stamp'] ?? null),",
    tests: meanwhile,
  },
  {
    name: 'a change that is committed while a body is read is not taken for part of it',
    without: 'IF false AND EXISTS (',
    tests: meanwhile,
  },
  {
    name: 'reviews know the tables in which a session stages',
    without: '',
    tests: ['staging/staged-relations'],
  },
  {
    name: 'sessions of earlier releases are searched in all tables',
    without: 'IF true THEN',
    tests: ['staging/staged-relations'],
  },
  {
    name: 'no transaction fails to serialize because it read the tables of the session',
    without: 'IF false THEN',
    tests: ['staging/staged-relations'],
  },
  {
    name: 'a session that was split from another knows its tables',
    without: '',
    tests: ['review/split.test'],
  },
  {
    name: 'rows of children are staged in their own tables',
    without: "members: '',",
    // a test that passes shows that the copy works
    tests: ['staging/row-origins', 'staging/staged-relations'],
  },
];
