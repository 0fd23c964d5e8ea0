/** The guards of texts that code runs by EXECUTE. */
import type { Guard } from './guard.ts';

const tests = ['sql/function-body'];

export const textGuards: readonly Guard[] = [
  { name: 'a text that a body runs is followed', without: '', tests },
  {
    name: 'no quoted value becomes a part of another word of a text that is run',
    without: 'return found.length === count;',
    lines: 3,
    tests,
  },
  {
    name: 'a value is computed once more without effects',
    without: 'return callsPlain || true;',
    tests,
  },
  {
    name: 'a name that is not known stands for a column that is read',
    without: '',
    tests,
  },
  {
    name: 'a write names the columns that it reads',
    without: 'rights.length + groupings.length >= 0;',
    tests: ['proxy/columns-in-texts'],
  },
  {
    name: 'a name that a text gets when it runs stands for a column of the table, and for nothing of an overlay',
    without: 'IF false THEN',
    tests: ['proxy/columns-in-texts'],
  },
  {
    name: 'no operator of a user joins a text that runs without a comparison',
    without: '',
    tests: ['attacks/function-effects'],
  },
  {
    name: 'no exception block hides that a text is not the one that was followed',
    without: '',
    tests,
  },
  { name: 'a variable of the function is not taken for one of the trigger', without: '', tests },
  {
    name: 'nothing with values is called before a text that is run, and no name in the expression that yields it is replaced',
    without: 'if (false)',
    tests: ['proxy/dynamic-code'],
  },
  {
    name: 'a call with values stays one when others join it',
    without: 'const isFixed = other?.isFixed ?? true;',
    tests: ['proxy/dynamic-code'],
  },
  {
    name: 'no text runs in a copy that was not followed',
    without: 'IF false THEN',
    tests: ['proxy/dynamic-code'],
  },
];
