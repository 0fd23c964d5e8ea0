/** Tables whose columns have given names, each in all places where a definition names columns, and statements that stage rows in them. */

import { identifiersIn, inLots, namesOf } from './all-names.ts';
import type { TestDatabase } from './database.ts';
import { drawn, firstSeed } from './net.ts';
import { createRandom } from './random.ts';
import { data, done, q } from './wire-script.ts';

export const quoted = (name: string) => `"${name}"`;
export const list = (names: readonly string[], prefix = '') =>
  names.map((name) => prefix + quoted(name)).join(', ');
export const each = (names: readonly string[], text: (name: string) => string) =>
  names.map((name) => text(quoted(name))).join(', ');

export interface Lot {
  readonly name: string;
  readonly key: readonly string[];
  readonly others: readonly string[];
}

export const columnsOf = ({ key, others }: Lot) => [...key, ...others];

/**
 * Returns the definition of a table. It has every column by its bare name in a check, a unique index, and an index or a constraint that is
 * checked at the end.
 */
export function createTable(lot: Lot, index: number): string {
  const { name, key } = lot;
  const columns = columnsOf(lot);
  // A function takes at most 100 arguments.
  const sums = inLots(columns, 75).map((some) => some.map(quoted).join(' + '));
  const distinct = sums.map((sum) => `${quoted(columns[0] ?? '')} * 100003 + ${sum}`);
  const checks = sums.map((each) => `, CHECK (${each} < 1000000)`).join('');
  const ending =
    index % 2 === 0 ? '' : `, EXCLUDE USING btree ((${distinct[0]}) WITH =) DEFERRABLE`;
  const keys = key.length === 0 ? '' : `, PRIMARY KEY (${list(key)})${ending}`;
  const unique = distinct
    .map((each) => `CREATE UNIQUE INDEX ON ${name} ((${each})) WHERE ${each} > 0;`)
    .join('');
  return `CREATE TABLE ${name} (${each(columns, (column) => `${column} int DEFAULT 7`)}${checks}${keys});
    ${key.length === 0 ? '' : unique}
    INSERT INTO ${name} SELECT ${columns.map(() => 'g').join(', ')} FROM generate_series(1, 9) g;`;
}

/** Returns a table that refers to another one by its whole key, with the same column names. */
export const createChild = ({ name, key }: Lot) =>
  `CREATE TABLE ${name}_child (${each(key, (column) => `${column} int`)}, _id int PRIMARY KEY,
    FOREIGN KEY (${list(key)}) REFERENCES ${name} ON DELETE CASCADE ON UPDATE CASCADE);
   INSERT INTO ${name}_child SELECT ${key.map(() => 'g').join(', ')}, g FROM generate_series(1, 9) g;`;

/** Returns the statements of a session on one table, in all forms. */
export function written(lot: Lot): Buffer[] {
  const { name, key, others } = lot;
  const columns = columnsOf(lot);
  const row = (value: number) => columns.map(() => value).join(', ');
  const [first = ''] = columns.map(quoted);
  const more = (by: number) =>
    each(others.length > 0 ? others : key, (column) => `${column} = ${column} + ${by}`);
  const merged = `MERGE INTO ${name} USING (VALUES (4), (41)) s(_n) ON ${name}.${first} = s._n
    WHEN MATCHED THEN UPDATE SET ${more(10)} WHEN NOT MATCHED THEN INSERT (${list(columns)}) VALUES (${columns.map(() => 's._n').join(', ')})`;
  const forms = [
    q(`INSERT INTO ${name} (${list(columns)}) VALUES (${row(11)}) RETURNING *`),
    q(
      `INSERT INTO ${name} (${list(columns)}) SELECT ${columns.map(() => 'g').join(', ')} FROM generate_series(21, 23) g`,
    ),
    q(`UPDATE ${name} SET ${more(100)} WHERE ${first} IN (1, 2) RETURNING ${list(columns)}`),
    q(`UPDATE ${name} SET ${more(1000)} WHERE ${first} IN (2, 21)`),
    q(`DELETE FROM ${name} WHERE ${first} = 3 RETURNING *`),
  ];
  if (key.length > 0)
    forms.push(
      q(merged),
      q(`INSERT INTO ${name} (${list(columns)}) VALUES (${row(5)}), (${row(51)}) ON CONFLICT (${list(key)})
        DO UPDATE SET ${each(others, (column) => `${column} = ${name}.${column} + 3`)} RETURNING *`),
      q(
        `UPDATE ${name} SET ${each(key, (column) => `${column} = ${column} + 60`)} WHERE ${first} = 6`,
      ),
      q(`SELECT * FROM ${name} WHERE ${first} = 7 FOR UPDATE`),
    );
  return [
    ...forms,
    q(`COPY ${name} (${list(columns)}) FROM STDIN`),
    data(`${columns.map(() => '71').join('\t')}\n`),
    done,
    q(`SELECT * FROM ${name} ORDER BY ${first}, ${list(columns)}`),
  ];
}

/** How many names are drawn from the templates of tables, and from all others: keywords, functions, the service's own objects. */
const names = drawn(30, 'NAMES');
export const seed = firstSeed();

/** Names that once were in scope beside columns, or are words of PL/pgSQL. */
const always = ['image', 'use_column', 'v_session', 'v_mutation', 'v_start', 'p_seen', 'p_skips'];

/** Returns the names in lots: each in a key, in another column, and in a table without a key. */
export async function readLots(
  database: TestDatabase,
): Promise<Record<'keyed' | 'keyless', readonly Lot[]>> {
  const { below } = createRandom(seed);
  const draw = (all: readonly string[]) => {
    const left = [...all];
    while (left.length > names) left.splice(below(left.length), 1);
    return left;
  };
  const own = identifiersIn('table');
  const others = [...identifiersIn('functions'), ...(await namesOf(database))];
  const further = draw(others.filter((name) => !own.includes(name)));
  const all = [...new Set([...always, ...draw(own), ...further])];
  const turned = [...all.slice(20), ...all.slice(0, 20)];
  const columns = inLots(turned, 20);
  return {
    keyed: inLots(all, 20).map((key, index) => ({
      name: `keyed_${index}`,
      key,
      others: columns[index] ?? [],
    })),
    keyless: inLots(all, 60).map((names, index) => ({
      name: `keyless_${index}`,
      key: [],
      others: names,
    })),
  };
}
