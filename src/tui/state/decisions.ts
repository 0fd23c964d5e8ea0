/** The actions of a reviewer, and the prompts before them. */
import type { Side } from '../../client/edits.ts';
import type { PartMarks } from '../../client/part-marks.ts';
import type { NumberedChange } from '../../model/change.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { JsonText } from '../../model/json.ts';

/** Decisions on the session as a whole. */
export type Decision =
  | 'propose'
  | 'approve'
  | 'schedule'
  | 'breakGlass'
  | 'review'
  | 'split'
  | 'reject'
  | 'reopen'
  | 'revert';

/** The needs of a decision besides its name. */
export interface Plan {
  /** The reason or the message; empty for none. */
  readonly reason: string;
  /** When the approval is applied: a time, or `window`. */
  readonly at?: string;
  /** The marked rows; left out for the whole. */
  readonly part?: PartMarks;
}

/** A decision that is being carried out. */
export interface Deciding extends Plan {
  readonly decision: Decision;
  /** Whether rows that are tied to the part are included. */
  readonly withTies?: boolean;
}

/** Returns whether a decision applies the diff on display. */
export const isApproval = (decision: Decision) =>
  decision === 'approve' || decision === 'schedule' || decision === 'breakGlass';

/** Edits of what the session stages. */
export type Edit = { readonly withDependents: boolean } & (
  | {
      readonly kind: 'unstage';
      readonly table: string;
      /** Null for all rows of a table without a key. */
      readonly rowId: JsonText | null;
    }
  | { readonly kind: 'resolve'; readonly conflict: Conflict; readonly take: Side }
);

/** The subject of a comment; null for the session. */
export type Subject = Pick<NumberedChange, 'table' | 'rowId'> | null;

/** A line that is being typed. */
export type Prompt =
  | { readonly kind: 'search' | 'goto' | 'sort' | 'time'; readonly text: string }
  | {
      readonly kind: 'confirm';
      readonly decision: Decision;
      readonly plan?: Plan;
      /** Rows, as text, that are tied to those of the plan, which would have to go along. */
      readonly ties?: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: 'edit';
      readonly edit: Edit;
      /** Dependent rows, as text, which would have to go, too. */
      readonly dependents: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: 'reason';
      readonly decision: 'reject' | 'reopen' | 'breakGlass' | 'review';
      readonly text: string;
    }
  | { readonly kind: 'comment'; readonly about: Subject; readonly text: string };
