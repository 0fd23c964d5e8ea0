/** Reports of settings that the client is to be told before its next ReadyForQuery. */

export class SettingReports {
  private readonly waiting = new Map<string, Buffer>();
  /** What the client was told last. */
  private readonly told = new Map<string, Buffer>();
  /** Waiting ones of values that a failed transaction has given. */
  private readonly undone = new Set<string>();

  /** Only the last report of a setting counts. */
  set(name: string, report: Buffer): void {
    // taken back before the client was told of any value but the one that it began with
    if (this.undone.delete(name) && !this.told.has(name)) this.waiting.delete(name);
    else this.waiting.set(name, report);
  }

  /** What waits is about to be undone: the client is to be told what comes of it. */
  keep(): void {
    for (const name of this.waiting.keys()) this.undone.add(name);
  }

  /** Gives those that tell something new; none of them is given again. */
  take(): Buffer[] {
    if (this.waiting.size === 0) return [];
    const news = [...this.waiting].filter(([name, report]) => !this.told.get(name)?.equals(report));
    for (const [name, report] of news) this.told.set(name, report);
    this.waiting.clear();
    this.undone.clear();
    return news.map(([, report]) => report);
  }
}
