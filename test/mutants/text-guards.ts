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
  { name: 'a value is computed once more without effects', without: '', tests },
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
    name: 'no text runs in a copy that was not followed',
    without: 'IF false THEN',
    tests: ['proxy/dynamic-code'],
  },
];
