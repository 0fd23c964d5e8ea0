/** Generates SQL for the recommended roles of clients and of the service account, for all schemas with tables. */
import { majorOf } from '../../db/catalog-reader.ts';
import type { Database } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import { internalSchema } from './examine.ts';

/** The first major version that needs no temporary table for MERGE. */
const mergesIntoViews = 17;

interface Surroundings {
  readonly database: string;
  readonly schemas: string;
  /** The current role, which is the service account. */
  readonly account: string;
  readonly major: number;
  /** Whether a table has row-level security. */
  readonly hasPolicies: boolean;
}

/** Generates SQL that creates a role for clients, or changes an existing one accordingly. */
export async function clientRoleSql(db: Database, role: string): Promise<string> {
  const { database, schemas, account, major } = await readSurroundings(db);
  return fillSql(loadSql('doctor/role.sql'), {
    create: createSql(role),
    role: quoteIdentifier(role),
    database,
    schemas,
    temporary:
      major >= mergesIntoViews
        ? ''
        : `-- on this version of PostgreSQL the service account needs it, for MERGE\nGRANT TEMPORARY ON DATABASE ${database} TO ${account};\n`,
  });
}

/** Generates SQL that creates the service account, or grants an existing one what it needs. */
export async function serviceRoleSql(db: Database, role: string): Promise<string> {
  const { database, schemas, hasPolicies } = await readSurroundings(db);
  const quoted = quoteIdentifier(role);
  return fillSql(loadSql('doctor/service_role.sql'), {
    create: createSql(role),
    role: quoted,
    database,
    schemas,
    row_security: hasPolicies
      ? `-- tables have row-level security, and it applies whole sessions; only a superuser can give it this\nALTER ROLE ${quoted} BYPASSRLS;\n`
      : '',
  });
}

function createSql(role: string): string {
  return fillSql(loadSql('doctor/create_role.sql'), {
    name: `'${role.replaceAll("'", "''")}'`,
    role: quoteIdentifier(role),
  }).trimEnd();
}

async function readSurroundings(db: Database): Promise<Surroundings> {
  const found = `FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT ${await internalSchema(db)}`;
  const rows = await db.query(`SELECT DISTINCT n.nspname AS name ${found} ORDER BY 1`);
  const [about] = await db.query(
    `SELECT current_database() AS database, current_user AS account, current_setting('server_version_num') AS number,
       EXISTS (SELECT ${found} AND c.relrowsecurity) AS has_policies`,
  );
  const name = (key: string) => quoteIdentifier(String(about?.[key]));
  return {
    database: name('database'),
    account: name('account'),
    major: majorOf(about?.['number']),
    hasPolicies: about?.['has_policies'] === 't',
    schemas: rows.map((row) => quoteIdentifier(String(row['name']))).join(', ') || 'public',
  };
}
