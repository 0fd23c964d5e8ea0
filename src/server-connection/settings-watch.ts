/** Watches the settings that everything relies on. PostgreSQL reports a change before the ReadyForQuery that follows it. */
import { StageError } from '../errors.ts';
import { isHarmlessValue } from '../sql/classify/settings.ts';
import { decodeParameterStatus } from '../wire/backend-decoder.ts';
import { pinned } from './pinned-settings.ts';
import { ConnectionFault } from './refusals.ts';

const readOnly = 'default_transaction_read_only';

export class SettingsWatch {
  private readonly forgetNames: () => void;
  private readonly lost = new Set<string>();

  /** @param forgetNames called when relation names may mean something else from now on */
  constructor(forgetNames: () => void) {
    this.forgetNames = forgetNames;
  }

  /** Whether a pinned setting has lost its value, so that nothing else may be sent before it is restored. */
  get isBroken(): boolean {
    // guard: a pinned setting that was changed is set back
    return this.lost.size > 0;
  }

  /** Notes a ParameterStatus; gives the setting's name if the client is to be told. */
  observe(payload: Buffer): string | null {
    const { name, value } = decodeParameterStatus(payload);
    // Reported from PostgreSQL 18 on; before, names that changed their meaning are found when a write enters.
    if (name === 'search_path') this.forgetNames();
    const wanted = pinned.find(([setting]) => setting === name)?.[1];
    if (wanted !== undefined && value !== wanted && !isHarmlessValue(name, value))
      this.lost.add(name);
    else this.lost.delete(name);
    // The client sees the access that it asked for itself.
    return name === readOnly ? null : name;
  }

  /** @throws ConnectionFault unless it can be set back: only the read-only default can, unnoticed */
  checkRestorable(): void {
    const name = [...this.lost].find((setting) => setting !== readOnly);
    if (name !== undefined) throw endedBy(name);
  }

  /** @throws ConnectionFault always: setting the value back has failed */
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
