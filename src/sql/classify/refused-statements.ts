/** Statements that a staged session never runs, by node type of PostgreSQL's grammar, with the messages and hints for them. */

import type { Fields } from '../parser/syntax-tree.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from './refusal.ts';

const advice = {
  schema:
    'Staging covers rows, not definitions: put the change into a migration, as reviewed as those are. Sessions live on through it.',
  rights: 'Roles and rights are not staged: ask an administrator of the database.',
  upkeep:
    'Maintenance changes no rows, and has nothing to review: ask an administrator of the database.',
  code: 'What code does on the server cannot be staged: run its INSERT, UPDATE and DELETE statements themselves.',
  temporary:
    'Of temporary objects there are tables, with their indexes and the sequences of their columns: make a table in its place.',
  lock: 'Leave the lock out. Approval checks for conflicts with production.',
  notify:
    'Listeners must not hear of changes that are not approved: leave it to a trigger, which fires at approval.',
  other:
    'Sessions stage INSERT, UPDATE, DELETE, MERGE, COPY and TRUNCATE: write the change as these.',
} as const;

type Advice = keyof typeof advice;

/** Statements whose node type does not reveal their name, or whose hint is not the one for DDL. */
const known: ReadonlyMap<string, readonly [name: string, advice: Advice]> = new Map([
  ['AlterDefaultPrivilegesStmt', ['ALTER DEFAULT PRIVILEGES', 'rights']],
  ['AlterEnumStmt', ['ALTER TYPE', 'schema']],
  ['AlterEventTrigStmt', ['ALTER EVENT TRIGGER', 'schema']],
  ['AlterFdwStmt', ['ALTER FOREIGN DATA WRAPPER', 'schema']],
  ['AlterOpFamilyStmt', ['ALTER OPERATOR FAMILY', 'schema']],
  ['AlterRoleSetStmt', ['ALTER ROLE', 'rights']],
  ['AlterRoleStmt', ['ALTER ROLE', 'rights']],
  ['AlterSeqStmt', ['ALTER SEQUENCE', 'schema']],
  ['AlterStatsStmt', ['ALTER STATISTICS', 'schema']],
  ['AlterSystemStmt', ['ALTER SYSTEM', 'upkeep']],
  ['AlterTSConfigurationStmt', ['ALTER TEXT SEARCH CONFIGURATION', 'schema']],
  ['AlterTSDictionaryStmt', ['ALTER TEXT SEARCH DICTIONARY', 'schema']],
  ['AlterTableSpaceOptionsStmt', ['ALTER TABLESPACE', 'schema']],
  ['CallStmt', ['CALL', 'code']],
  ['CheckPointStmt', ['CHECKPOINT', 'upkeep']],
  ['ClusterStmt', ['CLUSTER', 'upkeep']],
  ['CommentStmt', ['COMMENT', 'schema']],
  ['CompositeTypeStmt', ['CREATE TYPE', 'schema']],
  ['CreateAmStmt', ['CREATE ACCESS METHOD', 'schema']],
  ['CreateEnumStmt', ['CREATE TYPE', 'schema']],
  ['CreateEventTrigStmt', ['CREATE EVENT TRIGGER', 'schema']],
  ['CreateFdwStmt', ['CREATE FOREIGN DATA WRAPPER', 'schema']],
  ['CreateOpClassStmt', ['CREATE OPERATOR CLASS', 'schema']],
  ['CreateOpFamilyStmt', ['CREATE OPERATOR FAMILY', 'schema']],
  ['CreatePLangStmt', ['CREATE LANGUAGE', 'schema']],
  ['CreateRangeStmt', ['CREATE TYPE', 'schema']],
  ['CreateRoleStmt', ['CREATE ROLE', 'rights']],
  ['CreateSeqStmt', ['CREATE SEQUENCE', 'schema']],
  ['CreateStatsStmt', ['CREATE STATISTICS', 'schema']],
  ['CreateStmt', ['CREATE TABLE', 'schema']],
  ['CreateTableSpaceStmt', ['CREATE TABLESPACE', 'schema']],
  ['CreateTrigStmt', ['CREATE TRIGGER', 'schema']],
  ['CreatedbStmt', ['CREATE DATABASE', 'schema']],
  ['DoStmt', ['DO', 'code']],
  ['DropRoleStmt', ['DROP ROLE', 'rights']],
  ['DropTableSpaceStmt', ['DROP TABLESPACE', 'schema']],
  ['DropdbStmt', ['DROP DATABASE', 'schema']],
  ['GrantRoleStmt', ['GRANT or REVOKE of a role', 'rights']],
  ['GrantStmt', ['GRANT or REVOKE', 'rights']],
  ['IndexStmt', ['CREATE INDEX', 'schema']],
  ['LoadStmt', ['LOAD', 'code']],
  ['LockStmt', ['LOCK TABLE', 'lock']],
  ['NotifyStmt', ['NOTIFY', 'notify']],
  ['ReassignOwnedStmt', ['REASSIGN OWNED', 'rights']],
  ['RefreshMatViewStmt', ['REFRESH MATERIALIZED VIEW', 'upkeep']],
  ['ReindexStmt', ['REINDEX', 'upkeep']],
  ['RuleStmt', ['CREATE RULE', 'schema']],
  ['SecLabelStmt', ['SECURITY LABEL', 'rights']],
  ['VacuumStmt', ['VACUUM or ANALYZE', 'upkeep']],
  ['ViewStmt', ['CREATE VIEW', 'schema']],
]);

/** The fields for the kind of object, in nodes that represent many statements. */
const objectFields = ['removeType', 'renameType', 'objectType', 'objtype', 'kind'];

/** Returns the refusal of a statement that cannot run in a staged session. The statement may be unknown to this version. */
export function refusedStatement(type: string, fields: Fields): Refusal {
  if (isTemporary(fields))
    return cannotRun(`CREATE TEMPORARY ${temporary.get(type) ?? 'TABLE'}`, 'temporary');
  const [name, kind] = known.get(type) ?? unlisted(type, fields);
  return cannotRun(name, kind);
}

/** Derives a statement's name from its node type: `AlterTableStmt`, or `DropStmt` with `OBJECT_TABLE`. */
function unlisted(type: string, fields: Fields): readonly [string, Advice] {
  const words = type.replace(/Stmt$/, '').match(/[A-Z][a-z]*/g) ?? [type];
  const verb = verbs.get(words[0] ?? '') ?? words[0]?.toUpperCase();
  if (!verb) return [type, 'other'];
  const object = objectOf(fields) ?? words.slice(1).join(' ').toUpperCase();
  return [`${verb} ${object}`.trim(), 'schema'];
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['Rename', 'ALTER'],
  ['Define', 'CREATE'],
]);

function objectOf(fields: Fields): string | null {
  for (const name of objectFields) {
    const value: unknown = Reflect.get(fields, name);
    if (typeof value === 'string' && value.startsWith('OBJECT_')) return objectName(value);
  }
  return null;
}

/** Returns `TABLE` for `OBJECT_TABLE`, and so on. */
function objectName(value: string): string {
  return objects.get(value) ?? value.slice('OBJECT_'.length).replaceAll('_', ' ');
}

/** Object types whose names in the grammar differ from those in SQL. */
const objects: ReadonlyMap<string, string> = new Map([
  ['OBJECT_ATTRIBUTE', 'TYPE'],
  ['OBJECT_COLUMN', 'TABLE'],
  ['OBJECT_DOMCONSTRAINT', 'DOMAIN'],
  ['OBJECT_FDW', 'FOREIGN DATA WRAPPER'],
  ['OBJECT_LARGEOBJECT', 'LARGE OBJECT'],
  ['OBJECT_MATVIEW', 'MATERIALIZED VIEW'],
  ['OBJECT_OPCLASS', 'OPERATOR CLASS'],
  ['OBJECT_OPFAMILY', 'OPERATOR FAMILY'],
  ['OBJECT_STATISTIC_EXT', 'STATISTICS'],
  ['OBJECT_TABCONSTRAINT', 'TABLE'],
  ['OBJECT_TSCONFIGURATION', 'TEXT SEARCH CONFIGURATION'],
  ['OBJECT_TSDICTIONARY', 'TEXT SEARCH DICTIONARY'],
  ['OBJECT_TSPARSER', 'TEXT SEARCH PARSER'],
  ['OBJECT_TSTEMPLATE', 'TEXT SEARCH TEMPLATE'],
]);

const temporary: ReadonlyMap<string, string> = new Map([
  ['ViewStmt', 'VIEW'],
  ['CreateSeqStmt', 'SEQUENCE'],
]);

/** Returns whether a statement creates a temporary relation. */
function isTemporary(fields: Fields): boolean {
  const into = member(fields, 'into');
  const relations = [
    member(fields, 'relation'),
    member(fields, 'view'),
    member(fields, 'sequence'),
  ];
  if (into) relations.push(member(into, 'rel'));
  return relations.some((relation) => relation && Reflect.get(relation, 'relpersistence') === 't');
}

function member(fields: Fields, name: string): Fields | null {
  const value: unknown = Reflect.get(fields, name);
  return typeof value === 'object' ? value : null;
}

function cannotRun(name: string, kind: Advice): Refusal {
  return refuse(`${name} cannot be run in a staged session`, advice[kind]);
}
