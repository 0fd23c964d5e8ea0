/** Rewrites a SELECT ... FOR UPDATE of staged rows to one that locks the rows for the session, and to one that reads the locked rows. */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import { rowLockFunctions } from '../overlay/rows/row-lock.ts';
import type { LockedRelation, Read, RowLocks } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/** Two rewrites of one statement. Places are in bytes from the start of its text. */
export interface LockRewrite {
  /** The replacements for the statement that locks the rows. */
  readonly locking: readonly Replacement[];
  /** The replacements for the statement that reads only the locked rows. */
  readonly reading: readonly Replacement[];
  /** Whether the query has limits: if a locked row turns out not to qualify, another one takes its place. */
  readonly isLimited: boolean;
  /** Whether locking the rows may run code of the database's users. */
  readonly hasTripwire: boolean;
}

/** Returns the relations of a read, those whose rows can be locked as targets. @param meanings those of the relations */
export function lockableUses(read: Read, locks: RowLocks, meanings: readonly ResolvedName[]) {
  return read.relations.map((use, index) => {
    const meaning = meanings[index];
    const isLocked = locks.relations.some(({ start }) => start === use.start);
    const canBeLocked = isLocked && meaning !== undefined && isPlainTable(meaning);
    return canBeLocked ? { ...use, target: 'UPDATE' as const } : use;
  });
}

/** Returns whether all staged rows of a table are in one place. */
function isPlainTable({ kind, standIn }: ResolvedName): boolean {
  return (kind === 'table' || kind === 'partitioned') && standIn.madeAs === 'overlay';
}

interface Lock extends LockedRelation {
  readonly key: readonly string[];
  readonly functions: ReturnType<typeof rowLockFunctions>;
  /** The name of the output column that locks, and of the setting that stores the locked keys. */
  readonly name: string;
}

/**
 * Returns the rewrites of a read that locks rows.
 * @param named the relations of the read
 * @param replacements the replacements for reading staged rows
 * @returns null if no row of any table can be locked
 */
export function lockRewrite(
  read: Read,
  locks: RowLocks,
  named: readonly Named[],
  replacements: readonly Replacement[],
  hasTripwire: boolean,
): LockRewrite | null {
  const locked = locks.relations.flatMap((each, index): Lock[] => {
    const meaning = named.find(({ use }) => use.start === each.start)?.meaning;
    if (!meaning?.oid || !meaning.standIn.view || !isPlainTable(meaning)) return [];
    const { key, oid } = meaning;
    const functions = rowLockFunctions(meaning.standIn.view.schema, oid);
    return key.length > 0 ? [{ ...each, key, functions, name: `stage.locked_${index + 1}` }] : [];
  });
  if (locked.length === 0) return null;
  return {
    locking: [...replacements, ...lockedColumns(locks, locked)],
    reading: [...replacements.map((each) => readingText(each, locked, read)), ...locks.offsets],
    hasTripwire,
    isLimited: locks.limits.length > 0,
  };
}

/**
 * Adds an output column per table that locks each returned row, and wraps the query in one that stores the rows' keys. If rows may be
 * skipped, the limits move outside, so that they count locked rows.
 */
function lockedColumns(locks: RowLocks, locked: readonly Lock[]): Replacement[] {
  const { columnsEnd, hasColumns, end } = locks;
  const limits = locked.some(({ wait }) => wait === 'skip') ? locks.limits : [];
  const columns = locked.map((lock) => `${lockCall(lock)} AS ${quoteIdentifier(lock.name)}`);
  const names = locked.map(({ name }) => quoteIdentifier(name));
  const stores = locked.map(
    ({ name }, index) =>
      `pg_catalog.set_config(${quoteLiteral(name)}, coalesce(pg_catalog.jsonb_agg(${names[index]})::pg_catalog.text, '[]'), true)`,
  );
  const isLocked = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const inserted = (at: number, text: string) => ({ start: at, end: at, text });
  return [
    inserted(0, `SELECT ${stores.join(', ')} FROM (SELECT ${names.join(', ')} FROM (`),
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

/** Replaces a locked table by the function that returns its locked rows. A function has no schema, so columns lose theirs. */
function readingText(replacement: Replacement, locked: readonly Lock[], read: Read): Replacement {
  const lock = locked.find(({ start }) => start === replacement.start);
  if (lock !== undefined) {
    const { locked } = lock.functions;
    const alias = lock.isNamed ? '' : ` AS ${quoteIdentifier(lock.alias)}`;
    return { ...replacement, text: `${locked}(${quoteLiteral(lock.name)})${alias}` };
  }
  const qualifier = read.qualifiers.find((each) => isSameRange(each, replacement));
  const isLocked = locked.some(({ isNamed, alias }) => !isNamed && alias === qualifier?.name);
  return isLocked ? { ...replacement, text: '' } : replacement;
}
