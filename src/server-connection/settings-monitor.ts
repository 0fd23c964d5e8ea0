/** Monitors the pinned settings. PostgreSQL reports a change before the next ReadyForQuery. */
import { StageError } from '../errors.ts';
import { isHarmlessValue } from '../sql/classify/settings.ts';
import { decodeParameterStatus } from '../wire/backend-decoder.ts';
import { pinned } from './pinned-settings.ts';
import { ConnectionFault } from './refusals.ts';

const readOnly = 'default_transaction_read_only';

export class SettingsMonitor {
  private readonly forgetNames: () => void;
  private readonly lost = new Set<string>();

  /** @param forgetNames called when relation names may resolve differently from now on */
  constructor(forgetNames: () => void) {
    this.forgetNames = forgetNames;
  }

  /** Whether a pinned setting has lost its value. It must then be restored before anything else is sent. */
  get isBroken(): boolean {
    // guard: a pinned setting that was changed is set back
    return this.lost.size > 0;
  }

  /** Handles a ParameterStatus. Returns the setting's name if the client is to receive the report. */
  observe(payload: Buffer): string | null {
    const { name, value } = decodeParameterStatus(payload);
    // PostgreSQL reports it from version 18 on. In older versions `stage.begin_statement` detects names that have changed their meaning.
    if (name === 'search_path') this.forgetNames();
    const wanted = pinned.find(([setting]) => setting === name)?.[1];
    if (wanted !== undefined && value !== wanted && !isHarmlessValue(name, value))
      this.lost.add(name);
    else this.lost.delete(name);
    // The client receives the access that it requested itself.
    return name === readOnly ? null : name;
  }

  /**
   * Checks whether the lost settings can be restored: only the read-only default can be, unnoticed by the client.
   * @throws ConnectionFault if another setting was lost
   */
  checkRestorable(): void {
    const name = [...this.lost].find((setting) => setting !== readOnly);
    if (name !== undefined) throw endedBy(name);
  }

  /**
   * Ends the connection, as the read-only default could not be restored.
   * @throws ConnectionFault always
   */
  giveUp(): never {
    throw endedBy(readOnly);
  }
}

function endedBy(setting: string): ConnectionFault {
  const message = `terminating connection because parameter "${setting}" was changed`;
  return new ConnectionFault(
    new StageError('statement_not_supported', message, {
      sqlstate: '57P01',
      hint: 'Connect again, and do not change the setting: the staging service relies on its value.',
    }),
  );
}
