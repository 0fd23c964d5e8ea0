/** The page's knowledge of a session, and the needs of its actions. */
import type { PartMarks } from '../client/part-marks.ts';
import type { RehearsalReport } from '../client/rehearsal.ts';
import type { Outline } from '../model/change.ts';
import type { Comment } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { SessionPolicy } from '../model/policy.ts';
import type { Session } from '../model/session.ts';
import type { Child } from './dom.ts';
import type { request } from './http.ts';

/** The facts of a session that the page has read. */
export interface Known {
  readonly session: Session;
  /** Digest of the diff on display; null if it is not loaded, or the session has changed since. */
  readonly digest: string | null;
  readonly outline: Outline | null;
  readonly conflicts: number | null;
  readonly rehearsal: RehearsalReport | null;
  readonly comments: readonly Comment[];
  /** The rows and tables that are marked as a part. */
  readonly part: PartMarks;
  /** The verdict of the policy about it, with the votes; null if that is not known. */
  readonly policy: SessionPolicy | null;
  /** Names of the operations that the caller is allowed. */
  readonly operations: ReadonlySet<string>;
  /** The caller's name; null if no token is required. */
  readonly name: string | null;
}

/** Called after an action. @param said its outcome */
export type After = (report?: RehearsalReport, said?: readonly Child[]) => void;

/** Sends a request about the session. */
export type Post = (path: string, body?: JsonObject) => ReturnType<typeof request>;
