/** A script as psql takes it (16 or newer, 18 for pipelines): to be read, and run by hand on a database of one's own. */
import { literal } from './column-types.ts';
import type { Script } from './script.ts';
import type { Statement } from './statement.ts';

/** Gives the script's text. */
export function scriptAsSql({ setup, statements }: Script): string {
  const lines = statements.map(statementAsSql);
  return [...setup.map((text) => `${text};`), '-- from here on staged', ...lines].join('\n');
}

function statementAsSql(statement: Statement): string {
  const { text, parameters, data, prepared, pipelined, rowsAtOnce } = statement;
  if (pipelined.length > 0) {
    const all = [{ ...statement, pipelined: [] }, ...pipelined].map(statementAsSql);
    return ['\\startpipeline', ...all, '\\endpipeline'].join('\n');
  }
  if (data.length > 0) return `${text};\n${data.map(pieceAsText).join('')}\\.`;
  if (!parameters) return `${text};`;
  const values = parameters.map(({ value }) => (value === null ? 'NULL' : literal(value)));
  const note = rowsAtOnce > 0 ? ` -- ${rowsAtOnce} rows at once` : '';
  if (!prepared) return `${text} \\bind ${values.join(' ')} \\g${note}`;
  const bind = `\\bind_named ${prepared.name} ${values.join(' ')} \\g${note}`;
  return prepared.isMade ? bind : `${text} \\parse ${prepared.name}\n${bind}`;
}

const pieceAsText = (piece: Buffer | null): string =>
  piece === null ? '(broken off)\n' : piece.toString('latin1');
