/** What a schema that others wrote contains: its tables, their columns, and the types of these. */
import type { TestDatabase } from '../helpers/database.ts';

export interface Column {
  readonly name: string;
  readonly type: number;
  /** The type's modifier; -1 for none. */
  readonly modifier: number;
  readonly isRequired: boolean;
  /** Its value is computed by the table. */
  readonly isGenerated: boolean;
  /** It belongs to a key, a unique index, a foreign key or the partition key. */
  readonly isKey: boolean;
  /** Constants of constraints and partitions that name the column: values that it may have to take. */
  readonly constants: readonly string[];
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly triggers: number;
}

export interface Type {
  readonly name: string;
  readonly kind: string;
  /** The type below a domain, the element of an array, or the subtype of a range. */
  readonly inner: number;
  readonly modifier: number;
  readonly isArray: boolean;
  readonly labels: readonly string[];
  /** Constants of a domain's checks. */
  readonly constants: readonly string[];
}

/** Returns the tables outside of PostgreSQL's own schemas, without partitions, in the order of their creation. */
export async function readTables(database: TestDatabase): Promise<Table[]> {
  const rows = await database.query<TableRow>(selectTables);
  return rows.map(({ name, columns, key, triggers, checks, bounds }) => ({
    ...{ name, key, triggers },
    columns: columns.map((column) => ({
      ...column,
      constants: constantsIn([
        ...checks.filter((text) => namesIn(text).has(column.name)),
        ...(column.isSplit ? bounds : []),
      ]),
    })),
  }));
}

interface TableRow extends Omit<Table, 'columns'> {
  readonly columns: (Omit<Column, 'constants'> & { readonly isSplit: boolean })[];
  readonly checks: readonly string[];
  readonly bounds: readonly string[];
}

/** Returns the types by their OID. */
export async function readTypes(database: TestDatabase): Promise<ReadonlyMap<number, Type>> {
  const rows = await database.query<TypeRow>(selectTypes);
  return new Map(
    rows.map(({ oid, checks, ...type }) => [oid, { ...type, constants: constantsIn(checks) }]),
  );
}

interface TypeRow extends Omit<Type, 'constants'> {
  readonly oid: number;
  readonly checks: readonly string[];
}

const namesIn = (text: string) => new Set(text.match(/\w+/g));

function constantsIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(/'((?:[^']|'')*)'|\b(\d+)\b/g)]);
  return [
    ...new Set(found.map(([, text, number]) => text?.replaceAll("''", "'") ?? String(number))),
  ];
}

const selectTables = `
SELECT c.oid::regclass::text AS name,
  ARRAY(SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY a.attnum) AS key,
  (SELECT count(*)::int FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) AS triggers,
  ARRAY(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c') AS checks,
  ARRAY(SELECT pg_get_expr(p.relpartbound, p.oid) FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhrelid
    WHERE h.inhparent = c.oid AND p.relispartition ORDER BY p.oid) AS bounds,
  (SELECT json_agg(json_build_object('name', a.attname, 'type', a.atttypid::bigint, 'modifier', a.atttypmod, 'isRequired', a.attnotnull,
      'isGenerated', a.attgenerated <> '', 'isSplit', COALESCE(a.attnum = ANY (s.partattrs), false),
      'isKey', COALESCE(a.attnum = ANY (s.partattrs), false)
        OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey))
        OR EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('f', 'x') AND a.attnum = ANY (k.conkey)))
      ORDER BY a.attnum)
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_partitioned_table s ON s.partrelid = c.oid
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^(pg_|information_schema|stage)'
  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.oid`;

const selectTypes = `
SELECT t.oid::bigint::int4 AS oid, t.typname::text AS name, t.typtype::text AS kind, t.typtypmod AS modifier,
  t.typelem <> 0 AND t.typlen = -1 AS "isArray",
  CASE t.typtype WHEN 'd' THEN t.typbasetype::bigint WHEN 'r' THEN (SELECT r.rngsubtype::bigint FROM pg_range r WHERE r.rngtypid = t.oid)
    WHEN 'm' THEN (SELECT r.rngtypid::bigint FROM pg_range r WHERE r.rngmultitypid = t.oid) ELSE t.typelem::bigint END::int4 AS inner,
  ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder) AS labels,
  ARRAY(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.contypid = t.oid) AS checks
FROM pg_type t`;
