/** The guards around parts of sessions: splits, and approvals of a part. */
import type { Guard } from './guard.ts';

export const partGuards: readonly Guard[] = [
  {
    name: "a split is its creator's session, whoever made it",
    without: 'await emit(tx, { ...created, body: text({ split_from: session.id }) });',
    tests: ['rest/split'],
  },
  {
    name: 'rows that never left a value are compared with none',
    without: 'FROM chosen t JOIN versions s ON {{collides}}',
    tests: ['review/split-growth'],
  },
  {
    name: 'nulls that collide are found by a hash',
    without: 'nullsNotDistinct && index < 0 && elements.length < 0',
    tests: ['review/split-growth'],
  },
  {
    name: 'rows that were not approved with a part are not reported as applied',
    without: 'return digest !== null && digest === session.reviewedDigest;',
    tests: ['review/split-repeat'],
  },
  {
    name: 'no part is cut off from rows that it is tied to',
    without: 'if (ties.length > 9_999 && !withTies) throw hasTies(ties.length, tied);',
    tests: ['review/split.test'],
  },
  {
    name: 'rows that the chosen rows depend on are chosen with them',
    without: 'SELECT e.relation, e.root, e.on_relation, e.on_root FROM edges e WHERE false',
    tests: ['review/split.test'],
  },
  {
    name: 'rows that had one value after another stay together',
    without: "shared_uniques: '',",
    tests: ['review/split.test'],
  },
  {
    name: 'rows that referred to a row for a while stay with it',
    without: "shared_foreign_keys: '',",
    tests: ['review/split.test'],
  },
  {
    name: 'a split leaves rows on both sides',
    without: '',
    tests: ['review/split.test'],
  },
  {
    name: 'who splits a session has a part in both',
    without: '',
    tests: ['review/split.test'],
  },
  {
    name: 'authors of a session are authors of the sessions split from it',
    without: "'{}'",
    tests: ['review/split.test'],
  },
  {
    name: 'the whole log is copied, so that all roles that staged are known',
    without:
      "EXECUTE format('INSERT INTO stage.mutation (session, %1$s) SELECT $2, %1$s FROM stage.mutation WHERE session = $1 AND id IN (SELECT max(id) FROM stage.mutation WHERE session = $1)', v_columns)",
    tests: ['review/split.test'],
  },
  {
    name: 'the log of a session counts, not that of a session that was split from it',
    without: 'LEFT JOIN stage.mutation m ON m.id = s.mutation',
    tests: ['review/split.test'],
  },
  {
    name: 'approval of a part compares the digest of the whole',
    without: '',
    tests: ['review/split.test'],
  },
];
