import { cpSync, existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

/**
 * Builds the program into `lib/`: one file for each thread and child process, one for the main thread with parts that
 * commands load on demand, and the SQL files. docs/decisions/0001-one-package.md says why.
 */
const root = join(import.meta.dirname, '..')
const threads = globSync('src/**/*.thread.ts', { cwd: root })

/**
 * Bundles packages with very many files, or with a long list that is only data: loading the 700 files of Typebox takes 0.2 s of
 * CPU time, the 350 of the metrics 15 MB in every process, and the list of all subdivisions 7 MB instead of 2. Other packages
 * stay in node_modules.
 */
const builtIn =
  /^(iso-3166|typebox|@opentelemetry\/(core|exporter-prometheus|resources|sdk-metrics|semantic-conventions))(\/|$)/

const options: BuildOptions = {
  absWorkingDir: root,
  entryNames: '[name]',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'eof',
  plugins: [
    {
      name: 'packages',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^[^.#/]/ }, ({ path }) => (builtIn.test(path) ? undefined : { external: true })),
    },
  ],
}

/** Whether the built program is newer than all its sources. scripts/aglet.sh checks the same. */
function isFresh(lib: string): boolean {
  const main = join(lib, 'main.js')
  if (!existsSync(main)) return false
  const sources = globSync('src/**/*.*', { cwd: root })
  const builtAt = statSync(main).mtimeMs
  return [...sources, 'package-lock.json', 'scripts/program.ts'].every(
    (file) => statSync(join(root, file)).mtimeMs < builtAt,
  )
}

export async function buildProgram(lib = join(root, 'lib')): Promise<void> {
  if (isFresh(lib)) return
  process.stderr.write('Building the program.\n')
  const half = `${lib}.${process.pid}`
  await build({ ...options, outdir: half, entryPoints: ['src/main.ts'], splitting: true })
  await build({
    ...options,
    outdir: half,
    entryPoints: ['src/sandbox/child.ts', 'src/sandbox/parseChild.ts', ...threads],
  })
  for (const file of globSync('**/*.sql', { cwd: join(root, 'src') })) cpSync(join(root, 'src', file), join(half, file))
  rmSync(lib, { recursive: true, force: true })
  renameSync(half, lib)
}

if (import.meta.main) await buildProgram(process.argv[2])
