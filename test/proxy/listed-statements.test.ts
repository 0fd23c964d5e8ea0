/**
 * `pg_prepared_statements` and `pg_cursors` list the statements and cursors of a client as PostgreSQL lists them, whatever has been
 * prepared before. STAGE_TEST_STATEMENTS is the number of random conversations, STAGE_TEST_SEED the first seed.
 */
import { backend } from '../../src/wire/message-codes.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, e, inWords, p, q, s } from '../helpers/wire-script.ts';

const count = drawn(5, 'STATEMENTS');
const first = firstSeed();

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int, note text);
INSERT INTO item VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three');
CREATE TABLE loose (n int);
`;

const columns = 's.name, s.statement, s.parameter_types, s.from_sql';
const results = `(to_jsonb(s) -> 'result_types')::text`;
const facts = 'c.name, c.statement, c.is_holdable, c.is_binary, c.is_scrollable';

/** Statements that list what there is: plain, in joins, in sub-selects, by other names. */
const lists = [
  `SELECT ${columns}, ${results} FROM pg_prepared_statements s ORDER BY 1`,
  `SELECT ${facts} FROM pg_cursors c ORDER BY 1`,
  'SELECT name, statement FROM pg_catalog.pg_prepared_statements ORDER BY pg_catalog.pg_prepared_statements.name',
  `SELECT i.id, ${columns} FROM item i JOIN pg_prepared_statements s ON true WHERE i.id = 1 ORDER BY 2`,
  `SELECT id, (SELECT string_agg(name, ',' ORDER BY name) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors) FROM item ORDER BY 1`,
  `WITH p AS (SELECT name, statement FROM pg_prepared_statements) SELECT * FROM p UNION ALL SELECT name, statement FROM pg_cursors ORDER BY 1, 2`,
  `SELECT n.name FROM ONLY pg_prepared_statements n WHERE n.statement LIKE '%item%' ORDER BY 1`,
  'SELECT count(*) FROM (TABLE pg_cursors) c',
  `SELECT pg_cursors.* IS NULL, pg_cursors.name FROM pg_cursors ORDER BY 2; SELECT name FROM pg_prepared_statements ORDER BY 1`,
  'SELECT count(*) FROM (SELECT FROM pg_prepared_statements) s, pg_cursors',
];

const texts = [
  'SELECT n FROM item WHERE id = $1',
  'SELECT * FROM item ORDER BY id -- all',
  'INSERT INTO item VALUES ($1, $2) RETURNING id, note',
  `INSERT INTO item (id, note) VALUES ($1, 'it''s "new"') ON CONFLICT (id) DO UPDATE SET note = $2`,
  'UPDATE item SET n = n + $1::int WHERE id = $2 RETURNING *',
  'DELETE FROM item',
  'DELETE FROM loose WHERE n = $1',
  'WITH d AS (DELETE FROM loose RETURNING n) SELECT n, count(*) FROM d GROUP BY n',
  'SELECT id FROM item ORDER BY id FOR UPDATE',
  'SELECT 1 AS one, $1::text',
  'SELECT name, statement FROM pg_prepared_statements ORDER BY name',
];
const parsed = [
  ...texts,
  'BEGIN',
  'SHOW work_mem',
  'TRUNCATE loose',
  '  INSERT INTO loose VALUES (1) ; ',
];
const names = ['a', 'b', 'C d', `e'"`];
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Draws the messages of one step. */
function drawStep({ pick, chance }: Random): Buffer[] {
  const name = pick(names);
  const text = pick(texts);
  const forms: (() => Buffer[])[] = [
    () => [p(pick(parsed), name)],
    () => [c('statement', name)],
    () => [q(`PREPARE ${quoted(name)} AS ${text}`)],
    () => [q(`  /* so */ SELECT 1; PREPARE ${quoted(name)} AS ${text}; -- end`)],
    () => [p(`PREPARE ${quoted(name)} AS ${text}`), b(), e()],
    () => [q(`DEALLOCATE ${chance(0.2) ? 'ALL' : quoted(name)}`)],
    () => [q(chance(0.5) ? 'BEGIN' : 'COMMIT')],
    () => [
      q(
        `BEGIN; DECLARE ${quoted(name)} NO SCROLL CURSOR FOR SELECT n FROM item ORDER BY id FOR UPDATE`,
      ),
    ],
    () => [q(`DECLARE ${quoted(name)} SCROLL CURSOR FOR SELECT n, note FROM item ORDER BY id`)],
    () => [
      q('ROLLBACK'),
      q(`DECLARE ${quoted(name)} NO SCROLL CURSOR WITH HOLD FOR SELECT name FROM pg_cursors`),
    ],
    () => [p(`DECLARE ${quoted(name)} NO SCROLL CURSOR FOR SELECT note FROM item`), b(), e()],
    () => [
      p('SELECT n FROM item ORDER BY id', 'x'),
      b([], 'x', name),
      e(1, name),
      c('statement', 'x'),
    ],
    () => [q(`CLOSE ${chance(0.2) ? 'ALL' : quoted(name)}`)],
    () => [q(`FETCH ${quoted(name)}`)],
    () => [q('INSERT INTO loose VALUES (4); DELETE FROM loose WHERE n = 3')],
  ];
  return pick(forms)();
}

function drawConversation(random: Random): Buffer[][] {
  return Array.from({ length: 8 }, () => {
    const list = random.pick(lists);
    const isExtended = !list.includes(';') && random.chance(0.5);
    const listed = isExtended ? [p(list), b(), e(), s] : [q(list)];
    // a Query behind messages without a Sync begins a transaction of its own
    const end = isExtended && random.chance(0.5) ? [] : [s];
    return [...drawStep(random), ...end, ...listed];
  });
}

suite('lists of prepared statements and cursors', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const reads of ['production', 'staged'] as const)
    test(`show the client its own, in its own words: reads ${reads}`, async () => {
      const found: string[] = [];
      const url = await proxied.session(reads);
      for (let seed = first; seed < first + count; seed += 1) {
        const steps = drawConversation(createRandom(seed));
        const [staged, direct] = await Promise.all([
          hear(proxied, url, steps),
          hear(proxied, proxied.twin.url, steps),
        ]);
        const index = staged.findIndex((each, place) => each.join() !== direct[place]?.join());
        if (index >= 0) found.push(difference(seed, steps, index, [staged[index], direct[index]]));
      }
      assert.is(found.length, 0, found.join('\n\n'));
    });
});

async function hear(
  proxied: Proxied,
  url: string,
  steps: readonly Buffer[][],
): Promise<string[][]> {
  const client = await proxied.wire(url);
  const heard: string[][] = [];
  for (const step of steps) {
    client.send(...step);
    const awaited = step.filter((message) =>
      'QS'.includes(String.fromCharCode(message[0] ?? 0)),
    ).length;
    const messages = await client.readTo(backend.readyForQuery, awaited);
    heard.push(messages.filter(({ type }) => type !== backend.noticeResponse).map(inWords));
  }
  client.close();
  return heard;
}

/** Describes what was sent up to a difference, and both responses to the last step. */
function difference(
  seed: number,
  steps: readonly Buffer[][],
  index: number,
  heard: readonly (readonly string[] | undefined)[],
): string {
  const sent = steps.slice(0, index + 1).map((step) => Buffer.concat(step).toString('latin1'));
  const words = [`seed ${seed}`, ...sent, ...heard.map((each) => each?.join('\n  '))];
  return words.map((each) => each?.replaceAll('\0', ' ')).join('\n  ');
}
