/** Tests the documents: each statement in the list stands on its page in the same words, and holds. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Shell } from '../cli/stage.ts';
import { createShell } from '../cli/stage.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { ofClients } from './documented-clients.ts';
import { commandStatements } from './documented-commands.ts';
import type { SqlStatement } from './documented-form.ts';
import { schema } from './documented-schema.ts';
import { ofStatements } from './documented-sql.ts';

/** Returns a page with all white space collapsed, independent of its lines. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
const pages = new Map<string, string>();
function pageOf(name: string): string {
  const page = pages.get(name) ?? flat(readFileSync(`docs/${name}.md`, 'utf8'));
  pages.set(name, page);
  return page;
}

suite('statements of the documents', (test) => {
  let proxied: Proxied;
  let shell: Shell;
  test.before(async () => {
    proxied = await startProxied(schema);
    shell = await createShell(proxied.daemon.restUrl);
    await writeFile(join(shell.folder, 'unknown.yaml'), 'prot: 8080\n');
  });
  test.after(async () => {
    await shell.clear();
    await proxied.stop();
  });

  /** Returns the rows of the last text, or the SQLSTATE of the first that fails. */
  const answer = async (client: pg.Client, texts: readonly string[]): Promise<unknown> => {
    try {
      let rows: unknown[][] = [];
      for (const text of texts) {
        const result = await client.query<unknown[]>({ text, rowMode: 'array' });
        rows = ([result].flat().at(-1) as pg.QueryArrayResult).rows;
      }
      return rows;
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await client.query('ROLLBACK; RESET ALL; DEALLOCATE ALL');
    }
  };

  /** Runs the same as a role that has only some rights. */
  const answerTo = async (rights: string, texts: readonly string[], url: string) => {
    const role = await createRole(proxied.database, rights);
    const own = new URL(url);
    [own.username, own.password] = [role.name, role.name];
    const client = new pg.Client({ connectionString: own.href });
    await client.connect();
    const found = await answer(client, texts).finally(() => client.end());
    await role.drop();
    return found;
  };

  test('are quoted in the words of their pages', () => {
    const all = [...ofStatements, ...ofClients, ...commandStatements];
    const missing = all.filter(({ page, says }) => !pageOf(page).includes(flat(says)));
    assert.equal(missing, []);
  });

  /** Returns the statements that do not hold. Many share a session: what is staged for one must not change the response to another. */
  const mistakesIn = async (statements: readonly SqlStatement[]): Promise<unknown[]> => {
    const url = await proxied.session('staged');
    const here = await proxied.connect(url);
    const there = await proxied.connect(proxied.twin.url);
    const wrong: unknown[] = [];
    for (const { says, sql, gives, before = 'SELECT', rights } of statements) {
      await proxied.database.query(before);
      const found = await (rights === undefined ? answer(here, sql) : answerTo(rights, sql, url));
      const wanted = gives === 'as PostgreSQL' ? await answer(there, sql) : gives;
      const [got, due] = [JSON.stringify(found), JSON.stringify(wanted)];
      if (got !== due) wrong.push({ says, sql: sql.at(-1)?.slice(0, 100), got, due });
    }
    return wrong;
  };

  test('what they say about statements and tables holds', async () => {
    assert.equal(await mistakesIn(ofStatements), []);
  });

  test('what they say about rights, functions and clients holds', async () => {
    assert.equal(await mistakesIn(ofClients), []);
  });

  test('what they say about commands holds', async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    const wrong: unknown[] = [];
    let named = '';
    for (const { says, args, code, stdout, stderr, staged, production } of commandStatements) {
      if (staged !== undefined) await client.query(staged);
      if (production !== undefined) await proxied.database.query(production);
      const words = args.map((word) => word.replace('$S', id).replace('$R', named));
      const found = await shell.run(words);
      named = /sess_[0-9a-f]{32}/.exec(found.stdout)?.[0] ?? '';
      const isRight =
        found.code === code &&
        (stdout === undefined || stdout.test(found.stdout)) &&
        (stderr === undefined || stderr.test(found.stderr));
      if (!isRight) wrong.push({ says, line: words.join(' '), ...found });
    }
    assert.equal(wrong, []);
  });
});
