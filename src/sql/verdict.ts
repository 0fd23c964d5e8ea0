/** The result of classifying a statement. It is computed once; later stages use the verdict and its byte ranges. */
import type { Calls, QualifiedName, UnclearCall } from './functions/calls.ts';
import type { Read } from './read.ts';
import type { Refusal } from './refusal.ts';
import type { ByteRange } from './splice.ts';
import type { Write } from './write.ts';

export interface Control {
  readonly kind: 'control';
  readonly action: ControlAction;
}

export type ControlAction =
  | { readonly type: 'begin'; readonly access: 'read write' | 'read only' | null }
  | { readonly type: 'commit'; readonly chain: boolean }
  /** `prepares`: it is PREPARE TRANSACTION, which fails in a staged session and ends the block as ROLLBACK does. */
  | { readonly type: 'rollback'; readonly chain: boolean; readonly prepares?: true }
  | { readonly type: 'savepoint' | 'release' | 'rollback to'; readonly name: string }
  /** SET TRANSACTION for the current transaction. */
  | { readonly type: 'set transaction'; readonly access: 'read write' | 'read only' | null }
  /** `names` is null for ALL. */
  | {
      readonly type: 'set constraints';
      readonly names: readonly QualifiedName[] | null;
      readonly deferred: boolean;
    }
  /** A setting that changes name resolution. Resolved names must be discarded. */
  | { readonly type: 'set path' }
  /** Any other SET or RESET that is forwarded unchanged. */
  | { readonly type: 'set' }
  /** SET SESSION CHARACTERISTICS or default_transaction_read_only: not forwarded unchanged. `default` is by SET, `reset` by RESET. */
  | {
      readonly type: 'set access';
      readonly to: 'read write' | 'read only' | 'default' | 'reset';
    }
  /** RESET ALL. */
  | { readonly type: 'reset all' }
  | { readonly type: 'discard'; readonly what: 'all' | 'plans' | 'sequences' }
  /** The ranges in `body` and `bodyRange` count from the start of the whole statement. */
  | {
      readonly type: 'prepare';
      readonly name: string;
      readonly body: Read | Write;
      readonly bodyRange: ByteRange;
      /** From the end of the name to AS: the place of the parameter types. */
      readonly typesRange: ByteRange;
    }
  /**
   * `arguments` are the byte ranges of the expressions, in order. `constants` has the text of each argument that is a constant. `calls` are
   * those in the arguments.
   */
  | {
      readonly type: 'execute';
      readonly name: string;
      readonly arguments: readonly ByteRange[];
      readonly constants: readonly (string | null)[];
      readonly calls: Calls;
      readonly unclear: readonly UnclearCall[];
    }
  | { readonly type: 'deallocate'; readonly name: string | null }
  | {
      readonly type: 'declare';
      readonly name: string;
      readonly body: Read;
      /** WITH HOLD: the rest of the query runs at COMMIT. */
      readonly holds: boolean;
    }
  | { readonly type: 'fetch' | 'close'; readonly name: string | null }
  /** LISTEN and UNLISTEN. */
  | { readonly type: 'pass' };

export type Verdict = Read | Write | Control | Refusal;

/** One statement of a query string. */
export interface Statement {
  /** Start of the statement in the query string, in bytes. PostgreSQL counts error positions over the whole string. */
  readonly start: number;
  /**
   * The statement's own text in UTF-8, from its first word, without the terminating semicolon. It may end in a comment, so appended text
   * must begin with a line break. All ranges of the verdict count from its start.
   */
  readonly text: Buffer;
  readonly verdict: Verdict;
}
