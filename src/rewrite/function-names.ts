/** Replaces the functions that a staged read calls by staged functions, which read staged rows. */
import { qualifiedName } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { CallPlace } from '../sql/places.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Names } from './relation-names.ts';
import { parkedBehind } from './stageable.ts';

/** A function's name as stage.resolve_functions describes it. */
interface ResolvedFunction {
  /** Whether it may read tables. */
  readonly code: boolean;
  /** Whether it takes or returns rows of tables. The rows that staged functions return have other types than those that functions take. */
  readonly takesRows: boolean;
  readonly givesRows: boolean;
  readonly isKnown: boolean;
  /** Whether staged rows of the tables it reads are orphaned in this session. */
  readonly parked: boolean;
  /** The schema of the staged functions; null if the functions themselves must be called. */
  readonly schema: string | null;
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

  constructor(query: ServerQuery, names: Names, overlays: OverlayManager) {
    this.query = query;
    this.names = names;
    this.overlays = overlays;
  }

  /**
   * Returns the replacements of function names by staged functions. It queries the server each time, because anybody may replace a
   * function, except for names for which no function may read tables.
   * @throws StageError if the transaction's snapshot is older than the staged functions, or if what they read cannot be shown
   */
  async replacements(called: readonly CallPlace[]): Promise<Replacement[]> {
    if (this.version !== this.names.version || this.plain.size > maxCached) this.plain.clear();
    this.version = this.names.version;
    const asked = called.filter((call) => call.schema !== 'pg_catalog' && !this.isPlain(call));
    if (asked.length === 0) return [];
    const resolved = await this.resolve(asked);
    const takesRows = resolved.some((each) => each.takesRows);
    return asked.flatMap(({ start, end, name }, index) => {
      const { schema = null, givesRows = false } = resolved[index] ?? {};
      return schema !== null && !(takesRows && givesRows)
        ? [{ start, end, text: qualifiedName(schema, name) }]
        : [];
    });
  }

  /** Returns whether it is known that none of the calls refers to a function that may read tables. */
  arePlain(called: readonly CallPlace[]): boolean {
    return called.every((call) => call.schema === 'pg_catalog' || this.isPlain(call));
  }

  private async resolve(called: readonly CallPlace[]): Promise<readonly ResolvedFunction[]> {
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

  private async queryFor(called: readonly CallPlace[]): Promise<Resolved> {
    const names = JSON.stringify(called.map(nameOf));
    const [row] = await this.query(resolveFunctions, [Buffer.from(names)]);
    const resolved = JSON.parse(row?.[0]?.toString() ?? '{"path":[],"functions":[]}') as Resolved;
    for (const [index, call] of called.entries()) {
      const found = resolved.functions[index];
      if (found && !found.code && !found.takesRows) this.plain.add(keyOf(call));
    }
    return resolved;
  }

  private isPlain(call: CallPlace): boolean {
    return this.version === this.names.version && this.plain.has(keyOf(call));
  }
}

const isUnknown = (found: ResolvedFunction | undefined) => found?.code === true && !found.isKnown;

const nameOf = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name });

const keyOf = ({ schema, name }: QualifiedName) => JSON.stringify([schema, name]);

const tooOld = new StageError(
  'statement_not_supported',
  'could not serialize access due to a concurrent change of a function',
  { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
);
