/** The guards of policies that count what the session has staged in the tables that they read. */
import type { Guard } from './guard.ts';

const tests = ['attacks/policies'];

export const ownRowGuards: readonly Guard[] = [
  {
    name: 'rows that a client could not write give no right',
    without: '',
    tests,
  },
  {
    name: 'rows that a revert has staged give no right',
    without: '',
    tests,
  },
  {
    name: 'policies call no copy of a function that the role may not call',
    without: '',
    tests,
  },
  {
    name: 'policies are evaluated as they were followed as long as nothing in them has changed',
    without: 'RETURN true;',
    tests,
  },
  {
    name: 'no staged row of another table makes a row of production visible',
    without: 'THEN {{sees}} AND (true OR {{saw}} OR NOT EXISTS (',
    tests,
  },
  {
    name: "a client does not note that the session's rows count in policies",
    without: "IF current_setting('stage.policies_' || p_relation, true) <> '' THEN",
    tests,
  },
  {
    name: 'policies are followed as a whole',
    without: '',
    tests,
  },
  {
    name: 'what a policy finds under the path of the client is not followed',
    without: '',
    tests,
  },
  {
    name: 'a table whose policies read a table that cannot be followed is not followed',
    without: 'const isFollowed = own.isStaged && own.obstacle === null;',
    tests,
  },
];
