/** The reports of the daemon about itself, its callers and its audit. */
import { roles } from './access.ts';
import type { Noun } from './shape.ts';
import {
  count,
  flag,
  integer,
  list,
  noun,
  optional,
  orLeftOut,
  orNull,
  otherwise,
  shape,
  text,
  time,
  word,
} from './shape.ts';

export const healthShape = shape({
  status: word(['ok', 'degraded']),
  upstream: word(['connected', 'disconnected']),
  error: orLeftOut(text()),
  reason: optional(text()),
  warning: optional(text()),
  approvalsRetried: optional(
    count('Scheduled approvals and those by the policy that failed, and are tried again'),
  ),
});

export type Health = Noun<typeof healthShape>;

export const infoShape = shape({
  version: text(),
  proxy: noun(shape({ host: text(), port: integer() }), 'Where database clients connect'),
  database: text(),
  postgresql: orNull(text('Version of the upstream server; null while it cannot be reached')),
  embedded: orNull(
    noun(
      shape({ user: text(), password: text() }),
      'The sample login of the embedded PostgreSQL; null if the upstream is not embedded',
    ),
  ),
});

export type ServerInfo = Noun<typeof infoShape>;

/** The facts that a daemon knows of itself from the start. */
export type ServiceFacts = Omit<ServerInfo, 'postgresql'>;

/** The caller that the token identifies. */
export const callerShape = shape({
  name: orNull(text('Name of the token; null if no token is required')),
  role: word(roles),
  rights: list(text()),
  projects: orNull(list(text(), 'The only projects it is valid for; null for all')),
  operations: otherwise(
    list(
      text(),
      'Names of the operations that its role and the configuration allow; a session may still refuse one',
    ),
    null,
  ),
});

export type CallerReport = Noun<typeof callerShape>;

export const tokenUseShape = shape({
  id: text('The first 12 digits of its hash'),
  name: text(),
  role: word(roles),
  lastUsedAt: orNull(time('When it was last used, to the minute; null if no use is known')),
});

const auditEnd = {
  entries: count('The number of entries'),
  approvals: count('The number of approvals'),
  head: otherwise(text('Hash of the end of the chain: note it down to compare it later'), null),
};

export const auditEndShape = shape(auditEnd);

/** The result of a verification of the audit. */
export const auditVerdictShape = shape({
  ok: flag(),
  ...auditEnd,
  firstBad: orNull(
    noun(shape({ id: text(), reason: text() }), 'The first link that does not match'),
  ),
});

export type AuditVerdict = Noun<typeof auditVerdictShape>;
