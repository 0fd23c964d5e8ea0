/** The reports of settings that the client is to receive before its next ReadyForQuery. */

export class SettingReports {
  private readonly waiting = new Map<string, Buffer>();
  /** The last reports that the client received. */
  private readonly reported = new Map<string, Buffer>();
  /** The names of pending reports whose values come from a failed transaction. */
  private readonly undone = new Set<string>();

  /** Sets the pending report of a setting. Only the last one counts. */
  set(name: string, report: Buffer): void {
    // the value was rolled back before the client received any report except for the initial one
    if (this.undone.delete(name) && !this.reported.has(name)) this.waiting.delete(name);
    else this.waiting.set(name, report);
  }

  /** Retains the pending reports: their values are about to be rolled back, and the client receives the results. */
  retain(): void {
    for (const name of this.waiting.keys()) this.undone.add(name);
  }

  /** Returns the reports whose values are new to the client, and removes them. */
  take(): Buffer[] {
    if (this.waiting.size === 0) return [];
    const changed = [...this.waiting].filter(
      ([name, report]) => !this.reported.get(name)?.equals(report),
    );
    for (const [name, report] of changed) this.reported.set(name, report);
    this.waiting.clear();
    this.undone.clear();
    return changed.map(([, report]) => report);
  }
}
