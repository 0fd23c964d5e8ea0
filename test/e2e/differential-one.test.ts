/**
 * Random schemas and statements, directly on one database and staged over its twin: every answer is the same, and after
 * approval so are the databases. `npm run fuzz` is the long run, and replays a seed; what differs is shrunk and printed as SQL.
 */
import { fuzzSuite } from '../fuzz/fuzz-suite.ts';

fuzzSuite(0);
