/** One statement over the bare protocol, and its answer in words that can be compared between two databases. */
import type { Message } from '../../src/wire/framer.ts';
import { bindMessage } from '../../src/wire/frontend-messages.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageReader } from '../../src/wire/message-reader.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { d, data, done, e, inWords, p, q, s } from '../helpers/wire-script.ts';
import { partitionSuffix } from './schema-constraints.ts';
import type { Statement } from './statement.ts';

const asksForMore = ({ type }: Message) =>
  type === backend.readyForQuery || type === backend.copyInResponse;

/** Sends a statement and gives what came back: rows sorted, all else in the order of the protocol. */
export async function responseTo(client: WireClient, statement: Statement): Promise<string[]> {
  client.send(...messagesOf(statement));
  const messages = await client.read(asksForMore);
  if (messages.at(-1)?.type === backend.copyInResponse) {
    client.send(...copyMessages(statement));
    messages.push(...(await client.readTo(backend.readyForQuery)));
  }
  return messages.at(-1)?.type === backend.readyForQuery
    ? comparable(messages, statement)
    : [...comparable(messages, statement), 'the connection ended'];
}

function copyMessages({ data: pieces }: Statement): Buffer[] {
  return pieces.includes(null)
    ? [...pieces.filter((piece) => piece !== null).map(data), copyFail]
    : [...pieces.map((piece) => data(piece ?? '')), done];
}

const copyFail = new MessageWriter().text('broken off').message(frontend.copyFail);

const messagesOf = (statement: Statement): Buffer[] =>
  statement.parameters
    ? [...[statement, ...statement.pipelined].flatMap(extendedMessages), s]
    : [q(statement.text)];

function extendedMessages(statement: Statement): Buffer[] {
  const { text, binaryResults, prepared, rowsAtOnce } = statement;
  const parameters = statement.parameters ?? [];
  const name = prepared?.name ?? '';
  const parse = prepared?.isMade ? [] : [p(text, name)];
  const bind = bindMessage({
    statement: name,
    formats: parameters.map(({ binary }) => (binary ? 1 : 0)),
    values: parameters.map(
      ({ value, binary }) => binary ?? (value === null ? null : Buffer.from(value)),
    ),
    resultFormats: binaryResults ? [1] : [],
  });
  return [...parse, bind, d(), ...(rowsAtOnce > 0 ? [e(rowsAtOnce)] : []), e()];
}

/** Rows are sorted, for their order is PostgreSQL's to choose. */
function comparable(messages: readonly Message[], statement: Statement): string[] {
  const { compared } = statement;
  const words: string[] = [];
  let rows: string[] = [];
  const isFailed = messages.some(({ type }) => type === backend.errorResponse);
  for (const message of messages) {
    if (rowTypes.has(message.type)) {
      if (compared !== 'no rows') rows.push(inWords(message));
      continue;
    }
    if (message.type !== backend.portalSuspended) {
      words.push(...rows.sort());
      rows = [];
    }
    if (message.type === backend.parameterStatus || (isFailed && steps.has(message.type))) continue;
    words.push(described(message, statement));
  }
  return [...words, ...rows.sort()];
}

const rowTypes = new Set<number>([backend.dataRow, backend.copyData]);

function described(message: Message, { text, compared }: Statement): string {
  if (message.type === backend.rowDescription) return columns(message);
  if (message.type !== backend.errorResponse) return inWords(message);
  if (compared === 'any failure') return 'E';
  const words = withoutActionsRow(failure(message), text);
  return compared === 'any violation' ? words.replace(/^(E .* C=23).*/s, '$1') : words;
}

/** The steps of the extended protocol before the one that failed: what the rewriter refuses fails in another one when staged. */
const steps = new Set<number>([
  backend.parseComplete,
  backend.bindComplete,
  backend.noData,
  backend.rowDescription,
]);

/** Without partitions' names, and what tells their parts of a foreign key apart: test/proxy/partition-errors compares these. */
const failure = (message: Message) =>
  inWords(message)
    .replaceAll(partitionSuffix, '')
    // a foreign key to a partitioned table has a part for each partition
    .replaceAll(/_fkey\d*(_\d+)?/g, '_fkey')
    .replace(/(M=no partition .*? D=).*(?= s=)/s, '$1');

/**
 * Of the rows that a foreign key's action breaks, PostgreSQL shows the one that it comes across first, by where they are
 * stored. A DELETE breaks no row of its own table by itself, an UPDATE only its target's.
 */
function withoutActionsRow(words: string, text: string): string {
  const [, quoted, plain] = /^UPDATE (?:ONLY )?(?:"([^"]+)"|(\S+))/.exec(text) ?? [];
  const target = quoted ?? plain;
  const isOwn =
    target === undefined ? !text.startsWith('DELETE ') : words.includes(` t=${target} `);
  return isOwn ? words : words.replace(/(D=Failing row contains \().*(\)\. s=)/s, '$1$2');
}

const firstUserOid = 16384;

/** Names, types and formats. Object ids of the databases' own types and tables differ. */
function columns({ payload }: Message): string {
  const fields = new MessageReader(payload).list((reader) => {
    const name = reader.string();
    reader.bytes(6);
    const type = reader.uint32();
    const [size, modifier, format] = [reader.uint16(), reader.int32(), reader.uint16()];
    return `${name}:${type < firstUserOid ? type : 'user'}:${size}:${modifier}:${format}`;
  });
  return `T ${fields.join(' ')}`;
}
