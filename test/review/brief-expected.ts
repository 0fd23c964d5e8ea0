/** What a brief has to count: the same statements run on production in a transaction that is rolled back, and counted by SQL of its own. */
import type pg from 'pg';

export type Side = Readonly<Record<string, unknown>> | null;

/** What statements do to one table. */
export interface TableChanges {
  readonly rows: number;
  readonly changes: readonly { readonly before: Side; readonly after: Side }[];
  /** Rows that a foreign key deleted. */
  readonly carried: number;
  /** Rows in which values are that no row has had, by column. */
  readonly newValues: Readonly<Record<string, number>>;
  /** Rows that get a greater or lesser value than any row has had, by column. */
  readonly beyond: Readonly<Record<string, number>>;
  /** Inserted rows that are equal to another one. */
  readonly duplicates: number;
  /** The keys of the rows that were there and that a statement updated or deleted, even to the same values. */
  readonly touched: readonly number[];
}

const changesOf = (table: string) => `
SELECT to_jsonb(o) AS before, to_jsonb(n) AS after FROM former_${table} o FULL JOIN ${table} n ON n.id = o.id
WHERE o.* IS DISTINCT FROM n.* ORDER BY coalesce(o.id, n.id)`;

/** Values that changes give to a column, and no row has had: at most 12 different ones, where rows have had at most 50. */
const newValuesOf = (table: string, column: string) => `
SELECT coalesce(sum(rows), 0)::int AS rows FROM (
  SELECT n.${column}, count(*) AS rows FROM ${table} n LEFT JOIN former_${table} o ON o.id = n.id
  WHERE n.* IS DISTINCT FROM o.* AND n.${column} IS NOT NULL AND n.${column} NOT IN (SELECT ${column} FROM former_${table} WHERE ${column} IS NOT NULL)
    AND (SELECT count(DISTINCT ${column}) BETWEEN 1 AND 50 FROM former_${table})
  GROUP BY n.${column}
) g HAVING count(*) <= 12`;

/** Times up to tomorrow count as those of now. */
const beyondOf = (table: string, column: string) =>
  `
SELECT count(*)::int AS rows FROM ${table} n LEFT JOIN former_${table} o ON o.id = n.id
WHERE n.${column} IS DISTINCT FROM o.${column} AND (n.${column} < (SELECT min(${column}) FROM former_${table}) OR n.${column} > ${
    ['made', 'sold'].includes(column) ? "now() + interval '24 hours' AND n.$& > " : ''
  }(SELECT max(${column}) FROM former_${table}))`.replace('$&', column);

const duplicates = `
SELECT coalesce(sum(rows), 0)::int AS rows FROM (
  SELECT count(*) AS rows FROM products n WHERE NOT EXISTS (SELECT FROM former_products o WHERE o.id = n.id)
  GROUP BY name, price, stock, status HAVING count(*) > 1
) g`;

const touchedOf = (table: string) => `
SELECT o.id FROM former_${table} o LEFT JOIN ${table} n ON n.id = o.id WHERE n.id IS NULL OR n.xmin = pg_current_xact_id()::xid ORDER BY o.id`;

/** The columns of texts, by table. */
const texts: Readonly<Record<string, readonly string[]>> = {
  products: ['name', 'status', 'seen'],
  orders: ['note'],
};

/** The columns of numbers and times that are no keys, by table. */
const amounts: Readonly<Record<string, readonly string[]>> = {
  products: ['price', 'stock', 'made', 'sold'],
  orders: [],
};

/** Returns what statements do, by table. @param client a connection to production */
export async function expectedOf(
  client: pg.Client,
  statements: readonly string[],
): Promise<ReadonlyMap<string, TableChanges>> {
  const count = async (text: string) => Number((await client.query(text)).rows[0]?.rows ?? 0);
  try {
    await client.query('BEGIN');
    for (const table of Object.keys(texts))
      await client.query(`CREATE TEMP TABLE former_${table} ON COMMIT DROP AS TABLE ${table}`);
    let carried = 0;
    for (const statement of statements) {
      const [, which] = /^DELETE FROM products (WHERE .*)$/.exec(statement) ?? [];
      if (which !== undefined)
        carried += await count(
          `SELECT count(*) AS rows FROM orders WHERE product IN (SELECT id FROM products ${which})`,
        );
      await client.query(statement);
    }
    const found = new Map<string, TableChanges>();
    for (const [table, columns] of Object.entries(texts)) {
      const { rows: changes } = await client.query(changesOf(table));
      const each = async (names: readonly string[] = [], sqlOf: typeof newValuesOf) => {
        const counts: Record<string, number> = {};
        for (const name of names) counts[name] = await count(sqlOf(table, name));
        return counts;
      };
      const newValues = await each(columns, newValuesOf);
      const beyond = await each(amounts[table], beyondOf);
      found.set(table, {
        ...{ changes, newValues, beyond },
        rows: await count(`SELECT count(*) AS rows FROM former_${table}`),
        carried: table === 'orders' ? carried : 0,
        duplicates: table === 'products' ? await count(duplicates) : 0,
        touched: (await client.query(touchedOf(table))).rows.map(({ id }) => id as number),
      });
    }
    return found;
  } finally {
    await client.query('ROLLBACK');
  }
}
