/** Cutting a stream into messages: splits anywhere, hostile lengths, and memory that grows only with the bytes received. */
import type { StageError } from '../../src/errors.ts';
import type { Message } from '../../src/wire/framer.ts';
import { Framer } from '../../src/wire/framer.ts';
import {
  bindMessage,
  parseMessage,
  queryMessage,
  syncMessage,
} from '../../src/wire/frontend-messages.ts';
import { backendLimits, frontendLimits, passwordLimits } from '../../src/wire/limits.ts';
import { frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const limits = frontendLimits(1_000_000);

function takeAll(framer: Framer): Message[] {
  const messages: Message[] = [];
  for (let message = framer.next(); message !== null; message = framer.next())
    messages.push(message);
  return messages;
}

/** Returns a header alone, with any length field. */
function header(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.write(type, 'latin1');
  bytes.writeUInt32BE(length >>> 0, 1);
  return bytes;
}

function refusal(bytes: Buffer, framer = new Framer(limits)): StageError {
  framer.push(bytes);
  try {
    framer.next();
  } catch (error) {
    return error as StageError;
  }
  throw new Error('the framer accepted it');
}

suite('wire: framer', (test) => {
  const stream = Buffer.concat([
    queryMessage('SELECT 1'),
    parseMessage({ name: 's', text: 'SELECT $1', types: [23] }),
    bindMessage({ statement: 's', values: [Buffer.from('x'), null, Buffer.alloc(0)] }),
    syncMessage,
  ]);

  test('lets messages of one type pass in pieces, and gives the others whole', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((text) =>
      new MessageWriter().raw(Buffer.from(text)).message(frontend.copyData),
    ) as [Buffer, Buffer, Buffer];
    const bytes = Buffer.concat([one, two, syncMessage, three]);
    for (let size = 1; size <= bytes.length; size += 1) {
      const framer = new Framer(limits);
      const taken: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        framer.push(bytes.subarray(at, at + size));
        let next = framer.passing(frontend.copyData) ?? framer.next()?.frame;
        for (; next; next = framer.passing(frontend.copyData) ?? framer.next()?.frame) {
          taken.push(next);
        }
      }
      assert.equal(Buffer.concat(taken), bytes, `pieces of ${size}`);
      assert.ok(
        taken.some((piece) => piece.equals(syncMessage)),
        `pieces of ${size}`,
      );
      assert.not(framer.isInside);
    }
  });

  test('knows when a message has passed in part', () => {
    const framer = new Framer(limits);
    framer.push(header('d', 1000));
    assert.is(framer.passing(frontend.copyData)?.length, 5);
    assert.ok(framer.isInside);
    assert.is(framer.next(), null);
    framer.push(Buffer.alloc(996));
    assert.is(framer.passing(frontend.copyData)?.length, 996);
    assert.not(framer.isInside);
    framer.push(header('d', 3));
    assert.throws(() => framer.passing(frontend.copyData), /length/);
  });

  test('gives the same messages wherever the stream is split', () => {
    const whole = new Framer(limits);
    whole.push(stream);
    const expected = takeAll(whole).map((message) => message.frame.toString('hex'));
    assert.is(expected.length, 4);
    for (let first = 0; first <= stream.length; first += 1) {
      for (let second = first; second <= stream.length; second += 1) {
        const framer = new Framer(limits);
        const got: string[] = [];
        for (const chunk of [
          stream.subarray(0, first),
          stream.subarray(first, second),
          stream.subarray(second),
        ]) {
          framer.push(chunk);
          got.push(...takeAll(framer).map((message) => message.frame.toString('hex')));
        }
        assert.equal(got, expected, `split at ${first} and ${second}`);
      }
    }
  });

  test('gives slices of the chunk itself for messages inside it', () => {
    const framer = new Framer(limits);
    framer.push(stream);
    const message = framer.next();
    assert.is(message?.frame.buffer, stream.buffer);
    assert.is(message?.payload.toString(), 'SELECT 1\0');
    assert.is(message?.type, 'Q'.charCodeAt(0));
  });

  test('keeps messages intact that were handed out before more arrived', () => {
    const framer = new Framer(limits);
    const messages: Message[] = [];
    for (const byte of stream) {
      framer.push(Buffer.from([byte]));
      messages.push(...takeAll(framer));
    }
    assert.ok(Buffer.concat(messages.map((message) => message.frame)).equals(stream));
  });

  test('gives back what was not taken', () => {
    const framer = new Framer(limits);
    framer.push(stream);
    framer.next();
    const rest = framer.drain();
    assert.is(framer.buffered, 0);
    assert.is(framer.next(), null);
    const again = new Framer(limits);
    again.push(rest);
    assert.is(takeAll(again).length, 3);
  });

  for (const length of [0, 1, 2, 3, -1, -(2 ** 31), 2 ** 32 - 1]) {
    test(`refuses length ${length}`, () => {
      assert.is(refusal(header('Q', length)).sqlstate, '08P01');
    });
  }

  test('refuses a length over the limit on its header alone', () => {
    const error = refusal(header('Q', 2 ** 31 - 1));
    assert.is(error.sqlstate, '08P01');
    assert.match(error.message, /longer than the 1000000 allowed/);
    assert.is(refusal(header('D', 10_001)).sqlstate, '08P01');
    assert.is(refusal(header('S', 5)).sqlstate, '08P01');
  });

  test('refuses types that the side does not send', () => {
    // A NUL byte, a second StartupMessage, a server's message, a password outside the login.
    for (const type of ['\0', 'Z', 'R', '1', 'p', '\xff']) {
      assert.match(refusal(header(type, 4)).message, /invalid frontend message type/, type);
    }
    assert.match(
      refusal(header('Q', 4), new Framer(passwordLimits())).message,
      /invalid frontend message type 'Q'/,
    );
    assert.match(
      refusal(header('Q', 4), new Framer(backendLimits())).message,
      /invalid backend message type 'Q'/,
    );
  });

  test('takes startup packets from 8 to 10000 bytes', () => {
    for (const length of [0, 3, 4, 7, 10_001, 2 ** 31 - 1, 2 ** 32 - 1]) {
      const framer = new Framer(passwordLimits());
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(length);
      framer.push(bytes);
      assert.throws(() => framer.nextStartup(), /invalid length of startup packet/);
    }
    const framer = new Framer(passwordLimits());
    framer.push(Buffer.from([0, 0, 0]));
    assert.is(framer.nextStartup(), null);
    framer.push(Buffer.from([8, 4, 210, 22]));
    assert.is(framer.nextStartup(), null);
    framer.push(Buffer.from([47, 99]));
    assert.equal([...(framer.nextStartup() ?? [])], [4, 210, 22, 47]);
    assert.is(framer.buffered, 1);
  });

  test('does not allocate by announced length, and grows linearly with a slow message', () => {
    const framers = Array.from({ length: 200 }, () => new Framer(frontendLimits(2 ** 31 - 1)));
    const before = process.memoryUsage();
    for (const framer of framers)
      framer.push(Buffer.concat([header('Q', 2 ** 31 - 1), Buffer.alloc(100)]));
    for (const framer of framers) assert.is(framer.next(), null);
    assert.ok(process.memoryUsage().arrayBuffers - before.arrayBuffers < 5_000_000);
    const body = Buffer.from(`${'x'.repeat(300_000)}\0`);
    const framer = new Framer(limits);
    framer.push(header('Q', body.length + 4));
    for (let at = 0; at < body.length; at += 3) {
      framer.push(body.subarray(at, at + 3));
      assert.ok(at + 3 >= body.length || framer.next() === null);
    }
    assert.ok(framer.next()?.payload.equals(body));
  });

  test('survives random bytes: every outcome is a message, a wait, or 08P01', () => {
    const random = createRandom(20261121);
    const outcomes = { message: 0, wait: 0, refused: 0 };
    for (let round = 0; round < 20_000; round += 1) {
      const framer = new Framer(random.chance(0.5) ? limits : backendLimits(100_000));
      const bytes = Buffer.from(stream.subarray(0, random.below(stream.length)));
      for (let flips = random.below(4); flips > 0 && bytes.length > 0; flips -= 1) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      outcomes[outcomeOf(framer, bytes, random.below(bytes.length + 1))] += 1;
    }
    assert.ok(Math.min(...Object.values(outcomes)) > 500, JSON.stringify(outcomes));
  });
});

function outcomeOf(framer: Framer, bytes: Buffer, split: number): 'message' | 'wait' | 'refused' {
  let taken = 0;
  try {
    for (const chunk of [bytes.subarray(0, split), bytes.subarray(split)]) {
      framer.push(chunk);
      for (const message of takeAll(framer)) taken += message.frame.length;
    }
  } catch (error) {
    if ((error as StageError).sqlstate !== '08P01') throw error;
    return 'refused';
  }
  if (taken + framer.buffered !== bytes.length) throw new Error('bytes were lost');
  return taken > 0 ? 'message' : 'wait';
}
