/** The client's prepared statements and portals. PostgreSQL has one namespace for Parse and PREPARE. */
import type { StageError } from '../errors.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Control, ControlAction, Statement } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import type { InternalStatement } from './internal-statement.ts';
import type { SentText } from './position-map.ts';
import { textToSend } from './statement-text.ts';

/** The stage at which PostgreSQL refuses a write. */
export type RefusedWhen = 'analysed' | 'planned' | 'run';

export interface PreparedStatement {
  readonly name: string;
  /** A Parse message, or the SQL command PREPARE. */
  readonly origin: 'parse' | 'sql';
  /** The client's whole text, and the statement in it: for SQL the whole PREPARE. */
  readonly written: Buffer;
  readonly statement: Statement;
  readonly body: Read | Write | Control;
  /** The client's text of the body, for the mutation log. */
  readonly bodyText: Buffer;
  /** The type OIDs that its Parse specifies. */
  readonly types: readonly number[];
  /** The replacements in the text that was last sent upstream. */
  replacements: readonly Replacement[];
  /** For an SQL PREPARE: the replacement for its list of parameter types, which cannot be inferred from the rewritten body. */
  readonly typeList: readonly Replacement[];
  /** The number of code runs on the connection when the statement was prepared. Later code may have replaced it. */
  runs: number;
  /** The stage at which PostgreSQL refuses it, or null. A refused statement has a placeholder upstream. */
  refusedWhen: RefusedWhen | null;
  /** The type OIDs of its parameters, once the server has reported them. */
  parameterTypes: readonly number[] | null;
  /**
   * Its result columns, and the version of names for which these were last checked; null when unknown. The version is null since another
   * text was prepared, or other columns were found.
   */
  result: { readonly columns: Buffer; readonly version: number | null } | null;
  /** For a read of staged rows that was checked: the data to verify it again. */
  verified: Verification | null;
}

/** The check of the facts that a read of a session with staged rows depends on. It is sent together with the read. */
export interface Verification {
  /** Its row is for `Names.confirm`. */
  readonly query: InternalStatement;
  readonly values: readonly Buffer[];
  /** The tables in which nothing may be staged, because the read uses them themselves; empty if it uses their overlays. */
  readonly untouched: readonly number[];
  /** The version of names, which must be unchanged. */
  readonly version: number;
}

/** Invalidates the statement: it is prepared again before it runs, and its parameter types are queried again. */
export function forgetTypes(statement: PreparedStatement): void {
  statement.parameterTypes = null;
  statement.runs = never;
}

/** A number of code runs that no connection has. */
const never = -1;

/** Returns the text that prepares a statement upstream. */
export function preparingText({
  written,
  statement,
  origin,
  replacements,
}: PreparedStatement): SentText {
  return textToSend(written, statement, origin === 'parse', replacements);
}

/** The replacements in an SQL PREPARE. */
export type PrepareReplacements = Pick<PreparedStatement, 'replacements' | 'typeList'>;

/** Builds the entry for a successful PREPARE. */
export function sqlStatement(
  written: Buffer,
  statement: Statement,
  action: Extract<ControlAction, { type: 'prepare' }>,
  { replacements, typeList }: PrepareReplacements,
  runs: number,
): PreparedStatement {
  const { name, body, bodyRange } = action;
  const bodyText = statement.text.subarray(bodyRange.start, bodyRange.end);
  return {
    name,
    origin: 'sql',
    written,
    statement,
    body,
    bodyText,
    types: [],
    replacements,
    typeList,
    runs,
    refusedWhen: null,
    parameterTypes: null,
    result: null,
    verified: null,
  };
}

/** Returns the replacements in a statement, without the type list of an SQL PREPARE. */
export function inBody({ replacements, typeList }: PreparedStatement): readonly Replacement[] {
  return replacements.filter((each) => !typeList.includes(each));
}

/** The operations for a staged write that has been bound. */
export interface PortalWrite {
  /** Sends `stage.begin_statement` for it, before it is executed. */
  begin(): void;
  /** Switches to staging its rows one by one; null when they already are. */
  readonly stageRowByRow: (() => void) | null;
  /** The statement that writes: the portal's own, or the one that it executes. */
  readonly target: PreparedStatement;
  /** The portal's name, and the Bind message that created it. */
  readonly name: string;
  readonly bound: Message;
}

export interface Portal {
  readonly statement: PreparedStatement;
  /** The staged write that it runs; null for anything else. */
  readonly write: PortalWrite | null;
  /** The error to report when it is executed, if the server would not report it; null for anything else. */
  readonly refusal: StageError | null;
  /** The number of code runs when it was bound. Later code may have replaced the portal. */
  readonly runs: number;
  /** It has been executed. From then on it only returns rows that exist already. */
  started: boolean;
}

/** The server's response to a Describe of a portal in a failed transaction. */
export type ResponseInFailure = 'refused' | 'nothing';

/** Creates the entry for a portal that was just bound. */
export function newPortal(
  statement: PreparedStatement,
  runs: number,
  { write = null, refusal = null }: Partial<Pick<Portal, 'write' | 'refusal'>> = {},
): Portal {
  return { statement, write, refusal, runs, started: false };
}

export interface Parameters {
  /** The client's portal that they are bound to. */
  readonly portal: string;
  readonly types: readonly number[];
  /** One format for each value: 0 text, 1 binary. */
  readonly formats: readonly number[];
  readonly values: readonly (Buffer | null)[];
}

export const noParameters: Parameters = { portal: '', types: [], formats: [], values: [] };

const unchanged = () => undefined;

/** A map by name, in which each change can be undone. */
export class Registry<Entry> {
  private readonly entries = new Map<string, Entry>();

  get(name: string): Entry | undefined {
    return this.entries.get(name);
  }

  all(): Iterable<[string, Entry]> {
    return this.entries;
  }

  /** Sets an entry. Returns the function that undoes it, for when the server has refused the change. */
  set(name: string, entry: Entry): () => void {
    return this.change(name, () => this.entries.set(name, entry));
  }

  delete(name: string): () => void {
    if (!this.entries.has(name)) return unchanged;
    return this.change(name, () => this.entries.delete(name));
  }

  clear(): void {
    // Even an empty Map allocates a new table on clear().
    if (this.entries.size > 0) this.entries.clear();
  }

  private change(name: string, make: () => void): () => void {
    const before = this.entries.get(name);
    make();
    return () => {
      if (before === undefined) this.entries.delete(name);
      else this.entries.set(name, before);
    };
  }
}
