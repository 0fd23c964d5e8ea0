/** The time of the same work beside a growing catalog, growing numbers of others' staged rows, and of sessions: tables, and plots. */
import pg from 'pg';
import { sessionOf } from './daemon.ts';
import { median } from './pgbench.ts';

interface Curves {
  /** The owner of the tables. */
  readonly direct: string;
  /** Base URL of the REST interface. */
  readonly rest: string;
  readonly newSession: () => Promise<string>;
}

/** A quantity that grows: the counts, in order, and the SQL that makes each of the one before. */
interface Growth {
  readonly label: string;
  readonly counts: readonly number[];
  grow(from: number, to: number): readonly string[];
}

const pieces = { statements: 200, requests: 25 };
const rows = 10_000;

export const curvesSchema = `
CREATE TABLE steady (id int PRIMARY KEY, value text, amount int);
INSERT INTO steady SELECT g, 'value ' || g, g FROM generate_series(1, ${rows}) g;
`;

/** The number of tables in one statement, which holds locks until it ends. */
const tablesAtOnce = 500;

const growths: readonly Growth[] = [
  {
    label: 'relations in the catalog',
    counts: [100, 1000, 10_000],
    grow: (from, to) =>
      Array.from({ length: Math.ceil((to - from) / tablesAtOnce) }, (_, index) => {
        const [first, last] = [from + index * tablesAtOnce, from + (index + 1) * tablesAtOnce];
        return `DO $$ BEGIN FOR n IN ${first} .. ${Math.min(last, to) - 1} LOOP
          EXECUTE format('CREATE TABLE beside_%s (id int, v text)', n); END LOOP; END $$`;
      }),
  },
  {
    label: 'sessions',
    counts: [100, 1000, 10_000],
    grow: (from, to) => [
      `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope)
       SELECT md5(g::text)::uuid, 'many', '{}', 'production', 'row' FROM generate_series(${from}, ${to - 1}) g`,
      'ANALYZE stage.session',
    ],
  },
  {
    label: 'rows that others have staged in the table',
    counts: [1000, 100_000, 1_000_000],
    grow: (from, to) => [copyRows(from, to), 'ANALYZE'],
  },
];

/** Copies the first row that a session has staged for other sessions, of a hundred rows each. */
const copyRows = (from: number, to: number) => `DO $$
DECLARE v_shadow text := 'stage_data.shadow_' || 'steady'::regclass::oid; v_columns text;
BEGIN
  SELECT string_agg(CASE attname WHEN '_stage_session' THEN 'md5((g / 100)::text)::uuid' WHEN '_stage_seq' THEN 'nextval(''stage.seq'')'
    WHEN 'id' THEN 'g' WHEN '_stage_old_1' THEN 'g' ELSE quote_ident(attname) END, ', ' ORDER BY attnum) INTO v_columns
  FROM pg_attribute WHERE attrelid = v_shadow::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('INSERT INTO %1$s SELECT %2$s FROM (SELECT * FROM %1$s ORDER BY _stage_seq LIMIT 1) s, generate_series(${from}, ${to - 1}) g',
    v_shadow, v_columns);
END $$`;

/** Prints for each growth a table of medians in milliseconds, and a plot of their ratios to the smallest. */
export async function drawCurves(curves: Curves, print: (line: string) => void): Promise<void> {
  const owner = new pg.Client({ connectionString: curves.direct });
  await owner.connect();
  const client = await staging(curves);
  for (const { label, counts, grow } of growths) {
    const found: Record<string, number>[] = [];
    for (const [index, count] of counts.entries()) {
      for (const text of grow(counts[index - 1] ?? 0, count)) await owner.query(text);
      found.push(await medians(curves, client));
    }
    for (const line of table(label, counts, found)) print(line);
    for (const line of plot(label, counts, found)) print(line);
  }
  await client.end();
  await owner.end();
}

/** Returns a connection that has staged something. */
async function staging({ newSession }: Curves): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await newSession() });
  await client.connect();
  await client.query('UPDATE steady SET amount = 0 WHERE id = 1');
  return client;
}

async function medians(curves: Curves, client: pg.Client): Promise<Record<string, number>> {
  const update = { name: 'update', text: 'UPDATE steady SET amount = amount + 1 WHERE id = $1' };
  const select = { name: 'select', text: 'SELECT value FROM steady WHERE id = $1' };
  const session = sessionOf(await curves.newSession());
  const ask = async (path: string) => (await fetch(`${curves.rest}/sessions${path}`)).text();
  return {
    'UPDATE by key': await timed(pieces.statements, (key) =>
      client.query({ ...update, values: [key] }),
    ),
    'staged read by key': await timed(pieces.statements, (key) =>
      client.query({ ...select, values: [key] }),
    ),
    'list of 50 sessions': await timed(pieces.requests, () => ask('?limit=50')),
    diff: await timed(pieces.requests, () => ask(`/${session}/diff`)),
    conflicts: await timed(pieces.requests, () => ask(`/${session}/conflicts`)),
  };
}

async function timed(count: number, work: (key: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let piece = -Math.ceil(count / 4); piece < count; piece += 1) {
    const start = performance.now();
    await work(2 + ((piece + rows) % (rows - 2)));
    if (piece >= 0) took.push(performance.now() - start);
  }
  return median(took);
}

type Found = readonly Readonly<Record<string, number>>[];

const ratiosOf = (found: Found, name: string) =>
  found.map((each) => (each[name] ?? Number.NaN) / (found[0]?.[name] ?? Number.NaN));

function table(label: string, counts: readonly number[], found: Found): string[] {
  const names = Object.keys(found[0] ?? {});
  const heads = [label, ...counts.map((count) => count.toLocaleString('en'))];
  const lines = names.map((name) => {
    const ratios = ratiosOf(found, name);
    const cells = found.map((each, index) => {
      const time = `${each[name]?.toFixed(2)} ms`;
      return index === 0 ? time : `${time} (${ratios[index]?.toFixed(2)})`;
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return ['', `| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...lines, ''];
}

/** Returns a plot as Markdown readers draw it. */
function plot(label: string, counts: readonly number[], found: Found): string[] {
  const lines = Object.keys(found[0] ?? {}).map((name) => {
    const ratios = ratiosOf(found, name).map((ratio) => ratio.toFixed(2));
    return `  line "${name}" [${ratios.join(', ')}]`;
  });
  const axis = counts.map((count) => `"${count.toLocaleString('en')}"`).join(', ');
  const head = ['```mermaid', 'xychart-beta', `  title "Time, beside ${label}"`];
  return [...head, `  x-axis [${axis}]`, '  y-axis "ratio" 0 --> 2', ...lines, '```', ''];
}
