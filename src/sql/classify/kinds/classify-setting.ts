/** Classifies SET, RESET and SHOW, and settings in the start-up packet. */

import type { Node, VariableSetStmt, VariableShowStmt } from 'libpg-query';
import { constantOf } from '../../parser/syntax-tree.ts';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { Control, ControlAction } from '../../verdict.ts';
import type { Write } from '../../write.ts';
import { plainRead, plainWrite } from '../plain-verdicts.ts';
import { refuse } from '../refusal.ts';
import type { Source } from '../relation-uses.ts';
import { replaceQuery } from '../replaced-queries.ts';
import {
  isConnectionOption,
  isHarmlessValue,
  isInternalSetting,
  settingKind,
} from '../settings.ts';
import type { Access } from './classify-transaction.ts';
import { accessOf } from './classify-transaction.ts';

/** Classifies SET in all its forms, and RESET. */
export function classifySet(statement: VariableSetStmt): Control | Refusal {
  switch (statement.kind) {
    case 'VAR_SET_VALUE':
      return classifyValue(statement);
    case 'VAR_SET_MULTI':
      return classifyModes(statement);
    case 'VAR_SET_DEFAULT':
    case 'VAR_RESET':
      return classifyReset(statement);
    case 'VAR_RESET_ALL':
      return control({ type: 'reset all' });
    default:
      return cannotChange(statement.name ?? '');
  }
}

/** Classifies SHOW, which reads only settings. It must show the client's access mode, not that of a read which runs READ ONLY. */
export function classifyShow(
  { name = '' }: VariableShowStmt,
  { text }: Pick<Source, 'text'>,
): Read | Write | Refusal {
  if (isConnectionOption(name)) return shownOtherwise(name);
  if (name.toLowerCase() === 'stage.session') {
    return plainRead({ replacement: replaceQuery(text, sessionShown) });
  }
  return settingKind(name) === 'transaction access' ? plainWrite() : plainRead();
}

/** The setting contains the session's number; users and commands identify it by its id. */
const sessionShown = `SELECT 'sess_' OPERATOR(pg_catalog.||) pg_catalog.current_setting('stage.session') AS "stage.session"`;

function shownOtherwise(name: string): Refusal {
  const option = name.toLowerCase();
  const hint =
    option === 'service_notice'
      ? 'It is an option of the connection: -c service_notice=on or off.'
      : `It is an option of the connection; SHOW ${option.replace('service_', 'stage.')} shows it.`;
  return unrecognized(name, hint);
}

function chosenWhenConnecting(name: string): Refusal {
  const option = name.toLowerCase();
  const example = { service_session: 'sess_...', service_reads: 'staged' }[option] ?? 'off';
  return unrecognized(
    name,
    `It is chosen when connecting: add -c ${option}=${example} to the connection's options, and connect again.`,
  );
}

function unrecognized(name: string, hint: string): Refusal {
  return refuse(`unrecognized configuration parameter "${name}"`, hint, '42704');
}

function classifyValue({ name = '', args, is_local: isLocal }: VariableSetStmt): Control | Refusal {
  return classifyAssignment(name, onlyValue(args), isLocal);
}

/**
 * Classifies the assignment of a value to a setting, by SET or in the start-up packet.
 * @param value null for anything other than one constant
 */
export function classifyAssignment(
  name: string,
  value: string | null,
  isLocal = false,
): Control | Refusal {
  if (isConnectionOption(name)) return chosenWhenConnecting(name);
  const kind = settingKind(name);
  if (kind === 'free') return control({ type: 'set' });
  if (kind === 'path') return control({ type: 'set path' });
  if (kind === 'pinned') {
    return value !== null && isHarmlessValue(name, value)
      ? control({ type: 'set' })
      : cannotChange(name);
  }
  const readOnly = booleanOf(value);
  if (readOnly === null)
    return refuse(`parameter "${name}" requires a Boolean value`, 'Use on or off.', '22023');
  const access = readOnly ? 'read only' : 'read write';
  return kind === 'default access'
    ? setAccess(access, isLocal)
    : control({ type: 'set transaction', access });
}

function classifyReset({ kind, name = '', is_local: isLocal }: VariableSetStmt): Control | Refusal {
  if (isConnectionOption(name)) return chosenWhenConnecting(name);
  switch (settingKind(name)) {
    case 'path':
      return control({ type: 'set path' });
    case 'default access':
      return setAccess(kind === 'VAR_RESET' ? 'reset' : 'default', isLocal);
    case 'transaction access':
      return cannotChange(name);
    case 'pinned':
      // RESET restores the value at start-up, which is the pinned one.
      return isInternalSetting(name) ? cannotChange(name) : control({ type: 'set' });
    case 'free':
      return control({ type: 'set' });
  }
}

/** Classifies SET TRANSACTION, SET SESSION CHARACTERISTICS and SET TRANSACTION SNAPSHOT. */
function classifyModes({ name, args }: VariableSetStmt): Control | Refusal {
  const access = accessOf(args);
  if (name === 'TRANSACTION') return control({ type: 'set transaction', access });
  if (name === 'TRANSACTION SNAPSHOT') return control({ type: 'set' });
  if (name !== 'SESSION CHARACTERISTICS') return cannotChange(name ?? '');
  if (access === null) return control({ type: 'set' });
  return args?.length === 1 ? setAccess(access, false) : mixedCharacteristics;
}

/** Sets the default access mode. The proxy manages it, and only for the whole connection. */
function setAccess(to: Access | 'default' | 'reset', isLocal = false): Control | Refusal {
  return isLocal ? localAccess : control({ type: 'set access', to });
}

const mixedCharacteristics = refuse(
  'SET SESSION CHARACTERISTICS with an access mode and other modes is not supported',
  'Set READ ONLY or READ WRITE in a statement of its own.',
);

const localAccess = refuse(
  'SET LOCAL default_transaction_read_only is not supported',
  'Use SET TRANSACTION READ ONLY for the running transaction.',
);

function cannotChange(name: string): Refusal {
  return refuse(
    `parameter "${name}" cannot be changed in a staged session`,
    'Leave it as it is: the staging service relies on its value.',
    '55P02',
  );
}

function control(action: ControlAction): Control {
  return { kind: 'control', action };
}

function onlyValue(args: readonly Node[] | undefined): string | null {
  return args?.length === 1 ? constantOf(args[0]) : null;
}

/** Parses a Boolean. PostgreSQL accepts every unambiguous prefix of a truth value. */
function booleanOf(value: string | null): boolean | null {
  const text = value?.toLowerCase() ?? '';
  if (text === '') return null;
  if (['true', 'yes', '1'].some((word) => word.startsWith(text)) || text === 'on') return true;
  if (['false', 'no', '0'].some((word) => word.startsWith(text)) || text === 'off' || text === 'of')
    return false;
  return null;
}
