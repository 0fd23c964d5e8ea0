/** Facts about a staged table beyond its columns: what foreign keys carried along, and which other sessions touch the same rows. */

import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import { selectForeignKeys } from '../diff/causes.ts';
import type { DiffTable } from '../diff/diff-tables.ts';
import type { BriefColumn, BriefShape } from './sample.ts';

/** SQL for whether a type `t` and its comparison are PostgreSQL's own. */
const builtinEquality = `t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype = 'b' AND EXISTS (
      SELECT FROM pg_opclass oc JOIN pg_am am ON am.oid = oc.opcmethod
      WHERE oc.opcintype = t.oid AND oc.opcdefault AND am.amname = 'btree' AND oc.opcnamespace = 'pg_catalog'::regnamespace)`;

/** Selects the shape of a table. Plain types are those whose JSON and comparison are PostgreSQL's own. */
const selectShape = `
SELECT n.nspname AS schema, c.relname AS name, (
  SELECT coalesce(sum(CASE WHEN r.reltuples < 0 THEN pg_relation_size(r.oid) / 50 ELSE r.reltuples END), 0)::bigint
  FROM pg_class r WHERE r.oid IN (SELECT c.oid UNION SELECT p.relid FROM pg_partition_tree(c.oid) p)
) AS rows, c.relhastriggers OR c.relkind = 'p' AS has_triggers,
  EXISTS (SELECT FROM stage.effect e WHERE e.session = $2) AS has_effects, (
  SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'isKey', a.attname = ANY (o.key_columns),
    'hasEquality', ${builtinEquality},
    'isGiven', NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = '',
    'unit', CASE WHEN t.oid IN ('text'::regtype, 'varchar'::regtype) THEN 'length' WHEN t.oid = 'timestamptz'::regtype THEN 'timestamptz'
      WHEN t.oid IN ('timestamp'::regtype, 'date'::regtype) THEN 'timestamp' END,
    'isPlain', t.oid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bool'::regtype) OR t.typtype = 'e'
    -- guard: a brief runs no cast of users with the service's rights
    AND NOT stage.has_json_cast(t.oid),
    'ordered', CASE WHEN NOT a.attname = ANY (o.key_columns) AND t.oid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype,
        'float4'::regtype, 'float8'::regtype, 'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
      AND a.attidentity = '' AND NOT EXISTS (SELECT FROM pg_attrdef d WHERE d.adrelid = c.oid AND d.adnum = a.attnum
        AND pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%')
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey))
      THEN t.typname END,
    'hasIndex', EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
      WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indisvalid AND i.indpred IS NULL AND m.amname = 'btree')
  ) ORDER BY a.attnum)
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) AS columns
FROM stage.overlay o JOIN pg_class c ON c.oid = o.relation JOIN pg_namespace n ON n.oid = c.relnamespace WHERE o.relation = $1`;

/** Reads the shape of a table as it is now; null if the table is gone. */
export async function shapeForBrief(
  tx: Queryable,
  uuid: string,
  { current }: DiffTable,
): Promise<BriefShape | null> {
  const [row] = await tx.query(selectShape, [current, uuid]);
  if (row === undefined) return null;
  return {
    schema: String(row['schema']),
    name: String(row['name']),
    estimatedRows: Number(row['rows']),
    hasTriggers: row['has_triggers'] === 't',
    hasEffects: row['has_effects'] === 't',
    columns: JSON.parse(row['columns'] ?? '[]') as BriefColumn[],
  };
}

/** Returns a fact for each foreign key that carried changes to rows of a table, and the number of rows. */
export async function carriedFacts(
  tx: Queryable,
  uuid: string,
  { kind, relation, current }: DiffTable,
  { hasTriggers }: BriefShape,
  readableOnly: boolean,
): Promise<{ readonly facts: readonly JsonText[]; readonly rows: number }> {
  if (kind !== 'staged' || !hasTriggers) return { facts: [], rows: 0 };
  const keys = await tx.query(selectForeignKeys, [current, uuid, String(readableOnly)]);
  const facts: JsonText[] = [];
  let rows = 0;
  for (const key of keys) {
    const shadow = (of: number | string) => `stage_data.shadow_${of}`;
    const parts = { shadow: shadow(relation), target: shadow(String(key['target'])) };
    const [row] = await tx.query(fillSql(loadSql('brief/cascades.sql'), parts), [uuid]);
    const [deletes, updates] = [Number(row?.['deletes']), Number(row?.['updates'])];
    if (deletes + updates === 0) continue;
    rows += deletes + updates;
    const foreignKey = String(key['name']);
    const fact = { kind: 'carried', foreign_key: foreignKey, deletes, updates };
    facts.push(new JsonText(stringifyJson(fact)));
  }
  return { facts, rows };
}

/** Returns a fact for each trigger of production that wrote rows of a table while rows were staged. */
export async function triggerFacts(
  tx: Queryable,
  uuid: string,
  { kind, relation }: DiffTable,
  { hasEffects }: BriefShape,
  readableOnly: boolean,
): Promise<readonly JsonText[]> {
  if (kind !== 'staged' || !hasEffects) return [];
  const select = fillSql(loadSql('brief/effects.sql'), { shadow: `stage_data.shadow_${relation}` });
  const rows = await tx.query(select, [uuid, relation, String(readableOnly)]);
  return rows.map(({ trigger, table, inserts, updates, deletes }) => {
    const [inserted, updated, deleted] = [inserts, updates, deletes].map(Number);
    const counts = { inserts: inserted, updates: updated, deletes: deleted };
    return new JsonText(
      stringifyJson({ kind: 'written', trigger, table, ...counts } as JsonObject),
    );
  });
}

/** A column of a key. */
export type KeyColumn = Pick<BriefColumn, 'name' | 'hasEquality'>;

/** Returns the columns of a table's key, in the order of the table. */
export const keyOf = ({ columns }: BriefShape): readonly KeyColumn[] =>
  columns.filter(({ isKey }) => isKey);

/** Reads the columns of a table's key as it is now; none if the table is gone. */
export async function keyColumns(
  tx: Queryable,
  { current }: DiffTable,
): Promise<readonly KeyColumn[]> {
  const [row] = await tx.query(
    `SELECT (SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'hasEquality', ${builtinEquality}) ORDER BY a.attnum)
       FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
       WHERE a.attrelid = o.relation AND a.attname = ANY (o.key_columns) AND a.attnum > 0) AS key
     FROM stage.overlay o WHERE o.relation = $1`,
    [current],
  );
  return JSON.parse(row?.['key'] ?? '[]') as KeyColumn[];
}

/** At most this many sessions that change the same rows of a table are named. */
const mostNamed = 20;
/**
 * Beyond this number of its own rows in a table, a session counts as large: the search then begins with the rows of other sessions, if
 * these have fewer.
 */
const fewRows = 1_000;
const mostCompared = 100_000;
/** A step has no more rows than these: one that moves a key has a row under each. */
const mostPerStep = 4;

export interface OverlappingSessions {
  /** Those with the most rows in common first. */
  readonly sessions: readonly { readonly sessionId: string; readonly rows: number }[];
  /** The number of all such sessions. */
  readonly count: number;
}

/**
 * Finds the other open sessions of the project that changed rows with the same keys, and counts these rows. Rows without a key cannot be
 * compared. Columns of users' types are compared as texts, because their operators would run users' code.
 * @param steps the number of steps in the table, if it is known: rows of few need not be counted
 */
export async function overlappingSessions(
  tx: Queryable,
  uuid: string,
  { kind, relation }: DiffTable,
  key: readonly KeyColumn[],
  steps = Number.POSITIVE_INFINITY,
): Promise<OverlappingSessions> {
  if (kind !== 'staged' || key.length === 0) return { sessions: [], count: 0 };
  const parts = {
    shadow: `stage_data.shadow_${relation}`,
    same_key: key.map(isSame).join(' AND '),
  };
  // no index finds keys that are compared as texts
  const isLarge =
    steps * mostPerStep > fewRows &&
    key.every(({ hasEquality }) => hasEquality) &&
    (await hasManyRows(tx, uuid, parts.shadow));
  const search = isLarge
    ? fillSql(loadSql('brief/overlaps_of_many.sql'), parts)
    : fillSql(loadSql('brief/overlaps.sql'), parts);
  const values = [uuid, mostNamed, ...(isLarge ? [mostCompared] : [])];
  const rows = await tx.query(search, values);
  return {
    sessions: rows.map((row) => ({
      sessionId: String(row['session_id']),
      rows: Number(row['rows']),
    })),
    count: Number(rows[0]?.['sessions'] ?? 0),
  };
}

async function hasManyRows(tx: Queryable, uuid: string, shadow: string): Promise<boolean> {
  const heads = `SELECT FROM ${shadow} m WHERE m._stage_session = $1 AND m._stage_head LIMIT $2`;
  const [own] = await tx.query(`SELECT count(*) AS rows FROM (${heads}) h`, [uuid, fewRows + 1]);
  return Number(own?.['rows']) > fewRows;
}

function isSame({ name, hasEquality }: KeyColumn): string {
  const [mine, other] = ['m', 'o'].map((alias) => `${alias}.${quoteIdentifier(name)}`);
  if (!hasEquality) return `format('%s', ${other}) = format('%s', ${mine})`;
  return `${other} OPERATOR(pg_catalog.=) ${mine}`;
}
