/** `stage session`: starts and manages sessions. */
import type { CommandEntry } from '../../lazy-commands.ts';
import { addCommands } from '../../lazy-commands.ts';
import type { ConfigureCommand } from '../../run.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'new',
    summary: 'start a session',
    load: async () => (await import('./session-new.ts')).configureSessionNew,
  },
  {
    name: 'list',
    summary: 'list sessions, newest first',
    load: async () => (await import('./session-list.ts')).configureSessionList,
  },
  {
    name: 'show',
    summary: 'show a session',
    load: async () => (await import('./session-show.ts')).configureSessionShow,
  },
  {
    name: 'use',
    summary: 'choose the session for commands in this directory',
    load: async () => (await import('./session-use.ts')).configureSessionUse,
  },
  {
    name: 'split',
    summary: 'move staged rows to a session of their own',
    load: async () => (await import('./session-split.ts')).configureSessionSplit,
  },
  {
    name: 'connections',
    summary: 'list the database clients of a session',
    load: async () => (await import('./session-connections.ts')).configureSessionConnections,
  },
  {
    name: 'delete',
    summary: 'delete a session and what it staged',
    load: async () => (await import('./session-delete.ts')).configureSessionDelete,
  },
];

export const configureSession: ConfigureCommand = (command, run) => {
  command.description('Create, list, show, choose, split and delete sessions.');
  addCommands(command, entries, run);
};
