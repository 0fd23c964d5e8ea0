/** Converts the REST interface's JSON into the model's types. Every reader throws SyntaxError for an invalid response. */

import { auditEntryShape } from '../model/audit.ts';
import type { Change, ChangePage, Outline } from '../model/change.ts';
import { changePageShape, changeShape, mutationShape, tableOutlineShape } from '../model/change.ts';
import type { Conflict } from '../model/conflict.ts';
import { conflictShape } from '../model/conflict.ts';
import { connectionShape } from '../model/connection.ts';
import { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import { sessionShape } from '../model/session.ts';
import { Fields } from './fields.ts';
import { readerOf } from './read-noun.ts';

export const readSession = readerOf(sessionShape);
export const readConnection = readerOf(connectionShape);
export const readMutation = readerOf(mutationShape);
export const readConflict = readerOf(conflictShape);
export const readAuditEntry = readerOf(auditEntryShape);

const readRow = readerOf(changeShape);
const readTableOutline = readerOf(tableOutlineShape);
const readPage = readerOf(changePageShape);

/** Reads one element of a table's `changes`, which does not contain the table's name. */
export const readChange = (table: string, json: JsonText): Change => ({ table, ...readRow(json) });

/** Reads the outline of a diff. */
export function readOutline(json: JsonText): Outline {
  const fields = new Fields(json);
  const tables = membersOf(fields.json('tables') ?? new JsonText('{}'));
  return {
    revision: fields.required('revision'),
    tables: [...tables].map(([table, outline]) => ({ table, ...readTableOutline(outline) })),
  };
}

/** Reads a page of a table's changes, each with the table's name. */
export function readChangePage(json: JsonText): ChangePage {
  const { table, ...page } = readPage(json);
  return { ...page, changes: page.changes.map((change) => ({ table, ...change })) };
}

/** Reads the conflicts of a response, followed by those in ignored columns. */
export function readConflicts(fields: Fields): Conflict[] {
  return [
    ...fields.list('conflicts').map(readConflict),
    ...fields.list('ignored').map((json) => ({ ...readConflict(json), ignored: true as const })),
  ];
}
