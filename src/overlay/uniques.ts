/** Unique and exclusion constraints, checked against the overlay at the time when PostgreSQL would check them. */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import type { Table, Unique } from '../model/table.ts';
import {
  columnList,
  columnNamed,
  functionName,
  isKeyless,
  keyMatches,
  keyNames,
  overlayName,
  shadowName,
  sourceCall,
} from './object-names.ts';
import { indexAt, partitionOf, placeAt } from './partitions.ts';
import { displayKey, keyDetail, messageOf, raise, valuesDetail } from './raise.ts';
import { computed, elementValue, indexPredicate } from './row-functions.ts';
import { isHeadOfStatement, present, sameInColumn } from './row-identity.ts';
import { lockOld } from './row-waits.ts';

/**
 * Returns whether a unique index of production is mirrored per session: the mirror serves the check, and makes two writers of one session
 * wait for each other.
 */
export const isMirrored = (table: Table, { name, kind, timing }: Unique) =>
  name !== table.keyIndex && kind === 'unique' && timing === 'immediate';

const immediate = (table: Table) => table.uniques.filter((unique) => unique.timing === 'immediate');

/** Lists the values of a row, by default NEW, for the elements of an index. */
function newElements(table: Table, unique: Unique, row = 'NEW.'): string[] {
  return unique.elements.map((element, index) =>
    element.column === null
      ? computed(elementValue(table, unique, element, index), row)
      : row + quoteIdentifier(element.column),
  );
}

/** Lists the same for a row `o` of a query; unqualified names in an expression resolve to it. */
function storedElements(unique: Unique): string[] {
  return unique.elements.map((element) =>
    element.column === null ? element.definition : `o.${quoteIdentifier(element.column)}`,
  );
}

/** Builds the condition that two values of an index's element collide; nulls collide, too, where the index has NULLS NOT DISTINCT. */
function equal(unique: Unique, index: number, left: string, right: string): string {
  const equals = `${left} ${unique.elements[index]?.operator} ${right}`;
  if (!unique.nullsNotDistinct) return equals;
  return `(${equals} OR NOT (${present(left)}) AND NOT (${present(right)}))`;
}

/** Builds the condition that row `o` collides with NEW, or with another row. */
export function collides(table: Table, unique: Unique, row?: string): string {
  const stored = storedElements(unique);
  const pairs = newElements(table, unique, row).map((value, index) => {
    return equal(unique, index, stored[index] ?? '', value);
  });
  return [...pairs, ...(unique.predicate === null ? [] : [`(${unique.predicate})`])].join(' AND ');
}

/**
 * Builds the condition that NEW, or another row, participates in the constraint: its predicate holds and, unless nulls collide, no element
 * is null.
 */
function participates(table: Table, unique: Unique, row?: string): string {
  const notNull = unique.nullsNotDistinct ? [] : newElements(table, unique, row).map(present);
  const predicate = unique.predicate === null ? [] : [predicateHolds(table, unique, row)];
  return [...notNull, ...predicate].join(' AND ') || 'true';
}

/** Builds the condition that the predicate of the index holds for NEW, or another row. */
export function predicateHolds(table: Table, unique: Unique, row?: string): string {
  const predicate = indexPredicate(table, unique);
  return predicate === null ? 'true' : computed(predicate, row);
}

/**
 * Builds the condition of the usual case of an INSERT: no production row collides. A row that the session hides only costs the slow path.
 */
export function freeInProduction(table: Table): string {
  const conditions = immediate(table).map((unique) => {
    // the shadow's own index does not enforce an exclusion constraint, so the session's rows are checked here too
    const rows = unique.kind === 'exclusion' ? overlayName(table) : sourceCall(table);
    return `NOT EXISTS (SELECT 1 FROM ${rows} o WHERE ${collides(table, unique)} AND ${participates(table, unique)})`;
  });
  return conditions.join('\n    AND ') || 'true';
}

/** Lists conditions under which a staged row `s` would collide with a production row. OFFSET 0 keeps each one an index probe per row. */
export function takenInProduction(table: Table): string[] {
  return immediate(table).map(
    (unique) =>
      `EXISTS (SELECT FROM ${sourceCall(table)} o WHERE ${collides(table, unique, 's.')} AND ${participates(table, unique, 's.')} OFFSET 0)`,
  );
}

/** Builds statements that raise the first collision of an inserted row, in the order of the indexes. */
export function insertUniqueChecks(table: Table): string {
  return immediate(table)
    .map((unique) => check(table, unique, participates(table, unique), ''))
    .join('\n');
}

/** Builds the same for an updated row. */
export function updateUniqueChecks(table: Table): string {
  return immediate(table)
    .map((unique) => {
      // an equal key can only collide with another row; a key WITHOUT OVERLAPS can also collide with the row's own old range
      if (unique.name === table.keyIndex && unique.kind === 'unique')
        return check(table, unique, '_stage_v_key_changed', '', lockOld(table));
      const changed = unique.columns.map((name) => {
        const column = quoteIdentifier(name);
        return `NOT ${sameInColumn(columnNamed(table, name), `NEW.${column}`, `OLD.${column}`)}`;
      });
      const when = `(${changed.join(' OR ') || 'true'}) AND ${participates(table, unique)}`;
      const except = ` AND NOT (${keyMatches(table, 'o.', 'OLD.')})`;
      return check(table, unique, when, except, lockOld(table));
    })
    .join('\n');
}

/** Returns whether an array of the value stands beside the condition: arrays compare nulls as equal, too, and can be hashed. */
const isHashedAsArray = ({ nullsNotDistinct, elements }: Unique, index: number) =>
  // guard: nulls that collide are found by a hash
  nullsNotDistinct && elements[index]?.operator === 'OPERATOR(pg_catalog.=)';

/** Builds conditions that two rows, each given as a prefix, cannot coexist: they collide, and both participate in the constraint. */
export function collideAs(
  table: Table,
  unique: Unique,
  left: string,
  right: string,
): { readonly collides: string; readonly bothParticipate: string } {
  const others = newElements(table, unique, right);
  const pairs = newElements(table, unique, left).map((value, index) => {
    const other = others[index] ?? '';
    const whole = equal(unique, index, value, other);
    return isHashedAsArray(unique, index)
      ? `ARRAY[${value}] OPERATOR(pg_catalog.=) ARRAY[${other}] AND ${whole}`
      : whole;
  });
  return {
    collides: pairs.join(' AND '),
    bothParticipate: `${participates(table, unique, left)} AND ${participates(table, unique, right)}`,
  };
}

/**
 * Builds statements that store the first row that collides with NEW in _stage_v_row. _stage_p_arbiters contains the indexes that count.
 * @param columns those of that row, in order
 * @param namesIndex whether they also store the name of the index in _stage_v_index
 */
export function findCollision(
  table: Table,
  columns: readonly string[],
  namesIndex: boolean,
): string {
  return table.uniques
    .map((unique) => {
      const counts = `_stage_v_row IS NULL AND (_stage_p_arbiters IS NULL OR _stage_p_arbiters ? ${quoteLiteral(unique.name)})`;
      if (unique.timing !== 'immediate') {
        const there = unique.ofPartition ? ` AND ${predicateHolds(table, unique)}` : '';
        return `  IF ${counts}${there} THEN ${raiseNoArbiter(table, unique)} END IF;`;
      }
      const index = namesIndex
        ? `\n    _stage_v_index := CASE WHEN FOUND THEN ${quoteLiteral(unique.name)} END;`
        : '';
      return `  IF ${counts} AND ${participates(table, unique)} THEN
    SELECT ${columnList(columns, 'o.')} INTO _stage_v_row FROM ${overlayName(table)} o WHERE ${collides(table, unique)} LIMIT 1;${index}
  END IF;`;
    })
    .join('\n');
}

const raiseNoArbiter = (table: Table, unique: Unique) =>
  raise({
    ...placeAt(table, partitionOf(table)),
    constraint: indexAt(table, unique, partitionOf(table)),
    sqlstate: '55000',
    message:
      'ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters',
  });

/** Builds the statement that raises a collision. @param before statements that run before any wait for the other row */
function check(table: Table, unique: Unique, when: string, except: string, before = ''): string {
  const other = `FROM ${overlayName(table)} o WHERE ${collides(table, unique)}${except} LIMIT 1`;
  const find = `SELECT ${displayKey(storedElements(unique))} INTO _stage_v_value ${other};`;
  // another connection may be about to remove the collision
  const wait = isKeyless(table)
    ? ''
    : `PERFORM ${functionName(table, 'await')}(${columnList(keyNames(table), 'o.')}) ${other};
      ${find}
      IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
      `;
  return `  IF ${when} THEN
    ${find}
    IF FOUND THEN
      PERFORM stage.search_again(${table.oid}, ${quoteLiteral(unique.name)});
      ${before}${wait}${raiseCollision(table, unique)}
    END IF;
  END IF;`;
}

function raiseCollision(table: Table, unique: Unique): string {
  const detail = collisionDetail(unique, displayKey(newElements(table, unique)), '_stage_v_value');
  return raise(collision(table, unique, detail, partitionOf(table)));
}

/** Returns the violation for a collision. @param partition an SQL expression for the partition in which PostgreSQL would find it */
function collision(
  table: Table,
  unique: Unique,
  detail: string,
  partition: string,
): Parameters<typeof raise>[0] {
  const exclusion = unique.kind === 'exclusion';
  const index = indexAt(table, unique, partition);
  return {
    ...placeAt(table, partition),
    constraint: index,
    sqlstate: exclusion ? '23P01' : '23505',
    message: exclusion
      ? messageOf`conflicting key value violates exclusion constraint "${index}"`
      : messageOf`duplicate key value violates unique constraint "${index}"`,
    ...valuesDetail(table, detail, exclusion ? 'Key conflicts with existing key.' : undefined),
  };
}

/**
 * Builds an SQL expression for the DETAIL.
 * @param value an SQL expression for the new row's values
 * @param other one for the existing row's
 */
function collisionDetail(unique: Unique, value: string, other: string): string {
  const columns = elementNames(unique);
  if (unique.kind !== 'exclusion') return keyDetail(columns, value, ' already exists.');
  const existing = keyDetail(columns, other, '.').replace("'Key ", "'");
  return `${keyDetail(columns, value, ' conflicts with existing key ')} || ${existing}`;
}

function elementNames(unique: Unique): string[] {
  return unique.elements.map((element) =>
    element.column === null ? unwrap(element.definition) : element.definition,
  );
}

const unwrap = (definition: string) => definition.replace(/^\((.*)\)$/s, '$1');

/**
 * Builds the condition that row `o` is another one than `s`, and was not created after it in this transaction: PostgreSQL checks the row
 * that collides with an existing one. At least one of two rows of a transaction is checked, because no version of a row is older than its
 * first one. A row of another transaction collides whenever it was staged, because that transaction may not have seen `s`.
 */
const isBefore = (table: Table) =>
  `NOT (${keyMatches(table, 'o.', 's.')}) AND NOT EXISTS (
      SELECT FROM ${shadowName(table)} l WHERE l._stage_session = s._stage_session AND l._stage_head
        AND stage.is_own_version(l.xmin) AND coalesce(l._stage_root, l._stage_seq) > s._stage_seq AND ${keyMatches(table, 'l.', 'o.')})`;

/**
 * Builds the checks of deferrable constraints for a set of staged rows `s`: at the end of the statement, or at COMMIT while they are
 * deferred.
 * @param rows condition that selects the rows of the shadow table `s`
 */
export function uniqueSetChecks(
  table: Table,
  rows: string,
): { readonly unique: Unique; readonly check: string }[] {
  return table.uniques
    .filter((unique) => unique.timing !== 'immediate')
    .map((unique) => {
      const like = `FROM ${overlayName(table)} o WHERE ${collides(table, unique, 's.')}`;
      const others = isKeyless(table) ? like : `${like} AND ${isBefore(table)}`;
      const own = newElements(table, unique, 's.');
      const self = own.map((value, index) => equal(unique, index, value, value)).join(' AND ');
      // without a key equal rows cannot be distinguished: there must be no colliding row besides the row itself
      const taken = isKeyless(table)
        ? `(SELECT count(*) ${others}) > CASE WHEN ${self} THEN 1 ELSE 0 END`
        : `EXISTS (SELECT 1 ${others})`;
      const other = `(SELECT ${displayKey(storedElements(unique))} ${others} LIMIT 1)`;
      const check = `  SELECT ${collisionDetail(unique, displayKey(own), other)}, ${partitionOf(table, 's.')} INTO _stage_v_value, _stage_v_partition
  FROM ${shadowName(table)} s
  WHERE ${taken} AND ${rows} AND ${isHeadOfStatement} AND s._stage_op <> 'D' AND ${participates(table, unique, 's.')}
  ORDER BY s._stage_seq LIMIT 1;
  IF FOUND THEN ${raise(collision(table, unique, '_stage_v_value', '_stage_v_partition'))} END IF;`;
      return { unique, check };
    });
}
