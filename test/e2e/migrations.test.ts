/**
 * Migrations while a session lives: none is blocked. The session continues as if its rows had been in production, or reports what is
 * ambiguous.
 * Each runs at two of three moments; `STAGE_TEST_FORMS=all npm test -- e2e/migrations` runs each at all of them.
 */
import type pg from 'pg';
import { sendsAll } from '../helpers/forms.ts';
import type { Answer } from '../helpers/http.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Migration } from './migrations/cases.ts';
import { after, before, migrations, schema, table } from './migrations/cases.ts';

const moments = [
  'before anything is staged',
  'between two statements',
  'between propose and approve',
] as const;
type Moment = (typeof moments)[number];

/** Returns what a diff says of rows, without what it says of the table as it is now. */
const netOf = (diff: string) =>
  diff
    .replace(/"(?:digest|status)":"[^"]*"/g, '')
    .replaceAll(/"further_changes":\d+|"(?:columns|triggers)":\[[^\]]*\]/g, '');

suite('migrations', (test) => {
  let proxied: Proxied;
  let number = 0;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [turn, migration] of migrations.entries()) {
    for (const [at, moment] of moments.entries()) {
      if (!sendsAll && at === turn % moments.length) continue;
      test(`${migration.name}, ${moment}`, async () => {
        number += 1;
        await play(migration, moment, `t${number}`);
      });
    }
  }

  /** A session, and the migration's statements with the name of its table. */
  interface Play {
    readonly migration: Migration;
    readonly session: string;
    readonly client: pg.Client;
    readonly named: (text: string) => string;
    readonly old: readonly string[];
    readonly next: string;
    readonly migrate: () => Promise<unknown>;
  }

  async function play(migration: Migration, moment: Moment, name: string): Promise<void> {
    const { database, twin, daemon } = proxied;
    const named = (text: string) => text.replaceAll('$t', name);
    for (const each of [database, twin]) await each.query(named(table));
    const session = await daemon.newSession({ reads: 'staged' });
    const scene: Play = {
      migration,
      session,
      client: await proxied.connect(daemon.clientUrl(session)),
      named,
      old: [...before, ...(migration.setup === undefined ? [] : [migration.setup])].map(named),
      next: named(renamed(migration, migration.next ?? after)),
      // the session holds no lock, and nothing depends on the table, so the migration need not wait
      migrate: () => database.query(`SET lock_timeout = '2s'; ${named(migration.ddl)}`),
    };
    if (moment === 'before anything is staged') await playAhead(scene);
    else await playAmid(scene, moment);
  }

  const review = async (session: string, step: string) =>
    proxied.daemon.call('POST', `/sessions/${session}/${step}`);

  /** The overlay exists, but no rows are staged. */
  async function playAhead({ migration, session, client, named, old, next, migrate }: Play) {
    await client.query(`BEGIN; ${old.join(';')}; ROLLBACK`);
    await migrate();
    await proxied.twin.query(named(migration.ddl));
    const code = await codeOf(client.query(next));
    assert.is(code, await codeOf(proxied.twin.query(next)));
    await review(session, 'propose');
    const { status, text } = await review(session, 'approve');
    assert.is(status, 200, text);
    if (code !== '42P01') await compare(named(migration.table ?? '$t'));
  }

  async function playAmid(scene: Play, moment: Moment): Promise<void> {
    const { migration, session, client, named, old, next, migrate } = scene;
    for (const statement of old) await client.query(statement);
    const reviewed = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    const isBetween = moment === 'between two statements';
    if (!isBetween) await review(session, 'propose');
    await migrate();
    if (isBetween) {
      await goOn(scene);
      await review(session, 'propose');
    }
    const answer = await review(session, 'approve');
    check(migration, named('$t'), answer);
    if (answer.status !== 200) return end(scene, reviewed.text);
    for (const statement of [...old, named(migration.ddl)]) await proxied.twin.query(statement);
    if (isBetween) await proxied.twin.query(next);
    await compare(named(migration.table ?? '$t'));
  }

  /** A session that cannot be approved can still be viewed, and can be rejected. */
  async function end({ migration, session }: Play, reviewed: string): Promise<void> {
    const { text } = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    // Of orphaned rows only the net change is retained. Their steps are neither counted nor digested, and never approved.
    if (migration.conflicts) assert.is(netOf(text), netOf(reviewed), 'nothing is lost');
    assert.is((await review(session, 'reject')).status, 200);
  }

  async function goOn({ migration, client, named, next }: Play): Promise<void> {
    if ((migration.conflicts?.length ?? 0) === 0) await client.query(next);
    else assert.match(await codeOf(client.query(named(after))), /^(55006|42P01|42703)$/);
  }

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: pg.DatabaseError) => String(error.code),
    );

  function renamed({ table: to }: Migration, text: string): string {
    return to === undefined ? text : text.replaceAll('$t', to);
  }

  function check({ conflicts, refused }: Migration, name: string, answer: Answer): void {
    const { body, status, text } = answer;
    if (refused !== undefined) {
      assert.equal([body.error, body.sqlstate], ['apply_failed', refused], text);
    } else if (conflicts !== undefined && conflicts.length > 0) {
      assert.is(body.error, 'conflict_detected', text);
      const found = body.conflicts.map((each: { kind: string; table: string; field: string }) => [
        each.kind,
        each.table,
        each.field,
      ]);
      assert.equal(
        found,
        conflicts.map((field) => ['schema', name, field]),
      );
    } else {
      assert.is(status, 200, text + proxied.daemon.logged.slice(-1));
    }
  }

  async function compare(name: string): Promise<void> {
    const rows = (each: typeof proxied.database) =>
      each.query(`SELECT to_jsonb(x) AS row FROM ${name} x ORDER BY 1`);
    assert.equal(await rows(proxied.database), await rows(proxied.twin));
  }
});
