/** What makes of a SELECT ... FOR UPDATE of staged rows one that locks them for the session, and one that reads the locked rows. */
import { quoteIdentifier, quoteLiteral } from '../db/identifier.ts';
import { rowLockFunctions } from '../overlay/rows/row-lock.ts';
import type { LockedRelation, Read, RowLocks } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/** Both in bytes from the start of the statement's text. */
export interface LockRewrite {
  /** What makes of the statement one that locks the rows. */
  readonly locking: readonly Replacement[];
  /** What makes it read the locked rows, and no others. */
  readonly reading: readonly Replacement[];
  /** A row that turns out to be none to give makes room for another one. */
  readonly isLimited: boolean;
  /** To lock the rows may run code of the database's users. */
  readonly isWatched: boolean;
}

/** A table whose staged rows stand in one place. */
export function isPlainTable({ kind, standIn }: ResolvedName): boolean {
  return (kind === 'table' || kind === 'partitioned') && standIn.madeAs === 'overlay';
}

interface Lock extends LockedRelation {
  readonly key: readonly string[];
  readonly functions: ReturnType<typeof rowLockFunctions>;
  /** Of the output column that locks, and of the setting that keeps what was locked. */
  readonly name: string;
}

/**
 * @param named what the read's names stand for
 * @param replacements what is replaced in it as a read of what is staged
 * @returns null when no row of any table can be locked
 */
export function lockRewrite(
  read: Read,
  locks: RowLocks,
  named: readonly Named[],
  replacements: readonly Replacement[],
  isWatched: boolean,
): LockRewrite | null {
  const kept = locks.relations.flatMap((each, index): Lock[] => {
    const meaning = named.find(({ use }) => use.start === each.start)?.meaning;
    if (!meaning?.oid || !meaning.standIn.view || !isPlainTable(meaning)) return [];
    const { key, oid } = meaning;
    const functions = rowLockFunctions(meaning.standIn.view.schema, oid);
    return key.length > 0 ? [{ ...each, key, functions, name: `stage.locked_${index + 1}` }] : [];
  });
  if (kept.length === 0) return null;
  return {
    locking: [...replacements, ...lockedColumns(locks, kept)],
    reading: [...replacements.map((each) => readingText(each, kept, read)), ...locks.offsets],
    isWatched,
    isLimited: locks.limits.length > 0,
  };
}

/**
 * Adds a column for each table that locks the row as it is given, and puts a query around it that keeps the rows' keys. Where
 * rows may be left out, its limits count those that were locked.
 */
function lockedColumns(locks: RowLocks, kept: readonly Lock[]): Replacement[] {
  const { columnsEnd, hasColumns, end } = locks;
  const limits = kept.some(({ wait }) => wait === 'skip') ? locks.limits : [];
  const columns = kept.map((lock) => `${lockCall(lock)} AS ${quoteIdentifier(lock.name)}`);
  const names = kept.map(({ name }) => quoteIdentifier(name));
  const keep = kept.map(
    ({ name }, index) =>
      `pg_catalog.set_config(${quoteLiteral(name)}, coalesce(pg_catalog.jsonb_agg(${names[index]})::pg_catalog.text, '[]'), true)`,
  );
  const isLocked = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const inserted = (at: number, text: string) => ({ start: at, end: at, text });
  return [
    inserted(0, `SELECT ${keep.join(', ')} FROM (SELECT ${names.join(', ')} FROM (`),
    inserted(columnsEnd, `${hasColumns ? ', ' : ''}${columns.join(', ')} `),
    ...limits.map((limit) => ({ start: limit.start, end: limit.end, text: ' ' })),
    inserted(
      end,
      `\n) l WHERE ${isLocked}${limits.map(({ text }) => `\n${text.toString()}`).join('')}\n) l`,
    ),
  ];
}

function lockCall({ alias, key, functions: { seen, lock, tryLock }, wait }: Lock): string {
  const columns = key
    .map((name) => `${quoteIdentifier(alias)}.${quoteIdentifier(name)}`)
    .join(', ');
  const row = `${columns}, ${seen}(${columns})`;
  return wait === 'wait' ? `${lock}(${row})` : `${tryLock}(${row}, ${wait === 'skip'})`;
}

/** A function has no schema by which its columns could be called. */
function readingText(replacement: Replacement, kept: readonly Lock[], read: Read): Replacement {
  const lock = kept.find(({ start }) => start === replacement.start);
  if (lock !== undefined) {
    const { locked } = lock.functions;
    const alias = lock.isNamed ? '' : ` AS ${quoteIdentifier(lock.alias)}`;
    return { ...replacement, text: `${locked}(${quoteLiteral(lock.name)})${alias}` };
  }
  const qualifier = read.qualifiers.find((each) => isSameRange(each, replacement));
  const isLocked = kept.some(({ isNamed, alias }) => !isNamed && alias === qualifier?.name);
  return isLocked ? { ...replacement, text: '' } : replacement;
}
