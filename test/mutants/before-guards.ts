/** The guards of rows that BEFORE triggers write while rows are staged. */
import type { Guard } from './guard.ts';

const tests = ['proxy/before-writers'];

export const beforeGuards: readonly Guard[] = [
  {
    name: 'what a trigger writes for a row of another trigger is not applied as a change of the client',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'no row that a trigger inserts under another key at approval is changed by the approval',
    without: '',
    tests,
  },
  {
    name: 'what triggers write to one row for several rows of a statement is applied in the order in which they wrote it',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'no staged row is left out because a trigger is said to have written it',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'no trigger writes back to the table into which the row is upserted for which it fires',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'approval repeats what functions write before the rows of the write that calls them, and so before what BEFORE triggers write for these',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'a trigger that fires before the rows of a statement does not replace the clause of that statement',
    without: 'IF false THEN',
    tests,
  },
  { name: 'a row that its own BEFORE trigger has updated is not updated', without: '', tests },
  { name: 'a row that its own BEFORE trigger has changed is not deleted', without: '', tests },
  {
    name: 'BEFORE triggers do not write again for a row that the statement has changed',
    without: "skip: '',",
    tests,
  },
  {
    name: 'a BEFORE trigger does not fire for a part of an upsert of its own',
    without: 'if (false)',
    tests,
  },
  {
    name: 'what triggers for INSERT write is not lost where the row in the way is updated',
    without: "give_up: '',",
    tests,
  },
  {
    name: 'no write of a trigger calls a function that writes',
    without: 'if (false)',
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: 'a trigger calls no function that writes to production',
    without: 'if (false)',
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: 'an exception block of a trigger that calls functions which write handles the errors that a writing trigger may handle',
    without: 'const again = made;',
    tests: ['proxy/calling-triggers'],
  },
  {
    name: 'no staged row refers to a key that approval draws again',
    without: 'if (false)',
    tests: ['proxy/referred-effects'],
  },
  {
    name: 'policies apply to the row as triggers made it',
    without: 'IF false THEN',
    tests: ['proxy/policy-triggers', 'sql/upserts'],
  },
  {
    name: 'no trigger fires for a row that policies keep from the statement',
    without: "return '';",
    tests: ['proxy/policy-triggers'],
  },
];
