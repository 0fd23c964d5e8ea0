/** Resolves relation and function names on this connection. Results are cached until they may have changed. */

import { loadSchema, overlaySchema, treeSchema } from '../overlay/object-names.ts';
import type { ServerQuery } from '../server-connection/internal-statement.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { ColumnOrigins } from '../server-connection/result-origins.ts';
import type { UserCallsMonitor } from '../server-connection/user-calls.ts';
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { Assessment } from './called-names.ts';
import { joinAssessments, namesCalled } from './called-names.ts';
import { candidateFinder } from './find-candidates.ts';
import { KnownCalls } from './known-calls.ts';
import { distinct, keyOf, roleOf } from './name-uses.ts';
import { OwnTables, tablesIn } from './own-tables.ts';
import type { KnownName, NameUse, ResolvedName } from './resolved-name.ts';
import type { SharedKnowledge } from './shared-calls.ts';
import { firstOfUsers } from './type-names.ts';
import {
  areCurrent,
  namesAreValid,
  ofStandIns,
  ofUntouched,
  resolveRelations,
  verified,
} from './verification.ts';

/** Maximum number of cached names, to bound memory; applications use fewer. */
const maxCached = 10_000;

export class Names {
  /** The origins of result columns, as the client knows them. */
  readonly origins = new ColumnOrigins();
  private readonly query: ServerQuery;
  readonly shared: SharedKnowledge;
  private readonly relations = new Map<string, ResolvedName>();
  readonly calls: KnownCalls;
  private readonly productionSchemas = new Map<string, string>();
  private readonly own = new OwnTables();
  private currentVersion = 0;
  /** Null until the server has reported it. */
  private currentPath: string | null = null;
  private isPathSure = false;
  private isUnsure = false;
  private areOverlaysSuspect = false;
  /** Whether it adopts what other connections have learned. False once something in its cache was outdated. */
  private takesOver = true;

  constructor(
    query: ServerQuery,
    allowedFunctions: readonly string[],
    made: Pick<UserCallsMonitor, 'current'>,
    shared: SharedKnowledge,
  ) {
    this.query = query;
    this.shared = shared;
    const find = candidateFinder(query, shared, {
      surePath: () => this.surePath,
      note: (found) => this.notePath(found),
    });
    this.calls = new KnownCalls(find, allowedFunctions, made);
  }

  /** A number that changes whenever a name may have a new meaning. Anything derived from names under an earlier version is outdated. */
  get version(): number {
    return this.currentVersion;
  }

  /** The search path and role under which all cached names were resolved; null if none was resolved yet. See stage.name_context. */
  get path(): string | null {
    return this.currentPath;
  }

  /** The same; null if it may have changed since the server last reported it. */
  get surePath(): string | null {
    return this.isPathSure ? this.currentPath : null;
  }

  /** Whether a schema precedes pg_catalog, so that its objects may hide the server's own functions and operators. */
  get hidesCatalog(): boolean {
    const schemas = (this.path ?? '').split(',').map((name) => name.replaceAll('"', '').trim());
    return schemas.indexOf('pg_catalog') > 0;
  }

  /** Clears the cache if users have created objects since. To be called before cached names are used. */
  follow(): void {
    if (this.calls.follow()) this.forget();
  }

  forget(): void {
    if (this.relations.size > 0) this.takesOver = false;
    this.relations.clear();
    this.calls.forget();
    // guard: facts of a search path that may have changed are not used
    this.isPathSure = false;
    this.currentVersion += 1;
  }

  /** Records that an overlay does not fit its table although its stamp does. */
  suspectOverlays(): void {
    this.areOverlaysSuspect = true;
  }

  /** Returns whether overlays must be compared with their tables regardless of stamps, and resets that state. */
  takeSuspicion(): boolean {
    const wereSuspect = this.areOverlaysSuspect;
    this.areOverlaysSuspect = false;
    return wereSuspect;
  }

  /** Records that names may have other meanings again when the current transaction ends. */
  beUnsure(): void {
    this.isUnsure = true;
  }

  endTransaction(): void {
    if (this.isUnsure) this.forget();
    this.isUnsure = false;
  }

  /**
   * Returns what each name refers to, in order. Either all names come from the cache or all are queried: results from different times may
   * be inconsistent.
   * @param again queries in any case, because overlays may have been created since
   */
  async resolve(names: readonly NameUse[], again = false): Promise<ResolvedName[]> {
    const known = again ? [] : names.flatMap((name) => this.relations.get(keyOf(name)) ?? []);
    if (known.length === names.length) return known;
    const wanted = distinct(names);
    if (!again && (await this.takeOver(wanted))) return this.resolve(names);
    const learned = await this.learnRelations(wanted);
    if (learned === null) return this.resolve(names, true);
    const meanings = new Map(wanted.map((name, index) => [keyOf(name), learned[index]]));
    return names.map((name) => meanings.get(keyOf(name)) as ResolvedName);
  }

  /**
   * Resolves the names of a read. It queries the server: others may have created overlays, and no later step verifies the cache.
   * @param mayBeUntouched whether only the tables of `untouched` matter if they are all of the names
   */
  async refresh(names: readonly NameUse[], mayBeUntouched = false): Promise<ResolvedName[]> {
    const check = mayBeUntouched ? this.untouched(names) : null;
    const [row] = check === null ? [] : await this.query(check.query, check.values);
    if (check !== null && this.confirm(check, row ?? [])) return this.resolve(names);
    const isCurrent = names.length > 0 && (await this.areCurrent(distinct(names)));
    return this.resolve(names, !isCurrent);
  }

  /** Returns the check that the session has staged nothing in the tables; null unless they are known as such. */
  untouched(names: readonly NameUse[]): Verification | null {
    if (names.length === 0) return null;
    const known = this.known(distinct(names));
    return known?.every((each) => this.own.mayBeUntouched(each))
      ? ofUntouched(known, this.version)
      : null;
  }

  /** Records that the session stages, or may have staged, rows in tables. */
  noteStaged(...tables: readonly number[]): void {
    if (this.own.add(tables)) this.currentVersion += 1;
  }

  /** Returns the possible effects of calling the names and reading the relations. */
  async assess(calls: Calls, relations: readonly QualifiedName[] = []): Promise<Assessment> {
    const called = this.calls.withUnnamed(namesCalled(calls), relations);
    return joinAssessments(await this.calls.assess(called));
  }

  /** Returns whether it is already known that a read may make the calls. */
  areHarmless(calls: readonly UnclearCall[]): boolean {
    // guard: objects that users have made since are resolved in reads
    this.follow();
    return this.calls.areHarmless(calls);
  }

  /** Returns whether the calls of a read run code of the database's users. The calls must have been assessed before. */
  runCode(calls: readonly UnclearCall[]): boolean {
    return this.calls.runCode(calls);
  }

  /** Returns the first function that a read must not call and that one of the names refers to, or null. */
  async harmfulAmong(calls: readonly UnclearCall[]): Promise<FunctionUse | null> {
    // guard: a result that depends on the search path is not cached
    this.calls.forgetDependent(calls);
    return joinAssessments(await this.calls.assess(this.calls.assessed(calls))).harmfulInReads;
  }

  /** Returns whether parameter types may call functions. */
  mayCall(types: readonly number[]): boolean {
    this.follow();
    return this.calls.hasMadeTypes && types.some((type) => type >= firstOfUsers);
  }

  /** Returns the schema of the production tables whose overlays are in the given schema. */
  readonly productionSchema = (overlaySchema: string): string | undefined =>
    this.productionSchemas.get(overlaySchema);

  /** Returns the check of the cached meanings of names; null if a name's meaning or the search path is not known. */
  verification(names: readonly NameUse[]): Verification | null {
    const known = this.known(names);
    return known && ofStandIns(known, this.version);
  }

  /**
   * Evaluates the response to a verification. Returns whether all names have the same meaning, the search path is unchanged, and nothing
   * is staged in tables that are read without overlays.
   */
  confirm({ untouched }: Verification, [foundPath, ...answers]: readonly (Buffer | null)[]) {
    if (!this.notePath(foundPath)) return false;
    const isTrue = answers.map((answer) => String(answer) === 't');
    this.noteStaged(...untouched.filter((_, index) => !isTrue[index]));
    return isTrue.every(Boolean);
  }

  /** Returns the names with their cached meanings; null unless all are known, and the search path. */
  private known(names: readonly NameUse[]): KnownName[] | null {
    // a read whose check has no path to compare would run twice
    if (this.surePath === null) return null;
    const known: KnownName[] = [];
    for (const use of names) {
      const meaning = this.relations.get(keyOf(use));
      if (meaning === undefined) return null;
      known.push({ use, meaning });
    }
    return known;
  }

  private async areCurrent(names: readonly NameUse[]): Promise<boolean> {
    const known = this.known(names);
    if (known === null) return this.takeOver(names);
    const [row] = await this.query(areCurrent, [verified(known)]);
    return this.notePath(row?.[0]) && String(row?.[1]) === 't';
  }

  /** Adopts what other connections know of the names, if they know all of them and their knowledge is valid here. Returns whether it is. */
  private async takeOver(names: readonly NameUse[]): Promise<boolean> {
    const path = this.takesOver ? (this.currentPath ?? this.shared.names.path) : null;
    const meanings = path === null ? null : this.shared.names.meanings(path, names.map(keyOf));
    if (path === null || meanings === null) return false;
    const entries = meanings.map(({ standIn, origins, stamp }, index) => {
      const { schema, name, role } = names[index] as NameUse;
      const views = origins?.views.map(([view]) => view) ?? [];
      return { schema, name, ...roleOf({ role }), ...standIn.verify, views, stamp };
    });
    const [row] = await this.query(namesAreValid, [Buffer.from(JSON.stringify(entries))]);
    this.notePath(row?.[0]);
    // others may know the names under this connection's search path, too
    if (this.currentPath !== path) return this.takeOver(names);
    // guard: names that another connection has resolved are valid on this one, or are resolved again
    if (String(row?.[1]) !== 't') return false;
    this.noteStaged(...tablesIn(row?.[2], meanings));
    for (const [index, meaning] of meanings.entries())
      this.learn(keyOf(names[index] as NameUse), meaning);
    return true;
  }

  /** Queries and caches what names refer to. Null if the search path has changed: other names were resolved under the earlier one. */
  private async learnRelations(names: readonly NameUse[]): Promise<ResolvedName[] | null> {
    const learn = this.shared.names.learner();
    const [row] = await this.query(resolveRelations, [Buffer.from(JSON.stringify(names))]);
    const resolved = JSON.parse(row?.[1]?.toString() ?? '[]') as ResolvedName[];
    // if no path was known, no name was resolved under another one
    const isFirst = this.currentPath === null;
    const isSamePath = this.notePath(row?.[0]) || isFirst;
    this.noteStaged(...tablesIn(row?.[3], resolved));
    if (this.relations.size > maxCached) this.forget();
    for (const [index, name] of names.entries()) {
      const meaning = resolved[index] as ResolvedName;
      this.learn(keyOf(name), meaning);
      // guard: names that an old snapshot shows are not shared
      if (String(row?.[2]) === 't') learn(String(row?.[0]), keyOf(name), meaning);
    }
    return isSamePath ? resolved : null;
  }

  private notePath(found: Buffer | null | undefined): boolean {
    const isSame = this.currentPath === String(found);
    if (!isSame) this.forget();
    this.currentPath = String(found);
    this.isPathSure = true;
    return isSame;
  }

  private learn(key: string, meaning: ResolvedName): void {
    const known = this.relations.get(key);
    // A missing relation may be created, and one that could not be staged may be replaced, without notice.
    if (meaning.oid === null || meaning.standIn.isLacking) this.relations.delete(key);
    else this.relations.set(key, meaning);
    const { signature, tree } = meaning.standIn.verify;
    if (signature === '' || tree === '') this.beUnsure();
    if (known && JSON.stringify(known) !== JSON.stringify(meaning)) this.currentVersion += 1;
    if (meaning.oid !== null && meaning.origins) this.origins.learn(meaning.oid, meaning.origins);
    const { namespace: namespaceOid, schema } = meaning;
    if (namespaceOid === null || schema === null) return;
    this.productionSchemas.set(overlaySchema({ namespaceOid }), schema);
    this.productionSchemas.set(treeSchema({ namespaceOid }), schema);
    this.productionSchemas.set(loadSchema({ namespaceOid }), schema);
  }
}
