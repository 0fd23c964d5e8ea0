/** What bin/stage.js does, for sources that have not been built. */
import { main } from '../../src/cli/main.ts';

process.exitCode = await main(process);
