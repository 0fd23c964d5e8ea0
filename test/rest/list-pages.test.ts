/** Pages of lists by cursor: each item once, in order, whatever is inserted and deleted meanwhile. `STAGE_TEST_PAGES=200` is the long form. */
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const rounds = drawn(3, 'PAGES');
const seed = firstSeed();

/** The rows of the database, by SQL of the test's own. */
const sessionsInOrder =
  "SELECT 'sess_' || replace(id::text, '-', '') AS id FROM stage.session WHERE project_id = $1 ORDER BY created_at DESC, id";

interface Item {
  readonly id?: string;
  readonly version?: string;
  readonly number?: string;
}

const idOf = ({ id, version, number }: Item) => String(id ?? version ?? number);

suite('rest: pages of lists', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  const get = async (path: string) => (await rest.call('GET', path)).body;
  const withMore = (path: string, query: string) =>
    `${path}${path.includes('?') ? '&' : '?'}${query}`;

  /** Reads a list page by page, with work in between. Returns the ids. */
  async function idsOf(
    path: string,
    member: string,
    limit: () => number,
    between: () => Promise<unknown> = async () => null,
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const size = limit();
      const page = await get(withMore(path, `limit=${size}${cursor && `&cursor=${cursor}`}`));
      const items: Item[] = page[member];
      ids.push(...items.map(idOf));
      assert.is(page.has_more, page.next_cursor !== null);
      if (page.next_cursor === null) return ids;
      assert.is(items.length, size);
      cursor = page.next_cursor;
      await between();
    }
  }

  test(`have each session once, in ${rounds} lists that others change meanwhile`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const random = createRandom(seed + round);
      const about = `seed ${seed + round}`;
      const project = `pages ${seed + round}`;
      // few times for many sessions, some of them the same to the microsecond
      const insert = (count: number) =>
        rest.database.query(
          `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, status, created_at)
           SELECT gen_random_uuid(), $1, '{}', 'production', 'row', 'active',
             '2026-01-01 10:00:00.123456Z'::timestamptz + (random() * 9)::int * interval '1 microsecond'
           FROM generate_series(1, $2::int)`,
          [project, count],
        );
      const inDatabase = async () =>
        (await rest.database.query<{ id: string }>(sessionsInOrder, [project])).map(({ id }) => id);
      await insert(10 + random.below(60));
      const before = await inDatabase();
      const gone = new Set<string>();
      const paged = await idsOf(
        `/sessions?project_id=${encodeURIComponent(project)}`,
        'sessions',
        () => 1 + random.below(12),
        async () => {
          await insert(random.below(4));
          const lost = random.pick(before);
          if (random.chance(0.3)) {
            gone.add(lost);
            await rest.database.query('DELETE FROM stage.session WHERE id = $1::uuid', [
              lost.slice(5),
            ]);
          }
        },
      );
      assert.is(new Set(paged).size, paged.length, `${about}: twice`);
      const kept = before.filter((id) => !gone.has(id));
      assert.equal(
        paged.filter((id) => kept.includes(id)),
        kept,
        `${about}: missing, or in another order`,
      );
      const now = await inDatabase();
      const listed = paged.filter((id) => now.includes(id));
      assert.equal(
        listed,
        now.filter((id) => paged.includes(id)),
        `${about}: not sorted`,
      );
    }
  });

  test('are those of the whole list, of every kind of list', async () => {
    const session = await rest.newSession({ project_id: 'kinds' });
    for (let n = 0; n < 5; n += 1) {
      const json = { document: { rules: [] }, message: `version ${n}` };
      await rest.call('PUT', '/policy', { json, headers: { 'if-match': '*' } });
      await rest.write(session, `UPDATE products SET stock = ${n} WHERE id IN (1, ${n + 2})`);
      await rest.call('POST', `/sessions/${session}/comments`, { json: { body: `comment ${n}` } });
    }
    const mutations = `/sessions/${session}/mutations`;
    const lists = [
      [mutations, 'mutations'],
      [`${mutations}?table=products&type=UPDATE`, 'mutations'],
      [`/sessions/${session}/comments`, 'comments'],
      [`/sessions/${session}/decisions`, 'decisions'],
      ['/policy/history', 'versions'],
      ['/sessions?search=sess', 'sessions'],
      ['/audit?project_id=kinds', 'entries'],
      ['/audit?project_id=kinds&table_name=products', 'entries'],
    ] as const;
    for (let n = 0; n < 4; n += 1) {
      await rest.call('POST', `/sessions/${session}/propose`);
      await rest.call('POST', `/sessions/${session}/reopen`, { json: { message: `again ${n}` } });
    }
    await rest.call('POST', `/sessions/${session}/propose`);
    assert.is((await rest.call('POST', `/sessions/${session}/approve`)).status, 200);
    const second = await rest.newSession({ project_id: 'kinds' });
    await rest.write(second, 'UPDATE products SET stock = 77');
    await rest.call('POST', `/sessions/${second}/propose`);
    assert.is((await rest.call('POST', `/sessions/${second}/approve`)).status, 200);
    for (const [path, member] of lists) {
      const whole = (await get(withMore(path, 'limit=1000')))[member] as Item[];
      assert.ok(whole.length >= 5, path);
      const ids = whole.map(idOf);
      for (const limit of [1, 2, 3, whole.length])
        assert.equal(await idsOf(path, member, () => limit), ids, `${path} by ${limit}`);
      const by = (await get(withMore(path, 'limit=2&offset=1'))) as { next_cursor: string };
      const behind = (await get(withMore(path, `limit=1&cursor=${by.next_cursor}`)))[member];
      assert.is(idOf(behind[0]), ids[3], `${path}: behind an offset`);
      assert.is((await get(withMore(path, 'limit=0'))).next_cursor, null, path);
    }
  });

  test('are refused for a cursor of another list, of other filters, or of nobody', async () => {
    const json = { project_id: 'cursors' };
    for (let n = 0; n < 3; n += 1) await rest.newSession(json);
    const id = await rest.newSession(json);
    for (const body of ['1', '2', '3'])
      await rest.call('POST', `/sessions/${id}/comments`, { json: { body } });
    const { next_cursor: own } = await get('/sessions?project_id=cursors&limit=1');
    const { next_cursor: comments } = await get(`/sessions/${id}/comments?limit=1`);
    const other = await rest.newSession(json);
    const forged = (values: unknown) => Buffer.from(JSON.stringify(values)).toString('base64url');
    const [mark] = JSON.parse(Buffer.from(own, 'base64url').toString()) as string[];
    const place = '2026-01-01T00:00:00.000000Z';
    const wrong = [
      `/sessions?limit=1&cursor=${own}`,
      `/sessions?project_id=cursors&status=active&cursor=${own}`,
      `/sessions?project_id=cursors&search=x&cursor=${own}`,
      `/sessions?project_id=cursors&cursor=${comments}`,
      `/sessions/${id}/comments?cursor=${own}`,
      `/sessions/${other}/comments?cursor=${comments}`,
      `/sessions/${id}/mutations?cursor=${comments}`,
      ...[
        'x',
        '',
        'a b',
        own.slice(0, -4),
        `${own}AAAA`,
        'A'.repeat(401),
        forged({}),
        forged([mark]),
        forged([mark, place]),
        forged([mark, place, `${id}'`]),
        forged([mark, 'yesterday', id]),
        forged([mark, place, id, id]),
        forged([mark, 1, 2]),
        forged(['', place, id]),
      ].map((cursor) => `/sessions?project_id=cursors&cursor=${encodeURIComponent(cursor)}`),
    ];
    for (const path of wrong) {
      const { status, body } = await rest.call('GET', path);
      assert.equal([status, body.error], [400, 'invalid_request'], path);
      assert.match(body.message, /cursor/, path);
    }
    const again = await get(`/sessions?project_id=cursors&limit=1000&card=true&cursor=${own}`);
    assert.is(again.sessions.length, 3, 'the newest came before that page');
  });
});
