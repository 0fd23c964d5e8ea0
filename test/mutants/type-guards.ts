/** The guards of functions whose arguments and results have types of users. */
import type { Guard } from './guard.ts';

const tests = ['proxy/types-of-parameters'];

export const typeGuards: readonly Guard[] = [
  {
    name: 'a staged function takes no row of a table within another value: it has another type where it is staged',
    without: '',
    tests,
  },
  {
    name: 'no cast by a function of a user runs for an argument',
    without: '',
    lines: 4,
    tests: ['proxy/enums-in-code'],
  },
  {
    name: 'no check of a domain runs code of users for an argument',
    without: 'END;',
    lines: 5,
    tests,
  },
  {
    name: 'a domain is as good as the types to which its checks convert values',
    without: '',
    lines: 3,
    tests,
  },
  {
    name: 'no call finds another function of its name than in PostgreSQL',
    without: '',
    lines: 5,
    tests,
  },
];
