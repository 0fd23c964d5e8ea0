/** The options of the commands that are clients of the daemon; part of the table in schema.ts. */
import type { Option } from './types.ts';
import { afterTrust, lists, path, text, url } from './types.ts';

interface ClientOptions {
  readonly server: Option<string>;
  readonly serverCa: Option<string | null>;
  readonly session: Option<string | null>;
  readonly keys: Option<Readonly<Record<string, readonly string[]>>>;
}

export const clientOptions: ClientOptions = {
  server: {
    type: url(['http:', 'https:']),
    default: 'http://127.0.0.1:8080',
    env: ['STAGE_SERVER'],
    flag: '--server URL',
    key: 'server',
    project: afterTrust('is sent your token, and decides where psql logs in'),
    sentence: 'Service that the commands talk to.',
  },
  serverCa: {
    type: path(),
    default: null,
    env: ['STAGE_SERVER_CA'],
    flag: '--server-ca FILE',
    key: 'server_ca',
    project: afterTrust('decides which service is taken for yours'),
    sentence:
      'Certificates (PEM) by which the commands know the service at an https address, in place of those of the system.',
  },
  session: {
    type: text(),
    default: null,
    env: ['STAGE_SESSION'],
    flag: '--session ID',
    key: 'session',
    project: afterTrust('decides what you approve, and where you write'),
    sentence: 'Session that the commands mean when none is named.',
  },
  keys: {
    type: lists(),
    default: {},
    env: [],
    key: 'keys',
    project: afterTrust('can put an approval on a key that means something else'),
    sentence: 'Keys of the review by what they do, such as `{down: [j, down], nextTable: n}`.',
  },
};
