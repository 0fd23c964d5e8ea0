/** The sample database, for trying out stage without a production database. */
import { createDatabase } from '../../db/database.ts';
import { loadSql } from '../../db/sql-file.ts';

export interface Sample {
  /** URL of the sample database, with the account of the given URL. */
  readonly url: string;
  /** False if it existed already. */
  readonly created: boolean;
}

const name = 'shop';
const mark = 'The sample of stage';

/** Returns a row if the sample was never installed here. Once installed, it is left to the user. */
const untouched = `
SELECT 1 FROM pg_database
WHERE datname = current_database()
  AND shobj_description(oid, 'pg_database') IS DISTINCT FROM $1
  AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace)`;

/** Returns the URL of the sample database on a server, with the account of the given URL. */
export function sampleUrl(url: string): string {
  const target = new URL(url);
  target.pathname = `/${name}`;
  return target.href;
}

/**
 * Creates the database `shop` on a server and fills it, unless it exists with content.
 * @param url URL of a superuser, because the sample creates the role `app`
 */
export async function installSample(url: string): Promise<Sample> {
  await ensureDatabase(url);
  const target = sampleUrl(url);
  const shop = createDatabase({ url: target, maxConnections: 1 });
  try {
    const created = await shop.transaction(async (tx) => {
      const found = await tx.query(untouched, [mark]);
      if (found.length === 0) return false;
      await tx.query('SET LOCAL search_path = public');
      await tx.query(loadSql('sample.sql'));
      await tx.query(`COMMENT ON DATABASE ${name} IS '${mark}'`);
      return true;
    });
    return { url: target, created };
  } finally {
    await shop.close();
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const server = createDatabase({ url, maxConnections: 1 });
  try {
    const found = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.length === 0) await server.query(`CREATE DATABASE ${name}`);
  } finally {
    await server.close();
  }
}
