/** Converts the REST interface's JSON into the model's types. Every reader throws SyntaxError for an invalid response. */
import type {
  AuditEntry,
  Cause,
  Change,
  ChangePage,
  Conflict,
  Hidden,
  Mutation,
  Operation,
  Outline,
  TableOutline,
} from '../model/change.ts';
import { conflictKinds, operations, origins } from '../model/change.ts';
import type { Connection } from '../model/connection.ts';
import { connectionStates } from '../model/connection.ts';
import { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import { conflictScopes, readsModes, sessionStatuses } from '../model/session.ts';
import { Fields } from './fields.ts';

export function readSession(json: JsonText): Session {
  const fields = new Fields(json);
  return {
    id: fields.text('session_id') ?? fields.required('id'),
    projectId: fields.text('project_id') ?? '',
    metadata: fields.json('metadata') ?? new JsonText('{}'),
    status: oneOf(sessionStatuses, fields.required('status')),
    reads: oneOf(readsModes, fields.text('reads') ?? 'production'),
    conflictScope: oneOf(conflictScopes, fields.text('conflict_scope') ?? 'row'),
    round: fields.number('round'),
    mutationCount: fields.number('mutation_count'),
    edits: fields.json('edits') === null ? 0 : fields.number('edits'),
    createdAt: fields.text('created_at') ?? '',
    updatedAt: fields.text('updated_at') ?? '',
    proposedAt: fields.text('proposed_at'),
    approvedAt: fields.text('approved_at'),
    approvedBy: fields.text('approved_by'),
    rejectedAt: fields.text('rejected_at'),
    reason: fields.text('reason'),
    createdAs: fields.text('created_as'),
    proposedAs: fields.text('proposed_as'),
    approvedAs: fields.text('approved_as'),
    rejectedAs: fields.text('rejected_as'),
    reverts: fields.text('reverts'),
    splitFrom: fields.text('split_from'),
    remaining: fields.text('remaining_session_id'),
    reviewedDigest: fields.text('reviewed_digest'),
    lastEvent: fields.text('last_event') ?? '0',
    roles: fields.list('roles').map((json) => JSON.parse(json.text) as string | null),
  };
}

export function readConnection(json: JsonText): Connection {
  const fields = new Fields(json);
  const state = fields.text('state');
  return {
    backend: fields.number('backend'),
    role: fields.required('role'),
    address: fields.text('address'),
    connectedAt: fields.text('connected_at'),
    state: state === null ? null : oneOf(connectionStates, state),
    isHere: fields.required('through') === 'here',
  };
}

export function readMutation(json: JsonText): Mutation {
  const fields = new Fields(json);
  return {
    id: fields.required('id'),
    type: readOperation(fields, 'type'),
    table: fields.required('table'),
    query: fields.text('query'),
    params: fields.json('params'),
    affectedRows: fields.number('affected_rows'),
    executedAt: fields.required('executed_at'),
    role: fields.text('role'),
    login: fields.text('login'),
    statement: fields.text('statement'),
    ...readHidden(fields),
  };
}

/** Reads one element of a table's `changes`, which does not contain the table's name. */
export function readChange(table: string, json: JsonText): Change {
  return changeOf(table, new Fields(json));
}

function changeOf(table: string, fields: Fields): Change {
  return {
    table,
    type: readOperation(fields, 'type'),
    rowId: fields.json('row_id') ?? new JsonText('null'),
    before: fields.json('before'),
    after: fields.json('after'),
    ...readTexts(fields),
  };
}

/** Reads the outline of a diff. JSON.parse rounds nothing here: numbers of changes are strings, and all other numbers are counts. */
export function readOutline(json: JsonText): Outline {
  const { revision, tables } = JSON.parse(json.text) as OutlineBody;
  return {
    revision,
    tables: Object.entries(tables).map(
      ([
        table,
        { key, columns, chunks, hidden, triggers = [], has_children, references_itself, ...counts },
      ]) => ({
        table,
        key,
        columns,
        triggers,
        furtherChanges: counts.further_changes ?? 0,
        chunks: chunks.map(([after, inserts, updates, deletes]) => ({
          after,
          inserts,
          updates,
          deletes,
        })),
        ...(has_children ? { hasChildren: true } : {}),
        ...(references_itself ? { referencesItself: true } : {}),
        ...(hidden ? { hidden } : {}),
      }),
    ),
  };
}

interface OutlineBody {
  readonly revision: string;
  readonly tables: Readonly<
    Record<
      string,
      Pick<TableOutline, 'key' | 'columns' | 'hidden'> & {
        /** Missing in responses of older daemons. */
        readonly triggers?: TableOutline['triggers'];
        readonly has_children?: true;
        readonly references_itself?: true;
        readonly chunks: readonly (readonly [string, number, number, number])[];
        /** Missing in responses of older daemons. */
        readonly further_changes?: number;
      }
    >
  >;
}

export function readChangePage(json: JsonText): ChangePage {
  const fields = new Fields(json);
  const table = fields.required('table');
  return {
    revision: fields.required('revision'),
    nextCursor: fields.text('next_cursor'),
    changes: fields.list('changes').map((json) => {
      const change = new Fields(json);
      return { number: change.required('number'), ...changeOf(table, change), ...readWhy(change) };
    }),
    mutations: fields.list('mutations').map(readMutation),
    ...readHidden(fields),
  };
}

/** Reads the conflicts of a response, followed by those in ignored columns. */
export function readConflicts(fields: Fields): Conflict[] {
  const ignored = fields.json('ignored') === null ? [] : fields.list('ignored');
  return [
    ...fields.list('conflicts').map(readConflict),
    ...ignored.map((json) => ({ ...readConflict(json), ignored: true as const })),
  ];
}

export function readConflict(json: JsonText): Conflict {
  const fields = new Fields(json);
  return {
    table: fields.required('table'),
    rowId: fields.json('row_id') ?? new JsonText('null'),
    field: fields.text('field'),
    // a kind that only a newer daemon knows is shown as `changed`
    kind: conflictKinds.find((kind) => kind === fields.text('kind')) ?? 'changed',
    sessionBase: fields.json('session_base'),
    sessionNew: fields.json('session_new'),
    productionCurrent: fields.json('production_current'),
    ...(fields.json('session_deletes')?.text === 'true' ? { sessionDeletes: true } : {}),
    ...readTexts(fields),
    ...readReason(fields),
    ...readHidden(fields),
  };
}

export function readAuditEntry(json: JsonText): AuditEntry {
  const fields = new Fields(json);
  return {
    id: fields.required('id'),
    sessionId: fields.required('session_id'),
    projectId: fields.required('project_id'),
    tableName: fields.required('table_name'),
    operation: readOperation(fields, 'operation'),
    rowId: fields.text('row_id'),
    oldData: fields.json('old_data'),
    newData: fields.json('new_data'),
    ...readTexts(fields),
    ...readStaged(fields),
    approvedAt: fields.required('approved_at'),
    approvedBy: fields.text('approved_by'),
    approvedAs: fields.text('approved_as'),
    splitFrom: fields.text('split_from'),
    ...readHidden(fields),
  };
}

function readWhy(fields: Fields): { readonly why?: readonly Cause[] } {
  if (fields.json('why') === null) return {};
  return {
    why: fields.list('why').map((json) => {
      const cause = new Fields(json);
      const origin = cause.text('origin');
      return {
        mutationId: cause.required('mutation'),
        origin: origin === null ? null : oneOf(origins, origin),
        foreignKeys: cause.list('foreign_keys').map(({ text }) => JSON.parse(text) as string),
        ...readTrigger(cause),
      };
    }),
  };
}

function readTrigger(cause: Fields): Pick<Cause, 'trigger'> {
  const trigger = cause.text('trigger');
  return trigger === null ? {} : { trigger };
}

function readTexts(fields: Fields): { readonly texts?: JsonText } {
  const texts = fields.json('texts');
  return texts === null ? {} : { texts };
}

function readStaged(fields: Fields): { readonly staged?: JsonText } {
  const staged = fields.json('staged');
  return staged === null ? {} : { staged };
}

function readReason(fields: Fields): { readonly reason?: string } {
  const reason = fields.text('reason');
  return reason === null ? {} : { reason };
}

function readHidden(fields: Fields): { readonly hidden?: Hidden } {
  return fields.json('hidden')?.text === 'true' ? { hidden: true } : {};
}

function readOperation(fields: Fields, name: string): Operation {
  return oneOf(operations, fields.required(name));
}

function oneOf<T extends string>(known: readonly T[], text: string): T {
  const found = known.find((item) => item === text);
  if (found === undefined)
    throw new SyntaxError(`the answer has an unknown ${JSON.stringify(text)}`);
  return found;
}
