/** The options of access to the REST API; part of the table in schema.ts. */
import type { Option } from './types.ts';
import { afterTrust, flag, path, text } from './types.ts';

interface AccessOptions {
  readonly token: Option<string | null>;
  readonly tokenFile: Option<string | null>;
  readonly allowUnauthenticated: Option<boolean>;
  readonly fourEyes: Option<boolean>;
}

export const accessOptions: AccessOptions = {
  token: {
    type: text(),
    default: null,
    env: ['STAGE_TOKEN'],
    key: 'token',
    secret: true,
    project: afterTrust('decides who is an operator'),
    sentence: 'Token of an operator: the REST API requires it, and the commands send it.',
  },
  tokenFile: {
    type: path(),
    default: null,
    env: ['STAGE_TOKEN_FILE'],
    flag: '--token-file FILE',
    key: 'token_file',
    project: afterTrust('decides who may approve, and which file commands send a line of'),
    sentence:
      'File of mode 0600 with the tokens that the REST API takes, one a line: `<name> <role>[:<project>,...] [database_roles=<role>,...] [expires=<moment>] sha256:<hash>`, or just the token of an operator; the commands send the first of those.',
  },
  allowUnauthenticated: {
    type: flag(),
    default: false,
    env: ['STAGE_ALLOW_UNAUTHENTICATED'],
    flag: '--allow-unauthenticated',
    key: 'allow_unauthenticated',
    project: afterTrust('lets everybody approve'),
    sentence: 'Listen on other addresses than loopback without any token.',
  },
  fourEyes: {
    type: flag(),
    default: false,
    env: ['STAGE_FOUR_EYES'],
    flag: '--four-eyes',
    key: 'four_eyes',
    project: afterTrust('decides who may approve'),
    sentence:
      "Nobody may approve a session that was created or proposed with a token of the same name, or in which a database role of that name or of the token's database_roles staged.",
  },
};
