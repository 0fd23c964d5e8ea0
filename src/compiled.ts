/**
 * Where a program is that runs in a thread or a process of its own: the built one, seen from the sources, too, because a thread
 * gets no loader that would read TypeScript.
 * @param path below the sources, as it is named once compiled
 */
export function compiledProgram(path: string): URL {
  return new URL(`../dist/${path}`, import.meta.url);
}
