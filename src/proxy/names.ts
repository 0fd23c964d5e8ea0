/** What relation and function names mean on this connection: asked of the server once, kept until they may have changed. */

import type { UniqueIndex } from '../sql/arbiters.ts';
import { isAllowedFunction, isStageableVolatile } from '../sql/functions.ts';
import type { FunctionUse } from '../sql/verdict.ts';
import type { OwnCall, OwnStatement } from './own-messages.ts';

/** A name as written in a statement. */
export interface Name {
  readonly schema: string | null;
  readonly name: string;
}

/** What stage.resolve_relations says of a name. */
export interface ResolvedName {
  /** Null when there is no such relation. */
  readonly oid: number | null;
  readonly kind:
    | 'table'
    | 'partitioned'
    | 'view'
    | 'foreign'
    | 'sequence'
    | 'other'
    | 'none'
    | 'system'
    | 'stage'
    | 'temporary';
  /** The relation's own schema. */
  readonly schema: string | null;
  readonly overlay: { readonly schema: string; readonly name: string } | null;
  /** The view that INSERT ... ON CONFLICT runs on, there when the overlay is. */
  readonly upsert: { readonly schema: string; readonly name: string } | null;
  readonly columns: readonly {
    readonly name: string;
    readonly generated: boolean;
    /** GENERATED ALWAYS AS IDENTITY. */
    readonly always: boolean;
  }[];
  /** Empty where an old snapshot hides them. */
  readonly uniques: readonly UniqueIndex[];
  /** Of the overlay; empty when the transaction's snapshot is older than the overlay and hides it. */
  readonly signature: string | null;
  /** The overlay can be written to; false also where an old snapshot hides that. */
  readonly writable: boolean;
  /** The overlay no longer fits the table's definition. */
  readonly stale: boolean;
}

/** Runs a statement of ours now, and gives its rows. */
export type Ask = (
  statement: OwnStatement,
  values: NonNullable<OwnCall['values']>,
) => Promise<(Buffer | null)[][]>;

const path = `pg_catalog.current_setting('search_path')`;

const resolveRelations: OwnStatement = { text: `SELECT ${path}, stage.resolve_relations($1)` };

/** Which of the functions [{"schema", "name"}, ...] may be a volatile one, with the schemas these are in. */
const findVolatile: OwnStatement = {
  text: `SELECT ${path}, v.* FROM (SELECT) one LEFT JOIN (
    SELECT f.position, n.nspname
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset($1) AS (schema pg_catalog.text, name pg_catalog.text))
      WITH ORDINALITY f(schema, name, position)
    JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) f.name::pg_catalog.name
      AND p.provolatile OPERATOR(pg_catalog.=) 'v'
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
    WHERE CASE WHEN f.schema IS NULL THEN n.nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(true))
      ELSE n.nspname OPERATOR(pg_catalog.=) f.schema::pg_catalog.name END) v ON true`,
};

/** More names than any application uses: what fills the memory is not kept. */
const maxKept = 10_000;

/** Types by OID, as they are to be written under the search path. */
const typeNames: OwnStatement = {
  text: `SELECT pg_catalog.format_type(t.type, -1)
    FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY t(type, position) ORDER BY t.position`,
};

export class Names {
  private readonly ask: Ask;
  private readonly allowedFunctions: readonly string[];
  private readonly relations = new Map<string, ResolvedName>();
  /** Null for a function that may run in a staged write. */
  private readonly functions = new Map<string, FunctionUse | null>();
  private readonly productionSchemas = new Map<string, string>();
  private currentVersion = 0;
  private currentPath = '';
  private isUnsure = false;

  constructor(ask: Ask, allowedFunctions: readonly string[]) {
    this.ask = ask;
    this.allowedFunctions = allowedFunctions;
  }

  /** Changes whenever a name may mean something else: what was derived from names before is no longer good. */
  get version(): number {
    return this.currentVersion;
  }

  /** The search path under which everything known was resolved. */
  get path(): string {
    return this.currentPath;
  }

  forget(): void {
    this.relations.clear();
    this.functions.clear();
    this.currentVersion += 1;
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
  async resolve(names: readonly Name[], again = false): Promise<ResolvedName[]> {
    const unknown = distinct(names).filter((name) => again || !this.relations.has(keyOf(name)));
    if (unknown.length > 0 && !(await this.learnRelations(unknown)))
      return this.resolve(names, true);
    return names.map((name) => this.relations.get(keyOf(name)) ?? unresolved);
  }

  /** Finds the first function that may be a volatile one and is not known to do no harm in a staged write. */
  async findHarmful(uses: readonly Name[]): Promise<FunctionUse | null> {
    const unknown = distinct(uses).filter((use) => !this.functions.has(keyOf(use)));
    if (unknown.length > 0 && !(await this.learnFunctions(unknown))) return this.findHarmful(uses);
    for (const use of uses) {
      const harmful = this.functions.get(keyOf(use));
      if (harmful) return harmful;
    }
    return null;
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

  /** Says whether what was known before is still good. */
  private async learnRelations(names: readonly Name[]): Promise<boolean> {
    const [row] = await this.ask(resolveRelations, [Buffer.from(JSON.stringify(names))]);
    const resolved = JSON.parse(row?.[1]?.toString() ?? '[]') as ResolvedName[];
    const isSamePath = this.notePath(row?.[0]);
    if (this.relations.size > maxKept) this.forget();
    for (const [index, name] of names.entries()) {
      this.learn(keyOf(name), resolved[index] ?? unresolved);
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
    if (meaning.signature === '') this.beUnsure();
    if (known && JSON.stringify(known) !== JSON.stringify(meaning)) this.currentVersion += 1;
    if (meaning.overlay && meaning.schema) {
      this.productionSchemas.set(meaning.overlay.schema, meaning.schema);
    }
  }

  private async learnFunctions(uses: readonly Name[]): Promise<boolean> {
    const found = await this.ask(findVolatile, [Buffer.from(JSON.stringify(uses))]);
    const isSamePath = this.notePath(found[0]?.[0]);
    if (this.functions.size > maxKept) this.forget();
    for (const use of uses) this.functions.set(keyOf(use), null);
    for (const [, position, schema] of found) {
      const use = uses[Number(position) - 1];
      if (use === undefined) continue;
      const candidate = { schema: String(schema), name: use.name };
      if (isStageableVolatile(candidate.schema, use.name)) continue;
      if (!isAllowedFunction(candidate, this.allowedFunctions)) {
        this.functions.set(keyOf(use), use);
      }
    }
    return isSamePath;
  }
}

const unresolved: ResolvedName = {
  oid: null,
  kind: 'none',
  schema: null,
  overlay: null,
  signature: null,
  upsert: null,
  columns: [],
  uniques: [],
  writable: false,
  stale: false,
};

function keyOf({ schema, name }: Name): string {
  return schema === null ? name : `${schema}\0${name}`;
}

/** Each name once, and nothing but the name. */
function distinct(names: readonly Name[]): Name[] {
  const found = new Map(names.map((each) => [keyOf(each), each]));
  return [...found.values()].map(({ schema, name }) => ({ schema, name }));
}
