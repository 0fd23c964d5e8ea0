/** The guards inside the database: between sessions, between roles, and against tampering with the audit. */
import type { Guard } from './guard.ts';

const ofReverted = 'stage.is_readable((SELECT s.reverts FROM stage.session s WHERE s.id = $1), $2)';
const readable = (every: 'and' | 'or', taken: string, nobody: string) =>
  `SELECT coalesce(bool_${every}(CASE WHEN r.role IS NOT NULL THEN stage.can_read(r.role, $2)
  ELSE ${taken} END), ${nobody}) FROM stage.roles_of($1) AS r (role)`;

export const databaseGuards: readonly Guard[] = [
  {
    name: 'a connection that ends while others are opened does not end the process',
    without: '',
    // the process of the first file ends, the other passes
    tests: ['db/connections', 'db/script-statements'],
  },
  {
    name: 'a migration blocks nobody',
    without: '',
    tests: ['db/migrate'],
  },
  {
    name: 'a request for the state of an upgrade starts no further attempt',
    without: '',
    tests: ['db/upgrade'],
  },
  {
    name: 'a connection that has begun another transaction is not ended for an upgrade',
    without:
      '`SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.pid = $1 OR l.virtualtransaction = $2`,',
    tests: ['db/upgrade'],
  },
  {
    name: 'no function of an earlier release is taken for one of this release',
    without: '',
    tests: ['db/migrate'],
  },
  {
    name: 'rows of other sessions are turned away before conditions of the client',
    without: 'WHERE true',
    tests: ['staging/privacy'],
  },
  {
    name: 'a role without rights on a table stages nothing in it',
    without: 'IF false THEN',
    tests: ['staging/privacy'],
  },
  {
    name: 'rows that are staged as a set are checked',
    without: 'IF false AND EXISTS (',
    tests: ['staging/sets'],
  },
  {
    name: 'no column of a unique index or a foreign key is updated as a set',
    without: 'GRANT UPDATE ON {{changes}} TO PUBLIC;',
    tests: ['staging/sets'],
  },
  {
    name: 'no row that others may refer to is deleted as a set',
    without: `...rule('delete', deleted),`,
    tests: ['staging/sets'],
  },
  {
    name: 'a role without rights on a table locks none of its rows',
    without:
      "IF false AND NOT has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), {{oid}}, 'SELECT') THEN",
    tests: ['staging/privacy'],
  },
  {
    name: 'a role without rights on a table does not learn which rows are staged',
    without:
      "OR false AND has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), {{oid}}, 'SELECT')",
    tests: ['staging/privacy'],
  },
  {
    name: 'code that applies rows names the schemas of operators',
    without: `SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = \${table.oid}::pg_catalog.oid AND NOT t.tgisinternal`,
    tests: ['db/search-path', 'review/hostile-names'],
  },
  {
    name: 'the orders of an approval are made under a fixed search path',
    without: 'LANGUAGE sql STABLE AS $$',
    tests: ['db/search-path'],
  },
  {
    name: 'objects of other releases are rebuilt',
    without:
      "UPDATE stage.overlay SET stamp = 'outdated ' || stamp WHERE false AND generation IS DISTINCT FROM p_generation AND NOT starts_with(stamp, 'outdated ');",
    tests: ['staging/generation'],
  },
  {
    name: 'a snapshot that does not show carried-over rows is not used',
    without: '',
    tests: ['proxy/replaced-tables'],
  },
  {
    name: 'session_replication_role silences no trigger that stages',
    without:
      "IF pg_catalog.current_setting('session_replication_role') OPERATOR(pg_catalog.=) 'never' THEN PERFORM stage.fire_triggers(); END IF;",
    tests: ['proxy/replication-role'],
  },
  {
    name: 'session_replication_role silences no trigger while a statement runs',
    without:
      "IF v_seal IS DISTINCT FROM concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes))  THEN",
    tests: ['proxy/replication-role'],
  },
  {
    name: 'session_replication_role silences no trigger of production at approval',
    without: '',
    tests: ['proxy/replication-role'],
  },
  {
    name: 'a statement needs the grants of its columns',
    without:
      "IF false AND NOT v_entry OPERATOR(pg_catalog.?) 'role' AND v_entry OPERATOR(pg_catalog.->>) 'signature' IS NOT NULL AND NOT stage.has_rights(v_relation, v_entry OPERATOR(pg_catalog.->) 'rights') THEN",
    tests: ['proxy/row-security'],
  },
  {
    name: 'an INSERT returns no columns that the role may not read',
    without: '',
    tests: ['proxy/returned-columns'],
  },
  {
    name: 'the name of the target alone stands for its whole row',
    without: '',
    tests: ['proxy/returned-columns'],
  },
  {
    name: 'an INSERT of a function returns no columns that the role may not read',
    without: 'IF false THEN',
    tests: ['proxy/returned-columns'],
  },
  {
    name: "no trigger of a client's runs with the rights of the service",
    without:
      'IF false AND v_owner <> (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user) THEN',
    tests: ['staging/privacy'],
    until: 16,
  },
  {
    name: 'rows that were staged after the proposal are not approved',
    without: 'if (row) return;',
    tests: ['staging/privacy'],
  },
  {
    name: 'the digest covers steps without a net change',
    without: "' WHERE s._stage_session = $1 AND s._stage_head',",
    tests: ['review/steps'],
  },
  {
    name: 'the digest covers the bounds of statements',
    without: "SELECT stage.chain('', m.going_on || s.hash ORDER BY m.first, s.seq)",
    tests: ['review/steps'],
  },
  {
    name: 'the log withholds statements on hidden tables',
    without: 'SELECT w.statement FROM written w WHERE false',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'the log withholds parameters, too',
    without: 'm.params, m.affected_rows,',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'the log withholds settings, too',
    without: 'm.settings,',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'every role that staged must be able to read',
    without: readable('or', ofReverted, 'false'),
    lines: 2,
    tests: ['rest/readable-rights'],
  },
  {
    name: 'a role that is not known reads nothing',
    without: readable('and', 'true', 'false'),
    lines: 2,
    tests: ['rest/readable-rights'],
  },
  {
    name: 'a table without staged rows is not read',
    without: readable('and', ofReverted, 'true'),
    lines: 2,
    tests: ['rest/readable-rights'],
  },
  {
    name: 'rows of a revert are as readable as the rows that it reverts',
    without: readable(
      'and',
      '(SELECT s.reverts IS NOT NULL FROM stage.session s WHERE s.id = $1)',
      'false',
    ),
    lines: 2,
    tests: ['rest/revert'],
  },
  {
    name: 'mutations of an unknown role are among the roles',
    without:
      'SELECT NULL WHERE EXISTS (SELECT FROM stage.mutation m WHERE m.session = $1 AND false)',
    tests: ['rest/readable-rights', 'rest/roles'],
  },
  {
    name: 'a schema must be usable for its tables to be readable',
    without: '',
    tests: ['rest/readable-rights'],
  },
  {
    name: 'every column must be readable for the table to be',
    without:
      "SELECT bool_or(has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')) FROM pg_attribute a",
    tests: ['rest/readable-rights'],
  },
  {
    name: 'row-level security may hide rows',
    without: 'AND (true OR r.rolsuper OR r.rolbypassrls',
    tests: ['rest/readable-rights'],
  },
  {
    name: 'row-level security that is forced may hide rows from owners',
    without: "OR pg_has_role(r.oid, c.relowner, 'USAGE')))",
    tests: ['rest/readable-rights'],
  },
  {
    name: 'functions with the rights of the service are not for everybody',
    without: '',
    tests: ['staging/privacy'],
  },
  {
    name: 'hashes of entries are compared',
    without:
      'if (!walk.follow(entryText(entry), entry.hash) && !id) return { id, reason: altered };',
    tests: ['review/audit'],
  },
  {
    name: 'the chain is compared with a checkpoint',
    without: "(walk ? null : { id: 'checkpoint', reason: unpassed });",
    tests: ['review/tampering', 'review/audit'],
  },
  {
    name: 'the tripwire sees writes to catalogs',
    without: "AND i.schema <> 'pg_catalog'",
    tests: ['attacks/effects'],
  },
  {
    name: 'the name alone does not make a schema internal',
    without: ');',
    tests: ['attacks/own-schemas'],
  },
  {
    name: 'the owner alone does not make a schema internal',
    without: "AND n.nspname OPERATOR(pg_catalog.~) '^stage(_.*)?$'",
    tests: ['attacks/own-schemas'],
  },
  {
    name: "no overlay is made in somebody else's schema",
    without: 'if (!row) throw takenSchema(schema);',
    tests: ['attacks/own-schemas'],
  },
  {
    name: 'the tripwire sees tables that the snapshot does not show',
    without: "WHERE l.locktype = 'relation' AND l.pid = pg_backend_pid() AND false",
    tests: ['attacks/own-schemas'],
  },
  {
    name: "bodies are not analysed with the service's rights",
    without: '',
    tests: ['attacks/literals'],
  },
];
