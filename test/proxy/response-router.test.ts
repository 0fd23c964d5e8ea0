/** The client's view of a server's responses, however they are split. No server is needed. */

import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import {
  hiddenClose,
  hiddenSync,
  PendingResponse,
  passing,
} from '../../src/server-connection/pending-response.ts';
import { ResponseRouter } from '../../src/server-connection/response-router.ts';
import { SocketWriter } from '../../src/server-connection/socket-writer.ts';
import {
  commandComplete,
  errorResponse,
  noticeResponse,
  parameterStatus,
  readyForQuery,
} from '../../src/wire/backend-messages.ts';
import { errorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { assert, suite } from '../helpers/suite.ts';

const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const description = new MessageWriter().raw(bytes('0000')).message(backend.rowDescription);
const row = new MessageWriter().raw(Buffer.alloc(40, 'Z')).message(backend.dataRow);
const answer = Buffer.concat([
  description,
  row,
  row,
  commandComplete('SELECT 2'),
  readyForQuery('I'),
]);
/** No message has this type. */
const broken = bytes('21 00000004');

function connect() {
  const written: Buffer[] = [];
  const events: string[] = [];
  const socket = {
    writableLength: 0,
    write: (chunk: Buffer) => written.push(chunk) > 0,
    cork: () => undefined,
    uncork: () => undefined,
  };
  const router = new ResponseRouter(
    new SocketWriter(socket as unknown as Socket),
    {
      onReady: (status) => events.push(status),
      onParameterStatus: () => 'TimeZone',
      isInSavepoint: () => false,
      onRowDescription: (frame) => frame,
    },
    1000,
  );
  return { router, written, events, client: () => Buffer.concat(written) };
}

suite('proxy: response router', (test) => {
  test('passes an answer that is shown as it comes in one write, uncopied', () => {
    const { router, written, events } = connect();
    router.expect(passing.query);
    router.receive(answer);
    assert.is(written.length, 1);
    assert.is(written[0], answer);
    assert.equal(events, ['I']);
    assert.ok(router.isIdle);
  });

  test('passes the answers to a batch of the extended protocol in one write', () => {
    const { router, written } = connect();
    const { bind, describe, execute, sync } = passing;
    for (const asked of [bind, describe, execute, sync]) router.expect(asked);
    const chunk = Buffer.concat([bytes('32 00000004'), answer]);
    router.receive(chunk);
    assert.equal(written, [chunk]);
    assert.ok(router.isIdle);
  });

  const closed = bytes('33 00000004');
  const completed = commandComplete('UPDATE 1');
  const ready = readyForQuery('I');

  test('keeps the answer to a batch while steps of ours end it', () => {
    const { router, written, client } = connect();
    for (const asked of [passing.execute, hiddenSync, hiddenClose, hiddenSync, passing.sync])
      router.expect(asked);
    router.receive(Buffer.concat([completed, readyForQuery('T')]));
    router.receive(closed);
    router.receive(readyForQuery('T'));
    assert.equal(written, []);
    router.receive(ready);
    assert.is(written.length, 1);
    assert.equal(client(), Buffer.concat([completed, ready]));
  });

  test('has answers leave together while more of them come with each turn', async () => {
    const { router, written, client } = connect();
    const batch = [hiddenClose, passing.execute, passing.sync];
    for (const asked of [...batch, ...batch, ...batch, ...batch]) router.expect(asked);
    const answer = Buffer.concat([closed, completed, ready]);
    const shown = Buffer.concat([completed, ready]);
    router.receive(answer);
    await turn();
    router.receive(answer);
    await turn();
    assert.equal(written, []);
    // nothing arrived for a turn, and the next batch may take long
    await turn();
    assert.equal(client(), Buffer.concat([shown, shown]));
    // a part of the response to the batch after the next one has arrived
    router.receive(Buffer.concat([answer, closed]));
    await turn();
    await turn();
    assert.equal(client(), Buffer.concat([shown, shown, shown]));
    // the last one waits for nothing
    router.receive(Buffer.concat([completed, ready]));
    assert.is(written.length, 3);
  });

  test('keeps nothing that the server would send at once, or that the client may wait for', () => {
    const notice = noticeResponse(errorFields('NOTICE', { sqlstate: '00000', message: 'hello' }));
    const error = errorResponse(errorFields('ERROR', { sqlstate: '22012', message: 'no' }));
    const large = new MessageWriter().raw(Buffer.alloc(9000, 'Z')).message(backend.dataRow);
    const first = { ...hiddenClose, shown: 'all' } as const;
    const cases = {
      notice: [
        [passing.execute, hiddenClose, passing.sync],
        [notice, completed],
      ],
      error: [[passing.execute, hiddenSync, hiddenClose, passing.sync], [error]],
      'much of it': [
        [passing.execute, hiddenClose, passing.sync],
        [large, completed],
      ],
      'no Sync': [[passing.execute, hiddenClose, hiddenSync], [completed]],
      'an answer of its own to come': [[first, passing.execute, passing.sync], [closed]],
    } as const;
    for (const [name, [expected, received]] of Object.entries(cases)) {
      const { router, client } = connect();
      for (const asked of expected) router.expect(asked);
      router.receive(Buffer.concat(received));
      assert.equal(client(), Buffer.concat(received), name);
    }
  });

  test('leaves out what is hidden, and keeps the rest as it came', () => {
    const { router, client } = connect();
    router.expect(new PendingResponse('query', 'nothing'));
    router.expect(passing.query);
    router.receive(Buffer.concat([answer, answer]));
    assert.equal(client(), answer);
  });

  test('gives the same wherever the stream is split', () => {
    const notice = noticeResponse(errorFields('NOTICE', { sqlstate: '00000', message: 'hello' }));
    const zone = parameterStatus('TimeZone', 'UTC');
    const stream = Buffer.concat([
      description,
      notice,
      row,
      zone,
      answer.subarray(description.length),
    ]);
    for (let at = 0; at <= stream.length; at += 1) {
      const { router, client } = connect();
      router.expect(passing.query);
      router.receive(stream.subarray(0, at));
      router.receive(stream.subarray(at));
      const expected = [description, notice, row, row, row, commandComplete('SELECT 2'), zone];
      assert.equal(client(), Buffer.concat([...expected, readyForQuery('I')]), `split at ${at}`);
    }
  });

  test('hands rows over one by one only while somebody waits for some', () => {
    const { router, client } = connect();
    const rows: Buffer[] = [];
    router.expect(passing.query);
    const onRow = (payload: Buffer) => void rows.push(payload);
    router.expect(new PendingResponse('execute', 'nothing', { onRow }));
    router.expect(passing.sync);
    router.expect(passing.query);
    const own = Buffer.concat([row, commandComplete('SELECT 1'), readyForQuery('I')]);
    router.receive(Buffer.concat([answer, own, answer]));
    assert.is(rows.length, 1);
    assert.equal(client(), Buffer.concat([answer, readyForQuery('I'), answer]));
  });

  test('gives what came before a message that cannot be, and lets the client be told why it ends', () => {
    const { router } = connect();
    router.expect(passing.query);
    assert.throws(() => router.receive(Buffer.concat([answer, broken])), /invalid backend message/);
    assert.ok(router.atBoundary);
    const other = connect();
    other.router.expect(passing.query);
    assert.throws(
      () => other.router.receive(Buffer.concat([answer, answer])),
      /unexpected backend/,
    );
    assert.ok(other.router.atBoundary);
  });

  test('says nothing more behind a row of which the client has a part', () => {
    const { router, client } = connect();
    router.expect(passing.query);
    router.receive(Buffer.concat([description, row.subarray(0, 20)]));
    assert.not(router.atBoundary);
    assert.throws(() => router.receive(Buffer.concat([row.subarray(20), broken])), /invalid/);
    assert.not(router.atBoundary);
    assert.equal(client(), Buffer.concat([description, row.subarray(0, 20)]));
  });
});
