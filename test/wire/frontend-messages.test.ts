/** Client messages: encoding and decoding match, and every invalid body has its own error. */
import type { StageError } from '../../src/errors.ts';
import {
  bindMessage,
  closeMessage,
  copyFailMessage,
  decodeBind,
  decodeExecute,
  decodeNamed,
  decodeParse,
  decodeQuery,
  decodeSaslInitialResponse,
  describeMessage,
  executeMessage,
  flushMessage,
  parseMessage,
  queryMessage,
  syncMessage,
  terminateMessage,
} from '../../src/wire/frontend-messages.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const payload = (message: Buffer) => message.subarray(5);
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function sqlstateOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as StageError).sqlstate;
  }
  return 'none';
}

suite('wire: frontend messages', (test) => {
  test('reads back what it builds', () => {
    assert.is(decodeQuery(payload(queryMessage('SELECT $1 é'))).toString(), 'SELECT $1 é');
    const parse = { name: 'é', text: Buffer.from('SELECT $1'), types: [23, 0, 4294967295] };
    assert.equal(decodeParse(payload(parseMessage(parse))), parse);
    const bind = {
      portal: 'p',
      statement: 's',
      formats: [1, 0],
      values: [hex('00ff00'), null],
      resultFormats: [1],
    };
    assert.equal(decodeBind(payload(bindMessage(bind))), bind);
    assert.equal(decodeNamed(payload(describeMessage({ kind: 'portal', name: '' }))), {
      kind: 'portal',
      name: '',
    });
    assert.equal(decodeNamed(payload(closeMessage({ kind: 'statement', name: 'ü' }))), {
      kind: 'statement',
      name: 'ü',
    });
    assert.equal(decodeExecute(payload(executeMessage())), { portal: '', maxRows: 0 });
    assert.equal(decodeExecute(payload(executeMessage('ü', 7))), { portal: 'ü', maxRows: 7 });
  });

  test('builds the bytes of the protocol page', () => {
    assert.equal(queryMessage('x'), hex('51 00000006 78 00'));
    assert.equal(
      parseMessage({ text: 'x', types: [23] }),
      hex('50 0000000d 00 7800 0001 00000017'),
    );
    assert.equal(bindMessage({ values: [null] }), hex('42 00000010 00 00 0000 0001 ffffffff 0000'));
    assert.equal(executeMessage(), hex('45 00000009 00 00000000'));
    assert.equal(syncMessage, hex('53 00000004'));
    assert.equal(flushMessage, hex('48 00000004'));
    assert.equal(terminateMessage, hex('58 00000004'));
    assert.equal(copyFailMessage('no'), hex('66 00000007 6e6f00'));
  });

  test('never builds a text that holds a zero byte', () => {
    assert.throws(() => queryMessage('SELECT 1\0; DROP'), /zero byte/);
    assert.throws(() => parseMessage({ text: Buffer.from('a\0b') }), /zero byte/);
  });

  test('carries 65535 parameters', () => {
    const values = Array.from({ length: 65_535 }, (_, index) => Buffer.from(String(index)));
    const bind = decodeBind(payload(bindMessage({ values })));
    assert.is(bind.values.length, 65_535);
    assert.is(bind.values[65_534]?.toString(), '65534');
  });

  for (const [what, decode, body, sqlstate] of [
    ['query without its end', decodeQuery, '78', '08P01'],
    ['query with something behind it', decodeQuery, '7800 78', '08P01'],
    ['query with a zero byte inside', decodeQuery, '78 00 79 00', '08P01'],
    ['query that is not UTF-8', decodeQuery, 'ff00', '22021'],
    ['overlong UTF-8', decodeQuery, 'c0af00', '22021'],
    ['lone surrogate', decodeQuery, 'eda08000', '22021'],
    ['empty query body', decodeQuery, '', '08P01'],
    ['parse with a type missing', decodeParse, '00 7800 0002 00000017', '08P01'],
    ['parse without a count', decodeParse, '00 7800', '08P01'],
    ['bind with a value cut short', decodeBind, '00 00 0000 0001 00000005 78 0000', '08P01'],
    ['bind with a size of -2', decodeBind, '00 00 0000 0001 fffffffe 0000', '08P01'],
    ['bind with a size of 2^31-1', decodeBind, '00 00 0000 0001 7fffffff 0000', '08P01'],
    [
      'bind with two formats for one value',
      decodeBind,
      '00 00 0002 0000 0001 0001 00000000 0000',
      '08P01',
    ],
    ['bind with bytes behind it', decodeBind, '00 00 0000 0000 0000 00', '08P01'],
    ['bind that announces values and ends', decodeBind, '00 00 0000 ffff', '08P01'],
    ['describe of something else', decodeNamed, '58 00', '08P01'],
    ['execute without a limit', decodeExecute, '00 0000', '08P01'],
    ['SASL answer cut short', decodeSaslInitialResponse, '5300 00000009 6e', '08P01'],
  ] as const) {
    test(`refuses a ${what}`, () => {
      assert.is(
        sqlstateOf(() => decode(hex(body))),
        sqlstate,
      );
    });
  }

  test('takes a negative row limit for none, as the server does', () => {
    assert.equal(decodeExecute(hex('00 ffffffff')), { portal: '', maxRows: 0 });
  });

  test('answers any random body with a value or a protocol error', () => {
    const random = createRandom(4711);
    const decoders = [
      decodeQuery,
      decodeParse,
      decodeBind,
      decodeNamed,
      decodeExecute,
      decodeSaslInitialResponse,
    ];
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 30_000; round += 1) {
      const body = Buffer.from(
        Array.from({ length: random.below(24) }, () =>
          random.chance(0.6) ? 0 : random.below(256),
        ),
      );
      const outcome = sqlstateOf(() => random.pick(decoders)(body));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.equal([...outcomes.keys()].sort(), ['08P01', '22021', 'none']);
  });
});
