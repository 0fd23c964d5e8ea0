/** Structured logging: one line per message, as JSON for programs or as text for people. SQL text and parameters are never logged. */
import type { JsonObject } from './model/json.ts';
import { stringifyJson } from './model/json.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface Log {
  debug(message: string, facts?: JsonObject): void;
  info(message: string, facts?: JsonObject): void;
  warn(message: string, facts?: JsonObject): void;
  error(message: string, facts?: JsonObject): void;
}

interface Entry {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly facts: JsonObject;
}

/** Returns the chosen log format. The default is text on a terminal and JSON elsewhere. */
export function formatOf(
  chosen: LogFormat | null,
  stream: { readonly isTTY?: boolean },
): LogFormat {
  return chosen ?? (stream.isTTY ? 'text' : 'json');
}

/** Creates a logger that writes lines of at least the given level. */
export function createLog(
  level: LogLevel,
  stream: { write(line: string): unknown },
  format: LogFormat = 'json',
): Log {
  const threshold = logLevels.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, facts: JsonObject = {}) => {
      if (logLevels.indexOf(name) < threshold) return;
      const entry = { time: new Date(), level: name, message, facts };
      stream.write(`${format === 'json' ? jsonLine(entry) : textLine(entry)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function jsonLine({ time, level, message, facts }: Entry): string {
  return stringifyJson({ time: time.toISOString(), level, message, ...facts });
}

/** Formats an entry as `12:03:04 warn  message  name=value ...`, with the hint on a line of its own. */
function textLine({ time, level, message, facts }: Entry): string {
  const { hint, ...others } = facts;
  const values = Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}=${valueText(value)}`);
  const next = typeof hint === 'string' ? `\n         ${visible(hint)}` : '';
  const clock = time.toTimeString().slice(0, 8);
  return `${clock} ${level.padEnd(5)} ${visible(message)}${values.join('')}${next}`;
}

function valueText(value: JsonObject[string]): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return visible(value);
  return visible(stringifyJson({ value } as JsonObject).slice('{"value":'.length, -1));
}

/** Control and format characters (such as those that change the text direction), which a terminal would interpret. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function visible(text: string): string {
  return text.replace(controls, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
