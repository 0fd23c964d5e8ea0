/**
 * The type bytes and request codes of protocol 3.x.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

const byte = (letter: string): number => letter.charCodeAt(0);

/** The messages that a client sends. */
export const frontend = {
  bind: byte('B'),
  close: byte('C'),
  copyData: byte('d'),
  copyDone: byte('c'),
  copyFail: byte('f'),
  describe: byte('D'),
  execute: byte('E'),
  flush: byte('H'),
  functionCall: byte('F'),
  parse: byte('P'),
  /** Password, SASL and GSS responses share one type byte. */
  password: byte('p'),
  query: byte('Q'),
  sync: byte('S'),
  terminate: byte('X'),
} as const;

/** The messages that a server sends. */
export const backend = {
  authentication: byte('R'),
  backendKeyData: byte('K'),
  bindComplete: byte('2'),
  closeComplete: byte('3'),
  commandComplete: byte('C'),
  copyBothResponse: byte('W'),
  copyData: byte('d'),
  copyDone: byte('c'),
  copyInResponse: byte('G'),
  copyOutResponse: byte('H'),
  dataRow: byte('D'),
  emptyQueryResponse: byte('I'),
  errorResponse: byte('E'),
  functionCallResponse: byte('V'),
  negotiateProtocolVersion: byte('v'),
  noData: byte('n'),
  noticeResponse: byte('N'),
  notificationResponse: byte('A'),
  parameterDescription: byte('t'),
  parameterStatus: byte('S'),
  parseComplete: byte('1'),
  portalSuspended: byte('s'),
  readyForQuery: byte('Z'),
  rowDescription: byte('T'),
} as const;

/** The first Int32 of an Authentication message. */
export const authentication = {
  ok: 0,
  cleartextPassword: 3,
  md5Password: 5,
  gss: 7,
  gssContinue: 8,
  sspi: 9,
  sasl: 10,
  saslContinue: 11,
  saslFinal: 12,
} as const;

/** The first Int32 of a packet without a type byte that is not a StartupMessage. */
export const request = {
  cancel: (1234 << 16) | 5678,
  ssl: (1234 << 16) | 5679,
  gssEncryption: (1234 << 16) | 5680,
} as const;

/** Formats a type byte for error messages: the letter, or hexadecimal when it is not printable. */
export function codeName(code: number): string {
  return code > 0x20 && code < 0x7f ? `'${String.fromCharCode(code)}'` : `0x${code.toString(16)}`;
}
