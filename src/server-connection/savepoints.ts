/** The client's savepoints, as they are once the server has run what was sent. */

interface Savepoint {
  readonly name: string;
  /** The server has skipped it, or refused it. */
  isMissing: boolean;
}

export class Savepoints {
  /** Innermost last. */
  private list: Savepoint[] = [];

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  add(name: string): void {
    this.list.push({ name, isMissing: false });
  }

  clear(): void {
    this.list = [];
  }

  /** Takes away those behind the innermost of the name, and with RELEASE that one, too. */
  rewind(name: string, how: 'release' | 'rollback to'): void {
    const at = this.list.findLastIndex((savepoint) => savepoint.name === name);
    if (at >= 0) this.list = this.list.slice(0, how === 'rollback to' ? at + 1 : at);
  }

  /** @returns what takes back all that is changed from now on, but what has been taken back before */
  mark(): () => void {
    const { list } = this;
    const before = [...list];
    return () => {
      for (const savepoint of this.list)
        if (!before.includes(savepoint)) savepoint.isMissing = true;
      this.list = before.filter(({ isMissing }) => !isMissing);
    };
  }
}
