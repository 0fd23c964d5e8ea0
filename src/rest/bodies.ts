/** Converts the types of the model to the bodies of REST responses. */
import type {
  AuditEntry,
  Cause,
  Change,
  ChangePage,
  Hidden,
  Mutation,
  Outline,
  OutlineColumn,
  Step,
  Trigger,
} from '../model/change.ts';
import { sumOf } from '../model/change.ts';
import type { Event } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import type { StepPage } from '../review/diff/step-pages.ts';

/** Returns the body of a session. Times and names of a state are present once it was reached. */
export function sessionBody(session: Session): JsonObject {
  const { proposedAt, approvedAt, rejectedAt } = session;
  return {
    session_id: session.id,
    id: session.id,
    project_id: session.projectId,
    metadata: session.metadata,
    status: session.status,
    reads: session.reads,
    conflict_scope: session.conflictScope,
    round: session.round,
    mutation_count: session.mutationCount,
    edits: session.edits,
    last_event: session.lastEvent,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    ...named('reverts', session.reverts),
    ...named('split_from', session.splitFrom),
    ...named('remaining_session_id', session.remaining),
    ...named('reviewed_digest', session.reviewedDigest),
    ...named('created_as', session.createdAs),
    ...named('proposed_as', session.proposedAs),
    ...named('approved_as', session.approvedAs),
    ...named('rejected_as', session.rejectedAs),
    roles: session.roles,
    ...(proposedAt === null ? {} : { proposed_at: proposedAt }),
    ...(approvedAt === null
      ? {}
      : { approved_at: approvedAt, applied_at: approvedAt, approved_by: session.approvedBy }),
    ...(rejectedAt === null ? {} : { rejected_at: rejectedAt, reason: session.reason }),
  };
}

/** Returns a member for a name, or no member for null. */
function named(member: string, name: string | null): JsonObject {
  return name === null ? {} : { [member]: name };
}

/** Returns the mark of hidden content, if it is hidden. */
function marked({ hidden }: { readonly hidden?: Hidden }): JsonObject {
  return hidden ? { hidden } : {};
}

export function mutationBody(mutation: Mutation): JsonObject {
  return {
    id: mutation.id,
    type: mutation.type,
    table: mutation.table,
    query: mutation.query,
    params: mutation.params,
    affected_rows: mutation.affectedRows,
    executed_at: mutation.executedAt,
    role: mutation.role,
    login: mutation.login,
    statement: mutation.statement,
    ...marked(mutation),
  };
}

export function eventBody({ number, kind, at, by, body }: Event): JsonObject {
  return { number, kind, at, by, body };
}

/** Returns the body of an event in a list over several sessions. */
export function eventOfAllBody(event: Event): JsonObject {
  return { session_id: event.sessionId, ...eventBody(event) };
}

/** Returns the body of a change. The table's name is the key of the enclosing list. */
export function changeBody(change: Change): JsonObject {
  const { type, rowId, before, after, texts } = change;
  return { type, row_id: rowId, before, after, texts };
}

export function stepBody(step: Step): JsonObject {
  const { table, mutationId, statement } = step;
  return { table, mutation_id: mutationId, statement, ...changeBody(step) };
}

function causeBody({ mutationId, origin, foreignKeys, trigger }: Cause): JsonObject {
  const cause = { mutation: mutationId, origin, foreign_keys: foreignKeys };
  return trigger === undefined ? cause : { ...cause, trigger };
}

export function columnBody({ name, type, generated }: OutlineColumn): JsonObject {
  return { name, type, generated };
}

export function triggerBody({ name, timing, events, unstaged }: Trigger): JsonObject {
  return { name, timing, events, unstaged };
}

/** Returns the counts of an outline by table. Chunks are arrays, because there may be thousands. */
export function outlineBody(id: string, { revision, tables }: Outline): JsonObject {
  const bodies = tables.map((outline): [string, JsonObject] => {
    const { table, key, columns, chunks, furtherChanges, triggers, hasChildren, referencesItself } =
      outline;
    return [
      table,
      {
        ...sumOf(chunks),
        further_changes: furtherChanges,
        key,
        columns: columns.map(columnBody),
        triggers: triggers.map(triggerBody),
        ...(hasChildren ? { has_children: true } : {}),
        ...(referencesItself ? { references_itself: true } : {}),
        chunks: chunks.map(({ after, inserts, updates, deletes }) => [
          after,
          inserts,
          updates,
          deletes,
        ]),
        ...marked(outline),
      },
    ];
  });
  return { session_id: id, id, revision, tables: Object.fromEntries(bodies) };
}

export function changePageBody(id: string, table: string, page: ChangePage): JsonObject {
  return {
    session_id: id,
    id,
    revision: page.revision,
    table,
    changes: page.changes.map((change) => ({
      number: change.number,
      ...changeBody(change),
      why: change.why?.map(causeBody),
    })),
    mutations: page.mutations?.map(mutationBody),
    next_cursor: page.nextCursor,
    ...marked(page),
  };
}

export function stepPageBody(id: string, { revision, steps, nextCursor }: StepPage): JsonObject {
  return {
    session_id: id,
    id,
    revision,
    steps: steps.map((step) => ({ number: step.number, ...stepBody(step) })),
    next_cursor: nextCursor,
  };
}

export function auditBody(entry: AuditEntry): JsonObject {
  return {
    id: entry.id,
    session_id: entry.sessionId,
    project_id: entry.projectId,
    table_name: entry.tableName,
    operation: entry.operation,
    row_id: entry.rowId,
    old_data: entry.oldData,
    new_data: entry.newData,
    texts: entry.texts,
    staged: entry.staged,
    approved_at: entry.approvedAt,
    approved_by: entry.approvedBy,
    ...named('approved_as', entry.approvedAs),
    ...named('split_from', entry.splitFrom),
    ...marked(entry),
  };
}
