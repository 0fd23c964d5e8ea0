/** Chooses the account of the embedded PostgreSQL. PostgreSQL refuses to run as root; other users run it as themselves. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StageError } from '../../errors.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that root can run the server as, the best first. They need a passwd entry, because initdb reads its own. */
const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * Returns the account to run the server under, or null for the current one. The owner of existing data stays the same.
 * @throws StageError `configuration_invalid` if the user is root and no account is available
 */
export async function chooseAccount(directory: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(join(directory, 'data')).catch(() => null);
  if (owner && owner.uid !== 0) return lookUp(String(owner.uid));
  for (const name of candidates) {
    const account = await lookUp(name).catch(() => null);
    if (account && account.uid !== 0) return account;
  }
  throw new StageError(
    'configuration_invalid',
    'PostgreSQL refuses to run as root, and there is no user to run it as',
    {
      hint: 'Run stage as an ordinary user, or create the system user postgres.',
    },
  );
}

async function lookUp(user: string): Promise<Account> {
  const [name, uid, gid] = await Promise.all([
    query('-un', user),
    query('-u', user),
    query('-g', user),
  ]);
  return { name, uid: Number(uid), gid: Number(gid) };
}

/** Runs `id`, which knows directory services and not only /etc/passwd. */
function query(what: string, user: string): Promise<string> {
  return new Promise((done, failed) => {
    execFile('id', [what, user], (error, stdout) => (error ? failed(error) : done(stdout.trim())));
  });
}
