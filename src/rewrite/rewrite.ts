/** Rewrites a classified statement to the text to send: overlay names replace production names, and row locks are removed. */
import { StageError } from '../errors.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { ServerQuery } from '../server-connection/internal-statement.ts';
import type { RefusedWhen } from '../server-connection/prepared-statements.ts';
import { refusalError } from '../server-connection/refusals.ts';
import type { Calls, QualifiedName } from '../sql/functions/calls.ts';
import { functionRefusal, refusedFunctions } from '../sql/functions/functions.ts';
import type { Read, RowLocks } from '../sql/read.ts';
import type { DefinitionWrite, QueryWrite, Write } from '../sql/write.ts';
import type { Arbiters } from './arbiters.ts';
import { findArbiters } from './arbiters.ts';
import type { CallingWrite } from './call-rewrite.ts';
import {
  callingWrite,
  callsToCheck,
  harmlessCalls,
  spliceCalls,
  stagesCalls,
  unstagedIn,
  unstagedProcedure,
  withWritten,
  writeOfCalls,
} from './call-rewrite.ts';
import { CodeBlocks } from './code-blocks.ts';
import { isRefusedCopy } from './copy-columns.ts';
import {
  checkComputed,
  checkTargets,
  definitionOf,
  emptiesTemporary,
  temporaryNames,
} from './definition.ts';
import type { FunctionNames, StagedCalls } from './function-names.ts';
import { isMistaken } from './given-columns.ts';
import { loaded } from './load-rewrite.ts';
import type { LockRewrite } from './lock-rewrite.ts';
import { lockableUses, lockRewrite } from './lock-rewrite.ts';
import { verified } from './name-replacements.ts';
import { fixedReplacements } from './query-planner.ts';
import { ReadChecks, relationsOf } from './read-checks.ts';
import { haveMoved, ReadyNames } from './ready-names.ts';
import type { Names } from './relation-names.ts';
import type { Rewrite } from './rewritten.ts';
import { isRefused } from './rewritten.ts';
import type { SplicedBody } from './spliced-body.ts';
import { nothingElse, spliceBody } from './spliced-body.ts';
import type { Named } from './stageable.ts';
import {
  checkedTables,
  checkReadable,
  hiddenCatalog,
  obstacleToWrite,
  withMeanings,
} from './stageable.ts';
import { withRows } from './whole-rows.ts';
import { withTripwire } from './write-options.ts';

export class Rewriter {
  private readonly query: ServerQuery;
  private readonly names: Names;
  private readonly functions: FunctionNames;
  readonly checks: ReadChecks;
  private readonly blocks: CodeBlocks;
  private readonly overlays: OverlayManager;
  private readonly ready: ReadyNames;
  private readonly allowedFunctions: readonly string[];
  private readonly cachedSets = new WeakMap<Write, Rewrite>();
  private readonly cachedRows = new WeakMap<Write, Rewrite>();
  /** Writes that could not be staged as a set: an obstacle often recurs. */
  private readonly rowByRow = new WeakSet<Write>();
  /** The refusals of CALLs, unless PostgreSQL refuses them first. */
  readonly refusals = new WeakMap<Write, StageError>();

  constructor(
    query: ServerQuery,
    names: Names,
    functions: FunctionNames,
    overlays: OverlayManager,
    allowedFunctions: readonly string[],
  ) {
    this.query = query;
    this.names = names;
    this.functions = functions;
    this.overlays = overlays;
    this.ready = new ReadyNames(names, overlays);
    this.checks = new ReadChecks(names, functions);
    this.blocks = new CodeBlocks(query, overlays);
    this.allowedFunctions = allowedFunctions;
  }

  /**
   * Prepares a write for staging: every relation that has an overlay is replaced, and every target gets one.
   * @param mayBeSet whether its rows may be staged as a set. If that fails, the write must be run again.
   * @returns the rewrite, or the stage at which PostgreSQL refuses the write, and must report the error itself
   * @throws StageError for what cannot be staged
   */
  async write(write: Write, mayBeSet = false): Promise<Rewrite | RefusedWhen> {
    this.overlays.demandUpToDate();
    // guard: objects that users have made since are resolved in writes
    this.names.follow();
    if (stagesCalls(write)) return this.stageCalls(write);
    const asSet = mayBeSet && !this.rowByRow.has(write);
    const cache = asSet ? this.cachedSets : this.cachedRows;
    const known = cache.get(write);
    if (known?.version === this.names.version) return known;
    // resolving names reports the search path, under which other connections may have assessed the calls
    if (this.names.surePath === null) await this.names.resolve(write.relations);
    try {
      const made = await (write.form === 'definition'
        ? this.define(write)
        : this.make(write, asSet));
      if (!isRefused(made) && made.isLasting) cache.set(write, made);
      return made;
    } catch (error) {
      return this.makeCalling(writeOfCalls(write, error), error);
    }
  }

  /** @param known the functions that a refused write calls, which turned out to write nothing */
  private async make(
    write: Write,
    asSet: boolean,
    known: StagedCalls | null = null,
  ): Promise<Rewrite | RefusedWhen> {
    const runsOthers = await this.checkCalls(callsToCheck(write, known), write.relations);
    // guard: no schema may stand before pg_catalog
    if (this.names.hidesCatalog) throw hiddenCatalog;
    const named = await this.ready.resolveStageable(write);
    if (named === null) return write.form === 'copy' ? 'run' : 'analysed';
    if (write.form === 'copy' && isRefusedCopy(write, named)) return 'run';
    if (emptiesTemporary(write, named)) return this.defining(write, named);
    if (isMistaken(write, named)) return 'analysed';
    const cascades = write.form === 'truncate' && write.cascades;
    const staged = await this.ready.ensureOverlays(named, cascades);
    // meanwhile a name may have come to refer to another relation, which was not checked
    if (haveMoved(named, staged)) return this.make(write, asSet, known);
    this.names.noteStaged(...checkedTables(staged, this.allowedFunctions));
    const arbiters = await findArbiters(write, staged, this.query);
    if (arbiters === null) return 'planned';
    // objects that were just created may be newer than the staged functions
    const calls = { functions: this.functions, known, isCurrent: staged === named };
    const { runsCode, ...found } = await harmlessCalls(write, runsOthers, calls);
    // it is not known whether the tables that a cascade reaches run code
    const mayRun = runsCode || cascades;
    const made = await this.replace(write, staged, mayRun, arbiters, found.replacements);
    const rewrite = { ...made, isLasting: made.isLasting && found.isLasting };
    return asSet ? loaded(rewrite, write, staged) : rewrite;
  }

  /** Prepares a write that was refused because it calls VOLATILE functions: these may be staged. @throws the refusal if they are not */
  private async makeCalling(write: QueryWrite, refusal: unknown): Promise<Rewrite | RefusedWhen> {
    const calls = await this.functions.calls(write.called);
    if (calls.writing.length > 0) return this.stageCalls(callingWrite(write, refusal));
    return this.make(write, false, calls);
  }

  /** Prepares a statement that calls functions which write. It queries the server each time, because anybody may replace a function. */
  private async stageCalls(write: CallingWrite, tries = 3): Promise<Rewrite | RefusedWhen> {
    const { block, called } = write;
    const calls = await (block ? this.blocks.calls(block) : this.functions.calls(called));
    const refusal = unstagedProcedure(write, calls);
    if (refusal !== null) {
      this.refusals.set(write, refusal);
      return 'analysed';
    }
    // guard: unstaged tables of a statement that calls functions are checked as in each staged write
    await this.checkCalls(unstagedIn(write, calls), write.relations);
    if (this.names.hidesCatalog) throw hiddenCatalog;
    const named = await this.ready.resolveStageable(withWritten(write, calls));
    if (named === null || isMistaken(write, named)) return 'analysed';
    const staged = await this.ready.ensureOverlays(named);
    // objects that were just created may be newer than the staged functions
    if (staged !== named && tries > 0) return this.stageCalls(write, tries - 1);
    this.names.noteStaged(...checkedTables(staged, this.allowedFunctions));
    return withTripwire(
      await this.made(await spliceCalls(write, calls, staged, this.names), write, staged),
    );
  }

  /** Prepares a command that defines tables. @throws StageError if it concerns anything other than temporary tables */
  private async define(write: DefinitionWrite): Promise<Rewrite> {
    const { query, fixed } = write;
    const runsCode = await this.checkCalls(write, query?.relations ?? []);
    if (this.names.hidesCatalog) throw hiddenCatalog;
    const named = await this.ready.resolve(write.relations, true);
    checkTargets(write, named);
    checkComputed(write, named, runsCode);
    if (query === null) return this.defining(write, named);
    const read = await this.readOverlays(query);
    const replacements = [...fixed, ...read.replacements];
    const definition = definitionOf(write);
    return { ...read, replacements, definition, hasTripwire: false, options: '{}' };
  }

  private async defining(write: Write, named: readonly Named[]): Promise<Rewrite> {
    const spliced = { ...nothingElse, replacements: temporaryNames(named) };
    return { ...(await this.made(spliced, write, named)), definition: definitionOf(write) };
  }

  /** Returns the function by which a write's rows are staged row by row from now on; null if they already are. */
  fallback(write: Write, { isSet }: Rewrite): (() => void) | null {
    return isSet ? () => this.rowByRow.add(write) : null;
  }

  /**
   * Checks the calls of a statement that may write. Returns whether they may run code written in this database.
   * @throws StageError if one of the functions could write, or do other harm
   */
  async checkCalls(calls: Calls, relations?: readonly QualifiedName[]): Promise<boolean> {
    const refused = refusedFunctions(calls.functions, 'write', this.allowedFunctions);
    if (refused) throw refusalError(functionRefusal(refused));
    const { harmful, runsCode } = await this.names.assess(calls, relations);
    // guard: volatile functions are refused in staged writes
    if (harmful) throw refusalError(functionRefusal(harmful));
    return runsCode;
  }

  /**
   * Prepares a read of staged rows.
   * @param isVerified whether the read is sent with the checks of `verification`; otherwise names are queried again now, because others may
   * have created overlays since
   */
  async read(read: Read, isVerified = false): Promise<Rewrite> {
    const relations = relationsOf(read);
    // what is known of functions is outdated once names are resolved anew
    const mayPass = this.checks.mayPass(read);
    const refreshed = () => this.names.refresh(relations, mayPass);
    const meanings = await (isVerified ? this.names.resolve(relations) : refreshed());
    if (mayPass && this.names.untouched(relations) !== null)
      return this.made({ ...nothingElse, replacements: fixedReplacements(read) }, read, []);
    return this.readStaged(read, withMeanings(relations, meanings));
  }

  /** Prepares a read that is part of another statement, or runs later: rows may be staged by then. */
  async readOverlays(read: Read): Promise<Rewrite> {
    const relations = relationsOf(read);
    return this.readStaged(read, withMeanings(relations, await this.names.refresh(relations)));
  }

  private async readStaged(read: Read, relations: Named[]): Promise<Rewrite> {
    const named = await this.ready.ensureOverlays(relations);
    for (const each of named) checkReadable(each, read);
    const functions = await this.functions.replacements(read.called);
    return this.replace(read, named, false, new Map(), functions);
  }

  /**
   * Prepares the locks of a read, which are taken where the rows of its tables are staged.
   * @returns null if none of them can be taken, or if the read calls something that must not run where writing is possible
   */
  async lock(read: Read, locks: RowLocks): Promise<LockRewrite | null> {
    const uses = lockableUses(read, locks, await this.names.refresh(read.relations));
    try {
      // guard: rows are locked by no query that calls volatile code
      const runsCode = await this.checkCalls(locks, read.relations);
      const asTargets = withMeanings(uses, await this.names.refresh(uses));
      const obstacle = asTargets.map(obstacleToWrite).find((found) => found !== null);
      if (obstacle || this.names.hidesCatalog) return null;
      const named = await this.ready.ensureOverlays(asTargets);
      const functions = await this.functions.replacements(read.called);
      const made = await this.replace(read, named, runsCode, new Map(), functions);
      return lockRewrite(read, locks, named, made.replacements, made.hasTripwire);
    } catch (error) {
      // a relation that cannot be staged cannot be changed by another connection of the session either
      if (error instanceof StageError && error.code === 'statement_not_supported') return null;
      throw error;
    }
  }

  private async replace(
    body: Read | Write,
    named: readonly Named[],
    runsCode: boolean,
    arbiters: Arbiters = new Map(),
    calls: StagedCalls['replacements'] = [],
  ): Promise<Rewrite> {
    const spliced = await spliceBody(body, named, this.names, arbiters, calls);
    const rewrite = await this.made(spliced, body, named);
    // guard: statements that run user code are under the tripwire
    return runsCode || named.some(({ meaning }) => meaning.code) ? withTripwire(rewrite) : rewrite;
  }

  private async made(spliced: SplicedBody, body: Read | Write, named: readonly Named[]) {
    const rows = await withRows(spliced.replacements, body, named, this.functions);
    return {
      ...spliced,
      ...rows,
      relations: JSON.stringify(named.map((each) => verified(each, body))),
      stamps: named.map(({ meaning }) => meaning.stamp),
      options: JSON.stringify(spliced.options),
      hasTripwire: false,
      definition: null,
      isSet: false,
      path: this.names.path,
      version: this.names.version,
    };
  }
}
