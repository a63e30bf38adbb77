import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** An empty directory that is removed at the end of the `using` block. */
export function emptyDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'aglet-kit-'))
  return {
    file: (name: string) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A folder of migrations, numbered from 0001 in the order of the texts. */
export function migrations(...texts: string[]) {
  const path = mkdtempSync(join(tmpdir(), 'aglet-migrations-'))
  for (const [n, text] of texts.entries()) writeFileSync(join(path, `${String(n + 1).padStart(4, '0')}-step.sql`), text)
  return { url: pathToFileURL(`${path}/`), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
