/** The walk that formats of a diff share: table by table, in the order of the diff, while it is read. */
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import type { ChangeCounts } from '../../model/change.ts';
import type { DiffFormat, Ending } from './format.ts';
import { passedTables } from './format.ts';

/** The texts that a format writes at each place of the walk. */
export interface WalkedFormat {
  /** Precedes everything else. */
  readonly head?: string;
  /** Begins a table with shown changes. */
  open?(table: string): string;
  row(change: ReadChange): string;
  /** Ends a table that was begun. */
  close?(table: string): string;
  /** Stands for a table without shown changes: it is hidden, or has no net changes. */
  passed?(counts: ChangeCounts): string;
  end(ending: Ending): string;
  /** Whether there is room for a change, with what it begins and ends. A change without room is left out. */
  admits?(text: string): boolean;
}

/** Creates a format that walks. @param reader the reader of its changes */
export function walkedFormat(reader: DiffReader, format: WalkedFormat): DiffFormat {
  let head = format.head ?? '';
  let table: string | null = null;
  const turning = (next: string | null): string => {
    const { open, close, passed } = format;
    return [
      head,
      table === null ? '' : (close?.(table) ?? ''),
      ...(passed ? passedTables(reader, table, next).map((counts) => passed(counts)) : []),
      next === null ? '' : (open?.(next) ?? ''),
    ].join('');
  };
  return {
    change: (change) => {
      const text = (change.table === table ? '' : turning(change.table)) + format.row(change);
      if (format.admits?.(text) === false) return '';
      head = '';
      table = change.table;
      return text;
    },
    end: (ending) => turning(null) + format.end(ending),
  };
}
