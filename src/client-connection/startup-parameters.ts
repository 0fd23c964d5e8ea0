/** Reads a client's start-up parameters, and builds those for the upstream. */
import { StageError } from '../errors.ts';
import type { OpenedSession, ReadsMode } from '../model/session.ts';
import { isSessionId, readsModes } from '../model/session.ts';
import type { Setting, Switch } from '../model/startup-options.ts';
import { formatOptions, parseOptions, settingOf } from '../model/startup-options.ts';
import { accessSetting, pinned } from '../server-connection/pinned-settings.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { classifyAssignment } from '../sql/classify/kinds/classify-setting.ts';
import { isConnectionOption } from '../sql/classify/settings.ts';
import type { StartupParameters } from '../wire/startup.ts';

export interface Login {
  readonly sessionId: string;
  /** Null when the session's own mode applies. */
  readonly reads: ReadsMode | null;
  /** Whether the client gets notices about staged rows; null when the daemon's setting applies. */
  readonly notice: boolean | null;
  readonly access: 'read write' | 'read only';
  /** Whether the client itself sets standard_conforming_strings, so that backslashes in its plain literals are no escapes. */
  readonly asksStandardStrings: boolean;
  /** The parameters for the upstream, in order, without the pinned settings. */
  readonly parameters: StartupParameters;
}

/** Parameters that are not settings of the server. */
const notSettings = new Set(['user', 'database', 'options', 'replication']);

/**
 * Reads the start-up parameters.
 * @param database the staged database, which is the only one that clients can reach
 * @throws StageError with SQLSTATE 08004 unless exactly one session is named, exactly as documented; 28000 without a user; 3D000 for another
 *   database; 0A000 for another encoding or replication; `invalid_request` for an invalid value of one of the proxy's options; the error of
 *   SET for a setting that SET refuses
 */
export function readLogin(parameters: StartupParameters, database: string): Login {
  const named = new Map(parameters);
  const options = parseOptions(named.get('options') ?? '');
  const settings = [
    ...options.map(settingOf).filter((setting) => setting !== null),
    ...parameters.filter(([name]) => !notSettings.has(name)),
  ];
  const sessionId = readSession(settings);
  checkConnection(named, database);
  const access = settings.map(classifySetting).findLast((asked) => asked !== null) ?? 'read write';
  return {
    sessionId,
    reads: readReads(settings),
    notice: readNotice(settings),
    access,
    asksStandardStrings: settings.some(([name]) => folded(name) === 'standard_conforming_strings'),
    parameters: passedOn(parameters, options),
  };
}

/**
 * Returns the settings that every upstream connection must keep. They come last in the StartupMessage, so no earlier parameter overrides
 * them. They make PostgreSQL enforce read-only reads, and make it read the bytes of a statement as the proxy's parser does.
 */
export function pinnedParameters(of: {
  readonly sessionId: string;
  readonly reads: ReadsMode;
  readonly access: Login['access'];
}): StartupParameters {
  return [
    ...pinned,
    ['stage.session', of.sessionId.slice('sess_'.length)],
    ['stage.reads', of.reads],
    [accessSetting, of.access],
  ];
}

const pinnedNames = new Set(pinned.map(([name]) => name));

type Settings = readonly (readonly [name: string, value: string])[];

/** Normalizes the name of a setting: names are case-insensitive, and `-` counts as `_`. */
function folded(name: string): string {
  return name.trim().toLowerCase().replaceAll('-', '_');
}

function readSession(settings: Settings): string {
  const id = readInternal(settings, 'service_session');
  if (id === null) throw noSession('the connection names no session', sessionHint);
  if (!isSessionId(id)) throw noSession(`${JSON.stringify(id)} is not a session id`, sessionHint);
  return id;
}

function readReads(settings: Settings): ReadsMode | null {
  return readChoice(settings, 'service_reads', readsModes);
}

function readNotice(settings: Settings): boolean | null {
  const asked = readChoice(settings, 'service_notice', ['on', 'off']);
  return asked === null ? null : asked === 'on';
}

function readChoice<const T extends string>(
  settings: Settings,
  option: string,
  choices: readonly T[],
): T | null {
  const asked = readInternal(settings, option);
  const choice = choices.find((each) => each === asked);
  if (asked !== null && choice === undefined) {
    throw new StageError(
      'invalid_request',
      `invalid value for "${option}": ${JSON.stringify(asked)}`,
      { hint: `Available values: ${choices.join(', ')}.` },
    );
  }
  return choice ?? null;
}

/** Reads one of the proxy's options. It must occur once, spelled as documented: a near miss might select the wrong session. */
function readInternal(settings: Settings, option: string): string | null {
  const candidates = settings.filter(([name]) => folded(name) === option);
  const [first] = candidates;
  if (first === undefined) return null;
  // guard: a connection names one session
  if (candidates.length > 1)
    throw noSession(`the connection gives "${option}" more than once`, 'Give it exactly once.');
  if (first[0] !== option) {
    throw noSession(
      `connection option ${JSON.stringify(first[0])} is not spelled "${option}"`,
      sessionHint,
    );
  }
  return first[1];
}

const sessionHint =
  "Add options='-c service_session=<session id>' to the connection string; `stage session new` makes a session and prints its id.";

function noSession(message: string, hint: string): StageError {
  return new StageError('session_not_found', message, { hint });
}

/** Builds the refusal of a session that does not exist. */
export function unknownSession(id: string): StageError {
  return noSession(`session "${id}" does not exist`, sessionHint);
}

/**
 * Refuses a login whose role has standard_conforming_strings off, because its literals would silently change their meaning. A client that
 * sets the option itself is accepted: it does not rely on the role's value.
 * @throws StageError `statement_not_supported`, SQLSTATE 55P02
 */
export function demandStandardStrings(
  { escapesBackslashes }: Pick<OpenedSession, 'escapesBackslashes'>,
  { asksStandardStrings }: Pick<Login, 'asksStandardStrings'>,
): void {
  // guard: no literal means something else than in production
  if (!escapesBackslashes || asksStandardStrings) return;
  throw new StageError(
    'statement_not_supported',
    'standard_conforming_strings is off for this role, and on here',
    {
      sqlstate: '55P02',
      hint: "Backslashes in plain literals would mean something else. Connect with options='-c standard_conforming_strings=on' if no statement counts on them, or run ALTER ROLE or ALTER DATABASE ... RESET standard_conforming_strings.",
    },
  );
}

function checkConnection(named: ReadonlyMap<string, string>, database: string): void {
  const user = named.get('user') ?? '';
  if (user === '') {
    throw new StageError('unauthorized', 'no PostgreSQL user name specified in startup packet', {
      sqlstate: '28000',
    });
  }
  const asked = named.get('database') || user;
  if (asked !== database) {
    throw new StageError(
      'not_found',
      `database ${JSON.stringify(asked)} is not the one that is staged here`,
      {
        sqlstate: '3D000',
        hint: `Connect to database ${JSON.stringify(database)}.`,
      },
    );
  }
  if (!/^(false|off|no|0)?$/i.test(named.get('replication') ?? '')) {
    throw unsupported(
      'replication connections are not possible here',
      'Connect to the database server itself.',
    );
  }
}

/** Returns the transaction access that a setting selects, or null. */
function classifySetting([name, value]: Settings[number]): Login['access'] | null {
  const key = folded(name);
  if (key === 'client_encoding') {
    checkEncoding(value);
    return null;
  }
  if (isConnectionOption(key)) return null;
  const verdict = classifyAssignment(key, value);
  // guard: options set no setting that SET may not set
  if (verdict.kind === 'refuse') throw refusalError(verdict);
  return verdict.action.type === 'set access' ? givenAccess(verdict.action.to) : null;
}

/** Converts the value of the setting. The start-up packet always has a value, never DEFAULT. */
const givenAccess = (to: string) => (to === 'read only' ? to : 'read write');

/** SQL_ASCII means "no conversion". psql requests it in the C locale, where UTF8 works as well. */
const acceptedEncodings = new Set(['utf8', 'unicode', 'sqlascii']);

function checkEncoding(value: string): void {
  // The server compares encoding names in this way, too: letters and digits only.
  if (acceptedEncodings.has(value.toLowerCase().replace(/[^a-z0-9]/g, ''))) return;
  throw unsupported(
    `client encoding ${JSON.stringify(value)} is not supported`,
    'Set client_encoding to UTF8 (PGCLIENTENCODING=UTF8 for programs that use libpq).',
  );
}

function unsupported(message: string, hint: string): StageError {
  return new StageError('statement_not_supported', message, { hint });
}

function passedOn(
  parameters: StartupParameters,
  options: readonly (Setting | Switch)[],
): StartupParameters {
  const passed = options.filter((option) => option.kind === 'switch' || passes(option.name));
  return parameters.flatMap(([name, value]) => {
    if (name === 'options')
      return passed.length === 0 ? [] : [[name, formatOptions(passed)] as const];
    return passes(name) ? [[name, value] as const] : [];
  });
}

function passes(name: string): boolean {
  const key = folded(name);
  return !pinnedNames.has(key) && !isConnectionOption(key);
}
