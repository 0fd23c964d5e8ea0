/** The table of transaction states has the access and the failure that a real server reports. */
import type {
  TransactionEvent,
  TransactionPhase,
} from '../../src/server-connection/transaction-table.ts';
import { transactionTable } from '../../src/server-connection/transaction-table.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, q } from '../helpers/wire-script.ts';

/** The client's message, with its event. As the proxy sends it, a BEGIN outside of a block states its access. */
const commands: readonly (readonly [
  string,
  (phase: TransactionPhase) => TransactionEvent | null,
])[] = [
  ['BEGIN READ WRITE', (phase) => (isOutside(phase) ? 'begin read write' : 'begin')],
  ['BEGIN READ ONLY', (phase) => (isOutside(phase) ? 'begin read only' : 'begin')],
  ['START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE', beginning('begin read write')],
  ['BEGIN READ WRITE, READ ONLY', beginning('begin read only')],
  ['SET TRANSACTION READ ONLY', () => 'set transaction'],
  ['SET TRANSACTION READ WRITE', () => 'set transaction'],
  [`SET transaction_read_only = off`, () => 'set transaction'],
  ['SAVEPOINT a', () => null],
  ['SAVEPOINT b', () => null],
  ['RELEASE a', () => 'release'],
  ['ROLLBACK TO a', () => 'rollback to'],
  ['ROLLBACK TO b', () => 'rollback to'],
  ['COMMIT', () => 'end'],
  ['ROLLBACK', () => 'end'],
  ['COMMIT AND CHAIN', (phase) => (isOutside(phase) ? null : 'chain')],
  ['ROLLBACK AND CHAIN', (phase) => (isOutside(phase) ? null : 'chain')],
  ['SELECT 1', () => null],
  ['SELECT 1 / 0', () => null],
  ['CREATE TEMP TABLE t ()', () => null],
];

const isOutside = (phase: TransactionPhase) => phase === 'none';

function beginning(event: TransactionEvent) {
  return (phase: TransactionPhase) => (isOutside(phase) ? event : 'begin');
}

async function status(client: WireClient, text: string): Promise<'I' | 'T' | 'E'> {
  client.send(q(text));
  const messages = await client.readTo(backend.readyForQuery);
  return String.fromCharCode(messages.at(-1)?.payload[0] ?? 0) as 'I' | 'T' | 'E';
}

async function access(client: WireClient): Promise<'read write' | 'read only'> {
  client.send(q('SHOW transaction_read_only'));
  const messages = await client.readTo(backend.readyForQuery);
  const row = messages.find(({ type }) => type === backend.dataRow);
  return row?.payload.toString('latin1').endsWith('on') ? 'read only' : 'read write';
}

/** Runs a command on the server and in the table. Their states must be equal. */
async function step(
  client: WireClient,
  phase: TransactionPhase,
  command: (typeof commands)[number],
  path: string,
): Promise<TransactionPhase> {
  const [text, eventOf] = command;
  const event = eventOf(phase);
  const sent = event === null ? phase : transactionTable[phase][event];
  const reported = await status(client, text);
  const ready = transactionTable[sent][`ready ${reported}`];
  assert.is(ready === 'none', reported === 'I', `${path}: ${ready}`);
  assert.is(ready.endsWith('failed'), reported === 'E', `${path}: ${ready}`);
  if (reported !== 'T') return ready;
  const shown = await access(client);
  if (!ready.endsWith('unknown')) assert.is(ready, `client ${shown}`, path);
  return transactionTable[ready][`shows ${shown}`];
}

suite('table of the transaction', (test) => {
  let database: TestDatabase;
  let client: WireClient;

  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    const url = new URL(database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    client = await connectWire(url.href);
  });
  test.after(async () => {
    client.close();
    await database.drop();
  });

  test('a real server agrees after every command in every state that three commands lead to', async () => {
    for (const first of commands) {
      for (const second of commands) {
        for (const third of commands) {
          let phase: TransactionPhase = 'none';
          const path: string[] = [];
          for (const command of [first, second, third]) {
            path.push(command[0]);
            phase = await step(client, phase, command, path.join('; '));
          }
          assert.is(await status(client, 'ROLLBACK'), 'I');
        }
      }
    }
  });

  test('and along random ways', async () => {
    const random = createRandom(20261122);
    let phase: TransactionPhase = 'none';
    const path: string[] = [];
    for (let steps = 0; steps < 3000; steps += 1) {
      const command = random.pick(commands);
      path.push(command[0]);
      phase = await step(client, phase, command, path.slice(-20).join('; '));
      if (phase === 'none') path.length = 0;
    }
  });
});
