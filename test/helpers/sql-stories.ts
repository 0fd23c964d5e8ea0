/**
 * Stories in SQL. A file begins with definitions for both databases. `-- story: name` begins a story: messages that end with a semicolon at
 * the end of a line, each sent as one Query. The messages of `-- before each story` and `-- after each story` belong to every story. A line
 * that ends with `-- since 18` or `-- until 17` applies to these versions of PostgreSQL.
 * +
 * These marks may follow the semicolon. `-- in production`: the message runs on both databases, past the proxy. `-- by other`: another
 * connection sends it. `-- refused: pattern`: only the session receives it, and its response matches. `approveStories` obeys them.
 */
import { readFile } from 'node:fs/promises';
import { serverMajor } from './database.ts';

export interface Step {
  readonly text: string;
  /** The connection that sends it, or `production`. */
  readonly by: string;
  /** The pattern of the session's response if it refuses what PostgreSQL accepts. */
  readonly refused: RegExp | null;
}

export interface SqlStories {
  readonly schema: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Messages by the name of their story, including those before and after each. */
  readonly stories: Readonly<Record<string, readonly string[]>>;
  /** The same, with their senders. */
  readonly steps: Readonly<Record<string, readonly Step[]>>;
}

const heading = /^-- (?:story: (.+)|(before|after) each story)\n/;

/**
 * Reads a file of stories for the test server.
 * @param file its path in `test`
 */
export async function readStories(file: string): Promise<SqlStories> {
  const major = await serverMajor();
  const lines = (await readFile(`test/${file}`, 'utf8')).split('\n');
  const text = lines.flatMap((line) => ofVersion(line, major)).join('\n');
  const [schema = '', ...sections] = text.split(/^(?=-- (?:story: |before each|after each))/m);
  const named = new Map<string, readonly Step[]>();
  const around = { before: [] as readonly Step[], after: [] as readonly Step[] };
  for (const section of sections) {
    const [line = '', story, place] = heading.exec(section) ?? [];
    const found = stepsIn(section.slice(line.length));
    if (story !== undefined) named.set(story, found);
    else around[place as 'before' | 'after'] = found;
  }
  const whole = [...named].map(([name, found]): [string, readonly Step[]] => [
    name,
    [...around.before, ...found, ...around.after],
  ]);
  return {
    schema,
    before: around.before.map(textOf),
    after: around.after.map(textOf),
    stories: Object.fromEntries(whole.map(([name, found]) => [name, found.map(textOf)])),
    steps: Object.fromEntries(whole),
  };
}

const textOf = ({ text }: Step) => text;

function ofVersion(line: string, major: number): string[] {
  const [suffix, word, version] = / *-- (since|until) (\d+)$/.exec(line) ?? [];
  if (suffix === undefined) return [line];
  const isThere = word === 'since' ? major >= Number(version) : major <= Number(version);
  return isThere ? [line.slice(0, -suffix.length)] : [];
}

/** A message, and the mark after its semicolon. */
const message = /(.+?)(?:;(?: -- (?:in (production)|by (\w+)|refused: ([^\n]+)))?(?:\n|$)|$)/gs;

const stepsIn = (text: string): Step[] =>
  [...text.matchAll(message)]
    .map(([, sent = '', production, by, refused]) => ({
      text: sent.trim(),
      by: production ?? by ?? '',
      refused: refused === undefined ? null : new RegExp(refused),
    }))
    .filter((step) => step.text !== '');
