/** What a relation's name stands for in a statement. */
import type { DependentColumns } from '../overlay/views/dependent-columns.ts';
import type { ResultOrigins } from '../server-connection/result-origins.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { FoundFunction } from '../sql/functions/effects.ts';
import type { UniqueIndex } from '../sql/locate/arbiters.ts';
import type { RelationUse } from '../sql/places.ts';

/** A relation's name, and what a statement does with it. */
export type NameUse = QualifiedName & Partial<Pick<RelationUse, 'only' | 'target'>>;

/** What stands for a relation in one use of its name, as stage.stand_in says. */
export interface StandIn {
  /** The view that takes the name's place; null where production's own rows are all there is to see. */
  readonly view: { readonly schema: string; readonly name: string } | null;
  /** Whether it is made as the overlay of a table, or as a staged view, through which views, partitions and tables with children are read. */
  readonly madeAs: 'overlay' | 'staged view';
  /** It has to be made, or made anew. */
  readonly isLacking: boolean;
  /** Having been made it cannot be used: the transaction's snapshot is older. */
  readonly isHidden: boolean;
  /** What `stage.is_current` compares. */
  readonly verify: {
    readonly oid: number | null;
    /** Of the overlay or staged view; empty where an old snapshot hides it, null without. */
    readonly signature: string | null;
    readonly only?: true;
    /** There where the table is used together with its children: the signature of the view of them all. */
    readonly tree?: string | null;
    /** There where a read goes through the relation's own view: whether the role may read it. One that it may not read has no view. */
    readonly readable?: boolean;
  };
}

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
  /** The relation's own schema. */
  readonly schema: string | null;
  /** The OID of that schema. */
  readonly namespace: number | null;
  readonly standIn: StandIn;
  /** Of a view: PostgreSQL makes of a write to it one to the table behind, or code does something, or it is an error. */
  readonly writing: 'automatic' | 'code' | 'error' | null;
  /** The table that a write goes to: the relation itself, or the one behind a view once that has a staged view. */
  readonly table: number | null;
  /** That table's columns by their names in the view. */
  readonly tableColumns: Readonly<Record<string, string>> | null;
  /** What a client is told of results that come from the views which stand for it; null without any. */
  readonly origins: ResultOrigins | null;
  /** The function of a plain table that tells at little cost whether its overlay still fits, where there is one. */
  readonly stamp: string | null;
  /** The view that INSERT ... ON CONFLICT runs on, there when the overlay is. */
  readonly upsert: { readonly schema: string; readonly name: string } | null;
  /** The views by which rows are staged as a set, where the table has them: the one that new rows are put into. */
  readonly load: {
    readonly schema: string;
    readonly name: string;
    /** The view by which rows are changed as a set. */
    readonly changes: string | null;
    /** The columns that are updated there. */
    readonly updatable: readonly string[];
    readonly isDeletable: boolean;
  } | null;
  readonly columns: readonly {
    readonly name: string;
    readonly generated: boolean;
    /** GENERATED ALWAYS AS IDENTITY. */
    readonly always: boolean;
    /** Its default is drawn from a sequence. */
    readonly drawn: boolean;
    readonly domain: boolean;
  }[];
  /** The temporary table that MERGE runs on, on servers that cannot merge into the overlay. */
  readonly merge: string | null;
  /** Empty where an old snapshot hides them. */
  readonly uniques: readonly UniqueIndex[];
  /** The columns of a table by which its staged rows are known; empty without an overlay, with children, and where an old snapshot hides them. */
  readonly key: readonly string[];
  /** What grouping by a table's primary key lets a query use; null without one, and without an overlay. */
  readonly dependents: DependentColumns | null;
  /** Staging its rows may run user code: defaults, checks, policies. */
  readonly code: boolean;
  /** What its definition calls in C that may do more than compute; empty where it is no target. */
  readonly calls: readonly FoundFunction[];
  /** The session's staged rows of it, or of what is read behind it, were put aside: nobody can say what they mean by now. */
  readonly parked: boolean;
}
