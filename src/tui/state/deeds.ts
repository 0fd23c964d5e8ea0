/** What a reviewer does beside looking, and the lines that are typed before it. */
import type { Side } from '../../client/resolve.ts';
import type { Conflict, NumberedChange } from '../../model/change.ts';
import type { JsonText } from '../../model/json.ts';

/** What is done with the session as a whole. */
export type Deed = 'propose' | 'approve' | 'reject' | 'reopen' | 'revert';

/** What is changed of what the session stages. */
export type Edit = { readonly withDependents: boolean } & (
  | {
      readonly kind: 'unstage';
      readonly table: string;
      /** Null for all rows of a table without a key. */
      readonly rowId: JsonText | null;
    }
  | { readonly kind: 'resolve'; readonly conflict: Conflict; readonly take: Side }
);

/** What a comment is about; null for the session. */
export type Subject = Pick<NumberedChange, 'table' | 'rowId'> | null;

/** A line that is being typed. */
export type Prompt =
  | { readonly kind: 'search' | 'goto'; readonly text: string }
  | { readonly kind: 'confirm'; readonly deed: Deed; readonly text: string }
  | {
      readonly kind: 'edit';
      readonly edit: Edit;
      /** Rows that would not hold without it, in words. */
      readonly dependents: readonly string[];
      readonly text: string;
    }
  | { readonly kind: 'reason'; readonly deed: 'reject' | 'reopen'; readonly text: string }
  | { readonly kind: 'comment'; readonly about: Subject; readonly text: string };
