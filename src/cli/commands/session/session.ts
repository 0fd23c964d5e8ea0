/** `stage session`: starts and manages sessions. */

import type { CommandEntry } from '../../define-command.ts';
import { defineCommand } from '../../define-command.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'new',
    operation: 'createSession',
    summary: 'start a session',
    load: async () => (await import('./session-new.ts')).sessionNewCommand,
  },
  {
    name: 'list',
    summary: 'list sessions, newest first',
    load: async () => (await import('./session-list.ts')).sessionListCommand,
  },
  {
    name: 'show',
    summary: 'show a session',
    load: async () => (await import('./session-show.ts')).sessionShowCommand,
  },
  {
    name: 'use',
    summary: 'choose the session for commands in this directory',
    load: async () => (await import('./session-use.ts')).sessionUseCommand,
  },
  {
    name: 'split',
    operation: 'splitSession',
    summary: 'move staged rows to a session of their own',
    load: async () => (await import('./session-split.ts')).sessionSplitCommand,
  },
  {
    name: 'review',
    operation: 'reviewSession',
    summary: 'record the review of an approval past the policy',
    load: async () => (await import('./session-review.ts')).sessionReviewCommand,
  },
  {
    name: 'connections',
    summary: 'list the database clients of a session',
    load: async () => (await import('./session-connections.ts')).sessionConnectionsCommand,
  },
  {
    name: 'delete',
    operation: 'deleteSession',
    summary: 'delete a session and what it staged',
    load: async () => (await import('./session-delete.ts')).sessionDeleteCommand,
  },
];

export const sessionCommand = defineCommand({
  description: 'Create, list, show, choose, split, review and delete sessions.',
  commands: entries,
});
