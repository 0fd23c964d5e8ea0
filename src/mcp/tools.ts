/** All tools, in the order in which they are used. None of them decides on a session. */
import type { Tool } from './tool.ts';
import { checkConflicts } from './tools/check-conflicts.ts';
import { comment } from './tools/comment.ts';
import { discardSession } from './tools/discard-session.ts';
import { listTables } from './tools/list-tables.ts';
import { openSession } from './tools/open-session.ts';
import { propose } from './tools/propose.ts';
import { query } from './tools/query.ts';
import { sessionStatus } from './tools/session-status.ts';
import { showDiff } from './tools/show-diff.ts';
import { splitSession } from './tools/split-session.ts';
import { stageWrite } from './tools/stage-write.ts';

export const tools: readonly Tool[] = [
  openSession,
  listTables,
  query,
  stageWrite,
  showDiff,
  checkConflicts,
  splitSession,
  propose,
  sessionStatus,
  comment,
  discardSession,
];
