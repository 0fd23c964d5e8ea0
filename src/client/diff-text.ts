/** The JSON of a diff in pieces. An answer may take a minute at most, so a long diff is put together of pages. */
import { StageError } from '../errors.ts';
import { JsonText } from '../model/json.ts';
import { DiffReader } from './diff-reader.ts';
import { elementsOf, Fields, membersOf } from './fields.ts';
import type { DiffFilter } from './filters.ts';
import type { Call, Transport } from './transport.ts';

/** Changes that an answer has room for on a machine that has other work, too. */
const mostAtOnce = 20_000;
const pageSize = 1000;
const stepsOnPage = 10_000;

/**
 * Gives the same document, however many answers it takes.
 * @param path of the diff
 * @param most changes of a diff that is read in one answer
 * @throws StageError the daemon's own, or `session_busy` where the diff changes between its pages
 */
export async function* diffText(
  transport: Pick<Transport, 'send' | 'stream'>,
  path: string,
  filter: DiffFilter,
  most = mostAtOnce,
): AsyncGenerator<string> {
  const call: Call = { method: 'GET', path, query: { ...filter } };
  // no more than counts are asked for
  if (filter.limit !== undefined && filter.steps === undefined)
    return yield* transport.stream(call);
  const reader = new DiffReader();
  let begun = '';
  let isDecided = false;
  for await (const text of transport.stream(call)) {
    if (isDecided) yield text;
    else {
      begun += text;
      // a diff whose counts do not come first is read as it comes
      isDecided = reader.push(text).length > 0 || reader.head.has('summary');
      if (!isDecided) continue;
      // the answer that has begun is left first: it holds a snapshot of production
      if (countOf(reader, filter) > most) break;
      yield begun;
    }
  }
  if (!isDecided) yield begun;
  else if (countOf(reader, filter) > most) yield* pagedText(transport, path, filter);
}

/** Changes, and steps where they are asked for. */
function countOf({ head }: DiffReader, { steps }: DiffFilter): number {
  const summary = new Fields(head.get('summary') ?? new JsonText('{}'));
  const further = steps === undefined ? [] : ['further_changes'];
  return ['total_inserts', 'total_updates', 'total_deletes', ...further].reduce(
    (sum, name) => sum + summary.number(name),
    0,
  );
}

/** The document without its changes is read between two looks at the revision: pages of another one are told. */
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

interface Asked {
  readonly type: DiffFilter['type'];
  readonly revision: string;
}

async function* tablesText(
  get: Get,
  tables: JsonText,
  { type, revision }: Asked,
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

/** The elements of a list below the diff, page by page. */
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
    // its place among the others is told on pages only
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
