import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the types of `aglet/browser` to dist/types. scripts/bundle.ts writes the module itself. */
const root = join(import.meta.dirname, '..')
const types = join(root, 'dist/types')

const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly']
const words = ['-p', join(root, 'src/browser/window'), ...flags, '--rootDir', join(root, 'src'), '--outDir', types]
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...words], {
  stdio: ['ignore', 2, 2],
})

// In the published package `#contract/…` does not resolve and the sources are absent: rewrite both to relative declarations.
for (const file of globSync('**/*.d.ts', { cwd: types })) {
  const up = '../'.repeat(file.split(/[/\\]/).length - 1) || './'
  const path = join(types, file)
  const text = readFileSync(path, 'utf8').replace(
    /(['"])(#|\.{1,2}\/)([^'"\s]*)\.ts\1/g,
    (_whole, quote, start, rest) => `${quote}${start === '#' ? up : start}${rest}.js${quote}`,
  )
  writeFileSync(path, text)
}
process.exitCode = status ?? 1
