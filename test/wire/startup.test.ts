/** Packets that begin a connection. */
import { serialize } from 'pg-protocol';
import type { StageError } from '../../src/errors.ts';
import {
  cancelRequest,
  decodeStartupPacket,
  sslRequest,
  startupMessage,
} from '../../src/wire/startup.ts';
import { assert, suite } from '../helpers/suite.ts';

const body = (packet: Buffer) => packet.subarray(4);
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** Returns the body of a StartupMessage: version and raw texts. */
const startup = (version: string, text: string) => Buffer.concat([hex(version), Buffer.from(text)]);

function refusal(packet: Buffer): StageError {
  try {
    decodeStartupPacket(packet);
  } catch (error) {
    return error as StageError;
  }
  throw new Error('it was accepted');
}

suite('wire: startup packets', (test) => {
  test('reads what node-postgres sends', () => {
    assert.equal(decodeStartupPacket(body(serialize.requestSsl())), { kind: 'ssl' });
    assert.equal(decodeStartupPacket(body(serialize.cancel(7, 9))), {
      kind: 'cancel',
      processId: 7,
      secret: hex('00000009'),
    });
    assert.equal(decodeStartupPacket(body(serialize.startup({ user: 'u', database: 'd' }))), {
      kind: 'startup',
      minor: 0,
      parameters: [
        ['user', 'u'],
        ['database', 'd'],
        ['client_encoding', 'UTF8'],
      ],
      protocolOptions: [],
    });
  });

  test('reads back what it builds', () => {
    const parameters = [
      ['user', 'é'],
      ['options', '-c a=b'],
      ['empty', ''],
    ] as const;
    const packet = decodeStartupPacket(body(startupMessage(parameters)));
    assert.equal(packet.kind === 'startup' && packet.parameters, parameters);
    assert.equal(sslRequest, serialize.requestSsl());
    assert.equal(cancelRequest({ processId: 7, secret: hex('00000009') }), serialize.cancel(7, 9));
    const long = { processId: -5, secret: Buffer.alloc(32, 7) };
    assert.equal(decodeStartupPacket(body(cancelRequest(long))), { kind: 'cancel', ...long });
    assert.equal(decodeStartupPacket(hex('04d21630')), { kind: 'gss' });
  });

  test('sets protocol options apart', () => {
    const packet = decodeStartupPacket(startup('0003270f', 'user\0u\0_pq_.grease\0x\0\0'));
    assert.equal(packet, {
      kind: 'startup',
      minor: 9999,
      parameters: [['user', 'u']],
      protocolOptions: ['_pq_.grease'],
    });
  });

  for (const [what, packet, sqlstate] of [
    ['protocol 2.0', startup('00020000', 'user\0u\0\0'), '0A000'],
    ['protocol 4.0', startup('00040000', 'user\0u\0\0'), '0A000'],
    ['no terminator', startup('00030000', 'user\0u\0'), '08P01'],
    ['a name without a value', startup('00030000', 'user\0\0'), '08P01'],
    ['bytes behind the terminator', startup('00030000', 'user\0u\0\0x'), '08P01'],
    ['a parameter twice', startup('00030000', 'user\0u\0user\0v\0\0'), '08P01'],
    ['no parameters at all', hex('00030000'), '08P01'],
    ['text that is not UTF-8', Buffer.concat([hex('00030000'), hex('7500 ff00 00')]), '22021'],
    ['an SSLRequest that is too long', hex('04d2162f 00'), '08P01'],
    ['a cancel request without a key', hex('04d2162e 00000007'), '08P01'],
    ['a cancel key of 3 bytes', hex('04d2162e 00000007 000000'), '08P01'],
    [
      'a cancel key of 257 bytes',
      Buffer.concat([hex('04d2162e 00000007'), Buffer.alloc(257)]),
      '08P01',
    ],
  ] as const) {
    test(`refuses ${what}`, () => {
      assert.is(refusal(packet).sqlstate, sqlstate);
    });
  }
});
