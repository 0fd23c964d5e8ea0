/** What the grammar says of a statement. It is decided once; what comes later works by the verdict and its places in the text. */
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
  | { readonly type: 'rollback'; readonly chain: boolean }
  | { readonly type: 'savepoint' | 'release' | 'rollback to'; readonly name: string }
  /** SET TRANSACTION of the running transaction. */
  | { readonly type: 'set transaction'; readonly access: 'read write' | 'read only' | null }
  /** Null for ALL. */
  | {
      readonly type: 'set constraints';
      readonly names: readonly QualifiedName[] | null;
      readonly deferred: boolean;
    }
  /** A setting that changes how names resolve: forget resolved names. */
  | { readonly type: 'set path' }
  /** Any other SET or RESET that may pass as it is. */
  | { readonly type: 'set' }
  /** SET SESSION CHARACTERISTICS or default_transaction_read_only: never forwarded as it is. `default` and `reset` by SET and RESET. */
  | {
      readonly type: 'set access';
      readonly to: 'read write' | 'read only' | 'default' | 'reset';
    }
  /** RESET ALL. */
  | { readonly type: 'reset all' }
  | { readonly type: 'discard'; readonly what: 'all' | 'plans' | 'sequences' }
  /** The body's ranges count from the start of the whole statement, as `bodyRange` does. */
  | {
      readonly type: 'prepare';
      readonly name: string;
      readonly body: Read | Write;
      readonly bodyRange: ByteRange;
      /** From behind the name to AS: the place of the types of its parameters. */
      readonly typesRange: ByteRange;
    }
  /** Arguments are byte ranges of the expressions, in order, and the text of each that is a constant; calls are those in them. */
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
      /** WITH HOLD: what is left of the query runs at COMMIT. */
      readonly holds: boolean;
    }
  | { readonly type: 'fetch' | 'close'; readonly name: string | null }
  /** LISTEN and UNLISTEN. */
  | { readonly type: 'pass' };

export type Verdict = Read | Write | Control | Refusal;

/** One statement of a query string. */
export interface Statement {
  /** Where the text starts in the query string, in bytes (PostgreSQL counts error positions from the whole string). */
  readonly start: number;
  /**
   * The statement's own text in UTF-8, from its first word on, without the terminating semicolon; it may end in a
   * comment, so what is appended has to begin with a line break. All ranges of the verdict count from its start.
   */
  readonly text: Buffer;
  readonly verdict: Verdict;
}
