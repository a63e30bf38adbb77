/**
 * Builds what has changed since the last build: the program of the server into lib/, and into dist/ the browser SDK, the
 * dashboard, the manual and the viewer of /docs.
 * A version is named by the package's and by what it holds, so that it never changes; those of earlier builds stay,
 * for the pages that ask for them.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, version as bundlerVersion } from 'esbuild'
import aglet from '../package.json' with { type: 'json' }
import { buildDashboard } from './dashboard.ts'
import { buildManual } from './manual.ts'
import { buildProgram } from './program.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'src/browser/window')
const dist = join(root, 'dist')
const index = join(dist, 'sdk/index.json')
const mostVersions = 5

type Index = { sources: string; versions: string[] }
/** Path below the version's folder → text */
type Files = Record<string, string>

const hashOf = (texts: readonly string[]) => {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}:${text}`)
  return hash.digest('hex').slice(0, 8)
}

const providers = globSync('*.ts', { cwd: join(folder, 'modules') })
  .map((file) => basename(file, '.ts'))
  .sort()

function sourcesHash(): string {
  const sources = globSync('src/browser/**/*.ts', { cwd: root }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  const files = [...sources, 'scripts/bundle.ts'].sort()
  return hashOf([
    bundlerVersion,
    aglet.version,
    ...files.flatMap((file) => [file, readFileSync(join(root, file), 'utf8')]),
  ])
}

/** What stands in for the version until all is built, and the version can be named by it. */
const unnamed = '0.0.0-unnamed'

/** The edge puts the operator's own word in its place, and the tag's setting in that of `aglet-capture`. */
const unbranded = 'aglet-brand'

type Bundle = BuildOptions & { brand?: string; capture?: string }

async function bundled({ brand = unbranded, capture = '', ...options }: Bundle): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    target: 'es2022',
    format: 'iife',
    legalComments: 'none',
    define: {
      AGLET_VERSION: JSON.stringify(unnamed),
      AGLET_BRAND: JSON.stringify(brand),
      AGLET_CAPTURE: JSON.stringify(capture),
    },
    ...options,
  })
  return outputFiles![0]!.text
}

/** A module tells the SDK of itself, which is there before it. */
const moduleOf = (provider: string) =>
  bundled({
    stdin: {
      contents: `import module from './${provider}.ts'\naglet('module', '${provider}', module)`,
      resolveDir: join(folder, 'modules'),
    },
  })

async function files(): Promise<Files> {
  const entryPoints = [join(folder, 'script.ts')]
  const core = await bundled({ entryPoints, capture: 'all' })
  const gated = await bundled({ entryPoints, capture: 'aglet-capture' })
  const previewEntry = [join(folder, 'preview.ts')]
  const preview = await bundled({ entryPoints: previewEntry, capture: 'aglet-capture' })
  const npm = await bundled({ entryPoints: [join(folder, 'module.ts')], format: 'esm', brand: 'service' })
  const modules = await Promise.all(
    providers.map(async (provider) => [`modules/${provider}.js`, await moduleOf(provider)] as const),
  )
  const cores = { 'aglet.js': core, 'aglet.gated.js': gated, 'aglet.preview.js': preview }
  return { ...cores, 'aglet.mjs': npm, ...Object.fromEntries(modules) }
}

/** A reader never meets a file that is half written. */
function put(path: string, text: string): void {
  const half = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(half, text)
  renameSync(half, path)
}

function readIndex(): Index {
  try {
    return JSON.parse(readFileSync(index, 'utf8')) as Index
  } catch {
    return { sources: '', versions: [] }
  }
}

/** Copies the viewer of /docs, which src/http serves, and its licence. */
function putViewer(): void {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'])
    put(join(dist, 'viewer', name), readFileSync(join(from, name), 'utf8'))
}

await buildProgram()
const sources = sourcesHash()
const before = readIndex()
const isThere = existsSync(join(dist, 'sdk', before.versions[0] ?? '', 'aglet.js'))
if (before.sources !== sources || !isThere) {
  process.stderr.write('Building the browser SDK.\n')
  const built = await files()
  const version = `${aglet.version}-h${hashOf(Object.values(built))}`
  for (const [path, text] of Object.entries(built))
    put(join(dist, 'sdk', version, path), text.replaceAll(unnamed, version))
  put(join(dist, 'browser.mjs'), built['aglet.mjs']!.replaceAll(unnamed, version))
  const versions = [version, ...before.versions.filter((each) => each !== version)]
  put(index, JSON.stringify({ sources, versions: versions.slice(0, mostVersions) } satisfies Index))
  for (const old of versions.slice(mostVersions)) rmSync(join(dist, 'sdk', old), { recursive: true, force: true })
}
putViewer()
buildManual()
await buildDashboard()
