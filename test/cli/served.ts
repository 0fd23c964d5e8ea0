/** The needs of most suites of the command line: the REST interface, and a shell whose commands use it. */
import type { TestRest, TestRestOptions } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import type { TestDefiner } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

/** Both exist from before the suite's first test until after its last one. */
export interface Served {
  readonly rest: TestRest;
  readonly shell: Shell;
}

/** Creates both before the tests of a suite, and removes them afterwards. */
export function serve(test: TestDefiner, options: TestRestOptions = {}): Served {
  const served = {} as { rest: TestRest; shell: Shell };
  test.before(async () => {
    served.rest = await startTestRest(options);
    served.shell = await createShell(served.rest.url);
  });
  test.after(async () => {
    await served.shell.clear();
    await served.rest.stop();
  });
  return served;
}
