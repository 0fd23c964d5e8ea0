/** Twins: views and partitions as a session sees them. They are read only; nothing is staged through them. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import { qualifiedName, quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { StageError } from '../../errors.ts';
import type { Column, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { parseQuery } from '../../sql/parse-query.ts';
import { spliceBytes } from '../../sql/splice.ts';
import { installOverlay } from './install.ts';
import { columnList, overlayName, overlaySchema } from './names.ts';

/** A view or a partition, with what it is made of. */
interface Twin extends Pick<Table, 'oid' | 'namespaceOid' | 'schema' | 'name'> {
  readonly columns: readonly Column[];
  /** Of a view: its query. */
  readonly view: string | null;
  readonly isBarrier: boolean;
  /** The rights of whoever reads the view apply to its tables, not its owner's. */
  readonly isInvoker: boolean;
  /** Of a partition: the OID of the root, and the condition for its rows. */
  readonly root: number | null;
  readonly bounds: string | null;
  readonly stamp: string;
  readonly isStale: boolean;
}

/** A query over overlays, and the OIDs of the relations in it that stay production's. */
interface Body {
  readonly text: string;
  readonly plain: readonly number[];
}

/**
 * Makes sure that a view or partition has a current twin, and whatever it reads an overlay.
 * @param server major version of PostgreSQL
 * @throws StageError `statement_not_supported` for a view that cannot be read with staged rows
 */
export async function ensureTwin(tx: Queryable, oid: number, server: number): Promise<void> {
  await overlayFor(tx, oid, server, false);
}

/** Makes the overlay or twin of a relation current and gives its name; null for one that is read as production has it. */
async function overlayFor(
  tx: Queryable,
  oid: number,
  server: number,
  asOwner: boolean,
): Promise<string | null> {
  const [row] = await tx.query('SELECT stage.twin_definition($1) AS twin', [oid]);
  if (row?.['twin'] == null) return tableOverlay(tx, oid, server, asOwner);
  const twin = JSON.parse(row['twin']) as Twin;
  const body = await (twin.view === null
    ? partitionBody(tx, twin, server)
    : viewBody(tx, twin, twin.view, server));
  if (twin.isStale) await install(tx, twin, body);
  return overlayName(twin);
}

async function tableOverlay(
  tx: Queryable,
  oid: number,
  server: number,
  asOwner: boolean,
): Promise<string | null> {
  const table = await readTable(tx, oid);
  if (table === null || table.obstacle !== null) return null;
  if (asOwner && table.policies !== null) {
    throw new StageError(
      'statement_not_supported',
      `cannot read views or partitions of "${shownName(table.schema, table.name)}" with what is staged: it has row-level security`,
      { hint: 'Read the table itself, or make the view one with security_invoker.' },
    );
  }
  await installOverlay(tx, table, server);
  return overlayName(table);
}

/** Named directly, a partition has grants and policies of its own: those of the root would not do. */
async function partitionBody(tx: Queryable, twin: Twin, server: number): Promise<Body> {
  const root = await overlayFor(tx, twin.root ?? 0, server, true);
  const source = root ?? qualifiedName(twin.schema, twin.name);
  const columns = columnList(twin.columns.map(({ name }) => name));
  const text = `SELECT ${columns} FROM ${source}${root === null ? '' : ` WHERE ${twin.bounds}`}`;
  return { text, plain: root === null && twin.root !== null ? [twin.root] : [] };
}

/** The view's query with the names of overlays in the place of tables. */
async function viewBody(tx: Queryable, twin: Twin, view: string, server: number): Promise<Body> {
  const query = Buffer.from(view);
  const [statement] = parseQuery(query);
  const verdict = statement?.verdict;
  if (statement === undefined || verdict?.kind !== 'read')
    throw unreadable(twin, 'its definition is not a plain query');
  const overlays = new Map<string, string | null>();
  const plain: number[] = [];
  for (const { schema, name } of verdict.relations) {
    if (schema === null || overlays.has(qualifiedName(schema, name))) continue;
    const oid = await oidOf(tx, schema, name);
    const overlay = await overlayFor(tx, oid, server, !twin.isInvoker);
    if (overlay === null) plain.push(oid);
    overlays.set(qualifiedName(schema, name), overlay);
  }
  const replacements = verdict.relations.flatMap(({ schema, name, start, end }) => {
    const overlay = overlays.get(qualifiedName(schema ?? '', name));
    return overlay
      ? [{ start: start + statement.start, end: end + statement.start, text: overlay }]
      : [];
  });
  return { text: spliceBytes(query, replacements).toString(), plain };
}

async function oidOf(tx: Queryable, schema: string, name: string): Promise<number> {
  const [row] = await tx.query('SELECT to_regclass($1)::oid AS oid', [qualifiedName(schema, name)]);
  return Number(row?.['oid'] ?? 0);
}

async function install(tx: Queryable, twin: Twin, body: Body): Promise<void> {
  const schema = overlaySchema(twin);
  await tx.query(
    `CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`,
  );
  const script = fillSql(loadSql('table/twin.sql'), {
    overlay: overlayName(twin),
    function: `stage_data.twin_${twin.oid}()`,
    row_type: `stage_data.twin_row_${twin.oid}`,
    column_definitions: twin.columns
      .map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
      .join(', '),
    columns: columnList(twin.columns.map(({ name }) => name)),
    body: quoteLiteral(body.text),
    options: twin.isBarrier ? 'WITH (security_barrier)' : '',
  });
  await tx.query(script).catch((error: Error) => {
    throw unreadable(twin, error.message);
  });
  await tx.query(
    `INSERT INTO stage.twin (relation, stamp, plain) VALUES ($1, $2, $3::oid[])
     ON CONFLICT (relation) DO UPDATE SET stamp = excluded.stamp, plain = excluded.plain`,
    [twin.oid, twin.stamp, `{${body.plain.join(',')}}`],
  );
}

function unreadable(twin: Twin, reason: string): StageError {
  const name = shownName(twin.schema, twin.name);
  return new StageError(
    'statement_not_supported',
    `cannot read "${name}" with what is staged: ${reason}`,
    {
      hint: 'Name the tables behind it, or read production on a connection with service_reads=production.',
    },
  );
}
