import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const joined = join(root, 'dist/typebox.mjs')
const source = `export * from 'typebox'
export { default } from 'typebox'
export { Compile } from 'typebox/compile'
`

/**
 * Joins the 700 files of typebox into dist/typebox.mjs, which scripts/preload.mjs loads in their place: loading them
 * one by one takes 0.4 s of a core in every process. Does nothing where the installed version is joined already.
 */
export async function joinTypebox(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/typebox/package.json'), 'utf8'))
  const mark = `// typebox ${version}\n`
  if (existsSync(joined) && readFileSync(joined, 'utf8').startsWith(mark)) return
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    minifySyntax: true,
  })
  const half = `${joined}.${process.pid}`
  mkdirSync(dirname(joined), { recursive: true })
  writeFileSync(half, mark + outputFiles[0]!.text)
  renameSync(half, joined)
}
