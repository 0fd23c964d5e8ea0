/** Maps the errors of rewritten and internal statements to those that PostgreSQL would report for the client's own statement. */
import { standInSchema } from '../model/internal-schemas.ts';
import { unreadableHint } from '../overlay/views/staged-view.ts';
import { errorResponse, noticeResponse } from '../wire/backend-messages.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { ErrorHandler } from './pending-response.ts';
import type { SentText } from './position-map.ts';
import { writtenPosition } from './position-map.ts';

/** The SQLSTATEs of the service's functions. */
export const staleNames = 'ST001';
export const rowChanged = 'ST002';
export const rowByRow = 'ST004';
export const rowsAffected = 'ST005';

/** Internal query and its position. They would expose the staging instead of the client's statement. */
const inner = ['q', 'p'];

/** Matches a context that exposes the staging: functions in the service's schemas, its prepared statements, and their callees. */
const internalContext = /stage/i;

/** Matches the line of a COPY's data, which PostgreSQL reports behind the context of the service's functions. */
const copiedLine = /(?:^|\n)(COPY .*)$/s;

/**
 * The SQLSTATEs for which the line's text is removed. A COPY inserts index entries in batches, so PostgreSQL knows only the line number.
 */
const indexed = new Set(['23505', '23P01']);
const lineText = /(?<=, line \d+): ".*$/s;

const translations: Readonly<Record<string, { message: string; hint: string }>> = {
  [staleNames]: {
    message: 'could not serialize access due to a concurrent change of a table',
    hint: 'The transaction might succeed if retried.',
  },
  [rowByRow]: {
    message: 'could not stage the rows of the statement together',
    hint: 'The transaction might succeed if retried.',
  },
  [rowChanged]: {
    message: 'could not serialize access due to concurrent update',
    hint: 'The transaction might succeed if retried.',
  },
};

/** Staged functions keep their names, in schemas of the service. */
const functionSchema = new RegExp(`\\b${standInSchema('function', '\\d+')}\\.`, 'g');

const noSystemColumns = {
  message:
    'system columns such as ctid, xmin or tableoid are not available where staged rows are read or written',
  hint: 'Name the row by its key; a version column of your own can take the place of xmin.',
};

/** Matches a missing system column. Overlays are views, and so have no columns for the storage and the writer of a row. */
const systemColumn = /^column (?:.*\.)?"?(?:ctid|tableoid|xmin|xmax|cmin|cmax)"? does not exist$/;

/** Returns the hint for a privilege that the service account lacks in one of the service's functions; undefined for other errors. */
function serviceLacks(fields: ErrorFields): string | undefined {
  const isInternal = /\bstage(_\w+)?\./.test(fields.get('W') ?? '');
  if (fields.get('C') !== '42501' || !isInternal) return undefined;
  const message = fields.get('M') ?? '';
  if (temporaryDenied.test(message)) return grantTemporary;
  const sequence = /^permission denied for sequence (.+)$/.exec(message)?.[1];
  return sequence === undefined ? undefined : grantUsage(sequence);
}

/** For a MERGE before PostgreSQL 17: its temporary table belongs to the service account. */
const temporaryDenied = /^permission denied to create temporary tables in database/;

const grantTemporary =
  'Until PostgreSQL 16 a MERGE is staged by way of a temporary table of the service account, not of the role that connects: GRANT TEMPORARY ON DATABASE ... to the service account, as `stage doctor` says.';

const grantUsage = (sequence: string) =>
  `It is the service account that draws the numbers of serial and identity columns, not the role that connects: GRANT USAGE ON SEQUENCE ${sequence} to the service account. \`stage doctor\` names it with its schema.`;

/** Maps an error of an internal message to one of the client's statement, without a position. */
export const deliver: ErrorHandler = (fields) => errorResponse(translate(fields, null, noFacts));

/** Maps a notice of a staged statement. */
export const deliverNotice = (fields: ErrorFields): Buffer =>
  noticeResponse(translate(fields, null, noFacts));

/**
 * Maps a notice of an internal COMMIT. Only those of deferred triggers concern the client, and the one about a missing confirmation of a
 * synchronous standby.
 */
export const deliverWarning = (fields: ErrorFields): Buffer | null =>
  ['exec_stmt_raise', 'SyncRepWaitForLSN'].includes(fields.get('R') ?? '')
    ? deliverNotice(fields)
    : null;

/** What errors of a database are mapped with. */
export interface ErrorFacts {
  /** Returns the schema of the production table for the schema of its overlay. */
  productionSchema(overlaySchema: string): string | undefined;
  /** Whether the server counts positions in bytes. */
  readonly shared: { readonly countsBytes: boolean };
}

/** Returns the error handler for a rewritten statement of the client. */
export function mapErrors(text: SentText | null, facts: ErrorFacts): ErrorHandler {
  return (fields) => errorResponse(translate(fields, text, facts));
}

const explainHint =
  'EXPLAIN of a write takes the right to it in production. To stage the write SELECT is enough: run it without EXPLAIN.';

/** Adds a hint to the error of an EXPLAIN of a write, for a role that may stage the write but not run it. */
export function hintExplain(handler: ErrorHandler): ErrorHandler {
  return (fields) =>
    handler(fields.get('C') === '42501' ? new Map(fields).set('H', explainHint) : fields);
}

const noFacts: ErrorFacts = { productionSchema: () => undefined, shared: { countsBytes: false } };

function translate(
  fields: ErrorFields,
  text: SentText | null,
  { productionSchema, shared }: ErrorFacts,
): ErrorFields {
  const mapped = new Map(fields);
  for (const field of inner) mapped.delete(field);
  const lack = serviceLacks(fields);
  if (lack !== undefined) mapped.set('H', lack);
  const context = fields.get('W') ?? '';
  const line = copiedLine.exec(context)?.[1];
  if (line !== undefined)
    mapped.set('W', indexed.has(fields.get('C') ?? '') ? line.replace(lineText, '') : line);
  else if (internalContext.test(context)) mapped.delete('W');
  const schema = productionSchema(fields.get('s') ?? '');
  if (schema !== undefined) mapped.set('s', schema);
  mapped.set('M', (fields.get('M') ?? '').replaceAll(functionSchema, ''));
  const position = Number(fields.get('P'));
  mapped.delete('P');
  if (text !== null && position > 0)
    mapped.set('P', String(writtenPosition(text, position, shared.countsBytes)));
  return translated(isUnreadable(fields) ? unreadable(mapped) : mapped);
}

/** Matches an error inside a staged view. PostgreSQL analyses its query when it is read, and an overlay cannot do all that a table can. */
const ofStagedView = /^SQL function "staged_view_\d+" during (?:inlining|startup)/m;
const analysis = new Set(['42803', '42703', '42P01', '42883', '42804', '42P10']);

function isUnreadable(fields: ErrorFields): boolean {
  return analysis.has(fields.get('C') ?? '') && ofStagedView.test(fields.get('W') ?? '');
}

function unreadable(fields: Map<string, string>): Map<string, string> {
  const message = `cannot read a view with what is staged: ${fields.get('M') ?? ''}`;
  return fields.set('C', '0A000').set('M', message).set('H', unreadableHint);
}

function translated(fields: Map<string, string>): ErrorFields {
  const sqlstate = fields.get('C') ?? '';
  const translation = translations[sqlstate];
  if (translation !== undefined) {
    fields.delete('D');
    return fields.set('C', '40001').set('M', translation.message).set('H', translation.hint);
  }
  if (sqlstate !== '42703' || !systemColumn.test(fields.get('M') ?? '')) return fields;
  return fields.set('C', '0A000').set('M', noSystemColumns.message).set('H', noSystemColumns.hint);
}
