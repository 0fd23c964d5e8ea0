/** Ensures that the overlays that a statement needs exist and are current. */
import { readTable, serverMajor } from '../../db/catalog-reader.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { loadParser } from '../../sql/parser/parser.ts';
import { demandServable } from '../../staging/servable.ts';
import type { StagedBlock } from '../functions/staged-block.ts';
import { followBlock } from '../functions/staged-block.ts';
import { ensureStagedFunction } from '../functions/staged-function.ts';
import { installTree, treeTables } from '../inheritance/tree-install.ts';
import { oidArray } from '../object-names.ts';
import { obstacleOf } from '../obstacle.ts';
import { installTriggers } from '../triggers/install-triggers.ts';
import { ensureStagedView } from '../views/staged-view.ts';
import { ensureBound } from './binding.ts';
import { installOverlay } from './install.ts';
import { installPolicies } from './install-policies.ts';
import { lockInstallation } from './installation-lock.ts';
import { KnownTables } from './known-tables.ts';
import { readLinkedTable } from './linked-tables.ts';

export interface OverlayManager {
  /** Call it before each staged statement. @throws StageError when the service may not stage any more */
  demandUpToDate(): void;
  /** Call it when an overlay does not fit its table although its stamps do: the definitions of tables are read again. */
  forget(): void;
  /**
   * Ensures that write targets (tables or views), and every table that their foreign keys reach, have current overlays. It is cheap, but
   * not free: callers call it when a name resolved to no overlay or to an outdated one.
   * @param cascades whether the statement writes to all tables that refer to its targets, whatever their foreign keys define
   * @param trees targets whose children's rows are written, too
   * @param reads those of the relations that are only read, so that they may be tables to which writes cannot be staged
   * @throws StageError `statement_not_supported` with a hint for a table that cannot be staged
   */
  ensure(
    relations: readonly number[],
    cascades?: boolean,
    trees?: readonly number[],
    reads?: readonly number[],
  ): Promise<void>;
  /**
   * Ensures that views and partitions that are read have current staged views.
   * @throws StageError `statement_not_supported` with a hint for a view that cannot be read with staged rows
   */
  ensureStagedViews(relations: readonly number[]): Promise<void>;
  /**
   * Ensures that functions have current staged functions, which read staged rows, or that the reason why they have none is recorded.
   * @param path OIDs of the schemas of the search path, in order
   */
  ensureFunctions(names: readonly QualifiedName[], path: readonly number[]): Promise<void>;
  /** Returns the text that runs in place of a DO block. @param path as for `ensureFunctions` */
  followBlock(body: string, path: readonly number[]): Promise<StagedBlock>;
}

/**
 * Creates the manager over the service account's database.
 * @param demandUpToDate throws when the service is known to be one that may not stage any more
 */
export function createOverlayManager(
  db: Database,
  demandUpToDate: () => void = () => undefined,
): OverlayManager {
  const known = new KnownTables();
  const install = async <Result>(work: (tx: Queryable, server: number) => Promise<Result>) => {
    // defaults, policies and bodies are parsed
    await Promise.all([loadParser(), ensureBound(db)]);
    return db.transaction(async (tx) => {
      await lockInstallation(tx);
      await demandServable(tx);
      // Validating a body converts its literals. That runs checks of domains, which are user code, with the service's rights.
      // guard: bodies are not analysed with the service's rights
      await tx.query('SET LOCAL check_function_bodies = off');
      await tx.query('SELECT stage.release_names()');
      await tx.query('SELECT stage.release_functions()');
      known.readIn(tx);
      const server = await serverMajor(tx);
      const result = await work(tx, server);
      await finishInstallation(tx, server);
      return result;
    });
  };
  return {
    demandUpToDate,
    forget: () => known.forget(),
    ensure: (relations, cascades = false, trees = [], reads = []) =>
      install(async (tx, server) => {
        const targets = await tablesBehind(tx, relations, trees, server);
        const { tables, written } = await reachableTables(tx, targets, cascades, reads);
        for (const table of tables) await installOverlay(tx, table, server);
        await installPolicies(tx, server, tables);
        for (const table of tables)
          if (written.includes(table.oid)) await installTriggers(tx, table, server);
        for (const root of targets.trees) await installTree(tx, root, server);
        await tx.query('UPDATE stage.tree SET writable = true WHERE relation = ANY ($1::oid[])', [
          oidArray(targets.trees),
        ]);
        await tx.query(
          'UPDATE stage.overlay SET writable = true WHERE relation = ANY ($1::oid[])',
          [oidArray(written)],
        );
      }),
    ensureStagedViews: (relations) =>
      install(async (tx, server) => {
        for (const oid of relations) await ensureStagedView(tx, oid, server);
      }),
    ensureFunctions: (names, path) =>
      install(async (tx, server) => {
        for (const name of names) await ensureStagedFunction(tx, name, path, server);
      }),
    followBlock: (body, path) => install((tx, server) => followBlock(tx, body, path, server)),
  };
}

/** Completes the objects that were made. */
async function finishInstallation(tx: Queryable, server: number): Promise<void> {
  await installPolicies(tx, server);
  // rebuilding an overlay drops the views that depend on it
  await tx.query('DELETE FROM stage.staged_view WHERE stage.overlay_of(relation) IS NULL');
}

interface Targets {
  readonly tables: readonly number[];
  /** Tables that are written together with their children. */
  readonly trees: readonly number[];
}

/** Finds the tables that writes go to: the targets themselves, or the tables behind targets that are views. */
async function tablesBehind(
  tx: Queryable,
  targets: readonly number[],
  roots: readonly number[],
  server: number,
): Promise<Targets> {
  const views = await tx.query(
    `SELECT c.oid, c.relname AS name, CASE WHEN c.relispartition THEN
       CASE WHEN stage.table_obstacle(pg_partition_root(c.oid)) IS NULL THEN c.oid ELSE pg_partition_root(c.oid)::oid END END AS refused
     FROM pg_class c WHERE c.oid = ANY ($1::oid[]) AND (c.relkind = 'v' OR c.relispartition)`,
    [`{${targets.join(',')}}`],
  );
  const tables = new Set(targets);
  const trees = new Set(roots);
  for (const { oid, name, refused } of views) {
    // an unwritable partition is refused for its own obstacle, or for that of its table
    const table = (await ensureStagedView(tx, Number(oid), server)) ?? refused;
    if (table == null) throw notBehind(String(name));
    tables.delete(Number(oid));
    tables.add(Number(table));
    if ((await readTable(tx, Number(table)))?.hasChildren) trees.add(Number(table));
  }
  return { tables: [...tables], trees: [...trees] };
}

function notBehind(view: string): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot stage writes to view "${view}": no table behind it can be staged`,
    {
      hint: 'Write to the table behind the view. If that is refused, too, its error names the reason.',
    },
  );
}

interface Reachable {
  readonly tables: readonly Table[];
  /** OIDs of the tables that a statement on a target may write to. */
  readonly written: readonly number[];
}

/** Reads a table. @param because null for a table that is written to itself; @param isLinked as in `readInto` */
type Read = (oid: number, because: Reason | null, isLinked: boolean) => Promise<Table>;

/** Reads the write targets and the tables that they need: the other end of each foreign key, and recursively wherever an action writes. */
async function reachableTables(
  tx: Queryable,
  { tables: targets, trees }: Targets,
  cascades: boolean,
  reads: readonly number[],
): Promise<Reachable> {
  const tables = new Map<number, Table>();
  const read: Read = (oid, because, isLinked) => readInto(tx, tables, oid, because, isLinked);
  const written = new Set(targets);
  for (const root of trees)
    for (const oid of await writtenMembers(tx, root, read)) written.add(oid);
  // iteration over a set includes elements that are added meanwhile
  for (const oid of written) {
    const table = await read(oid, null, reads.includes(oid));
    if (table.obstacle !== null) written.delete(oid);
    else for (const child of await writtenChildren(table, read, cascades)) written.add(child);
  }
  return { tables: [...tables.values()], written: [...written] };
}

/** Reads the tables of an inheritance tree. Returns those to which writes can be staged. */
async function writtenMembers(tx: Queryable, root: number, read: Read): Promise<number[]> {
  const because = { target: await nameOf(tx, root), link: 'its rows include those of' };
  const written = [root];
  for (const oid of await treeTables(tx, root))
    if (oid !== root && (await read(oid, because, true)).obstacle === null) written.push(oid);
  return written;
}

/** Reads the tables that foreign keys link with a table. Returns those to which their actions write. */
async function writtenChildren(table: Table, read: Read, cascades: boolean): Promise<number[]> {
  const because = {
    target: shownName(table.schema, table.name),
    link: 'a foreign key links it with',
  };
  for (const { parent } of table.references) await read(parent.oid, because, true);
  const written: number[] = [];
  for (const foreignKey of table.referencedBy) {
    const child = await read(foreignKey.child.oid, because, !cascades);
    // a foreign key's action is refused at the rows of a table that cannot be staged
    const isWritable = child.obstacle === null;
    if (isWritable && (cascades || writesChild(foreignKey))) written.push(child.oid);
  }
  return written;
}

async function nameOf(tx: Queryable, oid: number): Promise<string> {
  const [row] = await tx.query('SELECT relname FROM pg_class WHERE oid = $1', [oid]);
  return row?.['relname'] ?? '';
}

/** How a target leads to another table. */
interface Reason {
  readonly target: string;
  readonly link: string;
}

/**
 * Reads a table, unless it was read before.
 * @param because null for a table that is written to itself
 * @param isLinked whether the statement only leads to the table, so that it may be one to which writes cannot be staged
 */
async function readInto(
  tx: Queryable,
  tables: Map<number, Table>,
  oid: number,
  because: Reason | null,
  isLinked: boolean,
): Promise<Table> {
  const before = tables.get(oid);
  // a target is refused although another table's foreign key has led to it before
  if (before !== undefined && (isLinked || before.obstacle === null)) return before;
  const table = await readTable(tx, oid);
  if (table === null) {
    throw new StageError('not_found', `no relation has the OID ${oid}`, { sqlstate: '42P01' });
  }
  const usable = isLinked ? await readLinkedTable(tx, table) : table;
  if (usable === null || (!isLinked && obstacleOf(table) !== null))
    throw await refusalOf(tx, table, because);
  tables.set(oid, usable);
  return usable;
}

function writesChild(foreignKey: ForeignKey): boolean {
  const passive = ['no action', 'restrict'];
  return !passive.includes(foreignKey.onDelete) || !passive.includes(foreignKey.onUpdate);
}

/** Selects the topmost table of a partition; no row for other tables. */
const rootOf = `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = pg_partition_root($1) AND c.oid <> $1`;

async function refusalOf(tx: Queryable, table: Table, because: Reason | null): Promise<StageError> {
  const name = shownName(table.schema, table.name);
  const target = because?.target ?? name;
  const relation = because === null ? 'it' : `${because.link} "${name}", which`;
  const [root] = await tx.query(rootOf, [table.oid]);
  return new StageError(
    'statement_not_supported',
    `cannot stage writes to "${target}": ${relation} ${obstacleOf(table)}`,
    {
      hint:
        root === undefined || because !== null
          ? 'The table can be read in this session. `stage doctor` lists the tables that cannot be staged, and what of their definition keeps them from it.'
          : `Write to "${shownName(String(root['schema']), String(root['name']))}": its rows are staged for the partitions that they belong to.`,
    },
  );
}
