/** The faults that the doctor reports, with severity, meaning and remedy. The SQL in templates/sql/doctor finds them. */

export type Level = 'danger' | 'warning' | 'note';

export interface Fault {
  readonly level: Level;
  readonly message: string;
  readonly hint: string;
}

const aroundProxy =
  'Take it away from the role, or give clients another one: stage doctor --print-role.';

/** By the name that the SQL returns, which is stable. */
export const faults = {
  client_superuser: danger(
    'the role is a superuser: nothing in the database restricts it',
    aroundProxy,
  ),
  client_is_service: danger('the role is a member of the service account', aroundProxy),
  client_other_roles: danger('the role can become a superuser', aroundProxy),
  client_attributes: danger('the role has attributes that reach beyond its tables', aroundProxy),
  client_powers: danger('the role is a member of roles that read or write everything', aroundProxy),
  client_owns: danger('the role owns relations, and may do anything to them', aroundProxy),
  client_writes: danger('the role may write to production when it connects directly', aroundProxy),
  client_creates: danger('the role may create objects that others may use', aroundProxy),
  client_definers: danger(
    "the role may call functions that run with their owners' rights",
    'Read what they do, and REVOKE EXECUTE ... FROM PUBLIC where they write.',
  ),
  client_files: danger('the role may call functions that reach files of the server', aroundProxy),
  client_sees_staging: danger("the role sees the service's own tables", aroundProxy),
  client_sequences: warning('the role may set sequences when it connects directly', aroundProxy),
  client_remote: warning(
    'the role may open connections from the server to elsewhere',
    'REVOKE EXECUTE or USAGE from PUBLIC, so that only those who need it keep it.',
  ),
  client_watches: warning('the role may see or signal what other roles run', aroundProxy),
  client_temporary: warning(
    'the role may create temporary objects when it connects directly',
    'REVOKE TEMPORARY ON DATABASE ... FROM PUBLIC, unless others need it, or its clients use temporary tables. On PostgreSQL 15 and 16 GRANT it to the service account, for MERGE.',
  ),
  pooler: danger(
    'the connection loses its settings, because a pooler shares connections',
    'Give the address of PostgreSQL itself as upstream.',
  ),
  path_open: danger(
    "others may create objects in schemas of the service account's search_path, and code of theirs may run as that account",
    'REVOKE CREATE ON SCHEMA ... FROM PUBLIC (or the role), or ALTER ROLE ... SET search_path of the service account to schemas that are closed.',
  ),
  service_cannot_create: danger(
    'the service account may not create the schemas it needs',
    'GRANT CREATE ON DATABASE ... to the service account.',
  ),
  service_not_owner: danger(
    'schemas of the service belong to somebody else',
    'ALTER SCHEMA ... OWNER TO the service account.',
  ),
  audit_unguarded: danger(
    'triggers that keep the audit append-only are missing or disabled',
    'Find out who did it, verify the audit against a checkpoint, and enable them again.',
  ),
  service_superuser: warning(
    'the service account is a superuser: functions and triggers of table owners run as one at approval',
    'Use a role of its own that may read and write the staged tables.',
  ),
  service_lacks_rights: warning(
    'the service account may not read and write all tables: changes of these cannot be applied',
    'GRANT SELECT, INSERT, UPDATE, DELETE on the tables that are staged: stage doctor --print-service.',
  ),
  service_lacks_sequences: warning(
    'the service account may not draw from sequences that fill columns: INSERTs that leave these out fail',
    'GRANT USAGE ON SEQUENCE ... TO the service account: it draws the numbers of serial and identity columns.',
  ),
  service_lacks_temporary: warning(
    'the service account may not create temporary tables: before PostgreSQL 17 clients cannot stage a MERGE',
    'GRANT TEMPORARY ON DATABASE ... to the service account; clients do not need it.',
  ),
  server_version: warning(
    'the server lacks fixes of published security holes',
    'Install the latest minor release.',
  ),
  server_durability: warning(
    'the server may lose committed changes when it loses power',
    'Turn these settings on.',
  ),
  publication: danger(
    'publications carry the tables of the service: subscribers without them stop replicating, the others get staged rows',
    'CREATE PUBLICATION ... FOR TABLES IN SCHEMA of the schemas that are wanted, have subscribers use that one, and drop this one.',
  ),
  subscription: danger(
    'tables of the service are filled by a subscription: staged rows of another database would stand among those of this one',
    'Have the publisher publish the schemas that are wanted, and ALTER SUBSCRIPTION ... REFRESH PUBLICATION.',
  ),
  owner_backup: warning(
    'pg_dump by these roles fails: they own tables, and may not read those of the service',
    "Have them add --exclude-schema='stage*', which leaves out sessions and audit, or make backups as a member of pg_read_all_data.",
  ),
  connections_configured: warning(
    'clients of the proxy may take more than half of the connections that production has free',
    "Lower the setting max_connections, or leave it out; or raise PostgreSQL's own.",
  ),
  ignored_columns_unknown: warning(
    'conflict_ignore_columns names columns that no table has: changes of what is meant count as conflicts',
    'Correct the names: table.column for the schema public, schema.table.column for others.',
  ),
  event_trigger: warning(
    'event triggers run when the service creates its objects',
    'Make sure that they let the service account create schemas, tables, views and functions.',
  ),
  statement_statistics: note(
    'pg_stat_statements keeps what the service account runs: creating the objects of one table takes more than a hundred entries',
    "ALTER ROLE ... SET pg_stat_statements.track = 'none' for the service account, as a superuser.",
  ),
  connections: note(
    'the service takes half of the connections that production has free, of which clients get these',
    'Set max_connections where clients shall have more, or fewer.',
  ),
  upstream_by_tcp: note(
    'the server is on this host and listens on a Unix socket in these directories, which costs less than TCP',
    'Make sure that the local lines of pg_hba.conf demand passwords, for they apply to clients of the proxy then. Then give the directory as host of the upstream URL: postgresql://user@%2Fvar%2Frun%2Fpostgresql/database.',
  ),
  table_not_stageable: note(
    'writes to these tables are refused',
    'They can be read. Take out of their definitions what is named here, or have such changes reviewed in another way.',
  ),
  trigger_not_staged: note(
    'these triggers do not fire while rows are staged: diffs and staged reads do not show their effects, and approval fires them',
    'Rehearse before you approve: stage check --rehearse. The reason follows the name of each trigger.',
  ),
  function_not_staged: note(
    'these functions and procedures are not staged: functions read production, and what they would write is refused',
    'Run their INSERT, UPDATE and DELETE statements themselves, or let reviewers call them after the approval. The reason follows each name.',
  ),
  policies_not_followed: note(
    'the row-level security policies of these tables read production alone: what a session stages in other tables does not count for them',
    'Approve what the policies read in a session of its own before, or change what is named here.',
  ),
  table_without_key: note(
    'rows of these tables are identified by all their values',
    'Add a primary key where equal rows must be distinguished.',
  ),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

function danger(message: string, hint: string): Fault {
  return { level: 'danger', message, hint };
}

function warning(message: string, hint: string): Fault {
  return { level: 'warning', message, hint };
}

function note(message: string, hint: string): Fault {
  return { level: 'note', message, hint };
}
