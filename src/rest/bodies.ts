/** Converts the types of the model to the bodies of REST responses. */
import { auditEntryShape } from '../model/audit.ts';
import { briefShape } from '../model/brief.ts';
import type { ChangePage, Outline } from '../model/change.ts';
import {
  changePageShape,
  changeShape,
  mutationShape,
  numberedStepShape,
  stepShape,
  sumOf,
  tableDiffShape,
  tableOutlineShape,
} from '../model/change.ts';
import { connectionShape } from '../model/connection.ts';
import { decisionShape } from '../model/decision.ts';
import { commentShape, eventOfAllShape, eventShape } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import { loginShape } from '../model/login.ts';
import { approvalsShape, policyVersionShape, sessionPolicyShape } from '../model/policy.ts';
import { rehearsalShape } from '../model/rehearsal.ts';
import { sessionShape } from '../model/session.ts';
import { writerOf } from '../model/shape.ts';
import type { StepPage } from '../review/diff/step-pages.ts';

export const sessionBody = writerOf(sessionShape);
export const connectionBody = writerOf(connectionShape);
export const mutationBody = writerOf(mutationShape);
export const eventBody = writerOf(eventShape);
/** Returns the body of an event in a list over several sessions. */
export const eventOfAllBody = writerOf(eventOfAllShape);
export const commentBody = writerOf(commentShape);
export const decisionBody = writerOf(decisionShape);
/** Returns the body of a change. The table's name is the key of the enclosing list. */
export const changeBody = writerOf(changeShape);
export const stepBody = writerOf(stepShape);
/** Returns the body of a table in a diff, before its changes. */
export const tableDiffBody = writerOf(tableDiffShape);
export const briefBody = writerOf(briefShape);
export const rehearsalBody = writerOf(rehearsalShape);
export const loginBody = writerOf(loginShape);
export const policyBody = writerOf(policyVersionShape);
export const sessionPolicyBody = writerOf(sessionPolicyShape);
export const approvalsBody = writerOf(approvalsShape);
export const auditBody = writerOf(auditEntryShape);

const tableOutlineBody = writerOf(tableOutlineShape);
const pageBody = writerOf(changePageShape);
const numberedStepBody = writerOf(numberedStepShape);

/** Returns the counts of an outline by table. */
export function outlineBody(id: string, { revision, tables }: Outline): JsonObject {
  const bodies = tables.map((outline): [string, JsonObject] => [
    outline.table,
    tableOutlineBody({ ...sumOf(outline.chunks), ...outline }),
  ]);
  return { session_id: id, id, revision, tables: Object.fromEntries(bodies) };
}

export function changePageBody(id: string, table: string, page: ChangePage): JsonObject {
  return { session_id: id, id, ...pageBody({ table, ...page }) };
}

export function stepPageBody(id: string, { revision, steps, nextCursor }: StepPage): JsonObject {
  return {
    session_id: id,
    id,
    revision,
    steps: steps.map(numberedStepBody),
    next_cursor: nextCursor,
  };
}
