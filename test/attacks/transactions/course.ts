/** The state that a random program has reached if nothing failed. Random statements use it to succeed mostly, and to continue. */
import type { Random } from '../../helpers/random.ts';

export interface Course {
  readonly random: Random;
  /** Whether a transaction block is open. */
  isOpen: boolean;
  /** Whether it is READ ONLY, by the last statement about it: most writes would only end it. */
  isReadOnly: boolean;
  /** Its savepoints. */
  points: string[];
  /** The prepared statements, from SQL or the protocol. */
  readonly prepared: Set<string>;
}

export const newCourse = (random: Random): Course => ({
  random,
  isOpen: false,
  isReadOnly: false,
  points: [],
  prepared: new Set(),
});

const changes =
  /^(BEGIN|START|COMMIT|END|ROLLBACK TO|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE|DEALLOCATE|DISCARD ALL) ?([^ ;]*)/;

/** Updates the state after a statement. */
export function follow(course: Course, text: string): void {
  const [, command = '', name = ''] = changes.exec(text) ?? [];
  if (command === 'BEGIN' || command === 'START') course.isOpen = true;
  if (command === 'SAVEPOINT') course.points.push(name);
  if (command === 'RELEASE') course.points.splice(course.points.lastIndexOf(name));
  if (command === 'PREPARE') course.prepared.add(name);
  if (command === 'DEALLOCATE') course.prepared.delete(name);
  if (command === 'DISCARD ALL') course.prepared.clear();
  followAccess(course, text);
  if (!/^(COMMIT|END|ROLLBACK|ABORT)$/.test(command)) return;
  course.isOpen = text.endsWith('AND CHAIN');
  course.isReadOnly &&= course.isOpen;
  course.points = [];
}

function followAccess(course: Course, text: string): void {
  const [, access] =
    /^(?:BEGIN|START|SET TRANSACTION).*READ (ONLY|WRITE)/.exec(text) ??
    /^SET (?:LOCAL )?transaction_read_only = (on|off)/.exec(text) ??
    [];
  if (access !== undefined) course.isReadOnly = access === 'ONLY' || access === 'on';
}
