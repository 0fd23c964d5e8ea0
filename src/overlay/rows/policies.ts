/** Row-level security: evaluates the policies of the role that runs the statement for staged rows, as PostgreSQL does for its own. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Policy, Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  overlayName,
  rowTypeName,
  shadowName,
  upsertSchema,
} from '../object-names.ts';
import { mayFire } from '../triggers/candidates.ts';
import { drawFunctionSql, drawTriggerSql } from '../triggers/draw.ts';
import { isDrawnFirst } from './row-checks.ts';

/** The checks of a row: whether the role may see it or change it, and whether the statement may give it its new values. */
const policyChecks = {
  see: { command: 'select', isCheck: false },
  insert: { command: 'insert', isCheck: true },
  touch: { command: 'update', isCheck: false },
  update: { command: 'update', isCheck: true },
  delete: { command: 'delete', isCheck: false },
} as const;
type PolicyCheck = keyof typeof policyChecks;

/** Where policies read other tables: `staged` with the session's rows in these, `production` without. */
type PolicyRows = 'production' | 'staged';

/**
 * Returns the name of a policy function. It is in a schema that clients' rights reach, because its result depends on the current role.
 * @param rows null for the function to call
 */
const policyCheckName = (table: Table, check: PolicyCheck, rows: PolicyRows | null = null) =>
  `${upsertSchema(table)}.policy_${table.oid}_${check}${rows === null ? '' : `_${rows}`}`;

/** The maximum number of arguments that a call can have. Rows with more columns are passed as one value, of the shadow's row type. */
const maxArguments = 100;
const isPassedWhole = (table: Table) => table.columns.length > maxArguments;

/**
 * Builds the call of a policy function.
 * @param staged the table in whose shadow the rows are: that of a partition is its partitioned table
 */
function policyCheckCall(
  table: Table,
  check: PolicyCheck,
  row: string,
  staged: Table,
  rows: PolicyRows | null = null,
): string {
  const isWhole = isPassedWhole(table);
  const values = columnList(columnNames(isWhole ? staged : table), row);
  return `${policyCheckName(table, check, rows)}(${isWhole ? `ROW(${values})` : values})`;
}

/**
 * Builds the condition that row `u` is of the connection's own session. For a table without policies, it holds only as long as the table
 * has none.
 */
export const ownSession = (table: Table) =>
  table.policies === null
    ? `stage.open_session(u._stage_session, '${table.oid}'::pg_catalog.oid)`
    : 'stage.own_session(u._stage_session)';

/** Builds the condition of the overlay view that the role may see the staged row `u`. PostgreSQL itself filters production's rows. */
export function stagedRowIsVisible(table: Table, staged: Table): string {
  if (table.policies === null) return '';
  return `\n  AND (NOT u._stage_staged OR ${policyCheckCall(table, 'see', 'u.', staged)} IS NULL)`;
}

/** Builds the condition that the session's rows count where the policies of a table read other tables. */
const countsOwnRows = ({ oid }: Table) =>
  `pg_catalog.row_security_active(${oid}::pg_catalog.oid) AND stage.counts_own_rows(${oid}::pg_catalog.oid, current_user)`;

/**
 * Builds the same condition for a table whose policies read other tables. A version of a row of production shows values of that row: what
 * the session has staged in other tables does not make it visible.
 */
export function ownRowIsVisible(table: Table): string {
  const sees = (row: string, rows: PolicyRows) =>
    `${policyCheckCall(table, 'see', row, table, rows)} IS NULL`;
  return fillSql(loadSql('table/rows/own_row_is_visible.sql'), {
    counts: countsOwnRows(table),
    shadow: shadowName(table),
    sees: sees('u.', 'staged'),
    saw: sees('u.', 'production'),
    saw_base: sees('(r._stage_base).', 'production'),
  });
}

/** Returns the options of the overlay view: the client's conditions must not see rows before the policies have filtered them. */
export const overlayOptions = (table: Table) =>
  table.policies === null ? '' : 'WITH (security_barrier)';

/** Builds the functions that evaluate the policies for a row. The overlay view depends on one of them. */
export function policyFunctionsSql(table: Table, staged: Table): string[] {
  if (table.policies === null) return [];
  const policies = table.policies;
  return allChecks.map((check) => policyCheckSql(table, policies, check, staged));
}

const allChecks = Object.keys(policyChecks) as PolicyCheck[];

/**
 * Builds the same functions for a table whose policies read other tables.
 * @param staged the policies, with overlays in place of these tables
 */
export function ownPolicyFunctionsSql(table: Table, staged: readonly Policy[]): string[] {
  const policies = table.policies ?? [];
  return allChecks.flatMap((check) => [
    policyCheckSql(table, policies, check, table, 'production'),
    policyCheckSql(table, staged, check, table, 'staged'),
    choiceSql(table, check),
  ]);
}

/** Builds the function that calls one of the two others. */
function choiceSql(table: Table, check: PolicyCheck): string {
  const values = isPassedWhole(table)
    ? '$1'
    : table.columns.map((_, at) => `$${at + 1}`).join(', ');
  const call = (rows: PolicyRows) => `${policyCheckName(table, check, rows)}(${values})`;
  const body = `SELECT CASE WHEN ${countsOwnRows(table)} THEN ${call('staged')} ELSE ${call('production')} END`;
  return `${headOf(table, check, table, null)} ${quoteLiteral(body)}`;
}

/** Builds the beginning of a policy function's definition. */
function headOf(table: Table, check: PolicyCheck, staged: Table, rows: PolicyRows | null): string {
  const parameters = isPassedWhole(table)
    ? rowTypeName(staged)
    : table.columns.map(({ baseType }) => baseType).join(', ');
  return `CREATE OR REPLACE FUNCTION ${policyCheckName(table, check, rows)}(${parameters}) RETURNS pg_catalog.text LANGUAGE sql STABLE AS`;
}

/** Builds a function that returns null for a row that passes, else the name of the violated policy, or '' where PostgreSQL names none. */
function policyCheckSql(
  table: Table,
  policies: readonly Policy[],
  check: PolicyCheck,
  staged: Table,
  rows: PolicyRows | null = null,
): string {
  const { command, isCheck } = policyChecks[check];
  const relevant = policies.flatMap((policy) => {
    if (policy.command !== 'all' && policy.command !== command) return [];
    const expression = (isCheck ? policy.check : null) ?? policy.using;
    return expression === null ? [] : [{ ...policy, expression }];
  });
  const allowed = relevant
    .filter(({ isPermissive }) => isPermissive)
    .map((policy) => `${isFor(policy)} AND (${policy.expression})`);
  const forbidden = relevant
    .filter(({ isPermissive }) => !isPermissive)
    .map(
      (policy) =>
        `WHEN ${isFor(policy)} AND (${policy.expression}) IS NOT TRUE THEN ${quoteLiteral(policy.name)}`,
    );
  const body = `SELECT CASE WHEN NOT pg_catalog.row_security_active(${table.oid}::pg_catalog.oid) THEN NULL
    WHEN NOT stage.catalog_comes_first() THEN ''
    WHEN (${allowed.join(' OR ') || 'false'}) IS NOT TRUE THEN ''
    ${forbidden.join('\n    ')} END FROM ${givenRow(table)} AS ${quoteIdentifier(table.name)}`;
  return `${headOf(table, check, staged, rows)} ${quoteLiteral(body)}`;
}

function isFor({ roles }: Policy): string {
  if (roles.includes(0)) return 'true';
  const memberships = roles.map(
    (role) => `pg_catalog.pg_has_role(${role}::pg_catalog.oid, 'USAGE')`,
  );
  return `(${memberships.join(' OR ')})`;
}

/** Builds the row to check, with its generated columns computed. */
function givenRow(table: Table): string {
  const isWhole = isPassedWhole(table);
  const given = table.columns
    .map(({ name, type }, index) => {
      const column = quoteIdentifier(name);
      return `${isWhole ? `_stage_g.${column}` : `$${index + 1}`}::${type} AS ${column}`;
    })
    .join(', ');
  const from = isWhole ? ' FROM (SELECT ($1).*) _stage_g' : '';
  const computed = table.columns
    .map(({ name, generated }) =>
      generated === null
        ? quoteIdentifier(name)
        : `(${generated.expression}) AS ${quoteIdentifier(name)}`,
    )
    .join(', ');
  return `(SELECT ${computed} FROM (SELECT ${given}${from}) AS ${quoteIdentifier(table.name)})`;
}

/** Returns the name of the function that restores a row that triggers made from its text. */
export const madeRowName = (table: Table) => `${upsertSchema(table)}.made_row_${table.oid}`;

/** Builds that function. @param staged the table in which the row is staged; `table` may be a partition of it */
export const madeRowSql = (table: Table, staged: Table): string =>
  fillSql(loadSql('table/triggers/made_row.sql'), {
    ...{ made_row: madeRowName(table), row_type: rowTypeName(staged) },
  });

/** Builds the parts of the policies' trigger by which it checks the row that triggers made. */
function madeParts(table: Table, staged: Table) {
  if (!mayFire(staged, 'insert') && !mayFire(staged, 'update'))
    return { made_row: '', made: '', give_back: '' };
  const parts = { oid: staged.oid, made_row: madeRowName(table) };
  return {
    made_row: madeRowSql(table, staged),
    made: fillSql(loadSql('table/triggers/policies_made.sql'), parts),
    give_back: '  IF _stage_v_is_made THEN RETURN _stage_v_given; END IF;\n',
  };
}

/** Builds the statement by which no trigger fires for a row that policies keep from an UPDATE or DELETE. */
export function policyBeforeFiring(
  table: Table,
  operation: 'update' | 'delete',
  staged: Table,
): string {
  if (table.policies === null) return '';
  const check = operation === 'update' ? 'touch' : 'delete';
  const given = operation === 'update' ? 'NEW' : 'OLD';
  // guard: no trigger fires for a row that policies keep from the statement
  return `  IF ${policyCheckCall(table, check, 'OLD.', staged)} IS NOT NULL THEN RETURN ${given}; END IF;\n`;
}

const triggerName = (table: Table) => `${upsertSchema(table)}.policy_${table.oid}`;

/**
 * Builds the trigger that checks a view's rows with the client's rights, before the triggers that stage them, and the one that fills the
 * rows' identity columns before it.
 */
export function policyTriggerSql(table: Table, view: string): string[] {
  if (table.policies === null) return [];
  return [
    ...(isDrawnFirst(table) ? [drawTriggerSql(table, view)] : []),
    `CREATE TRIGGER policy_check INSTEAD OF INSERT OR UPDATE OR DELETE ON ${view} FOR EACH ROW EXECUTE FUNCTION ${triggerName(table)}()`,
  ];
}

/**
 * Builds the function that checks rows, and the overlay's trigger.
 * @param settings the table by whose OID the statement's settings are called, and in whose shadow the rows are
 */
export function policyTriggersSql(table: Table, settings: Table): string[] {
  if (table.policies === null) return [];
  return [
    fillSql(loadSql('table/rows/policies.sql'), {
      check: triggerName(table),
      ...madeParts(table, settings),
      table: settings.oid,
      table_name: quoteLiteral(table.name),
      may_insert: policyCheckCall(table, 'insert', 'NEW.', settings),
      may_touch: policyCheckCall(table, 'touch', 'OLD.', settings),
      may_update: policyCheckCall(table, 'update', 'NEW.', settings),
      may_see_new: policyCheckCall(table, 'see', 'NEW.', settings),
      may_delete: policyCheckCall(table, 'delete', 'OLD.', settings),
    }),
    ...(isDrawnFirst(table) ? [drawFunctionSql(table, settings)] : []),
    ...policyTriggerSql(table, overlayName(table)),
    ...operationsOnHidden(table.policies).map(
      (operation) =>
        // guard: a change of all rows is refused where policies for SELECT hide some that it would change
        `CREATE TRIGGER refuse_${operation} BEFORE ${operation} ON ${overlayName(table)} FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_hidden_rows(${settings.oid}, ${table.oid})`,
    ),
  ];
}

/** Lists the operations whose policies may allow a role to change rows that those for SELECT hide from it. */
const operationsOnHidden = (policies: readonly Policy[]) =>
  (['update', 'delete'] as const).filter((operation) =>
    policies.some(({ command, isPermissive }) => command === (isPermissive ? operation : 'select')),
  );
