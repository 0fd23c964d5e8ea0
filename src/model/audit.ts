/** The append-only audit of applied changes. */
import { hidden, operations, texts } from './change.ts';
import type { Noun } from './shape.ts';
import { json, optional, orLeftOut, orNull, shape, text, time, word } from './shape.ts';

/** One applied row change in the append-only audit. */
export const auditEntryShape = shape(
  {
    id: text('`aud_` and a number', /^aud_/),
    sessionId: text(),
    projectId: text(),
    tableName: text(),
    operation: word(operations),
    rowId: orNull(
      text('The key as text, composite keys as `a,b` in key order; null if it is hidden'),
    ),
    oldData: orNull(json('row')),
    newData: orNull(json('row')),
    texts,
    staged: optional(
      json('row', "The staged values of columns that production's triggers set to other values"),
    ),
    approvedAt: time(),
    approvedBy: orNull(text()),
    approvedAs: orLeftOut(text('Name of the token; absent if no token was required')),
    splitFrom: orLeftOut(text("The session that the entry's session was split from")),
    hidden,
  },
  'AuditEntry',
);

export type AuditEntry = Noun<typeof auditEntryShape>;
