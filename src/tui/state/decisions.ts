/** The actions of a reviewer, and the prompts before them. */
import type { Side } from '../../client/edits.ts';
import type { NumberedChange } from '../../model/change.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { JsonText } from '../../model/json.ts';

/** Decisions on the session as a whole. */
export type Decision = 'propose' | 'approve' | 'reject' | 'reopen' | 'revert';

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
  | { readonly kind: 'search' | 'goto' | 'sort'; readonly text: string }
  | { readonly kind: 'confirm'; readonly decision: Decision; readonly text: string }
  | {
      readonly kind: 'edit';
      readonly edit: Edit;
      /** Dependent rows, as text, which would have to go, too. */
      readonly dependents: readonly string[];
      readonly text: string;
    }
  | { readonly kind: 'reason'; readonly decision: 'reject' | 'reopen'; readonly text: string }
  | { readonly kind: 'comment'; readonly about: Subject; readonly text: string };
