/** A real pseudo-terminal, in tmux, with a shell that opens the review as the command line does. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stageCommand } from '../cli/stage.ts';
import { needProgram } from './programs.ts';
import { assert } from './suite.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export interface Tmux {
  /** The folder of the shell's files, `review.sh` and `pid` among them. */
  readonly folder: string;
  /** Opens a shell, and in it the review of a session. When the review has ended, the shell prints its exit code. */
  open(server: string, session: string, env?: Readonly<Record<string, string>>): Promise<void>;
  screen(): Promise<string>;
  /** Waits until the screen matches. */
  see(pattern: RegExp): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Ends the terminal and everything in it. Another can be opened. */
  end(): Promise<void>;
  clear(): Promise<void>;
}

/** Creates a terminal of that size. Nothing is opened yet. */
export async function createTmux(columns: number, rows: number): Promise<Tmux> {
  const folder = await mkdtemp(join(tmpdir(), 'stage-tmux-'));
  const tmux = (...args: readonly string[]) => run('tmux', ['-S', join(folder, 'tmux'), ...args]);
  const screen = async () => (await tmux('capture-pane', '-p', '-t', 'review')).stdout;
  const press = async (...keys: readonly string[]) => {
    await tmux('send-keys', '-t', 'review', ...keys);
  };
  const begin = async () => {
    const size = ['-x', String(columns), '-y', String(rows)];
    await tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-s', 'review', 'sh');
  };
  return {
    folder,
    screen,
    press,
    open: async (server, session, env = {}) => {
      needProgram('tmux');
      await writeFile(join(folder, 'review.sh'), scriptOf(folder, server, session, env));
      await begin();
      await press(
        `clear; sh ${folder}/review.sh; echo "left with $?"; stty -a | grep -o ' echo '`,
        'Enter',
      );
    },
    see: async (pattern) => {
      const late = AbortSignal.timeout(60_000);
      let seen = '';
      await until(async () => {
        seen = await screen();
        return pattern.test(seen) || late.aborted;
      });
      assert.match(seen, pattern);
    },
    resize: async (width, height) => {
      await tmux('resize-window', '-t', 'review', '-x', String(width), '-y', String(height));
    },
    end: async () => {
      await tmux('kill-server').catch(() => undefined);
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

function scriptOf(
  folder: string,
  server: string,
  session: string,
  env: Readonly<Record<string, string>>,
): string {
  const settings = { HOME: folder, STAGE_SERVER: server, PS1: '$ ', PATH: process.env['PATH'] };
  const lines = Object.entries({ ...settings, ...env }).map(
    ([name, value]) => `${name}='${value}'`,
  );
  const command = [process.execPath, ...stageCommand].map((part) => `'${part}'`).join(' ');
  return `echo $$ > ${folder}/pid
exec env -i TERM=screen ${lines.join(' ')} ${command} diff --exit-code ${session}
`;
}
