/** The guards of what an overlay assumes about its table: policies and grants, casts of its types, the mutation log. */
import type { Guard } from './guard.ts';

export const overlayGuards: readonly Guard[] = [
  {
    name: "functions that anybody can create do not run with the service account's rights",
    without: '',
    tests: ['attacks/open-schemas'],
  },
  {
    name: 'rows are parked also where the functions of their table are of an earlier release',
    without: 'NULL;',
    tests: ['staging/parked-by-others'],
  },
  {
    name: 'a row of a table whose overlay is read only is refused',
    without: `refusal: '',`,
    tests: ['proxy/linked-obstacles'],
  },
  {
    name: 'an overlay with staged rows is not replaced by one that is read only',
    without: 'return linked;',
    tests: ['proxy/linked-obstacles'],
  },
  {
    name: 'an update checks the foreign keys that it changes',
    without: `return '';`,
    tests: ['proxy/found-by-fuzzing'],
  },
  {
    name: 'the objects that a definition names are the same as then',
    without: 'IF false THEN',
    tests: ['alterations/taken-names'],
  },
  {
    name: "a definition that is known is used while the table's overlay was made for it, and the table is unchanged",
    without: 'if (known !== undefined) return known;',
    tests: ['staging/known-tables'],
  },
  {
    name: 'an overlay in which a statement failed is compared with its table, not with cached facts',
    without: '',
    tests: ['proxy/renamed-parts'],
  },
  {
    name: 'a definition depends on configurations of text search',
    without: '',
    tests: ['staging/definition-stamps'],
  },
  {
    name: 'a definition depends on the attributes of composite types',
    without: '',
    tests: ['staging/definition-stamps'],
  },
  {
    name: 'a definition depends on the labels of enums',
    without: '',
    tests: ['staging/definition-stamps'],
  },
  {
    name: 'only stamps of the service are called, whoever calls this function',
    without: 'IF false',
    lines: 2,
    tests: ['proxy/learned-names'],
  },
  {
    name: 'no plan remembers a stamp that depends on names of functions',
    without: '',
    tests: ['staging/stamps'],
  },
  {
    name: 'triggers of an action read nothing that the owner of the table may not',
    without: 'WHERE false LIMIT 1;',
    tests: ['proxy/action-triggers-rights'],
  },
  {
    name: 'triggers of an action call nothing that the owner of the table may not',
    without: 'WHERE false LIMIT 1;',
    tests: ['proxy/action-triggers-rights'],
  },
  {
    name: 'a change of production during a session is no difference of a trigger',
    without: '',
    tests: ['review/trigger-differences'],
  },
  {
    name: 'differences stop an approval where trigger_differences is refuse',
    without: '',
    tests: ['review/trigger-differences'],
  },
  {
    name: 'differences in tables that a role may not read are counted only',
    without: '))',
    tests: ['review/trigger-differences'],
  },
  {
    name: 'copies of triggers are as the triggers are now',
    without: ', EXISTS (',
    tests: ['proxy/triggers'],
  },
  {
    name: 'approval sets only the columns that the statement set',
    without: "SELECT pg_catalog.string_agg(a.assignment, ', ')",
    tests: ['proxy/triggers'],
  },
  {
    name: 'no set passes triggers by',
    without: '',
    tests: ['proxy/triggers'],
  },
  {
    name: 'the digest covers the values that production is given',
    without: `') FROM stage_data.shadow_%s s'`,
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: 'the condition of a trigger runs no checks of domains with the rights of the service',
    without: '',
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: "a BEFORE STATEMENT trigger with its owner's rights does not fire with those of a client",
    without: '',
    tests: ['proxy/owner-triggers'],
  },
  {
    name: 'calls of a trigger are checked like calls of a statement',
    without: '',
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: "names of the service's own statements are not found in schemas of users",
    without: '',
    tests: ['proxy/unstaged-triggers'],
  },
  {
    name: 'texts that users wrote do not stand in the bodies that are quoted so',
    without: 'return JSON.stringify(table).includes(bodyQuote)',
    tests: ['proxy/triggers'],
  },
  {
    name: 'no staged row is left out where the mutation log lacks its statement',
    without: 'IF false THEN',
    tests: ['review/damaged-log'],
  },
  {
    name: 'no image of a row fails',
    without: 'EXCEPTION WHEN data_exception THEN',
    tests: ['review/casts-to-json'],
  },
  {
    name: 'no image of a value fails',
    without: 'EXCEPTION WHEN data_exception THEN',
    tests: ['review/casts-to-json'],
  },
  {
    name: 'an image that a type cannot read is no fault of the service',
    without: '',
    tests: ['review/casts-to-json'],
  },
  {
    name: 'a view that the role may not read is left to PostgreSQL, which refuses it',
    without: `'view', CASE`,
    tests: ['proxy/view-grants'],
  },
  {
    name: 'the right to read a view is checked for each role',
    without: `IF false AND p_entry OPERATOR(pg_catalog.?) 'readable' AND v_relation IS NOT NULL`,
    tests: ['proxy/view-grants'],
  },
  {
    name: 'a row that is in the way is not shown past policies that came after the overlay',
    without: '',
    tests: ['staging/late-policies'],
  },
  {
    name: 'policies for SELECT apply to the new rows of a statement that reads columns of the table',
    without: '',
    tests: ['proxy/hidden-rows'],
  },
  {
    name: 'an INSERT that returns columns, or names the index of ON CONFLICT, reads its target',
    without: 'const reads = onConflictClause && returningClause ? [] : [];',
    tests: ['proxy/hidden-rows'],
  },
  {
    name: 'an INSERT of a MERGE that returns rows reads its target',
    without: "reads: operation === 'UPDATE' ? ['*'] : [],",
    tests: ['proxy/hidden-rows'],
  },
  {
    name: 'nobody searches among rows that policies hide',
    without: '',
    tests: ['proxy/hidden-rows'],
  },
  {
    name: 'DO UPDATE of a row that policies hide is refused',
    without: '',
    tests: ['proxy/row-security'],
  },
  {
    name: 'a change of all rows is refused where policies for SELECT hide some that it would change',
    without: "'',",
    tests: ['proxy/hidden-rows'],
  },
  {
    name: 'nothing is staged past policies that came after the overlay',
    without: 'IF false AND NOT EXISTS (',
    tests: ['staging/late-policies'],
  },
  {
    name: 'staged rows are not shown past policies that came after the overlay',
    without: '',
    tests: ['staging/late-policies'],
  },
  {
    name: 'a foreign key of single partitions is checked for their rows alone',
    without: `if (end.oid > 0) return '';`,
    tests: ['proxy/keys-of-partitions', 'sql/upserts'],
  },
  {
    name: 'foreign keys of partitions are checked by the present bounds',
    without: `oid > 0 && partitions === null ? '' : '';`,
    tests: ['proxy/keys-of-partitions'],
  },
  {
    name: 'a partition shows no staged rows but its own',
    without: `return '';`,
    tests: ['proxy/named-partitions'],
  },
  {
    name: 'a partition that is named takes no rows but its own',
    without: `condition: 'false',`,
    // All tests of the first file fail then. The second file shows that the rest works.
    tests: ['proxy/named-partitions', 'proxy/partition-grants'],
  },
  {
    name: 'triggers fire where PostgreSQL fires the same ones for the rows of all partitions',
    without: '',
    lines: 2,
    tests: ['proxy/partitions-with-code'],
  },
  {
    name: 'a row of a partition is passed as a row of the table',
    without: '',
    lines: 2,
    tests: ['proxy/partitions-with-code'],
  },
  {
    name: "no row moves past triggers whose writes, or whose owners' rights, belong to a deletion or an insertion",
    without: 'const isRefused = triggers.length < 0;',
    tests: ['proxy/partitions-with-code'],
  },
];
