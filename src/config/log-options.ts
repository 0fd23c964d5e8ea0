/** The options of the log; part of the table in schema.ts. */
import type { LogFormat, LogLevel } from '../log.ts';
import { logFormats, logLevels } from '../log.ts';
import type { Option } from './types.ts';
import { always, choice } from './types.ts';

interface LogOptions {
  readonly logLevel: Option<LogLevel>;
  readonly logFormat: Option<LogFormat | null>;
}

export const logOptions: LogOptions = {
  logLevel: {
    type: choice(logLevels),
    default: 'info',
    env: ['STAGE_LOG_LEVEL'],
    flag: '--log-level LEVEL',
    key: 'log_level',
    project: always('no level holds a secret'),
    sentence: 'Least important kind of message to log.',
  },
  logFormat: {
    type: choice(logFormats),
    default: null,
    defaultText: '`text` in a terminal, else `json`',
    env: ['STAGE_LOG_FORMAT'],
    flag: '--log-format FORMAT',
    key: 'log_format',
    project: always('it changes the form of a line'),
    sentence: 'Form of the log: `json`, one object a line, or `text` for people.',
  },
};
