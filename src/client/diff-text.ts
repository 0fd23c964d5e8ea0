/** Streams the JSON of a diff. A response may take a minute at most, so a long diff is assembled from pages. */
import { StageError } from '../errors.ts';
import { JsonText } from '../model/json.ts';
import { elementsOf, membersOf } from '../model/json-members.ts';
import { DiffReader } from './diff-reader.ts';
import { Fields } from './fields.ts';
import type { DiffFilter } from './filters.ts';
import type { Call, Transport } from './transport.ts';

/** The maximum number of changes that fit into one response, even on a machine under load. */
const mostAtOnce = 20_000;
const pageSize = 1000;
const stepsOnPage = 10_000;

/**
 * Streams the diff's JSON. The document is the same, whether it takes one response or several.
 * @param path the path of the diff
 * @param most the maximum number of changes that are read in one response
 * @throws StageError the daemon's error, or `session_busy` if the diff changes between its pages
 */
export async function* diffText(
  transport: Pick<Transport, 'send' | 'stream'>,
  path: string,
  filter: DiffFilter,
  most = mostAtOnce,
): AsyncGenerator<string> {
  const call: Call = { method: 'GET', path, query: { ...filter } };
  // a limited request, e.g. for the counts, is not paged
  if (filter.limit !== undefined && filter.steps === undefined)
    return yield* transport.stream(call);
  const reader = new DiffReader();
  let begun = '';
  let isDecided = false;
  for await (const text of transport.stream(call)) {
    if (isDecided) yield text;
    else {
      begun += text;
      // a diff that does not begin with its counts is streamed as it arrives
      isDecided = reader.push(text).length > 0 || reader.head.has('summary');
      if (!isDecided) continue;
      // leaving the loop closes the first response, which keeps a snapshot of production open
      if (countOf(reader, filter) > most) break;
      yield begun;
    }
  }
  if (!isDecided) yield begun;
  else if (countOf(reader, filter) > most) yield* pagedText(transport, path, filter);
}

/** Counts the changes, and the steps if they are requested. */
function countOf({ head }: DiffReader, { steps }: DiffFilter): number {
  const summary = new Fields(head.get('summary') ?? new JsonText('{}'));
  const further = steps === undefined ? [] : ['further_changes'];
  return ['total_inserts', 'total_updates', 'total_deletes', ...further].reduce(
    (sum, name) => sum + summary.number(name),
    0,
  );
}

/** Assembles the diff from pages. The revision is read first and again with each page, so that a change in between is detected. */
async function* pagedText(
  transport: Pick<Transport, 'send'>,
  path: string,
  filter: DiffFilter,
): AsyncGenerator<string> {
  const get = async (below: string, query: Call['query'] = {}) =>
    new JsonText(await transport.send({ method: 'GET', path: path + below, query }));
  const revision = new Fields(await get('/outline')).required('revision');
  const { steps, ...net } = filter;
  const whole = [...membersOf(await get('', { ...net, limit: 0 }))];
  for (const [index, [name, value]] of whole.entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (name === 'tables' && filter.limit === undefined)
      yield* tablesText(get, value, { type: filter.type, revision });
    else yield value.text;
  }
  if (steps) {
    const query = { table: filter.table, type: filter.type, limit: stepsOnPage };
    yield ',"steps":[';
    yield* listText(get, 'steps', query, revision);
    yield ']';
  }
  yield '}';
}

type Get = (below: string, query: Call['query']) => Promise<JsonText>;

interface DiffQuery {
  readonly type: DiffFilter['type'];
  readonly revision: string;
}

async function* tablesText(
  get: Get,
  tables: JsonText,
  { type, revision }: DiffQuery,
): AsyncGenerator<string> {
  yield '{';
  for (const [index, [table, body]] of [...membersOf(tables)].entries()) {
    const open = body.text.replace(/\]\}$/, '');
    yield `${index === 0 ? '' : ','}${JSON.stringify(table)}:${open}`;
    const query = { table, type, limit: pageSize };
    if (hasChanges(body)) yield* listText(get, 'changes', query, revision);
    yield ']}';
  }
  yield '}';
}

function hasChanges(body: JsonText): boolean {
  const fields = new Fields(body);
  if (fields.json('hidden') !== null) return false;
  return ['inserts', 'updates', 'deletes'].some((name) => fields.number(name) > 0);
}

/** Streams the elements of a list of the diff, page by page. */
async function* listText(
  get: Get,
  list: 'changes' | 'steps',
  query: Call['query'],
  revision: string,
): AsyncGenerator<string> {
  let separator = '';
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: Fields = new Fields(await get(`/${list}`, { ...query, cursor }));
    if (page.required('revision') !== revision) throw changedMeanwhile();
    const items = elementsOf(page.json(list) ?? new JsonText('[]'));
    // only pages include a change's `number`
    const texts = items.map(({ text }) => text.replace(/^\{"number":"[\d.]+",/, '{'));
    if (texts.length > 0) yield separator + texts.join(',');
    if (texts.length > 0) separator = ',';
    cursor = page.text('next_cursor');
  }
}

function changedMeanwhile(): StageError {
  return new StageError('session_busy', 'the session has changed while its diff was read', {
    hint: 'Read it again. What is proposed does not change: `stage propose`.',
  });
}
