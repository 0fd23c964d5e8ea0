/** The way to production: diff, conflicts, propose and approval of many changes, compared with the same work in SQL. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import pg from 'pg';
import { sessionOf } from './daemon.ts';
import { median } from './pgbench.ts';
import type { Meter, Watched } from './turns.ts';
import { takeTurns, turnsHead } from './turns.ts';

interface Review {
  readonly direct: string;
  /** Base URL of the REST interface. */
  readonly rest: string;
  readonly newSession: () => Promise<string>;
  readonly watched: Watched;
  readonly rounds: number;
}

const rows = 100_000;
const mutations = 10_000;

export const reviewSchema = `
CREATE TABLE reviewed (id int PRIMARY KEY, code text NOT NULL, amount numeric(12,2) NOT NULL, note text);
INSERT INTO reviewed SELECT g, 'c' || g % 1000, g, repeat('x', 40) FROM generate_series(1, ${rows}) g;
ANALYZE reviewed;
`;

const changeAll = 'UPDATE reviewed SET amount = amount + 1';
const changeOne = {
  name: 'change',
  text: 'UPDATE reviewed SET amount = amount + 1 WHERE id = $1',
};
/** The facts of a diff, from the rows that the statement above would create. */
const asJson = `SELECT json_build_object('kind', 'UPDATE', 'key', json_build_object('id', t.id), 'changed', json_build_array('amount'),
  'before', to_json(t), 'after', to_json(n))::text FROM reviewed t, LATERAL (SELECT t.id, t.code, t.amount + 1 AS amount, t.note) n`;

/** Prints a line for each step. */
export async function compareReview(review: Review, print: (line: string) => void): Promise<void> {
  const { watched, rounds } = review;
  const client = await connect(review.direct);
  const firstBytes: number[] = [];
  const row = async (label: string, direct: string, step: Step) => {
    const mine = (use: Meter) => use(() => client.query(direct));
    print(await takeTurns({ label, watched, rounds }, mine, (use) => staged(review, use, step)));
  };
  print(turnsHead(`${rows} changed rows`, 'ms'));
  await row('diff / the same JSON made by one statement', asJson, async ({ ask, use }) =>
    use(async () => firstBytes.push(await ask('GET', 'diff'))),
  );
  print(`first byte of the diff after ${median(firstBytes).toFixed(0)} ms`);
  await row('conflicts / UPDATE', changeAll, ({ ask, use }) => use(() => ask('GET', 'conflicts')));
  await row('propose / UPDATE', changeAll, ({ ask, use }) => use(() => ask('POST', 'propose')));
  await row('approve / UPDATE', changeAll, async ({ ask, use }) => {
    await ask('POST', 'propose');
    return use(() => ask('POST', 'approve'));
  });
  print(
    await takeTurns(
      { label: `approve ${mutations} UPDATEs of one row / in a transaction`, watched, rounds },
      (use) => use(() => changeEach(client)),
      async (use) => {
        const url = await review.newSession();
        await on(url, changeEach);
        const ask = asking(review.rest, url);
        await ask('POST', 'propose');
        return use(() => ask('POST', 'approve'));
      },
    ),
  );
  await client.end();
}

/** Sends a request about a session. Returns the milliseconds until the response began. */
type Ask = (method: string, what: string) => Promise<number>;

type Step = (given: { readonly ask: Ask; readonly use: Meter }) => ReturnType<Meter>;

/** Measures a step of a session that has changed all rows. Afterwards nothing is staged. */
async function staged({ rest, newSession }: Review, use: Meter, step: Step) {
  const url = await newSession();
  await on(url, (client) => client.query(changeAll));
  const used = await step({ ask: asking(rest, url), use });
  await fetch(`${rest}/sessions/${sessionOf(url)}/reject`, { method: 'POST' });
  return used;
}

async function changeEach(client: pg.Client): Promise<void> {
  await client.query('BEGIN');
  for (let id = 1; id <= mutations; id += 1) await client.query({ ...changeOne, values: [id] });
  await client.query('COMMIT');
}

const asking = (rest: string, url: string): Ask => {
  const base = `${rest}/sessions/${sessionOf(url)}`;
  return async (method, what) => {
    const start = performance.now();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${base}/${what}`, { method, agent: false }, resolve).on('error', reject).end();
    });
    let first = Number.NaN;
    for await (const _ of answer) if (Number.isNaN(first)) first = performance.now() - start;
    if (answer.statusCode !== 200) throw new Error(`${what}: ${answer.statusCode}`);
    return first;
  };
};

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function on(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await connect(url);
  await work(client).finally(() => client.end());
}
