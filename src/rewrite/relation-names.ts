/** What relation and function names mean on this connection: asked of the server once, kept until they may have changed. */

import type { DependentColumns } from '../overlay/views/dependent-columns.ts';
import type { Ask, InternalStatement } from '../server-connection/internal-statement.ts';
import type { ResultOrigins } from '../server-connection/result-origins.ts';
import { ColumnOrigins } from '../server-connection/result-origins.ts';
import type { Calls, FunctionUse, QualifiedName, UnclearCall } from '../sql/functions/calls.ts';
import type { UniqueIndex } from '../sql/locate/arbiters.ts';
import type { Assessment, Called, Candidate } from './called-names.ts';
import { candidateOf, joinAssessments, namesCalled } from './called-names.ts';
import type { Tree } from './inheritance.ts';
import { KnownCalls } from './known-calls.ts';

/** What stage.resolve_relations says of a name: test/proxy/resolved-names.test.ts holds the two together. */
export interface ResolvedName {
  /** Null when there is no such relation. */
  readonly oid: number | null;
  readonly kind:
    | 'table'
    | 'partitioned'
    | 'view'
    | 'materialized'
    | 'foreign'
    | 'sequence'
    | 'other'
    | 'none'
    | 'system'
    | 'stage'
    | 'temporary';
  /** A view or a partition: it is read through a staged view, which merges what is staged behind it. */
  readonly isStagedView: boolean;
  /** The relation's own schema. */
  readonly schema: string | null;
  /** Of a view: PostgreSQL makes of a write to it one to the table behind, or code does something, or it is an error. */
  readonly writing: 'automatic' | 'code' | 'error' | null;
  /** The table that a write goes to: the relation itself, or the one behind a view once that has a staged view. */
  readonly table: number | null;
  /** That table's columns by their names in the view. */
  readonly tableColumns: Readonly<Record<string, string>> | null;
  readonly overlay: { readonly schema: string; readonly name: string } | null;
  /** What a client is told of results that come from the views which stand for it; null without any. */
  readonly origins: ResultOrigins | null;
  /** The function of a plain table that tells at little cost whether its overlay still fits, where there is one. */
  readonly stamp: string | null;
  /** The view that INSERT ... ON CONFLICT runs on, there when the overlay is. */
  readonly upsert: { readonly schema: string; readonly name: string } | null;
  /** Of a table with children: the view of its rows and theirs, which stands for the name without ONLY. */
  readonly tree: Tree | null;
  readonly columns: readonly {
    readonly name: string;
    readonly generated: boolean;
    /** GENERATED ALWAYS AS IDENTITY. */
    readonly always: boolean;
    readonly domain: boolean;
  }[];
  /** The temporary table that MERGE runs on, on servers that cannot merge into the overlay. */
  readonly merge: string | null;
  /** Empty where an old snapshot hides them. */
  readonly uniques: readonly UniqueIndex[];
  /** Of the overlay; empty when the transaction's snapshot is older than the overlay and hides it. */
  readonly signature: string | null;
  /** The columns of a table by which its staged rows are known; empty without an overlay, and where an old snapshot hides it. */
  readonly key: readonly string[];
  /** What grouping by a table's primary key lets a query use; null without one, and without an overlay. */
  readonly dependents: DependentColumns | null;
  /** The overlay can be written to; false also where an old snapshot hides that. */
  readonly writable: boolean;
  /** Staging its rows may run user code: defaults, checks, policies. */
  readonly code: boolean;
  /** The session's staged rows of it were put aside, because nobody can say what they mean by now. */
  readonly parked: boolean;
  /** The overlay no longer fits the table's definition. */
  readonly stale: boolean;
}

const path = `pg_catalog.current_setting('search_path')`;

const resolveRelations: InternalStatement = { text: `SELECT ${path}, stage.resolve_relations($1)` };

const findCode: InternalStatement = {
  text: `SELECT ${path}, c.* FROM (SELECT) one LEFT JOIN stage.find_code($1) c ON true`,
};

const areCurrent: InternalStatement = {
  text: `SELECT ${path}, pg_catalog.bool_and(stage.is_current(e)) FROM pg_catalog.jsonb_array_elements($1) e`,
};

/** More names than any application uses: what fills the memory is not kept. */
const maxKept = 10_000;

/** Types by OID, as they are to be written under the search path. */
const typeNames: InternalStatement = {
  text: `SELECT pg_catalog.format_type(t.type, -1)
    FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY t(type, position) ORDER BY t.position`,
};

export class Names {
  /** Where results come from, as the client knows it. */
  readonly origins = new ColumnOrigins();
  private readonly ask: Ask;
  private readonly relations = new Map<string, ResolvedName>();
  private readonly calls: KnownCalls;
  private readonly productionSchemas = new Map<string, string>();
  private currentVersion = 0;
  private currentPath = '';
  private isUnsure = false;
  private areOverlaysSuspect = false;

  constructor(ask: Ask, allowedFunctions: readonly string[]) {
    this.ask = ask;
    this.calls = new KnownCalls((called) => this.findCandidates(called), allowedFunctions);
  }

  /** Changes whenever a name may mean something else: what was derived from names before is no longer good. */
  get version(): number {
    return this.currentVersion;
  }

  /** The search path under which everything known was resolved. */
  get path(): string {
    return this.currentPath;
  }

  /** Whether what is in another schema stands in for functions and operators of the server's own. */
  get hidesCatalog(): boolean {
    const schemas = this.currentPath.split(',').map((name) => name.replaceAll('"', '').trim());
    return schemas.indexOf('pg_catalog') > 0;
  }

  forget(): void {
    this.relations.clear();
    this.calls.forget();
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
   * Gives what each name stands for, in order.
   * @param again asks for all of them, because overlays may have been made since
   */
  async resolve(names: readonly QualifiedName[], again = false): Promise<ResolvedName[]> {
    const known = new Map<string, ResolvedName>();
    for (const name of again ? [] : names) {
      const meaning = this.relations.get(keyOf(name));
      if (meaning !== undefined) known.set(keyOf(name), meaning);
    }
    const unknown = distinct(names).filter((name) => !known.has(keyOf(name)));
    if (unknown.length > 0 && !(await this.learnRelations(unknown, known)))
      return this.resolve(names, true);
    return names.map((name) => known.get(keyOf(name)) as ResolvedName);
  }

  /** The same for a read, of which nothing verifies that what was known of its names is still good: others may have made overlays. */
  async refresh(names: readonly QualifiedName[]): Promise<ResolvedName[]> {
    const isCurrent = names.length > 0 && (await this.areCurrent(distinct(names)));
    return this.resolve(names, !isCurrent);
  }

  /** What may happen when the names are called. */
  async assess(calls: Calls): Promise<Assessment> {
    return joinAssessments(await this.calls.assess(namesCalled(calls)));
  }

  /** Whether it is known already that a read may make the calls. */
  areHarmless(calls: readonly UnclearCall[]): boolean {
    return this.calls.areHarmless(calls);
  }

  /** Gives the first function that a read must not call and the names stand for, or null. */
  async harmfulAmong(calls: readonly UnclearCall[]): Promise<FunctionUse | null> {
    this.calls.forgetDependent(calls);
    return joinAssessments(await this.calls.assess(calls)).harmfulInReads;
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

  /** Says whether all of the names are known, and stand for what they stood for. */
  private async areCurrent(names: readonly QualifiedName[]): Promise<boolean> {
    const known = names.flatMap((name) => {
      const meaning = this.relations.get(keyOf(name));
      if (meaning === undefined) return [];
      const { oid, signature, tree } = meaning;
      return [{ ...name, oid, signature, ...(tree && { tree: tree.signature }) }];
    });
    if (known.length < names.length) return false;
    const [row] = await this.ask(areCurrent, [Buffer.from(JSON.stringify(known))]);
    return this.notePath(row?.[0]) && String(row?.[1]) === 't';
  }

  /** Adds the names to those that are known; says whether what was known before is still good. */
  private async learnRelations(
    names: readonly QualifiedName[],
    known: Map<string, ResolvedName>,
  ): Promise<boolean> {
    const [row] = await this.ask(resolveRelations, [Buffer.from(JSON.stringify(names))]);
    const resolved = JSON.parse(row?.[1]?.toString() ?? '[]') as ResolvedName[];
    const isSamePath = this.notePath(row?.[0]);
    if (this.relations.size > maxKept) this.forget();
    for (const [index, name] of names.entries()) {
      const meaning = resolved[index] as ResolvedName;
      known.set(keyOf(name), meaning);
      this.learn(keyOf(name), meaning);
    }
    return isSamePath;
  }

  private notePath(found: Buffer | null | undefined): boolean {
    const isSame = this.currentPath === String(found);
    if (!isSame) this.forget();
    this.currentPath = String(found);
    return isSame;
  }

  private learn(key: string, meaning: ResolvedName): void {
    const known = this.relations.get(key);
    // What does not exist may be created at any time, and nothing would tell.
    if (meaning.oid === null) this.relations.delete(key);
    else this.relations.set(key, meaning);
    if ([meaning.signature, meaning.tree?.signature].includes('')) this.beUnsure();
    if (known && JSON.stringify(known) !== JSON.stringify(meaning)) this.currentVersion += 1;
    if (meaning.oid !== null && meaning.origins) this.origins.learn(meaning.oid, meaning.origins);
    if (!meaning.schema) return;
    for (const view of [meaning.overlay, meaning.tree]) {
      if (view) this.productionSchemas.set(view.schema, meaning.schema);
    }
  }

  private async findCandidates(called: readonly Called[]) {
    const found = await this.ask(findCode, [Buffer.from(JSON.stringify(called))]);
    const candidates = called.map((): Candidate[] => []);
    for (const [, place, ...row] of found) candidates[Number(place) - 1]?.push(candidateOf(row));
    return { candidates, isSamePath: this.notePath(found[0]?.[0]) };
  }
}

function keyOf({ schema, name }: QualifiedName): string {
  return schema === null ? name : `${schema}\0${name}`;
}

/** Each name once, and nothing but the name. */
function distinct(names: readonly QualifiedName[]): QualifiedName[] {
  const found = new Map(names.map((each) => [keyOf(each), each]));
  return [...found.values()].map(({ schema, name }) => ({ schema, name }));
}
