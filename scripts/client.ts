import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Builds the typed client as the package exports it (`aglet/client`): one JavaScript file and its types. Node strips no
 * types under node_modules, so this file must be built. `node scripts/client.ts [folder]`
 */
const root = join(import.meta.dirname, '..')
const entry = join(root, 'src/contract/api.ts')
const folder = process.argv[2] ?? join(root, 'dist/client')

rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: [entry],
  outfile: join(folder, 'api.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2022',
  legalComments: 'inline',
})

const types = ['--declaration', '--emitDeclarationOnly', '--rewriteRelativeImportExtensions']
const form = ['--module', 'nodenext', '--target', 'esnext', '--lib', 'esnext,dom', '--strict', '--skipLibCheck']
const words = ['--ignoreConfig', ...types, ...form, '--types', '', '--rootDir', join(root, 'src/contract')]
const tsc = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), ...words, '--outDir', folder, entry],
  { stdio: ['ignore', 2, 2] },
)
process.exitCode = tsc.status ?? 1
