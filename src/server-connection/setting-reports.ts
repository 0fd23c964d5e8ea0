/** Reports of settings that the client is to be told before its next ReadyForQuery. */

export class SettingReports {
  private readonly waiting = new Map<string, Buffer>();
  /** What the client was told last. */
  private readonly told = new Map<string, Buffer>();

  /** Only the last report of a setting counts. */
  set(name: string, report: Buffer): void {
    this.waiting.set(name, report);
  }

  /** Gives those that tell something new; none of them is given again. */
  take(): Buffer[] {
    if (this.waiting.size === 0) return [];
    const news = [...this.waiting].filter(([name, report]) => !this.told.get(name)?.equals(report));
    for (const [name, report] of news) this.told.set(name, report);
    this.waiting.clear();
    return news.map(([, report]) => report);
  }
}
