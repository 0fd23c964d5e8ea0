/** Parses one statement at a time in a separate process: the parser can take exponential time. The only importer of node-sql-parser. */
import sqlParser from 'node-sql-parser/build/postgresql.js';
import { noFacts, statementFactsOf } from './statement-facts.ts';

const parser = new sqlParser.Parser();

process.on('message', (query: string) => {
  process.send?.(read(query));
});

// the reader's time limit begins at this message: on a busy machine, the start of a process takes longer than any statement may
process.send?.('ready');

// the interface is gone
process.on('disconnect', () => process.exit());

function read(query: string) {
  try {
    return statementFactsOf(parser.astify(query, { database: 'postgresql' }));
  } catch {
    return noFacts;
  }
}
