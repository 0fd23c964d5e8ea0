/** Reads the changes of a diff while it arrives. */
import { StageError } from '../errors.ts';
import type { Change, ChangeCounts, Trigger } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import type { Piece } from '../model/json-splitter.ts';
import { JsonSplitter } from '../model/json-splitter.ts';
import { tableCell } from './cell.ts';
import { readChange } from './decode.ts';
import { Fields } from './fields.ts';
import type { KnownColumn } from './values.ts';

/** A change, the known columns of its table in order, and the JSON that it was read from. */
export interface ReadChange extends Change {
  readonly columns: readonly KnownColumn[];
  /** The number of the statement that made a step; null if it is unknown, or for a net change. */
  readonly statement: string | null;
  readonly json: JsonText;
}

type Members = Map<string, JsonText>;

/** Returns whether a value contains changes or steps: document, `tables`, a table, its `changes`; or `steps`. */
function leadsToChanges(path: readonly string[]): boolean {
  if (path.length === 0 || (path.length === 1 && path[0] === 'steps')) return true;
  return path[0] === 'tables' && (path.length < 3 || (path.length === 3 && path[2] === 'changes'));
}

export class DiffReader {
  /** The document's members before its tables, as read so far. */
  readonly head: Members = new Map();
  /** The members after the tables, which a caller need not wait for. */
  readonly tail: Members = new Map();
  /** Each table's members other than its changes, in the order of the diff. */
  readonly tables = new Map<string, Members>();
  readonly #columns = new Map<string, readonly KnownColumn[]>();
  readonly #splitter = new JsonSplitter(leadsToChanges);

  /** The digest that `approve --digest` takes; null until it was read. */
  get digest(): string | null {
    const digest = this.tail.get('digest');
    return digest ? (JSON.parse(digest.text) as string) : null;
  }

  /** Whether the session was rejected, which discards its changes. */
  get isRejected(): boolean {
    return this.head.get('status')?.text === '"rejected"';
  }

  /** Returns the triggers of production that run when a table's changes are applied. */
  triggersOf(table: string): readonly Trigger[] {
    return JSON.parse(this.tables.get(table)?.get('triggers')?.text ?? '[]') as Trigger[];
  }

  /** The counts read so far, in the order of the diff. */
  get counts(): readonly ChangeCounts[] {
    return [...this.tables.keys()].map((table) => this.countsOf(table));
  }

  /** Returns one table's counts; zero if nothing of it was read. */
  countsOf(table: string): ChangeCounts {
    const members = this.tables.get(table);
    const count = (name: string) => Number(members?.get(name)?.text ?? 0);
    return {
      table,
      inserts: count('inserts'),
      updates: count('updates'),
      deletes: count('deletes'),
      furtherChanges: count('further_changes'),
      ...(members?.get('hidden')?.text === 'true' ? { hidden: true } : {}),
    };
  }

  /**
   * Parses the next chunk of the diff's JSON and returns the changes that are now complete; the requested steps follow the changes.
   * @throws StageError `server_unavailable` for invalid JSON, `usage` for an unknown table
   */
  push(text: string): readonly ReadChange[] {
    return reading(() => this.#splitter.push(text).flatMap((piece) => this.#read(piece)));
  }

  /**
   * Marks the end of the diff.
   * @throws StageError `server_unavailable` when the diff was truncated
   */
  end(): void {
    reading(() => this.#splitter.end());
  }

  #read({ path, value }: Piece): readonly ReadChange[] {
    const [member = '', table, field] = path;
    if (path.length === 1) (member === 'digest' ? this.tail : this.head).set(member, value);
    if (member === 'unknown_table') throw unknownTable(new Fields(value));
    if (member === 'steps') return [this.#readStep(value)];
    if (member !== 'tables' || table === undefined || field === undefined) return [];
    if (path.length === 4) return [this.#withColumns(readChange(table, value), value)];
    const members = this.tables.get(table) ?? new Map();
    this.tables.set(table, members.set(field, value));
    if (field === 'columns') this.#columns.set(table, JSON.parse(value.text) as KnownColumn[]);
    return [];
  }

  #readStep(json: JsonText): ReadChange {
    const fields = new Fields(json);
    const change = readChange(fields.required('table'), json);
    return this.#withColumns(change, json, fields.text('statement'));
  }

  #withColumns(change: Change, json: JsonText, statement: string | null = null): ReadChange {
    return { ...change, columns: this.#columns.get(change.table) ?? [], statement, json };
  }
}

/** Reports a mistyped name, which would otherwise look like a table without changes. */
function unknownTable(fields: Fields): StageError {
  const next = fields.text('nearest');
  return new StageError('usage', `there is no table ${tableCell(fields.required('name'))}`, {
    hint: `${next === null ? '' : `Did you mean ${tableCell(next)}? `}Tables with changes: \`stage diff --stat\`.`,
  });
}

function reading<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new StageError('server_unavailable', `the diff did not arrive whole: ${cause.message}`, {
      hint: 'Repeat the command; if it fails again, check `stage status` and the log of the service.',
      cause,
    });
  }
}
