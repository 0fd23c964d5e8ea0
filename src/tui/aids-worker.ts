/** Parses one statement at a time in a thread of its own: the parser can take exponential time. The only importer of node-sql-parser. */
import { parentPort } from 'node:worker_threads';
import sqlParser from 'node-sql-parser/build/postgresql.js';
import { aidsOf, noAids } from './aids.ts';

const parser = new sqlParser.Parser();

parentPort?.on('message', (query: string) => {
  parentPort?.postMessage(read(query));
});

function read(query: string) {
  try {
    return aidsOf(parser.astify(query, { database: 'postgresql' }));
  } catch {
    return noAids;
  }
}
