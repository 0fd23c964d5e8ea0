/** Carries out the reviewer's decisions at the daemon: decisions on the session, edits, comments, rehearsals. */
import type { ApiClient } from '../client/api-client.ts';
import { settledInWords, takenOutInWords } from '../client/edits.ts';
import { choicesOf } from '../client/part-marks.ts';
import { conflictPlace, conflictsOf, dependentLines } from '../client/place-words.ts';
import type { PartChoice } from '../client/split.ts';
import { splitOffInWords } from '../client/split.ts';
import { StageError } from '../errors.ts';
import { JsonText } from '../model/json.ts';
import type { Session } from '../model/session.ts';
import type { Dispatch } from './app.tsx';
import type { Deciding, Edit } from './state/decisions.ts';
import type { StateChange } from './state/outcomes.ts';
import type { Action } from './state/reducer.ts';
import type { State } from './state/state.ts';
import { currentDigest } from './state/state.ts';

export interface RequestRunnerOptions {
  readonly api: ApiClient;
  readonly id: string;
  /** The approver, for the audit. */
  readonly approver: string | undefined;
  readonly dispatch: Dispatch;
  /** Ends all running requests. */
  readonly signal: AbortSignal;
  /** Called after everything that may have changed the session. */
  readonly done: () => void;
}

export class RequestRunner {
  readonly #options: RequestRunnerOptions;
  #before: State | null = null;
  #rehearsal = new AbortController();

  constructor(options: RequestRunnerOptions) {
    this.#options = options;
  }

  /** Begins what a state newly requests. */
  follow(state: State): void {
    const before = this.#before;
    this.#before = state;
    const { deciding, edit, commenting, rehearsing } = state;
    if (deciding !== null && deciding !== before?.deciding)
      void this.#run(() => this.#decide(deciding, state));
    if (edit !== null && edit !== before?.edit) void this.#run(() => this.#edit(edit));
    if (commenting !== null && commenting !== before?.commenting)
      void this.#run(() => this.#comment(commenting));
    if (rehearsing === (before?.rehearsing ?? null)) return;
    this.#rehearsal.abort();
    this.#rehearsal = new AbortController();
    if (rehearsing !== null) void this.#rehearse(this.#rehearsal.signal);
  }

  /** Dispatches the outcome, or the error. */
  async #run(work: () => Promise<Action>): Promise<void> {
    const { dispatch, done } = this.#options;
    try {
      dispatch(await work());
    } catch (error) {
      dispatch({ type: 'failed', text: sentenceOf(error) });
    }
    done();
  }

  /** Carries out a decision. If rows are tied to the part, the reviewer is prompted about them. */
  async #decide(deciding: Deciding, state: State): Promise<Action> {
    const { decision, part } = deciding;
    try {
      if (decision === 'revert') return await this.#revert();
      if (decision === 'split') return await this.#split(deciding);
      return { type: 'done', decision, session: await this.#send(decision, deciding, state) };
    } catch (error) {
      if (!(error instanceof StageError) || error.code !== 'has_dependents') throw error;
      if (part === undefined || deciding.withTies) throw error;
      return { type: 'tied', deciding, ties: dependentLines(error), text: sentenceOf(error) };
    }
  }

  async #send(decision: StateChange, deciding: Deciding, state: State): Promise<Session> {
    const { api, id, approver } = this.#options;
    const { reason, at } = deciding;
    const digest = currentDigest(state) ?? undefined;
    const approve = (breakGlass?: string) => {
      const way = { at, breakGlass, part: partOf(deciding) };
      return api.approve(id, { approvedBy: approver, digest, ...way });
    };
    const requests = {
      propose: () => api.propose(id),
      approve: () => approve(),
      schedule: () => approve(),
      breakGlass: () => approve(reason),
      review: () => api.review(id, reason === '' ? undefined : reason),
      reject: () => api.reject(id, reason === '' ? undefined : reason),
      reopen: () => api.reopen(id, reason),
    };
    return (await requests[decision]()).value;
  }

  /** Splits the marked part off. The session itself is read again, so that the split is not taken for a change by others. */
  async #split(deciding: Deciding): Promise<Action> {
    const { api, id } = this.#options;
    const { value } = await api.split(id, partOf(deciding) ?? { rows: [], withTies: false });
    const { value: session } = await api.getSession(id);
    const text = `${splitOffInWords(value)} They are in a session of their own: stage diff ${value.session.id}`;
    return { type: 'splitOff', session, text };
  }

  /** Reverts the session. The error names rows that have changed since, and how to leave them out. */
  async #revert(): Promise<Action> {
    const { api, id } = this.#options;
    try {
      return { type: 'reverted', id: (await api.revert(id, false)).value.session.id };
    } catch (error) {
      if (!(error instanceof StageError) || error.code !== 'conflict_detected') throw error;
      const places = [...new Set(conflictsOf(error).map(conflictPlace))];
      const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : '';
      const named = `${places.slice(0, mostPlaces).join(', ')}${more}`;
      const text = `${error.message}: ${named}. Leave them out: stage revert ${id} --skip-changed`;
      return { type: 'failed', text };
    }
  }

  async #edit(edit: Edit): Promise<Action> {
    try {
      return await (edit.kind === 'resolve' ? this.#resolve(edit) : this.#unstage(edit));
    } catch (error) {
      if (!(error instanceof StageError) || error.code !== 'has_dependents') throw error;
      const text = sentenceOf(error);
      return { type: 'dependents', edit, dependents: dependentLines(error), text };
    }
  }

  async #resolve({ conflict, take, withDependents }: Edit & { kind: 'resolve' }): Promise<Action> {
    const { api, id } = this.#options;
    const { table, rowId, field, productionCurrent } = conflict;
    const choice = {
      table,
      rowId,
      field: field ?? undefined,
      // guard: the review settles the conflict that it shows
      productionCurrent: productionCurrent ?? new JsonText('null'),
    };
    const { value } = await api.resolve(id, take, choice, withDependents);
    const { session, conflicts } = value;
    return { type: 'edited', session, conflicts, text: settledInWords(value) };
  }

  async #unstage({ table, rowId, withDependents }: Edit & { kind: 'unstage' }): Promise<Action> {
    const { api, id } = this.#options;
    const choice = { table, rowId: rowId ?? undefined };
    const { value } = await api.unstage(id, [choice], withDependents);
    const text = takenOutInWords(value);
    return { type: 'edited', session: value.session, conflicts: null, text };
  }

  async #comment({ text, about }: NonNullable<State['commenting']>): Promise<Action> {
    const { api, id } = this.#options;
    await api.addComment(id, { body: text, table: about?.table, rowId: about?.rowId });
    return { type: 'commented' };
  }

  /** Rehearses the approval. An aborted rehearsal reports nothing. */
  async #rehearse(given: AbortSignal): Promise<void> {
    const { api, id, dispatch, signal: all } = this.#options;
    const signal = AbortSignal.any([given, all]);
    try {
      const { value: report } = await api.rehearse(id, signal);
      if (!signal.aborted) dispatch({ type: 'rehearsed', report });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: 'unrehearsed', text: sentenceOf(error) });
    }
  }
}

/** Returns the part of a decision as a request has it; undefined for the whole. */
function partOf({ part, withTies = false }: Deciding): PartChoice | undefined {
  return part && { rows: choicesOf(part), withTies };
}

/** The maximum number of rows that a notice names. */
const mostPlaces = 3;

/** Returns an error's message and hint. */
export function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof StageError && error.hint ? `${message}. ${error.hint}` : message;
}
