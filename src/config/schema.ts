/** The table of all options, with their documentation. */
import type { LogFormat, LogLevel } from '../log.ts';
import type { RehearsalAccess } from '../model/access.ts';
import type { ConflictScope } from '../model/session.ts';
import { conflictScopes } from '../model/session.ts';
import { accessOptions } from './access-options.ts';
import { clientOptions } from './client-options.ts';
import { limitOptions } from './limit-options.ts';
import { listenOptions } from './listen-options.ts';
import { logOptions } from './log-options.ts';
import type { TriggerDifferences } from './review-options.ts';
import { reviewOptions } from './review-options.ts';
import { sessionOptions } from './session-options.ts';
import type { Option } from './types.ts';
import {
  afterTrust,
  choice,
  columnPatterns,
  databaseUrl,
  flag,
  list,
  pathOrTrue,
} from './types.ts';

export interface Settings {
  readonly upstream: string | null;
  readonly embedded: string | true | null;
  readonly host: string;
  readonly port: number;
  readonly proxyHost: string;
  readonly proxyPort: number;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly restTls: boolean;
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly allowUnauthenticated: boolean;
  readonly fourEyes: boolean;
  readonly conflictScope: ConflictScope;
  readonly conflictIgnoreColumns: readonly string[];
  readonly sensitiveColumns: readonly string[];
  readonly approveLockTimeoutMs: number;
  readonly triggerDifferences: TriggerDifferences;
  readonly web: 'on' | 'off' | null;
  readonly rehearsal: RehearsalAccess;
  readonly rehearsalTimeoutMs: number;
  readonly rehearsalScanRows: number;
  readonly allowPublications: boolean;
  readonly allowFunctions: readonly string[];
  readonly maxStatementBytes: number;
  readonly maxMessageBytes: number;
  readonly statementCacheSize: number;
  readonly maxConnections: number | null;
  readonly maxConnectionsPerAddress: number | null;
  readonly stagedNotice: boolean;
  readonly loginTimeoutMs: number;
  readonly stallTimeoutMs: number;
  readonly upgradeLockTimeoutMs: number | null;
  readonly shutdownGraceMs: number;
  readonly activeSessionTtlHours: number | null;
  readonly proposedSessionTtlHours: number | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat | null;
  readonly server: string;
  readonly serverCa: string | null;
  readonly session: string | null;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

export type SettingName = keyof Settings;

export const options: { readonly [Name in SettingName]: Option<Settings[Name]> } = {
  upstream: {
    type: databaseUrl(),
    default: null,
    defaultText: 'an embedded PostgreSQL',
    env: ['STAGE_UPSTREAM', 'DATABASE_URL'],
    flag: '--upstream URL',
    key: 'upstream',
    project: afterTrust(
      "sends the service account's password, and every change, to another server",
    ),
    sentence:
      'Production: the connection URL of the service account, which owns the schema `stage` and applies approved changes. Of several hosts (`host1:5432,host2:5432`) the one that takes writes is used.',
  },
  embedded: {
    type: pathOrTrue(),
    default: null,
    defaultText: 'used when there is no upstream',
    env: ['STAGE_EMBEDDED'],
    flag: '--embedded [DIR]',
    key: 'embedded',
    project: afterTrust("runs programs as you: a cluster's configuration can name some"),
    sentence:
      'Use an embedded PostgreSQL as production, its data kept in this directory (`true`: a directory of the user).',
  },
  ...listenOptions,
  ...accessOptions,
  conflictScope: {
    type: choice(conflictScopes),
    default: 'row',
    env: ['STAGE_CONFLICT_SCOPE'],
    flag: '--conflict-scope SCOPE',
    key: 'conflict_scope',
    project: afterTrust('decides what must be unchanged when a session is approved'),
    sentence:
      'What must be unchanged in production at approval: the whole `row`, or only each `column` the session changed.',
  },
  conflictIgnoreColumns: {
    type: columnPatterns(),
    default: [],
    env: ['STAGE_CONFLICT_IGNORE_COLUMNS'],
    flag: '--conflict-ignore-columns NAMES',
    key: 'conflict_ignore_columns',
    project: afterTrust('decides what must be unchanged when a session is approved'),
    sentence:
      'Columns that may change in production before approval: `table.column` or `schema.table.column`, `*` for every table. Columns of keys always count.',
  },
  ...reviewOptions,
  allowPublications: {
    type: flag(),
    default: false,
    env: ['STAGE_ALLOW_PUBLICATIONS'],
    flag: '--allow-publications',
    key: 'allow_publications',
    project: afterTrust('lets staged rows out to subscribers'),
    sentence: 'Install where a publication FOR ALL TABLES carries staged rows to its subscribers.',
  },
  allowFunctions: {
    type: list(),
    default: [],
    env: ['STAGE_ALLOW_FUNCTIONS'],
    flag: '--allow-functions NAMES',
    key: 'allow_functions',
    project: afterTrust('lets clients reach beyond what is staged'),
    sentence:
      'Functions that statements may call although they could have effects that are not staged.',
  },
  ...limitOptions,
  ...sessionOptions,
  ...logOptions,
  ...clientOptions,
};

export const settingNames = Object.keys(options) as SettingName[];
