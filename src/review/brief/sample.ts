/** The changes of a table that a brief reads, all or a sample, and the facts that are found in them. */
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { qualifiedName } from '../../identifier.ts';
import type { Flag } from '../../model/brief.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { DiffTable } from '../diff/diff-tables.ts';

/** At most this many changes of a table are read, and this many values. The rest is represented by a sample. */
const mostChanges = 10_000;
const mostValues = 200_000;
const samplePages = 100;

/** Production is searched for values only in tables of at most this many rows. */
export const mostSearched = 100_000;

export interface BriefColumn {
  readonly name: string;
  /** Whether it is part of the key. */
  readonly isKey: boolean;
  /** Whether it can be compared with PostgreSQL's own operator. */
  readonly hasEquality: boolean;
  /** Whether clients give its value: it has no default. */
  readonly isGiven: boolean;
  /** The measure of values that are no numbers: the length of a text, or a time of this type; null for numbers and for all other types. */
  readonly unit: 'length' | 'timestamptz' | 'timestamp' | null;
  /** Whether it is a text, a boolean or an enum: production is searched for its new values. */
  readonly isPlain: boolean;
  /** Its type if its values are numbers or times that are amounts, rather than keys, references or numbers of a sequence; else null. */
  readonly ordered: string | null;
  /** Whether an index begins with it. */
  readonly hasIndex: boolean;
}

/** The facts about a table's present definition. */
export interface BriefShape {
  readonly schema: string;
  readonly name: string;
  /** The number of its rows by the statistics; without any, by the size of the table. */
  readonly estimatedRows: number;
  /** Whether it may have triggers, or foreign keys, which are triggers, too. */
  readonly hasTriggers: boolean;
  /** Whether triggers of production wrote rows of it in the session. */
  readonly hasEffects: boolean;
  readonly columns: readonly BriefColumn[];
}

/** Returns the number of a table's rows: that of the statistics for a large table, else as many as there are, counted up to `most`. */
export async function rowsUpTo(tx: Queryable, shape: BriefShape, most: number): Promise<number> {
  if (shape.estimatedRows > mostSearched) return shape.estimatedRows;
  const table = qualifiedName(shape.schema, shape.name);
  const counted = `SELECT count(*) AS rows FROM (SELECT FROM ${table} LIMIT $1) r`;
  const [row] = await tx.query(counted, [most]);
  return Number(row?.['rows']);
}

/** Collects facts and flags of one table. */
export class Found {
  readonly facts: JsonText[] = [];
  readonly flags: Flag[] = [];
  readonly changed = new Map<string, number>();
  readonly #table: string;

  constructor(table: string) {
    this.#table = table;
  }

  add(fact: JsonObject): void {
    this.facts.push(new JsonText(stringifyJson(fact)));
  }

  flag(code: Flag['code'], column: string | null, count: number): void {
    if (count > 0) this.flags.push({ code, table: this.#table, column, count });
  }
}

export interface Sample {
  readonly sampled: number | null;
  query(
    name: 'columns' | 'duplicates' | 'new_values' | 'beyond',
    argument: string,
    parts?: Readonly<Record<string, string>>,
  ): ReturnType<Queryable['query']>;
}

/** Chooses the changes to read. A sample consists of short pages that begin at even distances. */
export async function openSample(
  tx: Queryable,
  table: DiffTable,
  count: number,
  columns: number,
): Promise<Sample> {
  const most = Math.min(mostChanges, Math.max(samplePages, Math.floor(mostValues / columns)));
  const isSample = count > most;
  const starts = isSample ? await evenStarts(tx, table) : ['0'];
  const limit = isSample ? Math.floor(most / samplePages) : count;
  const changes = fillSql(loadSql('brief/changes.sql'), { page: pageOfStart(table) });
  const values = [`{${starts.join(',')}}`, limit];
  const query: Sample['query'] = (name, argument, parts = {}) =>
    tx.query(fillSql(loadSql(`brief/${name}.sql`), { changes, ...parts }), [...values, argument]);
  if (!isSample) return { sampled: null, query };
  const [row] = await tx.query(`WITH ${changes} SELECT count(*) AS count FROM change`, values);
  return { sampled: Number(row?.['count']), query };
}

/** Returns SQL for a page of the diff: at most $2 changes of any kind, after the number p.after. */
function pageOfStart({ page }: DiffTable): string {
  const values: Readonly<Record<string, string>> = {
    $1: 'p.after',
    $2: 'NULL',
    $3: '0',
    $4: '$2',
  };
  return page.replace(/\$[1-4]/g, (parameter) => values[parameter] ?? parameter);
}

/** Returns the numbers behind which the pages of a sample begin. */
async function evenStarts(tx: Queryable, { numbers }: DiffTable): Promise<readonly string[]> {
  const [row] = await tx.query(
    `SELECT jsonb_agg((r.first - 1 + (r.last - r.first) * n / ${samplePages})::text ORDER BY n) AS starts
     FROM (SELECT min(n.number) AS first, max(n.number) AS last FROM ${numbers} n) r CROSS JOIN generate_series(0, ${samplePages - 1}) n`,
  );
  return JSON.parse(row?.['starts'] ?? '[]') as string[];
}
