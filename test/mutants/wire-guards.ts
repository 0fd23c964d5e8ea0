/** The guards between a connection and its login, and around every message. */
import type { Guard } from './guard.ts';

export const wireGuards: readonly Guard[] = [
  {
    name: 'a login takes only so long',
    without: '() => undefined,',
    tests: ['proxy/listener-limits'],
  },
  {
    name: 'connections are limited in total',
    without: '',
    tests: ['proxy/listener-limits'],
  },
  {
    name: 'connections are limited for each address',
    without: 'if (limits.perAddress !== null && here < 0)',
    tests: ['proxy/listener-limits'],
  },
  {
    name: 'the number of silent connections is limited',
    without: '',
    tests: ['proxy/listener-limits'],
  },
  {
    name: 'unencrypted bytes behind the request for encryption are refused',
    without: 'if (stream.buffered < 0) {',
    tests: ['proxy/listener-tls'],
  },
  {
    name: 'encryption is negotiated once',
    without: 'if (!stream) {',
    tests: ['proxy/listener-tls'],
  },
  {
    name: 'a cancel request needs the secret',
    without: 'return true;',
    tests: ['proxy/listener-cancel'],
  },
  {
    name: 'a startup packet has a largest length',
    without: 'if (length < 8) {',
    tests: ['wire/framer'],
  },
  {
    name: 'a login sends only so much',
    without: 'if (this.received < 0) {',
    tests: ['proxy/upstream-hostile'],
  },
  {
    name: 'a message has the length of its type',
    without: 'if (largest > 0) return;',
    tests: ['wire/framer'],
  },
  {
    name: 'options set no setting that SET may not set',
    without: "if (verdict.kind === 'refuse') return null;",
    tests: ['proxy/startup-parameters'],
  },
  {
    name: 'switches are settings, too',
    without: "return option.letter === '' ? ['allow_system_table_mods', 'on'] : null;",
    tests: ['proxy/startup-parameters'],
  },
  {
    name: 'no role brings a setting that lets triggers be',
    without: 'if (role) return;',
    tests: ['proxy/listener-login'],
  },
  {
    name: 'no literal means something else than in production',
    without: 'return;',
    tests: ['proxy/connection-facts'],
  },
  {
    name: 'a connection names one session',
    without: 'if (candidates.length < 0)',
    tests: ['proxy/startup-parameters'],
  },
  {
    name: 'a text has a largest length',
    without: 'if (text.length < 0) {',
    tests: ['sql/parse-query'],
  },
  {
    name: 'a text is UTF-8',
    without: 'return null;',
    tests: ['sql/parse-query'],
  },
  {
    name: 'settings of the service are not set by statements',
    without: "return setting === '';",
    tests: ['sql/'],
  },
  {
    name: 'a write that is planned only takes no lock that the commit check sees',
    without: '',
    tests: ['proxy/explains'],
  },
  {
    name: 'a write that is planned only has a savepoint to itself',
    without: 'if (this.state.guardsWrite) this.releaseGuard();',
    tests: ['proxy/explains'],
  },
  {
    name: 'no response is expected to a message that the server skips',
    without: 'if (false) {',
    tests: ['proxy/late-syncs'],
  },
  {
    name: "nothing is done behind an error before the client's Sync",
    without: '',
    tests: ['proxy/late-syncs'],
  },
  {
    name: 'after an error everything is skipped up to Sync, as by the server',
    without: '',
    tests: ['proxy/late-syncs'],
  },
  {
    name: 'a portal of a failed transaction is known to its end',
    without: '',
    tests: ['proxy/failed-portals'],
  },
  {
    name: 'an internal savepoint that the server has skipped is not taken for open',
    without: '',
    tests: ['proxy/failed-portals'],
  },
  {
    name: 'Describe of a write reports its tables as they are now',
    without: '',
    tests: ['proxy/described-writes', 'sql/upserts'],
  },
  {
    name: 'a statement that the client has cancelled is not retried',
    without: 'if (false) {',
    tests: ['proxy/cancelled-retries'],
  },
  {
    name: 'a name stands for the statement that the client gave it last',
    without: 'const isFormer = isReplaceable && isNamed(portal.statement);',
    tests: ['proxy/closed-statements'],
  },
  {
    name: 'a portal that the client has closed or bound again is not restored',
    without: '',
    tests: ['proxy/retried-portals'],
  },
  {
    name: 'a block with a portal of the client is not restarted unseen',
    without: '',
    tests: ['proxy/retried-portals'],
  },
  {
    name: 'a client that has closed its side waits for the proxy until the upstream has the request',
    without: '',
    tests: ['proxy/listener-cancel'],
  },
];
