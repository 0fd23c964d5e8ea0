/** Reads a diff change by change while it arrives. */
import { StageError } from '../errors.ts';
import type { Change, ChangeCounts } from '../model/change.ts';
import { readChange } from './decode.ts';
import type { Piece } from './json-splitter.ts';
import { JsonSplitter } from './json-splitter.ts';

/** Whether a value stands on the way to the changes: document, tables, table, its changes. */
function leadsToChanges(path: readonly string[]): boolean {
  if (path.length === 0) return true;
  return path[0] === 'tables' && (path.length < 3 || (path.length === 3 && path[2] === 'changes'));
}

export class DiffReader {
  /** What `approve --digest` takes, once it was read. */
  digest: string | null = null;
  readonly #splitter = new JsonSplitter(leadsToChanges);
  readonly #counts = new Map<string, { inserts: number; updates: number; deletes: number }>();

  /** The counts that were read so far, in the order of the diff. */
  get counts(): readonly ChangeCounts[] {
    return [...this.#counts].map(([table, counts]) => ({ table, ...counts }));
  }

  /**
   * Takes the next part of the diff's JSON and gives the changes that are now complete.
   * @throws StageError `server_unavailable` when it is no diff
   */
  push(text: string): readonly Change[] {
    return reading(() => this.#splitter.push(text).flatMap((piece) => this.#read(piece)));
  }

  /**
   * Says that the diff is over.
   * @throws StageError `server_unavailable` when it was cut short
   */
  end(): void {
    reading(() => this.#splitter.end());
  }

  #read({ path, value }: Piece): readonly Change[] {
    const [member, table, field] = path;
    if (path.length === 1 && member === 'digest') this.digest = JSON.parse(value.text) as string;
    if (member !== 'tables' || table === undefined || field === undefined) return [];
    if (path.length === 4) return [readChange(table, value)];
    const counts = this.#counts.get(table) ?? { inserts: 0, updates: 0, deletes: 0 };
    if (field in counts) counts[field as keyof typeof counts] = Number(value.text);
    this.#counts.set(table, counts);
    return [];
  }
}

function reading<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new StageError('server_unavailable', `the diff did not arrive whole: ${cause.message}`, {
      hint: 'Repeat the command; if it fails again, the log of the service tells more.',
      cause,
    });
  }
}
