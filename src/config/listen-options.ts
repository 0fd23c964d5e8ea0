/** The options of the service's addresses, ports and TLS certificate; part of the table in schema.ts. */
import type { Option } from './types.ts';
import { afterTrust, always, flag, path, port, text } from './types.ts';

interface ListenOptions {
  readonly host: Option<string>;
  readonly port: Option<number>;
  readonly proxyHost: Option<string>;
  readonly proxyPort: Option<number>;
  readonly tlsCert: Option<string | null>;
  readonly tlsKey: Option<string | null>;
  readonly restTls: Option<boolean>;
}

export const listenOptions: ListenOptions = {
  host: {
    type: text(),
    default: '127.0.0.1',
    env: ['STAGE_HOST'],
    flag: '--host HOST',
    key: 'host',
    project: afterTrust('opens the REST API to other machines'),
    sentence: 'Address that the REST API listens on. Anything but loopback needs a token.',
  },
  port: {
    type: port(),
    default: 8080,
    env: ['STAGE_PORT'],
    flag: '--port PORT',
    key: 'port',
    project: always('commands go to `server`'),
    sentence: 'Port of the REST API; 0 takes a free one.',
  },
  proxyHost: {
    type: text(),
    default: '',
    defaultText: 'as `host`',
    env: ['STAGE_PROXY_HOST'],
    flag: '--proxy-host HOST',
    key: 'proxy_host',
    project: afterTrust('opens production to other machines, and carries their passwords'),
    sentence: 'Address that the PostgreSQL proxy listens on.',
  },
  proxyPort: {
    type: port(),
    default: 5433,
    env: ['STAGE_PROXY_PORT'],
    flag: '--proxy-port PORT',
    key: 'proxy_port',
    project: always('clients get it from the service that they call'),
    sentence: 'Port of the PostgreSQL proxy; 0 takes a free one.',
  },
  tlsCert: {
    type: path(),
    default: null,
    env: ['STAGE_TLS_CERT'],
    flag: '--tls-cert FILE',
    key: 'tls_cert',
    project: afterTrust('decides who can read what clients send'),
    sentence: 'Certificate (PEM) that the proxy shows to clients; with `tls_key` it offers TLS.',
  },
  tlsKey: {
    type: path(),
    default: null,
    env: ['STAGE_TLS_KEY'],
    flag: '--tls-key FILE',
    key: 'tls_key',
    project: afterTrust('decides who can read what clients send'),
    sentence: 'Private key (PEM) of `tls_cert`.',
  },
  restTls: {
    type: flag(),
    default: false,
    env: ['STAGE_REST_TLS'],
    flag: '--rest-tls',
    key: 'rest_tls',
    project: afterTrust('decides whether tokens travel encrypted'),
    sentence:
      'The REST API is served over TLS too, with `tls_cert` and `tls_key`, and not without.',
  },
};
