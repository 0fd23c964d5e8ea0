/**
 * Rewrites a SELECT ... FOR UPDATE of staged rows to one that locks the rows for the session, and to one that reads the locked rows. Within
 * a write, a SELECT that waits for no row is rewritten to one that locks each row before it returns it.
 */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import { rowLockFunctions } from '../overlay/rows/row-lock.ts';
import type { LockedRelation, LockingPart, LockPlaces, Read, RowLocks } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { QueryWrite } from '../sql/write.ts';
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
  const locked = lockedIn(locks, named);
  if (locked.length === 0) return null;
  return {
    locking: [...replacements, ...lockedColumns(locks, locked)],
    reading: [...replacements.map((each) => readingText(each, locked, read)), ...locks.offsets],
    hasTripwire,
    isLimited: locks.limits.length > 0,
  };
}

/** Returns the relations whose rows can be locked. */
function lockedIn({ relations }: LockPlaces, named: readonly Named[]): Lock[] {
  return relations.flatMap((each, index): Lock[] => {
    const meaning = named.find(({ use }) => use.start === each.start)?.meaning;
    if (!meaning?.oid || !meaning.standIn.view || !isPlainTable(meaning)) return [];
    const { key, oid } = meaning;
    const functions = rowLockFunctions(meaning.standIn.view.schema, oid);
    return key.length > 0 ? [{ ...each, key, functions, name: `stage.locked_${index + 1}` }] : [];
  });
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

const inserted = (at: number, text: string): Replacement => ({ start: at, end: at, text });

/** Returns the key of a row and its version as arguments. */
function rowArguments({ alias, key, functions: { seen } }: Lock): string {
  const columns = key
    .map((name) => `${quoteIdentifier(alias)}.${quoteIdentifier(name)}`)
    .join(', ');
  return `${columns}, ${seen}(${columns})`;
}

function lockCall(each: Lock): string {
  const { lock, tryLock } = each.functions;
  const { wait } = each;
  const row = rowArguments(each);
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

/** Returns the replacements in the SELECTs of a write that wait for no row. */
export function claimingParts(
  { lockingParts, merges }: QueryWrite,
  named: readonly Named[],
): Replacement[] {
  // on servers that cannot merge into a view, the source of a MERGE is evaluated twice
  return merges.length > 0 ? [] : lockingParts.flatMap((part) => claimingPart(part, named));
}

/**
 * Adds an output column per table that locks each returned row, and wraps the query in one that returns the locked rows. The inner one is a
 * WITH query, so that it runs once however often its result is needed. If rows may be skipped, the limits count the locked rows.
 */
function claimingPart(part: LockingPart, named: readonly Named[]): Replacement[] {
  const locked = lockedIn(part, named);
  const outputs = part.columns.map((column) => outputNames(column, named));
  if (locked.length === 0 || outputs.some(({ length }) => length === 0)) return [];
  const names = outputs.flat();
  const limits = locked.some(({ wait }) => wait === 'skip') ? part.limits : [];
  const isClaimed = locked.map(({ name }) => quoteIdentifier(name));
  const inner = [...names.map((_, index) => `c${index + 1}`), ...isClaimed].join(', ');
  const calls = locked.map(
    (each) => `${each.functions.claim}(${rowArguments(each)}, ${each.wait === 'skip'})`,
  );
  const outer = names.map((name, index) => `c${index + 1} AS ${quoteIdentifier(name)}`).join(', ');
  return [
    inserted(part.start, `WITH "stage.claimed" (${inner}) AS MATERIALIZED (`),
    inserted(part.columnsEnd, `${part.hasColumns ? ', ' : ''}${calls.join(', ')} `),
    ...limits.map(({ start, end }) => ({ start, end, text: ' ' })),
    inserted(
      part.end,
      `\n) SELECT ${outer} FROM "stage.claimed" WHERE ${isClaimed.join(' AND ')}${limits
        .map(({ text }) => `\n${text.toString()}`)
        .join('')}`,
    ),
  ];
}

/** Returns the names of an output column, or of all columns of the relation with that first byte. */
function outputNames(column: string | number, named: readonly Named[]): string[] {
  if (typeof column === 'string') return [column];
  const columns = named.find(({ use }) => use.start === column)?.meaning.columns ?? [];
  return columns.map(({ name }) => name);
}
