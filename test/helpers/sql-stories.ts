/**
 * Stories in SQL. A file begins with what is made on both databases. `-- story: name` begins a story: messages that end with a
 * semicolon at the end of a line, each sent as one Query. `-- before each story` and `-- after each story` are told with all of
 * them. A line that ends with `-- since 18` or `-- until 17` is there on these versions of PostgreSQL.
 */
import { readFile } from 'node:fs/promises';
import { serverMajor } from './database.ts';

export interface SqlStories {
  readonly schema: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Messages by the name of their story, with those before and after. */
  readonly stories: Readonly<Record<string, readonly string[]>>;
}

const heading = /^-- (?:story: (.+)|(before|after) each story)\n/;

/**
 * Reads a file of stories for the server of the tests.
 * @param file its path in `test`
 */
export async function readStories(file: string): Promise<SqlStories> {
  const major = await serverMajor();
  const lines = (await readFile(`test/${file}`, 'utf8')).split('\n');
  const text = lines.flatMap((line) => ofVersion(line, major)).join('\n');
  const [schema = '', ...sections] = text.split(/^(?=-- (?:story: |before each|after each))/m);
  const stories = new Map<string, readonly string[]>();
  const around = { before: [] as readonly string[], after: [] as readonly string[] };
  for (const section of sections) {
    const [line = '', story, place] = heading.exec(section) ?? [];
    const messages = messagesIn(section.slice(line.length));
    if (story !== undefined) stories.set(story, messages);
    else around[place as 'before' | 'after'] = messages;
  }
  const told = [...stories].map(([name, messages]): [string, readonly string[]] => [
    name,
    [...around.before, ...messages, ...around.after],
  ]);
  return { schema, ...around, stories: Object.fromEntries(told) };
}

function ofVersion(line: string, major: number): string[] {
  const [suffix, word, version] = / *-- (since|until) (\d+)$/.exec(line) ?? [];
  if (suffix === undefined) return [line];
  const isThere = word === 'since' ? major >= Number(version) : major <= Number(version);
  return isThere ? [line.slice(0, -suffix.length)] : [];
}

const messagesIn = (text: string): string[] =>
  text
    .split(/;\n/)
    .map((message) => message.trim())
    .filter((message) => message !== '');
