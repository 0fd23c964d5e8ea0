/** The meaning of a relation's name in a statement. */
import type { DependentColumns } from '../overlay/views/dependent-columns.ts';
import type { ResultOrigins } from '../server-connection/result-origins.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { FoundFunction } from '../sql/functions/effects.ts';
import type { UniqueIndex } from '../sql/locate/arbiters.ts';
import type { RelationUse } from '../sql/places.ts';

/** A relation's name, and how a statement uses it. */
export type NameUse = QualifiedName & Partial<Pick<RelationUse, 'only' | 'target' | 'role'>>;

/** The stand-in for a relation in one use of its name, as stage.stand_in returns it. */
export interface StandIn {
  /** The view that replaces the name; null if only production's own rows are visible. */
  readonly view: { readonly schema: string; readonly name: string } | null;
  /** Overlays are for tables. Views, partitions and tables with children are read through staged views. */
  readonly madeAs: 'overlay' | 'staged view';
  /** Whether it must be created or rebuilt. */
  readonly isLacking: boolean;
  /** Whether it exists but cannot be used, because the transaction's snapshot is older. */
  readonly isHidden: boolean;
  /** The facts that `stage.is_current` compares. */
  readonly verify: {
    readonly oid: number | null;
    /** The signature of the overlay or staged view; empty if an old snapshot hides it, null without one. */
    readonly signature: string | null;
    readonly only?: true;
    /** Present if the table is used together with its children: the signature of the view of all of them. */
    readonly tree?: string | null;
    /** Present if a read uses the relation's own view: whether the role may read the relation. If it may not, there is no view. */
    readonly readable?: boolean;
  };
}

/** The meaning of a name as stage.resolve_relations returns it. test/proxy/resolved-names.test.ts keeps the two consistent. */
export interface ResolvedName {
  /** Null if there is no such relation. */
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
  /** Whether it is a table without children, partitions and policies, of which a read needs no overlay while nothing is staged in it. */
  readonly isPlain: boolean;
  /** Only for a view: PostgreSQL turns a write into one to the table behind it, runs triggers or rules, or reports an error. */
  readonly writing: 'automatic' | 'code' | 'error' | null;
  /** The table that a write changes: the relation itself, or the table behind a view once the view has a staged view. */
  readonly table: number | null;
  /** The columns of the table behind the view, by their names in the view. */
  readonly tableColumns: Readonly<Record<string, string>> | null;
  /** Whether the table has triggers that fire for updates of certain columns only; false if it is not a target. */
  readonly waitsForColumns: boolean;
  /** Whether the table has row-level security; false if it is not a target. */
  readonly hasPolicies: boolean;
  /** The origins that are reported to clients for results of the relation's stand-ins; null without any. */
  readonly origins: ResultOrigins | null;
  /** The function of a plain table that cheaply shows whether its overlay still fits; null without one. */
  readonly stamp: string | null;
  /** The view for INSERT ... ON CONFLICT; it exists if the overlay does. */
  readonly upsert: { readonly schema: string; readonly name: string } | null;
  /** The views for staging rows as a set, if the table has them. `schema` and `name` are those of the load view, for new rows. */
  readonly load: {
    readonly schema: string;
    readonly name: string;
    /** The name of the changes view. */
    readonly changes: string | null;
    /** The columns that can be updated there. */
    readonly updatable: readonly string[];
    readonly isDeletable: boolean;
  } | null;
  readonly columns: readonly {
    readonly name: string;
    readonly generated: boolean;
    /** GENERATED ALWAYS AS IDENTITY. */
    readonly always: boolean;
    /** Whether its default advances a sequence. */
    readonly drawn: boolean;
    readonly domain: boolean;
  }[];
  /** The temporary table on which MERGE runs, on servers that cannot merge into the overlay. */
  readonly merge: string | null;
  /** Empty if an old snapshot hides them. */
  readonly uniques: readonly UniqueIndex[];
  /** The columns that identify the table's staged rows; empty without an overlay, with children, and if an old snapshot hides them. */
  readonly key: readonly string[];
  /** The columns that a query may use if it groups by the table's primary key; null without such a key, and without an overlay. */
  readonly dependents: DependentColumns | null;
  /** Whether staging its rows may run users' code: defaults, checks, policies. */
  readonly code: boolean;
  /** Functions in C that its definition calls and that may do more than compute; empty if it is not a target. */
  readonly calls: readonly FoundFunction[];
  /** Whether the session's staged rows of it, or of a relation that it reads, are orphaned: their meaning is ambiguous. */
  readonly parked: boolean;
}

/** A use of a name, with what the connection knows of it. */
export interface KnownName {
  readonly use: NameUse;
  readonly meaning: ResolvedName;
}
