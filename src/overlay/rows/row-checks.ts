/** PostgreSQL's checks of a single row: identity and generated columns, NOT NULL, CHECK, partition bounds. */
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { columnNames, functionName } from '../object-names.ts';
import { partitionCall, partitionOf, placeAt } from '../partitions.ts';
import { displayValues, messageOf, raise, valuesDetail } from '../raise.ts';
import { checkCondition, computed, generatedValue, rowCall } from '../row-functions.ts';
import { present, same } from '../row-identity.ts';
import { predicateHolds } from '../uniques.ts';

const newValue = (column: string) => `NEW.${quoteIdentifier(column)}`;

/** Returns whether a trigger of its own fills the identity columns of new rows: policies apply to their values. */
export const isDrawnFirst = (table: Table): boolean =>
  table.policies !== null && table.columns.some(({ identity }) => identity !== null);

/**
 * Builds statements that fill identity and generated columns, and refuse values given for them. Where another trigger has done both for the
 * identity columns, and refused the others, only generated columns are filled.
 * @param staged the table in which the row is staged, whose OID is in the settings' names; `table` may be a partition of it
 */
export function prepareRow(
  table: Table,
  operation: 'insert' | 'update',
  staged: Table = table,
): string {
  const given =
    operation === 'insert' && isDrawnFirst(table) ? [] : [prepareGiven(table, operation, staged)];
  return [...given, generatedValues(table)].join('\n');
}

/** Builds the same statements without generated columns, which are computed when nothing changes the row any more. */
export function prepareGiven(
  table: Table,
  operation: 'insert' | 'update',
  staged: Table = table,
): string {
  const identity = table.columns.flatMap((column, index) => {
    if (operation === 'insert') return fillIdentity(table, column, index, staged);
    return column.identity === 'always' ? [keepIdentity(column)] : [];
  });
  const refusals = table.columns.flatMap((column) =>
    column.generated === null ? [] : [refuseGenerated(column, operation)],
  );
  return [...identity, ...refusals].join('\n');
}

/** Builds statements that raise violations of domains by given values; empty when no column has a domain. */
export function domainChecks(table: Table, operation: 'insert' | 'update'): string {
  return table.columns
    .flatMap(({ name, domain, generated }) => {
      if (domain === null || generated !== null) return [];
      const convert = `PERFORM ${newValue(name)}::${domain};`;
      if (operation === 'insert') return [`  ${convert}`];
      const old = `OLD.${quoteIdentifier(name)}`;
      return [`  IF NOT ${same(newValue(name), old)} THEN ${convert} END IF;`];
    })
    .join('\n');
}

/** Builds statements that compute the generated columns of NEW. */
export function generatedValues(table: Table): string {
  return table.columns
    .flatMap((column, index) => {
      const generated = generatedValue(table, column, index);
      if (generated === null) return [];
      const domain = column.domain === null ? '' : `::${column.domain}`;
      return [`  ${newValue(column.name)} := ${computed(generated)}${domain};`];
    })
    .join('\n');
}

/**
 * Builds the statement that fills an identity column. OVERRIDING SYSTEM VALUE keeps a given value, OVERRIDING USER VALUE draws one instead.
 * For an ALWAYS identity COPY takes the value as `given`, even null, which is then refused as such.
 */
function fillIdentity(table: Table, column: Column, index: number, staged: Table): string[] {
  if (column.identity === null) return [];
  const value = newValue(column.name);
  const overriding = `coalesce(current_setting('stage.overriding_${staged.oid}', true), '')`;
  const draw = `${value} := ${functionName(table, 'default', index + 1)}();`;
  if (column.identity === 'by default') return [`  IF ${overriding} = 'user' THEN ${draw} END IF;`];
  const refusal = raise({
    message: `cannot insert a non-DEFAULT value into column "${column.name}"`,
    sqlstate: '428C9',
    detail: quoteLiteral(
      `Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`,
    ),
    hint: 'Use OVERRIDING SYSTEM VALUE to override.',
  });
  return [
    `  IF ${value} IS NULL AND ${overriding} <> 'given' OR ${overriding} = 'user' THEN ${draw}
  ELSIF ${overriding} NOT IN ('system', 'given') THEN ${refusal} END IF;`,
  ];
}

function keepIdentity(column: Column): string {
  return refuseUpdate(
    column,
    `Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`,
  );
}

function refuseGenerated(column: Column, operation: 'insert' | 'update'): string {
  const detail = `Column "${column.name}" is a generated column.`;
  if (operation === 'update') return refuseUpdate(column, detail);
  const message = `cannot insert a non-DEFAULT value into column "${column.name}"`;
  return `  IF ${present(newValue(column.name))} THEN ${raise({ message, sqlstate: '428C9', detail: quoteLiteral(detail) })} END IF;`;
}

/** Builds the refusal of an update. DEFAULT arrives as NULL, because the view's column has no default. */
function refuseUpdate(column: Column, detail: string): string {
  const message = `column "${column.name}" can only be updated to DEFAULT`;
  const value = newValue(column.name);
  const changed = `NOT ${same(value, `OLD.${quoteIdentifier(column.name)}`)}`;
  const given = column.generated === null ? changed : `${present(value)} AND ${changed}`;
  return `  IF ${given} THEN ${raise({ message, sqlstate: '428C9', detail: quoteLiteral(detail) })} END IF;`;
}

const at = (table: Table) => placeAt(table, partitionOf(table));

interface CheckedRow {
  /**
   * Whether a DETAIL shows only the columns that _stage_p_shown lists, those of the table that the statement names. Null there means no
   * DETAIL.
   */
  readonly asParent?: boolean;
  /** Checks before the constraints, and checks after them. */
  readonly first?: readonly RowViolation[];
  readonly last?: readonly RowViolation[];
}

/** Builds statements that raise the first violation of partition bounds, NOT NULL or CHECK. One condition guards them all. */
export function rowChecks(
  table: Table,
  { asParent = false, first = [], last = [] }: CheckedRow = {},
): string {
  const values = table.columns.map(({ name, generated }) =>
    generated?.stored === false ? quoteLiteral('virtual') : newValue(name),
  );
  const failing = failingRow(asParent ? shownValues(table, values) : displayValues(values));
  const violations = [
    ...first,
    // a row is routed to its partition before the partition checks it
    ...partition(table),
    ...notNulls(table),
    ...checks(table),
    ...last,
    ...emptyRanges(table),
  ];
  if (violations.length === 0) return '';
  const guard = violations.map(({ condition }) => condition).join(' OR ');
  const raises = violations.map(({ condition, violation, detail }) => {
    const raised =
      detail === null
        ? raise(violation)
        : raise({ ...violation, ...valuesDetail(table, detail?.(failing) ?? failing) });
    const statement = asParent
      ? `IF _stage_p_shown IS NULL THEN ${raise(violation)} ELSE ${raised} END IF;`
      : raised;
    return `    IF ${condition} THEN ${statement} END IF;`;
  });
  return `  IF ${guard} THEN\n${raises.join('\n')}\n  END IF;`;
}

/** Builds an SQL expression. @param values an SQL expression for the row's values */
const failingRow = (values: string) => `'Failing row contains (' || ${values} || ').'`;

/** Builds the same for a new row whose generated columns are not computed yet. */
export function failingUncomputed(table: Table): string {
  const values = table.columns.map(({ name, generated }) =>
    generated === null ? newValue(name) : 'NULL::text',
  );
  return failingRow(displayValues(values));
}

/** Builds an SQL expression for the values of the columns that _stage_p_shown names. */
function shownValues(table: Table, values: readonly string[]): string {
  const shown = columnNames(table).map(
    (name, index) => `(${quoteLiteral(name)}, ${displayValues([values[index] ?? ''])})`,
  );
  return `(SELECT string_agg(v.value, ', ' ORDER BY c.number) FROM unnest(_stage_p_shown) WITH ORDINALITY c(name, number)
      JOIN (VALUES ${shown.join(', ')}) v(name, value) ON v.name = c.name)`;
}

export interface RowViolation {
  readonly condition: string;
  readonly violation: Omit<Parameters<typeof raise>[0], 'detail'>;
  /** Returns the DETAIL from the default one, both SQL expressions; null for no DETAIL. */
  readonly detail?: ((failing: string) => string) | null;
}

function notNulls(table: Table): RowViolation[] {
  return table.columns.flatMap((column) => {
    const isNull = `NOT (${present(newValue(column.name))})`;
    const partitions = table.partitions
      .filter(({ notNull }) => notNull.includes(column.name))
      .map(({ oid }) => oid);
    if (!column.notNull && partitions.length === 0) return [];
    return {
      condition: column.notNull
        ? isNull
        : `${isNull} AND ${partitionCall(table)} IN (${partitions.join(', ')})`,
      violation: {
        ...at(table),
        message: messageOf`null value in column "${column.name}" of relation "${at(table).table}" violates not-null constraint`,
        sqlstate: '23502',
        column: column.name,
      },
    };
  });
}

function checks(table: Table): RowViolation[] {
  return table.checks.map((check, index) => ({
    condition: `NOT ${computed(checkCondition(table, index))}`,
    violation: {
      ...at(table),
      message: messageOf`new row for relation "${at(table).table}" violates check constraint "${check.name}"`,
      sqlstate: '23514',
      constraint: check.name,
    },
  }));
}

/** Returns violations of keys WITHOUT OVERLAPS by empty ranges: an empty range overlaps nothing, so PostgreSQL refuses it. */
function emptyRanges(table: Table): RowViolation[] {
  return table.uniques
    .filter(({ withoutOverlaps }) => withoutOverlaps)
    .map((unique) => {
      const column = unique.elements.at(-1)?.column ?? '';
      const there = unique.ofPartition ? ` AND ${predicateHolds(table, unique)}` : '';
      return {
        condition: `coalesce(isempty(${newValue(column)})${there}, false)`,
        violation: {
          message: messageOf`empty WITHOUT OVERLAPS value found in column "${column}" in relation "${at(table).table}"`,
          sqlstate: '23514',
        },
        detail: null,
      };
    });
}

function partition(table: Table): RowViolation[] {
  if (table.kind !== 'partitioned') return [];
  const routed = rowCall(functionName(table, 'routed'), table.partitionColumns);
  const place = placeAt(table, routed);
  const keys = table.partitions
    .filter(({ key }) => key.length > 0)
    .map(({ oid, key }) => `WHEN ${oid} THEN ${partitionKey(key)}`);
  return [
    {
      condition: `${partitionCall(table)} IS NULL`,
      violation: {
        ...place,
        message: messageOf`no partition of relation "${place.table}" found for row`,
        sqlstate: '23514',
      },
      detail: (failing) =>
        keys.length === 0 ? failing : `CASE ${routed} ${keys.join(' ')} ELSE ${failing} END`,
    },
  ];
}

/** Builds an SQL expression for the DETAIL of a partition key. */
function partitionKey(columns: readonly string[]): string {
  const names = columns.map((name) => `quote_ident(${quoteLiteral(name)})`).join(` || ', ' || `);
  const values = displayValues(columns.map(newValue));
  return `'Partition key of the failing row contains (' || ${names} || ') = (' || ${values} || ').'`;
}
