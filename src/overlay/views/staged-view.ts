/** Staged views: views and partitions as a session sees them. A view that PostgreSQL does not update automatically is read only. */
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { StageError } from '../../errors.ts';
import { qualifiedName, quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { classifyAnywhere } from '../../sql/classify/classify-apart.ts';
import { movedUses, readUses } from '../../sql/functions/body-uses.ts';
import { readViewQuery } from '../../sql/locate/view-query.ts';
import { SqlSyntaxError } from '../../sql/parser/syntax-error.ts';
import { isLight } from '../../sql/parser/text-weight.ts';
import type { RelationUse } from '../../sql/places.ts';
import { spliceBytes } from '../../sql/splice.ts';
import type { Statement } from '../../sql/verdict.ts';
import { generationOn } from '../generation.ts';
import { columnList, oidArray, overlayName } from '../object-names.ts';
import { makeSchemas } from '../schemas.ts';
import { completedGroupings, readDependents } from './dependent-columns.ts';
import type { PartitionFacts } from './partition-view.ts';
import { partitionView } from './partition-view.ts';
import type { Source } from './table-source.ts';
import { tableSource } from './table-source.ts';
import type { Target, ViewTarget } from './view-target.ts';
import { viewTarget } from './view-target.ts';

/** A view or a partition, with its definition. */
interface StagedView extends Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name'> {
  readonly columns: readonly Column[];
  /** The query of a view. */
  readonly query: string | null;
  readonly isBarrier: boolean;
  /** Whether the rights of the view's reader apply to its tables, not those of its owner. */
  readonly isInvoker: boolean;
  readonly checkOption: 'local' | 'cascaded' | null;
  readonly owner: number;
  /** How PostgreSQL handles a write to the view. */
  readonly writing: 'automatic' | 'code' | 'error' | null;
  readonly partition: PartitionFacts | null;
  readonly stamp: string;
  readonly isStale: boolean;
}

/** The replacement of a view or partition. */
interface Body {
  readonly script: string;
  readonly sources: readonly Source[];
  /** The target of writes in its place. */
  readonly target: Target | null;
  /** The table that a write to it goes to. */
  readonly table: number | null;
}

/**
 * Ensures that a view or partition has a current staged view, and that everything it reads has an overlay.
 * @param server major version of PostgreSQL
 * @returns the OID of the table that a write to the view goes to, null if it goes to none
 * @throws StageError `statement_not_supported` for a view that cannot be read with staged rows
 */
export async function ensureStagedView(
  tx: Queryable,
  oid: number,
  server: number,
): Promise<number | null> {
  return (await sourceFor(tx, oid, server, false)).table;
}

/**
 * Makes the overlay or staged view of a relation current.
 * @throws StageError as above
 */
export async function sourceFor(
  tx: Queryable,
  oid: number,
  server: number,
  asOwner: boolean,
): Promise<Source> {
  const [row] = await tx.query('SELECT stage.staged_view_definition($1) AS view', [oid]);
  if (row?.['view'] == null) return tableSource(tx, oid, server, asOwner);
  const view = JSON.parse(row['view']) as StagedView;
  const body = await bodyOf(tx, view, server, asOwner);
  // rebuilding an overlay drops everything that depends on it
  const [left] = await tx.query('SELECT stage.overlay_of($1) AS view', [oid]);
  if (view.isStale || left?.['view'] == null) await install(tx, view, body, generationOn(server));
  const name = overlayName(view);
  const { target, table } = body;
  const dependents = await readDependents(tx, oid);
  const what = { oid, name, only: name, hasChildren: false, dependents, isStagedView: true };
  return { ...what, target, table };
}

function bodyOf(tx: Queryable, view: StagedView, server: number, asOwner: boolean): Promise<Body> {
  return view.partition === null
    ? viewBody(tx, view, view.query ?? '', server)
    : partitionBody(tx, view, view.partition, server, asOwner);
}

/** Builds the body of a partition. It reads production's own rows where its table cannot be staged. */
async function partitionBody(
  tx: Queryable,
  view: StagedView,
  facts: PartitionFacts,
  server: number,
  asOwner: boolean,
): Promise<Body> {
  const root = await tableSource(tx, facts.root, server, false);
  const made =
    root.name === null ? null : await partitionView(tx, view.oid, facts, server, asOwner);
  const columns = columnList(view.columns.map(({ name }) => name));
  const text = `SELECT ${columns} FROM ${qualifiedName(view.schema, view.name)}`;
  return {
    script: made?.script ?? readOnlySql(view, text),
    sources: [root],
    target: null,
    table: made?.table ?? null,
  };
}

/** Builds the body of a view: its query with the names of overlays in place of tables. */
async function viewBody(
  tx: Queryable,
  view: StagedView,
  definition: string,
  server: number,
): Promise<Body> {
  const query = Buffer.from(definition);
  const [statement] = await parsedView(view, query);
  if (statement?.verdict.kind !== 'read')
    throw unreadable(view, 'its definition is not a plain query');
  const uses = movedUses(readUses(statement.verdict), (at) => at + statement.start);
  const sources = new Map<string, Source>();
  for (const { schema, name } of uses.relations) {
    if (schema === null || sources.has(qualifiedName(schema, name))) continue;
    const oid = await oidOf(tx, schema, name);
    sources.set(qualifiedName(schema, name), await sourceFor(tx, oid, server, !view.isInvoker));
  }
  const sourceOf = ({ schema, name }: RelationUse) =>
    sources.get(qualifiedName(schema ?? '', name));
  const replacements = uses.relations.flatMap((use) => {
    const overlay = use.only ? sourceOf(use)?.only : sourceOf(use)?.name;
    return overlay ? [{ start: use.start, end: use.end, text: overlay }] : [];
  });
  const groupings = completedGroupings(uses.groupings, (relation) => {
    const use = uses.relations.find(({ start }) => start === relation);
    return (use && sourceOf(use)?.dependents) ?? null;
  });
  const text = spliceBytes(query, [...replacements, ...groupings]);
  const all = [...sources.values()];
  const written = writtenView(view, text, all);
  const target = written?.target ?? null;
  return {
    script: written?.script ?? readOnlySql(view, text.toString()),
    sources: all,
    target,
    table: target?.table ?? null,
  };
}

/**
 * Returns the target of writes to the view: that of the relation in its FROM clause, whatever its expressions read; null if there is none.
 */
function writtenView(
  view: StagedView,
  text: Buffer,
  sources: readonly Source[],
): ViewTarget | null {
  // a heavy query stays read only: it would be parsed here on the main thread, which serves all clients
  if (view.writing !== 'automatic' || !isLight(text)) return null;
  const query = readViewQuery(text);
  const behind = sources.find(
    ({ name, only }) => name !== null && [name, only].includes(query?.source ?? ''),
  );
  if (!query || !behind?.target) return null;
  return viewTarget(view, query, { ...behind.target, rowType: query.source });
}

/** Parses a view's definition. Not every definition that PostgreSQL prints can be parsed: the marks of a CYCLE clause come with a cast. */
async function parsedView(view: StagedView, query: Buffer): Promise<readonly Statement[]> {
  try {
    return await classifyAnywhere(query);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    throw unreadable(view, 'its definition cannot be parsed');
  }
}

async function oidOf(tx: Queryable, schema: string, name: string): Promise<number> {
  const [row] = await tx.query('SELECT to_regclass($1)::oid AS oid', [qualifiedName(schema, name)]);
  return Number(row?.['oid'] ?? 0);
}

async function install(
  tx: Queryable,
  view: StagedView,
  body: Body,
  generation: string,
): Promise<void> {
  await makeSchemas(tx, view);
  const { script, target, table } = body;
  await tx.query(`SELECT stage.drop_stand_ins(${view.oid}); ${script}`).catch((error: Error) => {
    throw unreadable(view, error.message);
  });
  await tx.query(
    `INSERT INTO stage.staged_view (relation, namespace, table_name, stamp, plain, staged_views, trees, target, target_columns, target_role, of_row, generation)
     VALUES ($1, $2, $3, $4, $5::oid[], $6::oid[], $7::oid[], $8, $9, $10, $11, $12)`,
    [
      view.oid,
      view.namespaceOid,
      view.name,
      view.stamp,
      oidsOf(body.sources.filter(({ name }) => name === null)),
      oidsOf(body.sources.filter(({ isStagedView }) => isStagedView)),
      oidsOf(body.sources.filter((source) => source.hasChildren)),
      table,
      target && JSON.stringify(target.columns),
      target?.role ?? null,
      target?.ofRow ?? null,
      generation,
    ],
  );
}

const oidsOf = (sources: readonly Source[]) => oidArray(sources.map(({ oid }) => oid));

const rowType = ({ oid }: StagedView) => `stage_data.staged_view_row_${oid}`;

function readOnlySql(view: StagedView, body: string): string {
  return fillSql(loadSql('table/views/staged_view.sql'), {
    overlay: overlayName(view),
    function: `stage_data.staged_view_${view.oid}()`,
    row_type: rowType(view),
    column_definitions: view.columns
      .map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
      .join(', '),
    columns: columnList(view.columns.map(({ name }) => name)),
    body: quoteLiteral(body),
    options: view.isBarrier ? 'WITH (security_barrier)' : '',
  });
}

function unreadable(view: StagedView, reason: string): StageError {
  const name = shownName(view.schema, view.name);
  return new StageError(
    'statement_not_supported',
    `cannot read "${name}" with what is staged: ${reason}`,
    { hint: unreadableHint },
  );
}

/** The hint for a view that cannot be read with staged rows. */
export const unreadableHint =
  'Name the tables behind it, or read production on a connection with service_reads=production.';
