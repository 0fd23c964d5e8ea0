/** `stage session`: starts sessions and looks after them. */
import type { AddCommand } from '../run.ts';
import { addSessionDelete } from './session-delete.ts';
import { addSessionList } from './session-list.ts';
import { addSessionNew } from './session-new.ts';
import { addSessionShow } from './session-show.ts';
import { addSessionUse } from './session-use.ts';

export const addSession: AddCommand = (parent, run) => {
  const session = parent
    .command('session')
    .summary('start sessions and look after them')
    .description('Start sessions and look after them.');
  for (const add of [
    addSessionNew,
    addSessionList,
    addSessionShow,
    addSessionUse,
    addSessionDelete,
  ]) {
    add(session, run);
  }
};
