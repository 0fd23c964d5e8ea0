/** One statement over the bare protocol, and its answer in words that can be compared between two databases. */
import type { Message } from '../../src/wire/framer.ts';
import { bindMessage } from '../../src/wire/frontend-messages.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageReader } from '../../src/wire/message-reader.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { d, e, inWords, p, q, s } from '../helpers/wire-script.ts';
import { partitionSuffix } from './schema.ts';
import type { Statement } from './statement.ts';

const asksForMore = ({ type }: Message) =>
  type === backend.readyForQuery || type === backend.copyInResponse;

/** Sends a statement and gives what came back: rows sorted, all else in the order of the protocol. */
export async function answer(client: WireClient, statement: Statement): Promise<string[]> {
  client.send(...messagesOf(statement));
  const messages = await client.read(asksForMore);
  if (messages.at(-1)?.type === backend.copyInResponse) {
    const data = new MessageWriter().raw(Buffer.from(statement.data ?? ''));
    client.send(data.message(frontend.copyData), new MessageWriter().message(frontend.copyDone));
    messages.push(...(await client.readTo(backend.readyForQuery)));
  }
  return messages.at(-1)?.type === backend.readyForQuery
    ? comparable(messages)
    : [...comparable(messages), 'the connection ended'];
}

function messagesOf({ text, parameters, binaryResults }: Statement): Buffer[] {
  if (!parameters) return [q(text)];
  const bind = bindMessage({
    formats: parameters.map(({ binary }) => (binary ? 1 : 0)),
    values: parameters.map(
      ({ value, binary }) => binary ?? (value === null ? null : Buffer.from(value)),
    ),
    resultFormats: binaryResults ? [1] : [],
  });
  return [p(text), bind, d(), e(), s];
}

function comparable(messages: readonly Message[]): string[] {
  const isRow = ({ type }: Message) => type === backend.dataRow;
  const firstRow = messages.findIndex(isRow);
  const rows = messages.filter(isRow).map(inWords).sort();
  const failed = messages.some(({ type }) => type === backend.errorResponse);
  const others = messages
    .filter(
      (message) =>
        !isRow(message) &&
        message.type !== backend.parameterStatus &&
        !(failed && steps.has(message.type)) &&
        message.type !== backend.copyInResponse,
    )
    .map((message) => {
      if (message.type === backend.rowDescription) return columns(message);
      return message.type === backend.errorResponse ? failure(message) : inWords(message);
    });
  others.splice(firstRow === -1 ? others.length : firstRow, 0, ...rows);
  return others;
}

/** The steps of the extended protocol before the one that failed: what the rewriter refuses fails in another one when staged. */
const steps = new Set<number>([
  backend.parseComplete,
  backend.bindComplete,
  backend.noData,
  backend.rowDescription,
]);

/** Where PostgreSQL names a partition, or shows its key, a staged statement names the partitioned table and shows the row. */
const failure = (message: Message) =>
  inWords(message)
    .replaceAll(partitionSuffix, '')
    // a foreign key to a partitioned table has a part for each partition
    .replaceAll(/(_fkey\d*)_\d+/g, '$1')
    .replace(/(M=no partition .*? D=).*(?= s=)/s, '$1');

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
