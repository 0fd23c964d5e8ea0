/** Logs the doctor's findings when the daemon begins to serve an upstream. */
import type { Database } from '../../db/database.ts';
import type { Log } from '../../log.ts';
import type { FittingSettings } from './examine.ts';
import { examineService } from './examine.ts';

/** Maximum number of subjects of a finding in a log line. */
const shown = 5;

/** Logs warnings and dangers. Never throws. */
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
