/** Structured logging: one JSON object a line on a stream. SQL text and parameters never belong in it. */
import type { JsonObject } from './model/json.ts';
import { stringifyJson } from './model/json.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Log {
  debug(message: string, facts?: JsonObject): void;
  info(message: string, facts?: JsonObject): void;
  warn(message: string, facts?: JsonObject): void;
  error(message: string, facts?: JsonObject): void;
}

/** Creates a logger that writes lines of at least the given level. */
export function createLog(level: LogLevel, stream: { write(line: string): unknown }): Log {
  const threshold = logLevels.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, facts: JsonObject = {}) => {
      if (logLevels.indexOf(name) < threshold) return;
      stream.write(
        `${stringifyJson({ time: new Date().toISOString(), level: name, message, ...facts })}\n`,
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
