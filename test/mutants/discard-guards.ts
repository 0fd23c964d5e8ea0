/** The guards that hide staged rows which wait to be removed. */
import type { Guard } from './guard.ts';

export const discardGuards: readonly Guard[] = [
  {
    name: 'rows that wait to be removed are in no diff',
    without: '',
    tests: ['review/discard'],
  },
  {
    name: 'daemons that remove rows do not wait for each other',
    without: 'SELECT d.* INTO v_found FROM stage.discard d ORDER BY d.since LIMIT 1 FOR UPDATE;',
    tests: ['review/discard'],
  },
  {
    name: 'a mutation log that waits to be removed is not shown',
    without: 'WHERE m.session = $1',
    tests: ['review/discard'],
  },
];
