/** Replaces the functions that a statement calls by staged functions, which read staged rows and stage what they write. */
import { StageError } from '../errors.ts';
import { qualifiedName } from '../identifier.ts';
import type { TakenRows } from '../overlay/functions/row-values.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { CallPlace } from '../sql/places.ts';
import type { Replacement } from '../sql/splice.ts';
import { columnsGiven } from './columns-given.ts';
import type { Names } from './relation-names.ts';
import { parkedBehind } from './stageable.ts';
import { UnstagedCalls } from './unstaged-calls.ts';

/** A function's name as stage.resolve_functions describes it. */
interface ResolvedFunction {
  /** Whether it may read tables. */
  readonly code: boolean;
  /** The rows of tables that its functions take. */
  readonly rows: readonly TakenRows[];
  readonly isKnown: boolean;
  /** Whether one of its functions is VOLATILE. */
  readonly isVolatile: boolean;
  /** Whether staged rows of the tables it reads are orphaned in this session. */
  readonly parked: boolean;
  /** Whether it writes. Only a staged write calls its staged functions. */
  readonly writes: boolean;
  /** Whether its staged functions would notify, which they refuse in a staged write. */
  readonly notifies: boolean;
  /** Whether its staged functions have no effects. A staged write may call them although the function is VOLATILE. */
  readonly isHarmless: boolean;
  /** Whether it reads no table, so that reads call the function itself. */
  readonly computes: boolean;
  /** The tables that it writes to, by their full names. */
  readonly written: readonly WrittenName[];
  /** A table that it names and that a temporary relation of the connection hides; null if there is none. */
  readonly hidden: string | null;
  /** The reason why it has no staged functions; null if it has some, or is not known. */
  readonly obstacle: string | null;
  /** The schema of the staged functions; null if the functions themselves must be called. */
  readonly schema: string | null;
}

/** The full name of a table that functions write to, with the OID of the role whose rights apply unless these are the client's. */
export type WrittenName = QualifiedName & { readonly role?: number };

/** The replacement of a function's name by that of staged functions. */
export interface CallReplacement extends Replacement {
  /** Their schema, if they read the rows from before the statement: none of the functions is VOLATILE. */
  readonly reads?: string;
  /** The rows of tables that staged functions take. */
  readonly rows?: readonly TakenRows[];
}

/** Functions that may take rows, and the schema of those that a statement calls in their place. */
export type Taking = Pick<ResolvedFunction, 'rows' | 'schema'>;

/** The replacements for the calls of a statement that stages the writes of functions. */
export interface StagedCalls {
  readonly replacements: readonly CallReplacement[];
  /** The functions that were replaced by some that write, as the statement names them. */
  readonly writing: readonly QualifiedName[];
  /** Those that were replaced by some without effects. */
  readonly harmless: readonly QualifiedName[];
  /** The tables that they write to. */
  readonly written: readonly WrittenName[];
  /** The first of them that a condition on rows calls; null if there is none. */
  readonly inCondition: string | null;
  /** Why the first of the functions is not staged; null if it is, or if that is not known. */
  readonly obstacle: string | null;
}

interface Resolved {
  /** OIDs of the schemas that are searched for names. */
  readonly path: readonly number[];
  readonly functions: readonly ResolvedFunction[];
}

const resolveFunctions: InternalStatement = {
  text: 'SELECT stage.resolve_functions($1, pg_catalog.current_schemas(true))',
};

/** Maximum number of cached names, to bound memory; applications use fewer. */
const maxCached = 10_000;

export class FunctionNames {
  private readonly query: ServerQuery;
  private readonly names: Names;
  private readonly overlays: OverlayManager;
  /** Names for which no function may read tables. */
  private readonly plain = new Set<string>();
  private version = -1;
  /** The functions that were found not to be staged. */
  readonly unstaged = new UnstagedCalls();
  /** The last result, until it is used, so that a statement is resolved once. */
  private found: {
    readonly called: readonly CallPlace[];
    readonly asked: readonly CallPlace[];
    readonly functions: readonly ResolvedFunction[];
  } | null = null;

  constructor(query: ServerQuery, names: Names, overlays: OverlayManager) {
    this.query = query;
    this.names = names;
    this.overlays = overlays;
  }

  /**
   * Returns the replacements of function names by staged functions. It queries the server each time, because anybody may replace a
   * function, except for names for which no function may read tables.
   * @param mayNotify whether functions that notify are replaced, too
   * @throws StageError if the transaction's snapshot is older than the staged functions, or if what they read cannot be shown, or is not
   * what the functions would find
   */
  async replacements(called: readonly CallPlace[], mayNotify = true): Promise<CallReplacement[]> {
    const known = this.found?.called === called ? this.found : null;
    this.found = null;
    const asked = known?.asked ?? this.askedOf(called);
    if (asked.length === 0) return [];
    const functions = known?.functions ?? (await this.resolve(asked));
    const isRead = readsStaged(mayNotify);
    for (const [index, found] of functions.entries()) {
      // guard: what a function reads behind a temporary table is not read in its place
      if (isRead(found) && found.hidden !== null) throw hiddenBehind(asked[index]?.name, found);
    }
    return replaced(asked, functions, isRead);
  }

  /**
   * Returns whether one of the calls is of a function that writes and is staged.
   * @throws StageError as `replacements` does
   */
  async stages(called: readonly CallPlace[]): Promise<boolean> {
    if (this.arePlain(called)) return false;
    return (await this.find(called)).functions.some(stages);
  }

  /**
   * Returns the first function among the calls that writes and is staged, although it is not VOLATILE: it calls one that is. Null if there
   * is none.
   * @throws StageError as `replacements` does
   */
  async unmarkedWriter(called: readonly CallPlace[]): Promise<QualifiedName | null> {
    if (this.arePlain(called)) return null;
    const { asked, functions } = await this.find(called);
    return asked[functions.findIndex((each) => stages(each) && !each.isVolatile)] ?? null;
  }

  private async find(called: readonly CallPlace[]) {
    const asked = this.askedOf(called);
    const functions = asked.length === 0 ? [] : await this.resolve(asked);
    this.found = { called, asked, functions };
    return this.found;
  }

  /**
   * Returns the replacements for the calls of a staged statement. It queries the server each time.
   * @throws StageError as `replacements` does, and for a function that finds another table than its staged function would
   */
  async calls(called: readonly CallPlace[]): Promise<StagedCalls> {
    const asked = called.filter((call) => !this.isOfServer(call));
    const functions = asked.length === 0 ? [] : await this.resolve(asked);
    this.found = null;
    const writing = asked.filter((_, index) => stages(functions[index] as ResolvedFunction));
    for (const [index, found] of functions.entries()) {
      // guard: a temporary table in the place of a table that a function names is not passed over
      if (found.hidden !== null) throw hiddenBehind(asked[index]?.name, found);
    }
    // a function that only notifies comes here if an operator allows it
    const replacements = replaced(asked, functions, (each) => each.writes || !each.notifies);
    // guard: only what is replaced by a staged function counts as harmless
    const harmless = asked.filter(
      ({ start }, index) =>
        functions[index]?.isHarmless && replacements.some((each) => each.start === start),
    );
    return {
      replacements,
      writing: writing.map(nameOf),
      harmless: harmless.map(nameOf),
      inCondition: writing.find(({ isCondition }) => isCondition)?.name ?? null,
      written: functions.filter(stages).flatMap(({ written }) => written),
      obstacle: functions[0]?.obstacle ?? null,
    };
  }

  /**
   * Returns the functions of each name that may take rows of tables. It queries the server unless none of them may.
   * @throws StageError as `replacements` does
   */
  async taking(called: readonly QualifiedName[], mayNotify: boolean): Promise<readonly Taking[]> {
    const asked = called.filter((name) => !this.isPlain(name));
    const functions = asked.length === 0 ? [] : await this.resolve(asked);
    return called.map((name) => {
      const found = functions[asked.indexOf(name)] ?? nothing;
      return readsStaged(mayNotify)(found) ? found : { ...found, schema: null };
    });
  }

  /** Returns the names of the columns that functions in FROM may give. */
  columnsGiven(givers: readonly QualifiedName[]): Promise<ReadonlySet<string>> {
    return columnsGiven(this.query, givers);
  }

  /** Returns whether it is known that none of the calls refers to a function that may read tables. */
  arePlain(called: readonly CallPlace[]): boolean {
    return called.every((call) => this.isPlain(call));
  }

  private async resolve(called: readonly QualifiedName[]): Promise<readonly ResolvedFunction[]> {
    let { path, functions } = await this.queryFor(called);
    const unknown = called.filter((_, index) => isUnknown(functions[index]));
    if (unknown.length > 0) {
      await this.overlays.ensureFunctions(unknown.map(nameOf), path);
      ({ functions } = await this.queryFor(called));
    }
    if (functions.some(isUnknown)) throw tooOld;
    const lost = called.find((_, index) => functions[index]?.parked);
    if (lost) throw parkedBehind(`what "${lost.name}" reads`);
    return functions;
  }

  private async queryFor(called: readonly QualifiedName[]): Promise<Resolved> {
    const { version } = this.names;
    const names = JSON.stringify(called.map(nameOf));
    const [row] = await this.query(resolveFunctions, [Buffer.from(names)]);
    const resolved = JSON.parse(row?.[0]?.toString() ?? '{"path":[],"functions":[]}') as Resolved;
    if (this.version !== version || this.plain.size > maxCached) this.plain.clear();
    this.version = version;
    for (const [index, call] of called.entries()) {
      const found = resolved.functions[index];
      if (found) this.unstaged.note(call, found);
      if (found && !found.code && found.rows.length === 0) this.plain.add(keyOf(call));
    }
    return resolved;
  }

  private askedOf(called: readonly CallPlace[]): readonly CallPlace[] {
    return called.filter((call) => !this.isPlain(call));
  }

  private isPlain(call: QualifiedName): boolean {
    if (this.isOfServer(call)) return true;
    return this.version === this.names.version && this.plain.has(keyOf(call));
  }

  /** Returns whether the call is of a function of the server: these read no tables of users. */
  private isOfServer(call: QualifiedName): boolean {
    return call.schema === 'pg_catalog' || this.names.calls.isOfServer(call);
  }
}

/** Returns the replacements for the calls of functions that have staged functions. */
function replaced(
  called: readonly CallPlace[],
  functions: readonly ResolvedFunction[],
  isReplaced: (found: ResolvedFunction) => boolean,
): CallReplacement[] {
  return called.flatMap(({ start, end, name }, index) => {
    const found = functions[index];
    if (!found || found.schema === null || !isReplaced(found)) return [];
    const reads = found.isVolatile ? {} : { reads: found.schema };
    return [{ start, end, text: qualifiedName(found.schema, name), rows: found.rows, ...reads }];
  });
}

const nothing = { rows: [], schema: null, writes: false, computes: false, notifies: false };
/**
 * Returns the test for functions in whose place statements call staged functions that only read. Those that take rows of tables are among
 * them even if they read no table: rows that staged functions return have the types of these.
 */
const readsStaged =
  (mayNotify: boolean) =>
  ({
    writes,
    computes,
    rows,
    notifies,
    schema,
  }: Omit<typeof nothing, 'rows' | 'schema'> & Taking) =>
    !writes && (!computes || rows.length > 0) && (mayNotify || !notifies) && schema !== null;

const stages = ({ writes, schema }: ResolvedFunction) => writes && schema !== null;

const hiddenBehind = (name = '', { writes, hidden }: ResolvedFunction) =>
  new StageError(
    'statement_not_supported',
    `cannot stage what function ${name}() ${writes ? 'writes' : 'reads'}: the temporary table "${hidden}" hides a table that it names`,
    { hint: 'Drop the temporary table, or give it another name.' },
  );

const isUnknown = (found: ResolvedFunction | undefined) => found?.code === true && !found.isKnown;
const nameOf = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name });

const keyOf = ({ schema, name }: QualifiedName) => JSON.stringify([schema, name]);

const tooOld = new StageError(
  'statement_not_supported',
  'could not serialize access due to a concurrent change of a function',
  { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
);
