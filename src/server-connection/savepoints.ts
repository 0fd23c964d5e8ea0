/** The client's savepoints, as they will be when the server has processed everything that was sent. */

interface Savepoint {
  readonly name: string;
  /** The server has skipped or refused it. */
  isMissing: boolean;
}

export class Savepoints {
  /** The innermost comes last. */
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

  /** Removes the savepoints behind the innermost one of the name; RELEASE also removes that one. */
  rewind(name: string, how: 'release' | 'rollback to'): void {
    const at = this.list.findLastIndex((savepoint) => savepoint.name === name);
    if (at >= 0) this.list = this.list.slice(0, how === 'rollback to' ? at + 1 : at);
  }

  /** Returns the function that undoes all later changes, except for those that are undone already. */
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
