import { existsSync, globSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const joined = join(root, 'dist/providers.mjs')

/** Modules that the server loads besides: a second copy of them would have caches of its own. */
const external = ['#contract/*', '#kit/*', '#provider/form/*']

const changedAt = (file: string) => statSync(join(root, file)).mtimeMs

/** Whether the joined file is younger than all that is in it. */
function isFresh(): boolean {
  if (!existsSync(joined)) return false
  const sources = globSync(['src/providers/*.ts', 'src/provider/vendors/*.ts'], { cwd: root })
  const at = statSync(joined).mtimeMs
  return [...sources, 'scripts/joinProviders.ts'].every((file) => changedAt(file) < at)
}

/**
 * Joins the providers and what they share into dist/providers.mjs, which scripts/preload.mjs loads in place of
 * src/providers/index.ts where it is younger than its sources.
 */
export async function joinProviders(): Promise<void> {
  if (isFresh()) return
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/providers/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    packages: 'external',
    external,
  })
  const half = `${joined}.${process.pid}`
  mkdirSync(dirname(joined), { recursive: true })
  writeFileSync(half, outputFiles[0]!.text)
  renameSync(half, joined)
}
