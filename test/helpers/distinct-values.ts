/** Checks that values that differ in PostgreSQL differ in the diff, in each of its forms, for every type. */
import pg from 'pg';
import { createCsvFormat } from '../../src/cli/diff/csv.ts';
import { totalsOf } from '../../src/cli/diff/format.ts';
import { createJsonLinesFormat } from '../../src/cli/diff/json.ts';
import { createMarkdownFormat } from '../../src/cli/diff/markdown.ts';
import { createSqlFormat } from '../../src/cli/diff/sql.ts';
import { createTextFormat } from '../../src/cli/diff/text.ts';
import { createPaint } from '../../src/cli/output/colour.ts';
import { readOutline as decodeOutline } from '../../src/client/decode.ts';
import type { ReadChange } from '../../src/client/diff-reader.ts';
import { DiffReader } from '../../src/client/diff-reader.ts';
import { valuesOf } from '../../src/client/values.ts';
import type { TableOutline } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import { gridCell, isChanged, SidesCache } from '../../src/tui/cells.ts';
import type { Family, Subject } from '../e2e/types/family.ts';
import type { TestRest } from './rest.ts';
import { assert, MissingProgram } from './suite.ts';

/** A type and the literals of its values. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly literals: readonly string[];
}

const valueIn = ({ literals }: Column, row: number) => literals[row % literals.length];

/** Stores the values of a family's types in one table, one column per type, because each table costs time. */
export class DistinctValues {
  readonly #rest: TestRest;
  readonly #table: string;
  readonly #missed: string[] = [];

  constructor(rest: TestRest, table: string) {
    this.#rest = rest;
    this.#table = table;
  }

  async check({ needs, setup = '', subjects }: Family): Promise<void> {
    if (needs !== undefined) await this.#requirePart(needs);
    const columns = subjects.map(
      (subject, index): Column => ({
        name: `v${index}`,
        type: subject.type,
        literals: literalsOf(subject),
      }),
    );
    const definitions = columns.map(({ name, type }) => `, ${name} ${type}`).join('');
    const tables = [this.#table, `${this.#table}_direct`].map(
      (name) => `CREATE TABLE ${name} (id int PRIMARY KEY${definitions});`,
    );
    await this.#rest.database.query(setup + tables.join(''));
    const count = Math.max(...columns.map(({ literals }) => literals.length));
    const rows = Array.from({ length: count }, (_, row) => {
      const values = columns.map((column) => valueIn(column, row));
      return `(${[row, ...values].join(', ')})`;
    }).join(', ');
    const session = await this.#rest.newSession();
    await this.#rest.write(session, `INSERT INTO ${this.#table} VALUES ${rows}`);
    const diff = await this.#rest.call('GET', `/sessions/${session}/diff`);
    const outline = await this.#rest.call('GET', `/sessions/${session}/diff/outline`);
    const reader = new DiffReader();
    const changes = reader.push(diff.text);
    assert.is(changes.length, count);
    const { tables: outlines } = decodeOutline(new JsonText(outline.text));
    for (const column of columns) {
      const own = changes.map((change) => reduced(change, column.name));
      const shown = own.map((change) =>
        formsOf(change, reader, scriptOf(outlines, reader, [change])),
      );
      this.#compare(column, own, shown, await this.#differing(column));
    }
    assert.equal(this.#missed, []);
    await this.#compareScript(columns, scriptOf(outlines, reader, changes), rows);
  }

  async #requirePart(part: string): Promise<void> {
    const look =
      part === 'xml'
        ? `SELECT '<a/>'::xml`
        : `SELECT FROM pg_available_extensions WHERE name = '${part}'`;
    const found = await this.#rest.database.query(look).catch(() => []);
    if (found.length === 0) throw new MissingProgram(part);
  }

  /** Records each pair that has the same text in some form. */
  #compare(
    { name, type, literals }: Column,
    changes: readonly ReadChange[],
    shown: readonly Record<string, string>[],
    pairs: readonly [number, number][],
  ): void {
    for (const [left, right] of pairs) {
      const [one, other] = [shown[left] ?? {}, shown[right] ?? {}];
      const same = Object.keys(one).filter((form) => one[form] === other[form]);
      if (!isSeen(changes[left], changes[right], name)) same.push('update');
      if (same.length > 0)
        this.#missed.push(`${type}: ${literals[left]} and ${literals[right]}: ${same.join(', ')}`);
    }
  }

  /** Compares the rows that the SQL form inserts with those that were staged. */
  async #compareScript(columns: readonly Column[], script: string, rows: string): Promise<void> {
    const direct = `${this.#table}_direct`;
    await this.#rest.database.query(`${script} INSERT INTO ${direct} VALUES ${rows}`);
    for (const { name, type } of columns) {
      const different = await this.#rest.database.query(
        `SELECT format('%s', d.${name}) AS staged, format('%s', t.${name}) AS scripted FROM ${direct} d JOIN ${this.#table} t USING (id)
         WHERE (format('%s', d.${name}), d.${name} IS NULL) IS DISTINCT FROM (format('%s', t.${name}), t.${name} IS NULL)`,
      );
      assert.equal(different, [], type);
    }
  }

  /** Returns the pairs of values that differ in PostgreSQL, by the type's equality, if it has one, or by their texts. */
  async #differing({ type, literals }: Column): Promise<[number, number][]> {
    const bare = type.replace(/ (?:COLLATE .*|NOT NULL)$/, '');
    const rows = literals.map((literal, row) => `(${row}, (${literal})::${bare})`);
    const text = (row: string) => `(format('%s', ${row}.v), ${row}.v IS NOT DISTINCT FROM NULL)`;
    const pairs = (condition: string) =>
      this.#rest.database.query<{ a: number; b: number }>(
        `WITH x (id, v) AS (VALUES ${rows.join(', ')}) SELECT a.id AS a, b.id AS b FROM x a JOIN x b ON a.id < b.id
         WHERE ${text('a')} IS DISTINCT FROM ${text('b')} OR ${condition}`,
      );
    const found = await pairs('a.v IS DISTINCT FROM b.v').catch(() => pairs('false'));
    return found.map(({ a, b }) => [a, b]);
  }
}

function literalsOf({ type, values }: Subject): string[] {
  const literals = values.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(value)));
  return type.includes('NOT NULL') || type === 'filled'
    ? literals.filter((literal) => literal !== 'NULL')
    : literals;
}

/** Returns a change of one column alone, with the same row id for all. */
function reduced(change: ReadChange, column: string): ReadChange {
  const { json = new JsonText('null'), text } =
    valuesOf(change.after, change.texts, 'after').get(column) ?? {};
  const { texts: _, ...rest } = change;
  return {
    ...rest,
    rowId: new JsonText('0'),
    columns: [{ name: column }],
    after: new JsonText(`{"${column}": ${json.text}}`),
    ...(text === undefined ? {} : textsOf({ after: { [column]: text } })),
  };
}

const textsOf = (texts: object) => ({ texts: new JsonText(JSON.stringify(texts)) });

/** Returns the whole SQL form of some changes. */
function scriptOf(
  outlines: readonly TableOutline[],
  reader: DiffReader,
  changes: readonly ReadChange[],
): string {
  const format = createSqlFormat(outlines, reader);
  const texts = changes.map((change) => format.change(change));
  return texts.join('') + format.end({ shown: changes.length, totals: totalsOf(reader) });
}

function formsOf(change: ReadChange, reader: DiffReader, sql: string): Record<string, string> {
  const column = change.columns[0]?.name ?? '';
  const cells = gridCell(change, new SidesCache().of(change, change.columns), column);
  return {
    json: createJsonLinesFormat(reader).change(change),
    text: createTextFormat(reader, createPaint(false), 'line').change(change),
    csv: createCsvFormat(reader).change(change),
    markdown: createMarkdownFormat(reader, 'sess_1').change(change),
    sql,
    interface: cells.map(({ text }) => text).join(''),
  };
}

/** Returns whether an update from one value to the other shows that the column changed, and how. */
function isSeen(from: ReadChange | undefined, to: ReadChange | undefined, column: string): boolean {
  if (from === undefined || to === undefined) return false;
  const after = ({ texts }: ReadChange) => texts && JSON.parse(texts.text).after;
  const texts = textsOf({ before: after(from), after: after(to) });
  const update = { ...to, type: 'UPDATE' as const, before: from.after, ...texts };
  const sides = new SidesCache().of(update, update.columns);
  const cell = gridCell(update, sides, column);
  return isChanged(update, sides, column) && cell.some(({ style }) => style !== 'faint');
}
