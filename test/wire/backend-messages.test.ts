/** Server messages: node-postgres reads the messages built here, and messages of servers are decoded strictly. */
import { parse } from 'pg-protocol';
import type { StageError } from '../../src/errors.ts';
import {
  decodeAuthentication,
  decodeBackendKeyData,
  decodeCommandComplete,
  decodeDataRow,
  decodeParameterDescription,
  decodeParameterStatus,
  decodeReadyForQuery,
  decodeRowDescription,
  decodeSaslMechanisms,
} from '../../src/wire/backend-decoder.ts';
import {
  authenticationSasl,
  backendKeyData,
  bindComplete,
  closeComplete,
  commandComplete,
  emptyQueryResponse,
  errorResponse,
  negotiateProtocolVersion,
  noData,
  noticeResponse,
  parameterStatus,
  parseComplete,
  readyForQuery,
} from '../../src/wire/backend-messages.ts';
import { decodeErrorFields, errorFields } from '../../src/wire/error-fields.ts';
import { assert, suite } from '../helpers/suite.ts';

const payload = (message: Buffer) => message.subarray(5);
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Returns the messages as node-postgres parses them. */
async function understood(...messages: Buffer[]): Promise<Record<string, unknown>[]> {
  const heard: Record<string, unknown>[] = [];
  const { Readable } = await import('node:stream');
  await parse(Readable.from(messages) as never, (message) => heard.push({ ...message }));
  return heard;
}

const fields = errorFields('ERROR', {
  sqlstate: '0A000',
  message: 'no é',
  detail: 'why',
  hint: 'do this',
  position: 8,
});

suite('wire: backend messages', (test) => {
  test('are understood by node-postgres', async () => {
    const heard = await understood(
      authenticationSasl(['SCRAM-SHA-256']),
      parameterStatus('TimeZone', 'UTC'),
      backendKeyData(42, hex('00000007')),
      parseComplete,
      bindComplete,
      noData,
      closeComplete,
      emptyQueryResponse,
      commandComplete('INSERT 0 1'),
      readyForQuery('T'),
    );
    assert.equal(
      heard.map(({ name }) => name),
      [
        'authenticationSASL',
        'parameterStatus',
        'backendKeyData',
        'parseComplete',
        'bindComplete',
        'noData',
        'closeComplete',
        'emptyQuery',
        'commandComplete',
        'readyForQuery',
      ],
    );
    assert.equal(heard[0]?.['mechanisms'], ['SCRAM-SHA-256']);
    assert.is(heard[2]?.['processID'], 42);
    assert.is(heard[8]?.['text'], 'INSERT 0 1');
    assert.is(heard[9]?.['status'], 'T');
  });

  test('carry every part of an error', async () => {
    const [error, notice] = await understood(errorResponse(fields), noticeResponse(fields));
    assert.is(error?.['severity'], 'ERROR');
    assert.is(error?.['code'], '0A000');
    assert.is(error?.['detail'], 'why');
    assert.is(error?.['hint'], 'do this');
    assert.is(error?.['position'], '8');
    assert.is(notice?.['message'], 'no é');
    assert.equal(decodeErrorFields(payload(errorResponse(fields))), fields);
  });

  test('keep an error in step whatever it quotes', () => {
    const quoting = errorResponse(
      errorFields('ERROR', { sqlstate: '42601', message: 'at "a\0b"' }),
    );
    assert.is(decodeErrorFields(payload(quoting)).get('M'), 'at "ab"');
  });

  test('offer another version as the protocol page says', () => {
    assert.equal(
      negotiateProtocolVersion(2, ['_pq_.x']),
      hex('76 00000013 00030002 00000001 5f70715f2e7800'),
    );
  });

  test('are read back', () => {
    assert.is(decodeReadyForQuery(payload(readyForQuery('E'))), 'E');
    assert.is(decodeCommandComplete(payload(commandComplete('SELECT 1'))), 'SELECT 1');
    assert.equal(decodeParameterStatus(payload(parameterStatus('a', ''))), {
      name: 'a',
      value: '',
    });
    assert.equal(decodeBackendKeyData(payload(backendKeyData(-1, hex('0102030405060708')))), {
      processId: -1,
      secret: hex('0102030405060708'),
    });
    const { kind, data } = decodeAuthentication(payload(authenticationSasl(['A', 'B'])));
    assert.is(kind, 10);
    assert.equal(decodeSaslMechanisms(data), ['A', 'B']);
  });

  test('describe rows, parameters and values', () => {
    const row = '0001 6900 00000000 0000 00000017 0004 ffffffff 0001';
    assert.equal(decodeRowDescription(hex(row)), [{ name: 'i', type: 23, format: 1 }]);
    assert.equal(decodeParameterDescription(hex('0002 00000017 ffffffff')), [23, 4294967295]);
    assert.equal(decodeDataRow(hex('0002 00000001 78 ffffffff')), [hex('78'), null]);
  });

  for (const [what, decode, body] of [
    ['an error that never ends', decodeErrorFields, '5345 00'],
    ['an error without a terminator', decodeErrorFields, '53 4552524f5200 43 32323031 3200'],
    ['an empty error', decodeErrorFields, ''],
    ['an error without a SQLSTATE', decodeErrorFields, '4d 7800 00'],
    ['an error with bytes behind it', decodeErrorFields, '43 323230313200 00 41'],
    ['an unknown transaction status', decodeReadyForQuery, '58'],
    ['a row with a value cut short', decodeDataRow, '0001 00000005 78'],
    ['mechanisms without an end', decodeSaslMechanisms, '4100'],
    ['a setting without a value', decodeParameterStatus, '6100'],
  ] as const) {
    test(`refuse ${what}`, () => {
      assert.throws(
        () => decode(hex(body)),
        (error: StageError) => error.sqlstate === '08P01',
      );
    });
  }
});
