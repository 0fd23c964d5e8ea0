/** Counts log lines that a stream could not write, for example because the disk is full. Such an error stops nothing. */

/** The part of a stream that a log needs. */
export interface LogStream {
  write(line: string, done?: (error?: Error | null) => void): unknown;
}

export interface CountingStream {
  write(line: string): void;
  /** Number of lines that were not written completely. */
  readonly lost: number;
}

/** Wraps a stream to count the lines that it fails to write. After a failure the next line starts with a line break. */
export function countLost(stream: LogStream): CountingStream {
  let lost = 0;
  let isBroken = false;
  const done = (error?: Error | null) => {
    isBroken = Boolean(error);
    if (error) lost += 1;
  };
  return {
    get lost() {
      return lost;
    },
    write: (line) => {
      stream.write(isBroken ? `\n${line}` : line, done);
    },
  };
}
