/**
 * Random schemas and statements, directly on one database and staged over its twin: every response is the same, and after approval the
 * databases are, too. `npm run fuzz` is the long run, and replays a seed. Differences are shrunk and printed as SQL.
 */
import { fuzzSuite } from '../fuzz/fuzz-suite.ts';

fuzzSuite(0);
