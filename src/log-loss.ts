/** The stream of a log that may fail, as when the disk is full under its file: what it cannot take is lost, counted, and stops nobody. */

/** Of a stream, what a log needs. */
export interface LogStream {
  write(line: string, done?: (error?: Error | null) => void): unknown;
}

export interface CountingStream {
  write(line: string): void;
  /** Lines that were not taken as a whole. */
  readonly lost: number;
}

/** Writes to the stream, and counts the lines that it did not take. The first that it takes again begins a line of its own. */
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
