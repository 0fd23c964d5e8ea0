/** The options of approvals and rehearsals; part of the table in schema.ts. */
import type { RehearsalAccess } from '../model/access.ts';
import { rehearsalAccess } from '../model/access.ts';
import type { Option } from './types.ts';
import { afterTrust, choice, milliseconds, tablePatterns, whole } from './types.ts';

const triggerDifferences = ['allow', 'refuse'] as const;
export type TriggerDifferences = (typeof triggerDifferences)[number];

interface ReviewOptions {
  readonly approveLockTimeoutMs: Option<number>;
  readonly triggerDifferences: Option<TriggerDifferences>;
  readonly sensitiveColumns: Option<readonly string[]>;
  readonly web: Option<'on' | 'off' | null>;
  readonly rehearsal: Option<RehearsalAccess>;
  readonly rehearsalTimeoutMs: Option<number>;
  readonly rehearsalScanRows: Option<number>;
}

export const reviewOptions: ReviewOptions = {
  approveLockTimeoutMs: {
    type: milliseconds(),
    default: 2_000,
    env: ['STAGE_APPROVE_LOCK_TIMEOUT_MS'],
    flag: '--approve-lock-timeout-ms MS',
    key: 'approve_lock_timeout_ms',
    project: afterTrust('can delay production'),
    sentence:
      'How long an approval may wait in total for locks in production and for other approvals; then it is answered `busy`.',
  },
  triggerDifferences: {
    type: choice(triggerDifferences),
    default: 'allow',
    env: ['STAGE_TRIGGER_DIFFERENCES'],
    flag: '--trigger-differences WHETHER',
    key: 'trigger_differences',
    project: afterTrust('decides what is applied to production'),
    sentence:
      "Whether an approval is applied (`allow`) or refused (`refuse`) if production's triggers set other values than they did while staging. Times and random values never stop it.",
  },
  sensitiveColumns: {
    type: tablePatterns(),
    default: [],
    env: ['STAGE_SENSITIVE_COLUMNS'],
    flag: '--sensitive-columns NAMES',
    key: 'sensitive_columns',
    project: afterTrust('decides what reviewers are shown'),
    sentence:
      'Columns and tables whose changes a brief names as sensitive: `table.column` or `schema.table.column`, with `*` for every table, or for every column of one.',
  },
  web: {
    type: choice(['on', 'off']),
    default: null,
    defaultText: 'on with an embedded PostgreSQL, else off',
    env: ['STAGE_WEB'],
    flag: '--web WHETHER',
    key: 'web',
    project: afterTrust('lets browsers log in'),
    sentence: 'Whether the REST API serves the page of reviewers, `/review`.',
  },
  rehearsal: {
    type: choice(rehearsalAccess),
    default: 'reviewers',
    env: ['STAGE_REHEARSAL'],
    flag: '--rehearsal WHO',
    key: 'rehearsal',
    project: afterTrust("decides who may have production's triggers run"),
    sentence:
      "Who may have a session applied and rolled back to see what approval would do, with production's triggers: `reviewers`, `authors` and agents their own sessions too, or nobody (`off`).",
  },
  rehearsalTimeoutMs: {
    type: milliseconds(),
    default: 30_000,
    env: ['STAGE_REHEARSAL_TIMEOUT_MS'],
    flag: '--rehearsal-timeout-ms MS',
    key: 'rehearsal_timeout_ms',
    project: afterTrust('can delay production'),
    sentence: 'How long a rehearsal may take, and hold rows of production locked.',
  },
  rehearsalScanRows: {
    type: whole({ least: 0, most: 1_000_000_000 }),
    default: 1_000_000,
    env: ['STAGE_REHEARSAL_SCAN_ROWS'],
    flag: '--rehearsal-scan-rows COUNT',
    key: 'rehearsal_scan_rows',
    project: afterTrust('decides what reviewers are shown'),
    sentence:
      'A rehearsal finds changed rows in tables with at most so many rows; of larger ones it reports counts.',
  },
};
