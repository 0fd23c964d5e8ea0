/** The doctor's word when the daemon has come to serve an upstream: in the log, and never in the way. */
import type { Database } from '../../db/database.ts';
import type { Log } from '../../log.ts';
import type { FittingSettings } from './examine.ts';
import { examineService } from './examine.ts';

/** How many tables, or whatever a finding is about, a line of the log names. */
const shown = 5;

/** Logs what is worth a warning or worse. Never raises. */
export async function warnOfFaults(
  db: Database,
  settings: FittingSettings,
  log: Log,
): Promise<void> {
  const findings = await examineService(db, settings).catch((error: Error) => {
    log.warn('the upstream could not be examined', { error: error.message });
    return [];
  });
  for (const { name, level, message, hint, subjects } of findings) {
    if (level === 'note') continue;
    log.warn(message, { check: name, severity: level, about: subjects.slice(0, shown), hint });
  }
}
