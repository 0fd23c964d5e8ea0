/** Scanning a server's stream while it passes: nothing is lost, and only watched messages are buffered. */

import {
  commandComplete,
  errorResponse,
  noticeResponse,
  parameterStatus,
  readyForQuery,
} from '../../src/wire/backend-messages.ts';
import { BackendScanner } from '../../src/wire/backend-scanner.ts';
import { errorFields } from '../../src/wire/error-fields.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const dataRow = (value: Buffer) =>
  new MessageWriter().list([value], (writer, each) => writer.value(each)).message(backend.dataRow);

const failure = errorFields('ERROR', { sqlstate: '22012', message: 'division by zero' });
const stream = Buffer.concat([
  dataRow(Buffer.from('Z\0\0\0\x05I')),
  dataRow(Buffer.alloc(300, 'Z')),
  commandComplete('SELECT 2'),
  parameterStatus('TimeZone', 'UTC'),
  noticeResponse(failure),
  errorResponse(failure),
  readyForQuery('I'),
]);
const watched = [backend.readyForQuery, backend.parameterStatus, backend.errorResponse];

interface Found {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/** Scans one chunk, and returns the pieces passed to the receiver, in order, and the watched messages among them. */
function scanOne(scanner: BackendScanner, chunk: Buffer) {
  const pieces: Buffer[] = [];
  const found: Found[] = [];
  const messages: string[] = [];
  scanner.scan(chunk, {
    pass: (bytes, start, end) => {
      pieces.push(bytes.subarray(start, end));
    },
    message: (bytes, type, start, end) => {
      if (bytes[start] !== type) throw new Error('found a message where there is none');
      pieces.push(bytes.subarray(start, end));
      messages.push(bytes.toString('hex', start, end));
      found.push({ type, start, end });
    },
  });
  return { pieces, bytes: Buffer.concat(pieces), found, messages };
}

/** Scans chunks and returns all bytes passed on and the watched messages found, as hexadecimal. */
function scanAll(scanner: BackendScanner, chunks: readonly Buffer[]) {
  const scans = chunks.map((chunk) => scanOne(scanner, chunk));
  return {
    passed: Buffer.concat(scans.map(({ bytes }) => bytes)),
    found: scans.flatMap(({ messages }) => messages),
  };
}

const expected = [
  parameterStatus('TimeZone', 'UTC'),
  errorResponse(failure),
  readyForQuery('I'),
].map((message) => message.toString('hex'));

suite('wire: backend scanner', (test) => {
  test('passes a chunk as it is and tells where the watched messages are', () => {
    const scanner = new BackendScanner(1000, watched);
    const scan = scanOne(scanner, stream);
    assert.ok(scan.pieces.every(({ buffer }) => buffer === stream.buffer));
    assert.ok(scan.bytes.equals(stream));
    assert.equal(
      scan.found.map(({ type }) => String.fromCharCode(type)),
      ['S', 'E', 'Z'],
    );
    assert.ok(scanner.atBoundary);
  });

  test('finds the same wherever the stream is split, and passes every byte', () => {
    for (let at = 0; at <= stream.length; at += 1) {
      const scanner = new BackendScanner(1000, watched);
      const { passed, found } = scanAll(scanner, [stream.subarray(0, at), stream.subarray(at)]);
      assert.ok(passed.equals(stream), `split at ${at}`);
      assert.equal(found, expected, `split at ${at}`);
      assert.ok(scanner.atBoundary);
    }
  });

  test('finds the same byte by byte and in random pieces', () => {
    const random = createRandom(7);
    for (let round = 0; round < 300; round += 1) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = round === 0 ? 1 : 1 + random.below(60);
        chunks.push(stream.subarray(at, at + size));
        at += size;
      }
      const { passed, found } = scanAll(new BackendScanner(1000, watched), chunks);
      assert.ok(passed.equals(stream));
      assert.equal(found, expected);
    }
  });

  test('lets a row of any size pass without holding it', () => {
    const scanner = new BackendScanner(1000, watched);
    const size = 2 ** 31 - 6;
    const head = Buffer.alloc(5);
    head.write('D');
    head.writeUInt32BE(size + 4, 1);
    assert.is(scanOne(scanner, head).bytes.length, 5);
    const piece = Buffer.alloc(1 << 20, 'Z');
    for (let passed = 0; passed < 64; passed += 1) {
      const { pieces, found } = scanOne(scanner, piece);
      assert.is(pieces.length, 1);
      assert.ok(pieces[0]?.buffer === piece.buffer && pieces[0]?.length === piece.length);
      assert.is(found.length, 0);
    }
    assert.not(scanner.atBoundary);
  });

  test('holds the beginning of a watched message only', () => {
    const scanner = new BackendScanner(1000, watched);
    const row = dataRow(Buffer.from('x'));
    const ready = readyForQuery('T');
    const scan = scanOne(scanner, Buffer.concat([row, ready.subarray(0, 5)]));
    assert.ok(scan.bytes.equals(row));
    assert.equal(scan.found, []);
    assert.ok(scanner.atBoundary);
    const rest = scanOne(scanner, ready.subarray(5));
    assert.ok(rest.bytes.equals(ready));
    assert.equal(rest.found, [{ type: backend.readyForQuery, start: 0, end: 6 }]);
  });

  test('watches something else from the next message on, when the receiver asks for it', () => {
    const scanner = new BackendScanner(1000, watched);
    const found: number[] = [];
    scanner.scan(stream, {
      pass: () => undefined,
      message: (_, type) => {
        found.push(type);
        scanner.inspect([backend.readyForQuery, backend.noticeResponse]);
      },
    });
    assert.equal(found, [backend.parameterStatus, backend.noticeResponse, backend.readyForQuery]);
  });

  test('can be told to watch something else', () => {
    const scanner = new BackendScanner(1000, watched);
    scanner.inspect([backend.commandComplete]);
    const { found } = scanAll(scanner, [stream]);
    assert.equal(found, [commandComplete('SELECT 2').toString('hex')]);
  });

  test('refuses a watched message that is too long to be held', () => {
    const scanner = new BackendScanner(1000, watched);
    assert.throws(
      () => scanOne(scanner, parameterStatus('search_path', 'x'.repeat(2000)).subarray(0, 100)),
      /longer than the 1000 allowed/,
    );
  });

  for (const [what, bytes] of [
    ['an unknown type', '51 00000004'],
    ['a length below 4', '44 00000003'],
    ['a negative length', '44 80000000'],
    ['a ReadyForQuery of another length', '5a 00000006 4949'],
    ['a ParseComplete with a body', '31 00000005 00'],
  ] as const) {
    test(`refuses ${what}`, () => {
      const scanner = new BackendScanner(1000, watched);
      assert.throws(
        () => scanOne(scanner, Buffer.from(bytes.replaceAll(' ', ''), 'hex')),
        (error: { sqlstate?: string }) => error.sqlstate === '08P01',
      );
    });
  }
});
