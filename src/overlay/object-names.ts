/** Names of the objects of an overlay, and small SQL fragments that its templates share. */
import { createHash } from 'node:crypto';
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import { standInSchema } from '../model/internal-schemas.ts';
import type { ForeignKeyEnd, Table } from '../model/table.ts';

type Named = Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name'> | ForeignKeyEnd;

/** Names contain the OID of the table, except those of views: names derived from long table names could collide. */
export const shadowName = (table: Named) => `stage_data.shadow_${table.oid}`;
export const rowTypeName = (table: Named) => `stage_data.row_${table.oid}`;
export const sourceCall = (table: Named) => `stage_data.source_${table.oid}()`;
export const productionName = (table: Named) => qualifiedName(table.schema, table.name);

/** Formats OIDs of tables as a parameter of type oid[]. */
export const oidArray = (oids: readonly number[]) => `{${oids.join(',')}}`;

/** Returns the FROM item for the table's rows in production: without rows of its children, with rows of its partitions. */
export const productionRows = (table: Table) =>
  `${table.kind === 'partitioned' ? '' : 'ONLY '}${productionName(table)}`;

type InSchema = Pick<Table, 'namespaceOid'>;

export const overlaySchema = (table: InSchema) => standInSchema('overlay', table.namespaceOid);

/** Returns the name of the overlay. It is the table's own name, so that PostgreSQL's messages name the right relation. */
export const overlayName = (table: Named) => qualifiedName(overlaySchema(table), table.name);

/** INSERT ... ON CONFLICT runs on a second view with the table's own name, in a schema of its own. */
export const upsertSchema = (table: InSchema) => standInSchema('upsert', table.namespaceOid);
export const upsertName = (table: Named) => qualifiedName(upsertSchema(table), table.name);

/** INSERT of many rows runs on the load view. It has the table's own name, too. */
export const loadSchema = (table: InSchema) => standInSchema('load', table.namespaceOid);
export const loadName = (table: Named) => qualifiedName(loadSchema(table), table.name);
/** UPDATE and DELETE of many rows run on the changes view. It is in the schema `stage`, and is named by OID. */
export const changesName = (table: Named) => qualifiedName('stage', `changes_${table.oid}`);
/** Returns the name of the table behind the load view. The shadow is its only partition. A COPY names it, so clients may use its schema. */
export const loadTableName = (table: { readonly oid: number }) =>
  qualifiedName('stage', `rows_${table.oid}`);
/** Returns the name of the function that returns the partition of a row, in a schema that clients may use. */
export const placeName = (table: Pick<Named, 'oid' | 'namespaceOid'>) =>
  `${overlaySchema(table)}.place_${table.oid}`;

/**
 * Names of the tables that stage sets of changed rows. The load table is the only partition of the first, and the first that of the second.
 */
export const updatedTableName = (table: Named) => qualifiedName('stage', `updated_${table.oid}`);
export const deletedTableName = (table: Named) => qualifiedName('stage', `deleted_${table.oid}`);

/** Reads of a table with its children run on the inheritance view. It has the table's own name, too. */
export const treeSchema = (table: InSchema) => standInSchema('tree', table.namespaceOid);
export const treeName = (table: Named) => qualifiedName(treeSchema(table), table.name);

/** Returns the name of a function of the table: `stage_data.<part>_<oid>[_<suffix>]`. */
export function functionName(
  table: { readonly oid: number },
  part: string,
  suffix?: string | number,
): string {
  return `stage_data.${part}_${table.oid}${suffix === undefined ? '' : `_${suffix}`}`;
}

/**
 * Returns the name of the function that checks whether a row is in one of these partitions. Both ends of a foreign key derive it from the
 * OIDs.
 */
export function partitionsName(root: number, partitions: readonly number[]): string {
  const digest = createHash('md5').update(partitions.join(',')).digest('hex').slice(0, 16);
  return functionName({ oid: root }, 'within', digest);
}

/** Joins columns by commas, each with the given prefix: `p."id", p."name"`. */
export function columnList(columns: readonly string[], prefix = ''): string {
  return columns.map((column) => prefix + quoteIdentifier(column)).join(', ');
}

export const columnNames = (table: Table) => table.columns.map((column) => column.name);
export const isKeyless = (table: Table) => table.key.length === 0;

/** The shadow column of a keyless table that stores the image of the whole row. It takes the place of a key. */
export const imageColumn = '_stage_image';

export const keyNames = (table: Table) =>
  isKeyless(table) ? [imageColumn] : table.key.map((column) => column.name);

/** Aliases of shadow rows in the templates. These rows have the image stored in a column. */
const shadowAliases = new Set(['s.', 'h.', 'i.']);

/**
 * Builds the image of a row: a digest of every value in its binary send format. It is equal only for rows that are the same in every value.
 * The send format does not depend on settings, unlike text. Generated columns are left out, because they follow from the others.
 */
export function imageOf(table: Table, prefix: string): string {
  if (shadowAliases.has(prefix)) return prefix + imageColumn;
  const values = table.columns
    .filter((column) => column.generated === null)
    .map(({ name, baseType, domain, isSendable }) => {
      // the send format names the type: production has the domain, the overlay its base type
      const cast = isSendable ? domain && baseType : 'pg_catalog.text';
      return prefix + quoteIdentifier(name) + (cast === null ? '' : `::${cast}`);
    });
  return `pg_catalog.sha256(pg_catalog.record_send(ROW(${values.join(', ')})))`;
}

/**
 * Builds the condition that two rows have equal keys.
 * @param left prefix of one row's columns, e.g. `h.`
 * @param right prefix of the other row's columns, e.g. `NEW.`
 */
export function keyMatches(table: Table, left: string, right: string): string {
  if (isKeyless(table)) return equalImages(imageOf(table, left), imageOf(table, right));
  return table.key
    .map(
      ({ name, equals }) =>
        `${left}${quoteIdentifier(name)} ${equals} ${right}${quoteIdentifier(name)}`,
    )
    .join(' AND ');
}

/** Builds the condition that two images are equal. */
export const equalImages = (left: string, right: string) =>
  `${left} OPERATOR(pg_catalog.=) ${right}`;

/** Columns that foreign keys of other tables refer to, or that decide on the partition that such a key refers to. */
const referredColumns = (table: Table) =>
  table.referencedBy.flatMap(({ parent }) => [
    ...parent.columns,
    ...(parent.partitions?.columns ?? []),
  ]);

/**
 * Returns the columns whose value before a change is stored in `_stage_old_<n>`: first the key, then columns that foreign keys refer to.
 */
export function oldColumns(table: Table): string[] {
  const referenced = referredColumns(table);
  return [...new Set([...keyNames(table), ...referenced])];
}

/** Lists those columns' values in a row. */
export function oldValues(table: Table, prefix: string): string[] {
  return oldColumns(table).map((name) =>
    name === imageColumn ? imageOf(table, prefix) : prefix + quoteIdentifier(name),
  );
}

/** Returns the names of the shadow columns that store those values. */
export const oldColumnNames = (table: Table) =>
  oldColumns(table).map((_, index) => `_stage_old_${index + 1}`);

/** Returns the name of the shadow column that stores a column's value before the change. */
export function oldColumnName(table: Table, column: string): string {
  return `_stage_old_${oldColumns(table).indexOf(column) + 1}`;
}

/** Finds a column by name. @throws Error when the definition contradicts itself */
export function columnNamed(table: Table, name: string) {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`no column ${name} in ${table.schema}.${table.name}`);
  return column;
}
