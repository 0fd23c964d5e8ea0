/** Resolves relation and function names on this connection. Results are cached until they may have changed. */

import { loadSchema, overlaySchema, treeSchema } from '../overlay/object-names.ts';
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { ColumnOrigins } from '../server-connection/result-origins.ts';
import type { UserCallsMonitor } from '../server-connection/user-calls.ts';
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { Assessment } from './called-names.ts';
import { joinAssessments, namesCalled } from './called-names.ts';
import { candidateFinder } from './find-candidates.ts';
import { KnownCalls } from './known-calls.ts';
import { distinct, keyOf, roleOf } from './name-uses.ts';
import type { NameUse, ResolvedName } from './resolved-name.ts';
import type { SharedKnowledge } from './shared-calls.ts';
import { isOfAll, nameContext } from './since-made.ts';

const resolveRelations: InternalStatement = {
  text: `SELECT ${nameContext}, stage.resolve_relations($1), ${isOfAll}`,
};

const namesAreValid: InternalStatement = {
  text: `SELECT ${nameContext}, stage.names_are_valid($1)`,
};

/**
 * Returns the query that checks the relations of `Names.verification`. Its row is for `Names.confirm`.
 * @param stamps SQL for a further argument: calls that return stamps, which save other checks
 */
export const areCurrent = (stamps = ''): InternalStatement => ({
  text: `SELECT ${nameContext}, stage.are_current($1${stamps})`,
});

/** Maximum number of cached names, to bound memory; applications use fewer. */
const maxCached = 10_000;

const namesOfTypes: InternalStatement = {
  text: `SELECT n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
    WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[])`,
};

/** The first OID of objects that are not the server's own. */
export const firstOfUsers = 16_384;

/** A query for the names of types by OID, as they must be written under the search path. */
const typeNames: InternalStatement = {
  text: `SELECT pg_catalog.format_type(t.type, -1)
    FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY t(type, position) ORDER BY t.position`,
};

export class Names {
  /** The origins of result columns, as the client knows them. */
  readonly origins = new ColumnOrigins();
  private readonly query: ServerQuery;
  readonly shared: SharedKnowledge;
  private readonly relations = new Map<string, ResolvedName>();
  private readonly calls: KnownCalls;
  private readonly productionSchemas = new Map<string, string>();
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

  /** Resolves the names of a read. It queries the server: others may have created overlays, and no later step verifies the cache. */
  async refresh(names: readonly NameUse[]): Promise<ResolvedName[]> {
    const isCurrent = names.length > 0 && (await this.areCurrent(distinct(names)));
    return this.resolve(names, !isCurrent);
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

  /** Returns the names of those parameter types that may call functions. */
  async callingTypes(types: readonly number[]): Promise<readonly QualifiedName[]> {
    const ofUsers = types.filter((type) => type >= firstOfUsers);
    const rows = await this.query(namesOfTypes, [Buffer.from(`{${ofUsers.join(',')}}`)]);
    return rows.map(([schema, name]) => ({ schema: String(schema), name: String(name) }));
  }

  /** Returns whether parameter types may call functions. */
  mayCall(types: readonly number[]): boolean {
    this.follow();
    return this.calls.hasMadeTypes && types.some((type) => type >= firstOfUsers);
  }

  /** Returns the names of types, as a statement can write them. */
  async typeNames(types: readonly number[]): Promise<string[]> {
    if (types.length === 0) return [];
    const rows = await this.query(typeNames, [Buffer.from(`{${types.join(',')}}`)]);
    return rows.map(([name]) => String(name));
  }

  /** Returns the schema of the production tables whose overlays are in the given schema. */
  readonly productionSchema = (overlaySchema: string): string | undefined =>
    this.productionSchemas.get(overlaySchema);

  /** Returns the input that verifies the cached meanings of names; null if a name's meaning or the search path is not known. */
  verification(names: readonly NameUse[]): Verification | null {
    if (this.currentPath === null) return null;
    const known = [];
    const stamps = [];
    for (const use of names) {
      const meaning = this.relations.get(keyOf(use));
      if (meaning === undefined) return null;
      const { schema, name } = use;
      known.push({ schema, name, ...roleOf(use), ...meaning.standIn.verify });
      stamps.push(meaning.stamp);
    }
    return { relations: Buffer.from(JSON.stringify(known)), stamps, version: this.version };
  }

  /** Evaluates the response to `areCurrent`. Returns whether all names have the same meaning, and the search path is unchanged. */
  confirm([foundPath, answer]: readonly (Buffer | null)[]): boolean {
    return this.notePath(foundPath) && String(answer) === 't';
  }

  private async areCurrent(names: readonly NameUse[]): Promise<boolean> {
    const known = this.verification(names);
    if (known === null) return this.takeOver(names);
    const [row] = await this.query(areCurrent(), [known.relations]);
    return this.confirm(row ?? []);
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
