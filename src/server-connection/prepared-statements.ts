/** The client's prepared statements and portals, with what they run. PostgreSQL keeps both kinds of PREPARE in one namespace. */
import type { StageError } from '../errors.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Control, ControlAction, Statement } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { SentText } from './position-map.ts';
import { textToSend } from './statement-text.ts';

/** When PostgreSQL finds that a write is an error. */
export type RefusedWhen = 'analysed' | 'planned' | 'run';

export interface PreparedStatement {
  readonly name: string;
  /** By a Parse message, or by the SQL command PREPARE. */
  readonly origin: 'parse' | 'sql';
  /** The client's whole text, and the statement in it: for SQL the whole PREPARE. */
  readonly written: Buffer;
  readonly statement: Statement;
  readonly body: Read | Write | Control;
  /** The client's text of the body, for the mutation log. */
  readonly bodyText: Buffer;
  /** Type OIDs that a Parse of it prescribes. */
  readonly types: readonly number[];
  /** What was replaced in the text as it was last sent upstream. */
  replacements: readonly Replacement[];
  /** Of an SQL PREPARE: the types of its parameters, which what is sent of its body does not tell. */
  readonly typeList: readonly Replacement[];
  /** How often code had run on the connection when it was prepared: each time it may have put another statement in its place. */
  runs: number;
  /** When PostgreSQL refuses it, if it does: something else stands in its place upstream then. */
  refusedWhen: RefusedWhen | null;
  /** Type OIDs of its parameters, once the server has told. */
  parameterTypes: readonly number[] | null;
  /** The columns that it gives, and under which version of names these were last found; null when that is not known. */
  result: { readonly columns: Buffer; readonly version: number } | null;
  /** Of a read of what is staged, once it has been looked at. */
  verified: Verification | null;
}

/** What is enough to know before a read of what is staged runs once more as it was prepared last. */
export interface Verification {
  /** Whether these still are what they were, as JSON for `stage.are_current`. */
  readonly relations: Buffer;
  /** For each of these the function that gives its table's stamp, or null. */
  readonly stamps: readonly (string | null)[];
  /** The version of names is still this. */
  readonly version: number;
}

/** Has the statement prepared anew before it runs, and the types of its parameters asked again. */
export function forgetTypes(statement: PreparedStatement): void {
  statement.parameterTypes = null;
  statement.runs = never;
}

/** No connection has run code so often. */
const never = -1;

/** The text that prepares a statement upstream. */
export function preparingText({
  written,
  statement,
  origin,
  replacements,
}: PreparedStatement): SentText {
  return textToSend(written, statement, origin === 'parse', replacements);
}

/** What is replaced in an SQL PREPARE. */
export type PrepareReplacements = Pick<PreparedStatement, 'replacements' | 'typeList'>;

/** What a successful PREPARE has made. */
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

/** What is replaced in a statement, but for the types of an SQL PREPARE. */
export function inBody({ replacements, typeList }: PreparedStatement): readonly Replacement[] {
  return replacements.filter((each) => !typeList.includes(each));
}

/** What it takes to run a staged write that has been bound. */
export interface PortalWrite {
  /** Tells the staging of it, before it is executed. */
  enter(): void;
  /** Has its rows staged one by one from now on; null where they are. */
  readonly stageRowByRow: (() => void) | null;
  /** The statement that writes: the portal's own, or the one that it executes. */
  readonly target: PreparedStatement;
  /** The portal's name, and the Bind message that made it. */
  readonly name: string;
  readonly frame: Buffer;
}

export interface Portal {
  readonly statement: PreparedStatement;
  /** The staged write that it runs; null for anything else. */
  readonly write: PortalWrite | null;
  /** The error that it ends with once it is executed, where the server would not tell it; null for anything else. */
  readonly refusal: StageError | null;
  /** How often code had run when it was bound: each time it may have put another portal in its place. */
  readonly runs: number;
  /** It has been executed: from then on it only gives rows that are there already. */
  started: boolean;
}

/**
 * What the server has answered to a Describe of a portal in a transaction that has failed. In a spent one a
 * ROLLBACK TO has failed: the server does not refuse it as what may not run there.
 */
export type AnswerInFailure = 'refused' | 'nothing' | 'spent';

/** A portal that has just been bound. */
export function newPortal(
  statement: PreparedStatement,
  runs: number,
  { write = null, refusal = null }: Partial<Pick<Portal, 'write' | 'refusal'>> = {},
): Portal {
  return { statement, write, refusal, runs, started: false };
}

export interface Parameters {
  /** Of the client's, that they are bound to. */
  readonly portal: string;
  readonly types: readonly number[];
  /** One for each value: 0 text, 1 binary. */
  readonly formats: readonly number[];
  readonly values: readonly (Buffer | null)[];
}

export const noParameters: Parameters = { portal: '', types: [], formats: [], values: [] };

const unchanged = () => undefined;

/** Entries by name, each of which can be put back to what it was before. */
export class Registry<Entry> {
  private readonly entries = new Map<string, Entry>();

  get(name: string): Entry | undefined {
    return this.entries.get(name);
  }

  all(): Iterable<[string, Entry]> {
    return this.entries;
  }

  /** Gives the way back, for when the server did not do as it was told. */
  set(name: string, entry: Entry): () => void {
    return this.change(name, () => this.entries.set(name, entry));
  }

  delete(name: string): () => void {
    if (!this.entries.has(name)) return unchanged;
    return this.change(name, () => this.entries.delete(name));
  }

  clear(): void {
    // An empty Map, too, makes itself a new table.
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
