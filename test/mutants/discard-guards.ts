/** What keeps staged rows that wait to be removed out of everybody's way. */
import type { Guard } from './guard.ts';

export const discardGuards: readonly Guard[] = [
  {
    name: 'rows that wait to be removed are in no diff',
    file: 'templates/sql/functions/staged_relations.sql',
    text: 'IF EXISTS (SELECT FROM stage.discard d WHERE d.session = p_session) THEN RETURN; END IF;',
    without: '',
    tests: ['review/discard'],
  },
  {
    name: 'daemons that remove rows do not wait for each other',
    file: 'templates/sql/functions/discard_batch.sql',
    text: 'FOR UPDATE SKIP LOCKED',
    without: 'FOR UPDATE',
    tests: ['review/discard'],
  },
  {
    name: 'a mutation log that waits to be removed is not shown',
    file: 'src/staging/mutation-log.ts',
    text: ' AND NOT EXISTS (SELECT FROM stage.discard d WHERE d.session = $1 AND d.log)',
    without: '',
    tests: ['review/discard'],
  },
];
