/**
 * Returns the URL of the compiled program of a worker thread or child process. Sources use the compiled program, too: a worker
 * thread gets no loader for TypeScript.
 * @param path path below `dist`
 */
export function compiledProgram(path: string): URL {
  return new URL(`../dist/${path}`, import.meta.url);
}
