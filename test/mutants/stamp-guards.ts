/** The guards of what a review knows without looking at everything: stamps of definitions, and the tables of a session. */
import type { Guard } from './guard.ts';

const stamps = ['staging/definition-stamps'];

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
  {
    name: 'a definition names the columns on the other side of foreign keys',
    without: '',
    tests: stamps,
  },
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
