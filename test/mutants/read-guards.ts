/** The guards of reads that need no overlays. */
import type { Guard } from './guard.ts';

export const readGuards: readonly Guard[] = [
  {
    name: 'a table that has children or policies by now is read through its overlay',
    without: `const isPlain = 'true';`,
    tests: ['proxy/untouched-tables'],
  },
  {
    name: 'a table in which something is staged is read through its overlay',
    without: `const isUnstaged = 'true';`,
    tests: ['proxy/untouched-tables'],
  },
  {
    name: 'names of a read that was parsed before a write of its batch are queried again when it is bound',
    without: '',
    tests: ['proxy/untouched-tables'],
  },
  {
    name: 'another text may return other columns, also where all names have kept their meanings',
    without: '',
    tests: ['proxy/prepared-statements'],
  },
];
