/** The guards of triggers that notify, and of those that fire at COMMIT. */
import type { Guard } from './guard.ts';

const tests = ['proxy/notifying'];
const unstaged = ['proxy/unstaged-triggers'];

export const notifyGuards: readonly Guard[] = [
  {
    name: 'a deferred trigger writes nothing that COMMIT would not check',
    without: '',
    tests: ['proxy/deferred-triggers'],
  },
  {
    name: 'COMMIT fires only copies of triggers, although every role may queue a row',
    without: 'IF false THEN',
    tests: ['proxy/deferred-triggers'],
  },
  {
    name: 'a trigger that notifies calls no function that would notify while rows are staged',
    without: 'if (false)',
    tests,
  },
  {
    name: 'defaults of arguments are evaluated as they are, and notify somebody',
    without: 'const asTheyAre = context;',
    tests: ['attacks/function-effects'],
  },
  {
    name: 'defaults of arguments that notify keep a function that writes from being staged',
    without: 'await checkWriting(checked, definition.functions.flatMap(usesOfDefaults), uses);',
    tests: ['attacks/function-effects'],
  },
  {
    name: 'no exception block of a function that only reads catches the refusal of a notification',
    without: 'if (false) {',
    tests,
  },
  {
    name: 'no notification of a function that approval does not call is lost',
    without: 'NULL;',
    lines: 2,
    tests,
  },
  {
    name: 'a copy notifies nobody',
    without: 'if (false)',
    tests,
  },
  {
    name: 'a trigger that notifies of TRUNCATE does not fire while staging: it does not fire at approval, which deletes the rows',
    without: 'if (false)',
    tests,
  },
  {
    name: 'a trigger that notifies and may suppress its row fires at approval only: it would not fire there for a suppressed row',
    without: 'if (false)',
    tests: unstaged,
  },
  {
    name: 'no notification is lost with a row that triggers suppress',
    without: 'IF false THEN',
    tests,
  },
  {
    name: 'a trigger whose role may not notify fails as in production',
    without: 'IF false THEN',
    tests,
  },
];
