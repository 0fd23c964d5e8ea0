/** Parses one statement at a time in a process of its own: the parser can take exponential time. The only importer of node-sql-parser. */
import sqlParser from 'node-sql-parser/build/postgresql.js';
import { aidsOf, noAids } from './aids.ts';

const parser = new sqlParser.Parser();

process.on('message', (query: string) => {
  process.send?.(read(query));
});

// only now can it be asked: on a busy machine starting takes longer than any statement may
process.send?.('ready');

// nobody is left to ask
process.on('disconnect', () => process.exit());

function read(query: string) {
  try {
    return aidsOf(parser.astify(query, { database: 'postgresql' }));
  } catch {
    return noAids;
  }
}
