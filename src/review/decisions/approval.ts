/** An approval as it is requested, and its result. */
import type { JsonText } from '../../model/json.ts';
import type { Approvals } from '../../model/policy.ts';
import type { Session } from '../../model/session.ts';
import type { ConflictRules } from '../conflicts.ts';
import type { Part } from '../edits/parts.ts';
import type { FindPerson } from '../policy/approvals.ts';
import type { Moment } from '../policy/check.ts';

export interface Approval extends ConflictRules {
  /** The approver's name as the caller states it. */
  readonly approvedBy: string | null;
  /** The approver's name by the presented token. */
  readonly approvedAs?: string | null;
  /** The digest of the reviewed diff: anything else is not approved. */
  readonly digest: string | null;
  /** Database roles that belong to the approver, besides one with the token's name. */
  readonly databaseRoles?: readonly string[];
  /** Whether those who created or proposed the session, or staged in it, may not approve it. */
  readonly fourEyes?: boolean;
  /** Whether unexpected differences between staged rows and those that production's triggers made of them stop the approval. */
  readonly refuseDifferences?: boolean;
  /** The rows to apply; the others go to a new session. All rows by default. */
  readonly only?: Part | null;
  /** When it is applied; at once by default. */
  readonly moment?: Moment;
  /** The reason of an approval past the policy; null for an ordinary one. */
  readonly breakGlass?: string | null;
  /** The scheduled approval that is applied by this one. */
  readonly due?: Due | null;
  /** The version of the policy that approves, instead of a person. */
  readonly byPolicy?: number | null;
  /** Returns what the tokens allow a person, for the policy. */
  readonly findPerson?: FindPerson;
  /** The total time that it may wait for locks of others, in milliseconds; 2,000 by default. */
  readonly lockTimeoutMs?: number;
}

export interface ApprovedSession extends Session {
  /**
   * The columns in which rows landed other than staged, as `stage.trigger_differences` returns them. Absent if there are none, and for a
   * session that was approved before.
   */
  readonly differences?: JsonText;
  /** The state of the votes, where the policy demands more of them: the session is still proposed then. */
  readonly approvals?: Approvals;
}

/** An approval whose time has come. */
export interface Due {
  /** The number of its decision. */
  readonly number: string;
  /** When it was given, in milliseconds since 1970. */
  readonly givenAt: number;
}
