/** Names of the objects that make up an overlay, and the small SQL fragments that all its templates share. */
import { createHash } from 'node:crypto';
import { qualifiedName, quoteIdentifier } from '../db/identifier.ts';
import type { ForeignKeyEnd, Table } from '../model/table.ts';

type Named = Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name'> | ForeignKeyEnd;

/** Everything but the view is named by the table's OID: names derived from long table names would collide. */
export const shadowName = (table: Named) => `stage_data.shadow_${table.oid}`;
export const rowTypeName = (table: Named) => `stage_data.row_${table.oid}`;
export const sourceCall = (table: Named) => `stage_data.source_${table.oid}()`;
export const productionName = (table: Named) => qualifiedName(table.schema, table.name);

/** Tables as a parameter of type oid[]. */
export const oidArray = (oids: readonly number[]) => `{${oids.join(',')}}`;

/** Where rows of the table itself are looked for: those of its children are theirs, those of its partitions its own. */
export const productionRows = (table: Table) =>
  `${table.kind === 'partitioned' ? '' : 'ONLY '}${productionName(table)}`;

type InSchema = Pick<Table, 'namespaceOid'>;

export const overlaySchema = (table: InSchema) => `stage_overlay_${table.namespaceOid}`;

/** The view bears the table's own name: PostgreSQL's messages then name the right relation. */
export const overlayName = (table: Named) => qualifiedName(overlaySchema(table), table.name);

/** INSERT ... ON CONFLICT runs on a second view, in a schema of its own under the table's own name again. */
export const upsertSchema = (table: InSchema) => `stage_upsert_${table.namespaceOid}`;
export const upsertName = (table: Named) => qualifiedName(upsertSchema(table), table.name);

/** Rows that come as a set are put in through one more view, under the table's own name. */
export const loadSchema = (table: InSchema) => `stage_load_${table.namespaceOid}`;
export const loadName = (table: Named) => qualifiedName(loadSchema(table), table.name);
/** Rows that are changed as a set are so through another view, whose name no table's can be: it stands where no table's name does. */
export const changesName = (table: Named) => qualifiedName('stage', `changes_${table.oid}`);
/** The table behind that view, of which the shadow is the only partition: in a schema that clients may use, for a COPY names it. */
export const loadTableName = (table: { readonly oid: number }) =>
  qualifiedName('stage', `rows_${table.oid}`);
/** What stages rows that are changed as a set: each has the one before as its only partition, the first the table above. */
export const updatedTableName = (table: Named) => qualifiedName('stage', `updated_${table.oid}`);
export const deletedTableName = (table: Named) => qualifiedName('stage', `deleted_${table.oid}`);

/** A table is read together with its children through a third view, under the table's own name once more. */
export const treeSchema = (table: InSchema) => `stage_tree_${table.namespaceOid}`;
export const treeName = (table: Named) => qualifiedName(treeSchema(table), table.name);

/** A function of the table: `stage_data.<part>_<oid>[_<suffix>]`. */
export function functionName(
  table: { readonly oid: number },
  part: string,
  suffix?: string | number,
): string {
  return `stage_data.${part}_${table.oid}${suffix === undefined ? '' : `_${suffix}`}`;
}

/** The function that tells whether a row is in one of some partitions of a table: named by them, as both ends of a foreign key call it. */
export function partitionsName(root: number, partitions: readonly number[]): string {
  const digest = createHash('md5').update(partitions.join(',')).digest('hex').slice(0, 16);
  return functionName({ oid: root }, 'within', digest);
}

/** Columns joined by commas, each behind the given prefix: `p."id", p."name"`. */
export function columnList(columns: readonly string[], prefix = ''): string {
  return columns.map((column) => prefix + quoteIdentifier(column)).join(', ');
}

export const columnNames = (table: Table) => table.columns.map((column) => column.name);
export const isKeyless = (table: Table) => table.key.length === 0;

/** In the place of a key, the shadow of a keyless table keeps the image of the whole row. */
export const imageColumn = '_stage_image';

export const keyNames = (table: Table) =>
  isKeyless(table) ? [imageColumn] : table.key.map((column) => column.name);

/** Aliases that the templates give to rows of the shadow, where the image is kept. */
const shadowAliases = new Set(['s.', 'h.', 'i.']);

/**
 * The image of a row: a digest of every value as PostgreSQL sends it, equal only for rows that nothing tells apart.
 * Unlike text, what is sent does not depend on settings. Generated columns follow from the others.
 */
export function imageOf(table: Table, prefix: string): string {
  if (shadowAliases.has(prefix)) return prefix + imageColumn;
  const values = table.columns
    .filter((column) => column.generated === null)
    .map(({ name, baseType, domain, isSendable }) => {
      // what is sent names the type, and production has the domain where the overlay has what is below
      const cast = isSendable ? domain && baseType : 'pg_catalog.text';
      return prefix + quoteIdentifier(name) + (cast === null ? '' : `::${cast}`);
    });
  return `pg_catalog.sha256(pg_catalog.record_send(ROW(${values.join(', ')})))`;
}

/** The key of one row equals the key of another, each given as a prefix: `h.` and `NEW.`. */
export function keyMatches(table: Table, left: string, right: string): string {
  if (isKeyless(table)) return equalImages(imageOf(table, left), imageOf(table, right));
  return table.key
    .map(
      ({ name, equals }) =>
        `${left}${quoteIdentifier(name)} ${equals} ${right}${quoteIdentifier(name)}`,
    )
    .join(' AND ');
}

/** Two images are the same. */
export const equalImages = (left: string, right: string) =>
  `${left} OPERATOR(pg_catalog.=) ${right}`;

/** Columns by which rows of the table come to be referred to, or cease to be. */
const referredColumns = (table: Table) =>
  table.referencedBy.flatMap(({ parent }) => [
    ...parent.columns,
    ...(parent.partitions?.columns ?? []),
  ]);

/** Columns whose value before a change the shadow keeps in `_stage_old_<n>`: the key first, then what foreign keys refer to. */
export function oldColumns(table: Table): string[] {
  const referenced = referredColumns(table);
  return [...new Set([...keyNames(table), ...referenced])];
}

/** The values of those columns in a row. */
export function oldValues(table: Table, prefix: string): string[] {
  return oldColumns(table).map((name) =>
    name === imageColumn ? imageOf(table, prefix) : prefix + quoteIdentifier(name),
  );
}

/** The shadow columns that keep them. */
export const oldColumnNames = (table: Table) =>
  oldColumns(table).map((_, index) => `_stage_old_${index + 1}`);

/** The shadow column that keeps a column's value before the change. */
export function oldColumnName(table: Table, column: string): string {
  return `_stage_old_${oldColumns(table).indexOf(column) + 1}`;
}

/** Looks a column up by name. @throws Error when the definition contradicts itself */
export function columnNamed(table: Table, name: string) {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`no column ${name} in ${table.schema}.${table.name}`);
  return column;
}
