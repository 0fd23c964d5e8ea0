/**
 * Connections that run SQL scripts. A script is sent in one Query message and not parsed before: no client interprets commands in
 * it, and PostgreSQL runs it in one transaction.
 */
import { isUtf8 } from 'node:buffer';
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { StageError } from '../errors.ts';
import { readUrl } from './connections.ts';
import { statementAt, statementOfNumber } from './script-statements.ts';

export interface Script {
  /** Name of the script in error messages. */
  readonly name: string;
  readonly text: string;
}

export interface ScriptConnection {
  /**
   * Runs a script and returns the server's notices.
   * @throws StageError that names the statement that the server refused, and its line
   */
  run(script: Script): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Reads a script. @throws StageError if the bytes are not UTF-8 text: the server would see another script, or none */
export function readScript(name: string, bytes: Buffer): Script {
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new StageError('invalid_request', `${name} is not a text in UTF-8`, {
      sqlstate: '22021',
      hint: 'Save the script in UTF-8.',
    });
  }
  return { name, text: withoutRestriction(bytes.toString().replace(/^\ufeff/, '')) };
}

/**
 * Removes the commands that pg_dump writes for psql: `\restrict <key>` before the first statement, `\unrestrict <key>` behind the last
 * one. Line breaks stay, so that errors have the right line.
 */
function withoutRestriction(text: string): string {
  const opening = /^((?:[ \t]*(?:--.*)?\r?\n)*)\\restrict ([A-Za-z0-9]+)[ \t]*(?=\r?\n)/.exec(text);
  if (opening === null) return text;
  const [whole, comments = '', key = ''] = opening;
  const rest = text.slice(whole.length);
  const closing = new RegExp(`(?<=\\n)\\\\unrestrict ${key}\\s*$`).exec(rest);
  return closing === null ? text : comments + rest.slice(0, closing.index);
}

/** Connects to the proxy. @throws StageError if the server refuses the login, or cannot be reached */
export async function connectForScripts(url: string): Promise<ScriptConnection> {
  const client = new pg.Client({ application_name: 'stage run', ...readUrl(url) });
  const notices: string[] = [];
  // the query that is interrupted reports the error as well
  client.on('error', () => undefined);
  client.on('notice', ({ message = '' }) => notices.push(message));
  await client.connect().catch((cause: unknown) => {
    throw unconnected(cause);
  });
  let ended = 0;
  // pg's client reports the statements of a text only after all of them have ended
  const { connection } = client as unknown as { readonly connection: EventEmitter };
  connection.on('commandComplete', () => {
    ended += 1;
  });
  return {
    run: async (script) => {
      ended = 0;
      await client.query(script.text).catch((cause: unknown) => {
        throw failed(script, cause, ended + 1);
      });
      return notices.splice(0);
    },
    close: () => client.end(),
  };
}

function unconnected(cause: unknown): StageError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!(cause instanceof pg.DatabaseError))
    return new StageError('server_unavailable', `the proxy cannot be reached: ${message}`, {
      cause,
    });
  const { code: sqlstate = '08006', hint } = cause;
  const refused = sqlstate.startsWith('28') ? 'unauthorized' : 'server_unavailable';
  const code = sqlstate === '08004' ? 'session_not_found' : refused;
  return new StageError(code, message, { sqlstate, cause, ...(hint && { hint }) });
}

/** Returns the error of a script. @param ran number of the statement that was running; used if the error has no position */
function failed({ name, text }: Script, cause: unknown, ran: number): StageError {
  if (!(cause instanceof pg.DatabaseError)) return unconnected(cause);
  const { code: sqlstate = 'XX000', message, detail } = cause;
  // the server counts in characters, from 1
  const position = cause.position === undefined ? null : Number(cause.position);
  const before = [...text].slice(0, (position ?? 1) - 1).join('');
  const isCommand = position !== null && text[before.length] === '\\';
  const statement = position === null ? statementOfNumber(text, ran) : statementAt(text, position);
  // the position may be in a comment before the statement
  const line = Math.max(before.split('\n').length, statement?.line ?? 1);
  const shown = statement && `statement ${statement.number}: ${statement.text}`;
  const details = [shown, detail].filter(Boolean).join('\n');
  const correct = `Nothing of ${name} is staged: correct it, then repeat \`stage run\`.`;
  const hint = [isCommand ? noCommands : cause.hint, correct].filter(Boolean).join(' ');
  return new StageError('invalid_request', `${name}:${line}: ${message}`, {
    sqlstate,
    cause,
    hint,
    ...(details && { detail: details }),
    facts: {
      sqlstate,
      detail: detail ?? null,
      file: name,
      line,
      statement: statement?.number ?? null,
      text: statement?.text ?? null,
    },
  });
}

const noCommands =
  'A script is SQL alone: commands of psql, which begin with a backslash, and the data of COPY do not work in it.';
