/** What relation and function names mean on this connection: asked of the server once, kept until they may have changed. */

import { loadSchema, overlaySchema, treeSchema } from '../overlay/object-names.ts';
import type { Ask, InternalStatement } from '../server-connection/internal-statement.ts';
import type { MadeCallsWatch } from '../server-connection/made-calls.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { ColumnOrigins } from '../server-connection/result-origins.ts';
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { Assessment } from './called-names.ts';
import { joinAssessments, namesCalled } from './called-names.ts';
import { candidateFinder } from './find-candidates.ts';
import { KnownCalls } from './known-calls.ts';
import { distinct, keyOf } from './name-uses.ts';
import type { NameUse, ResolvedName } from './resolved-name.ts';
import type { SharedKnowledge } from './shared-calls.ts';
import { isOfAll, nameContext } from './since-made.ts';

const resolveRelations: InternalStatement = {
  text: `SELECT ${nameContext}, stage.resolve_relations($1), ${isOfAll}`,
};

const namesHold: InternalStatement = { text: `SELECT ${nameContext}, stage.names_hold($1)` };

/** Takes the relations that `Names.verification` gives; the row is for `Names.confirm`. @param stamps calls that stamps spare others */
export const areCurrent = (stamps = ''): InternalStatement => ({
  text: `SELECT ${nameContext}, stage.are_current($1${stamps})`,
});

/** More names than any application uses: what fills the memory is not kept. */
const maxKept = 10_000;

const namesOfTypes: InternalStatement = {
  text: `SELECT n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
    WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[])`,
};

/** The first OID of what is not the server's own. */
export const firstOfUsers = 16_384;

/** Types by OID, as they are to be written under the search path. */
const typeNames: InternalStatement = {
  text: `SELECT pg_catalog.format_type(t.type, -1)
    FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY t(type, position) ORDER BY t.position`,
};

export class Names {
  /** Where results come from, as the client knows it. */
  readonly origins = new ColumnOrigins();
  private readonly ask: Ask;
  private readonly shared: SharedKnowledge;
  private readonly relations = new Map<string, ResolvedName>();
  private readonly calls: KnownCalls;
  private readonly productionSchemas = new Map<string, string>();
  private currentVersion = 0;
  /** Null until the server has told. */
  private currentPath: string | null = null;
  private isPathSure = false;
  private isUnsure = false;
  private areOverlaysSuspect = false;
  /** Whether it takes over what others have learned: not any more once something that it knew was no longer good. */
  private takesOver = true;

  constructor(
    ask: Ask,
    allowedFunctions: readonly string[],
    made: Pick<MadeCallsWatch, 'current'>,
    shared: SharedKnowledge,
  ) {
    this.ask = ask;
    this.shared = shared;
    const find = candidateFinder(ask, shared, {
      surePath: () => this.surePath,
      note: (found) => this.notePath(found),
    });
    this.calls = new KnownCalls(find, allowedFunctions, made);
  }

  /** Changes whenever a name may mean something else: what was derived from names before is no longer good. */
  get version(): number {
    return this.currentVersion;
  }

  /** The search path, and the role, under which everything known was resolved; null where no name had to be. See stage.name_context. */
  get path(): string | null {
    return this.currentPath;
  }

  /** The same; null where nothing has told since it may have changed. */
  get surePath(): string | null {
    return this.isPathSure ? this.currentPath : null;
  }

  /** Whether what is in another schema stands in for functions and operators of the server's own. */
  get hidesCatalog(): boolean {
    const schemas = (this.path ?? '').split(',').map((name) => name.replaceAll('"', '').trim());
    return schemas.indexOf('pg_catalog') > 0;
  }

  /** To be called before it is looked at what is known of names: users may have made something of one since. */
  follow(): void {
    if (this.calls.follow()) this.forget();
  }

  forget(): void {
    if (this.relations.size > 0) this.takesOver = false;
    this.relations.clear();
    this.calls.forget();
    // guard: what is known of a search path that may have changed is not used
    this.isPathSure = false;
    this.currentVersion += 1;
  }

  /** An overlay turned out not to fit, although its stamp says so. */
  suspectOverlays(): void {
    this.areOverlaysSuspect = true;
  }

  /** Whether overlays are to be compared with their tables, stamps or not; said once. */
  takeSuspicion(): boolean {
    const wereSuspect = this.areOverlaysSuspect;
    this.areOverlaysSuspect = false;
    return wereSuspect;
  }

  /** Names may mean something else again when the running transaction ends. */
  beUnsure(): void {
    this.isUnsure = true;
  }

  endTransaction(): void {
    if (this.isUnsure) this.forget();
    this.isUnsure = false;
  }

  /**
   * Gives what each name stands for, in order. All are known, or all are asked for: what was learned of some at another time may
   * not go with what the others stand for now.
   * @param again asks, because overlays may have been made since
   */
  async resolve(names: readonly NameUse[], again = false): Promise<ResolvedName[]> {
    const known = again ? [] : names.flatMap((name) => this.relations.get(keyOf(name)) ?? []);
    if (known.length === names.length) return known;
    const asked = distinct(names);
    if (!again && (await this.takeOver(asked))) return this.resolve(names);
    const learned = await this.learnRelations(asked);
    if (learned === null) return this.resolve(names, true);
    const meanings = new Map(asked.map((name, index) => [keyOf(name), learned[index]]));
    return names.map((name) => meanings.get(keyOf(name)) as ResolvedName);
  }

  /** The same for a read, of which nothing verifies that what was known of its names is still good: others may have made overlays. */
  async refresh(names: readonly NameUse[]): Promise<ResolvedName[]> {
    const isCurrent = names.length > 0 && (await this.areCurrent(distinct(names)));
    return this.resolve(names, !isCurrent);
  }

  /** What may happen when the names are called and the relations read. */
  async assess(calls: Calls, relations: readonly QualifiedName[] = []): Promise<Assessment> {
    const called = this.calls.withUnnamed(namesCalled(calls), relations);
    return joinAssessments(await this.calls.assess(called));
  }

  /** Whether it is known already that a read may make the calls. */
  areHarmless(calls: readonly UnclearCall[]): boolean {
    // guard: what users have made since is asked about in reads
    this.follow();
    return this.calls.areHarmless(calls);
  }

  /** Whether the calls of a read, which were asked about, run code of the database's users. */
  runCode(calls: readonly UnclearCall[]): boolean {
    return this.calls.runCode(calls);
  }

  /** Gives the first function that a read must not call and the names stand for, or null. */
  async harmfulAmong(calls: readonly UnclearCall[]): Promise<FunctionUse | null> {
    // guard: what depends on the search path is not taken as known
    this.calls.forgetDependent(calls);
    return joinAssessments(await this.calls.assess(this.calls.asked(calls))).harmfulInReads;
  }

  /** Of the types of parameters those that may call something, by their names. */
  async callingTypes(types: readonly number[]): Promise<readonly QualifiedName[]> {
    const ofUsers = types.filter((type) => type >= firstOfUsers);
    const rows = await this.ask(namesOfTypes, [Buffer.from(`{${ofUsers.join(',')}}`)]);
    return rows.map(([schema, name]) => ({ schema: String(schema), name: String(name) }));
  }

  /** Whether the types of parameters may call something. */
  mayCall(types: readonly number[]): boolean {
    this.follow();
    return this.calls.hasMadeTypes && types.some((type) => type >= firstOfUsers);
  }

  /** The names of types, as they can be written in a statement. */
  async typeNames(types: readonly number[]): Promise<string[]> {
    if (types.length === 0) return [];
    const rows = await this.ask(typeNames, [Buffer.from(`{${types.join(',')}}`)]);
    return rows.map(([name]) => String(name));
  }

  /** The schema of the production tables whose overlays are in the given one. */
  readonly productionSchema = (overlaySchema: string): string | undefined =>
    this.productionSchemas.get(overlaySchema);

  /** What is to be asked to know whether names stand for what they stood for; null where some, or the search path, are not known. */
  verification(names: readonly NameUse[]): Verification | null {
    if (this.currentPath === null) return null;
    const known = [];
    const stamps = [];
    for (const use of names) {
      const meaning = this.relations.get(keyOf(use));
      if (meaning === undefined) return null;
      const { schema, name } = use;
      known.push({ schema, name, ...meaning.standIn.verify });
      stamps.push(meaning.stamp);
    }
    return { relations: Buffer.from(JSON.stringify(known)), stamps, version: this.version };
  }

  /** Takes the answer of `areCurrent`; says whether all stand for what they stood for, and the search path is the same. */
  confirm([foundPath, answer]: readonly (Buffer | null)[]): boolean {
    return this.notePath(foundPath) && String(answer) === 't';
  }

  private async areCurrent(names: readonly NameUse[]): Promise<boolean> {
    const known = this.verification(names);
    if (known === null) return this.takeOver(names);
    const [row] = await this.ask(areCurrent(), [known.relations]);
    return this.confirm(row ?? []);
  }

  /** Takes what other connections have learned of the names, where that is known of all and holds here; says whether it does. */
  private async takeOver(names: readonly NameUse[]): Promise<boolean> {
    const path = this.takesOver ? (this.currentPath ?? this.shared.names.path) : null;
    const meanings = path === null ? null : this.shared.names.meanings(path, names.map(keyOf));
    if (path === null || meanings === null) return false;
    const entries = meanings.map(({ standIn, origins, stamp }, index) => {
      const { schema, name } = names[index] as NameUse;
      const views = origins?.views.map(([view]) => view) ?? [];
      return { schema, name, ...standIn.verify, views, stamp };
    });
    const [row] = await this.ask(namesHold, [Buffer.from(JSON.stringify(entries))]);
    this.notePath(row?.[0]);
    // of the connection's own search path there may be something known, too
    if (this.currentPath !== path) return this.takeOver(names);
    // guard: what others have learned holds on this connection, or is asked for
    if (String(row?.[1]) !== 't') return false;
    for (const [index, meaning] of meanings.entries())
      this.learn(keyOf(names[index] as NameUse), meaning);
    return true;
  }

  /** Asks what the names stand for; null where the search path was another one before, under which others are known. */
  private async learnRelations(names: readonly NameUse[]): Promise<ResolvedName[] | null> {
    const learn = this.shared.names.learner();
    const [row] = await this.ask(resolveRelations, [Buffer.from(JSON.stringify(names))]);
    const resolved = JSON.parse(row?.[1]?.toString() ?? '[]') as ResolvedName[];
    const isSamePath = this.notePath(row?.[0]);
    if (this.relations.size > maxKept) this.forget();
    for (const [index, name] of names.entries()) {
      const meaning = resolved[index] as ResolvedName;
      this.learn(keyOf(name), meaning);
      // guard: what an old snapshot shows teaches nobody else
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
    // What does not exist may be created at any time, what could not be staged may be another relation: nothing would tell.
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
