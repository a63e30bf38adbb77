/**
 * Builds the dashboard from src/dashboard into dist/dashboard: for each language an `index.en.html`, and `assets/` with
 * names that contain their hash, each text with a gzip copy. Deletes assets of earlier builds.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, version as bundlerVersion, type Metafile, type Plugin } from 'esbuild'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import type { Operation } from '#contract/operation.ts'
import { frameWords as germanWords } from '#dashboard/words/de/frame.ts'
import { frameWords as englishWords } from '#dashboard/words/en/frame.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'src/dashboard/window')
const dist = join(root, 'dist/dashboard')
/** The path of the assets, in both environments. */
const assetsPath = '/dashboard/assets/'

/** A built file: its path below dist/dashboard and its bytes. */
export type DashboardFile = { path: string; contents: Uint8Array }
export type DashboardBundle = {
  files: DashboardFile[]
  /** The inputs of each output, by path below `assets/`. */
  metafile: Metafile
  /** The names of the files that every page loads first, below `assets/`. */
  first: { scripts: string[]; styles: string[] }
}

/** The data of an operation that the client needs: the names of its query, and whether it has a body. No schemas. */
function toRow({ method, path, access, isTeamOptional, query, body, isStream, faults = [] }: Operation): object {
  const names = Object.keys(query?.properties ?? {})
  return {
    method,
    path,
    access,
    ...(isTeamOptional && { isTeamOptional }),
    ...(names.length > 0 && { query: { properties: Object.fromEntries(names.map((name) => [name, 0])) } }),
    ...(body && { body: 1 }),
    ...(isStream && { isStream }),
    faults: faults.filter((fault) => fault === 'policyIdMissing'),
  }
}

/** Replaces contract/operations.ts by its rows without schemas: the schemas and their library are 40 kB gzipped. */
const operationRows: Plugin = {
  name: 'operation rows',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]contract[/\\]operations\.ts$/ }, async () => {
      const { operations } = await import('#contract/operations.ts')
      const rows = Object.entries<Operation>(operations).map(([id, operation]) => [id, toRow(operation)])
      return { contents: `export const operations = ${JSON.stringify(Object.fromEntries(rows))}`, loader: 'ts' }
    })
  },
}

/**
 * Replaces the English words by another language's. A page loads only the texts of its language, and the words are constants
 * in its scripts.
 */
const wordsOf = (language: DashboardLanguage): Plugin => ({
  name: `words of ${language}`,
  setup({ onLoad }) {
    if (language === 'en') return
    onLoad({ filter: /[/\\]dashboard[/\\]words[/\\]en[/\\]\w+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(join(root, 'src/dashboard/words', language, basename(path)), 'utf8'),
      loader: 'ts',
    }))
  },
})

const noScriptTexts: Record<DashboardLanguage, string> = { en: englishWords.noScript, de: germanWords.noScript }

type First = DashboardBundle['first'] & { theme: string; font: string; icon: string; language: DashboardLanguage }

const indexHtml = ({ scripts: [main, ...chunks], styles, theme, font, icon, language }: First) => `<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>Aglet</title>
<link rel="icon" href="${assetsPath}${icon}" type="image/svg+xml">
<script src="${assetsPath}${theme}"></script>
<link rel="preload" href="${assetsPath}${font}" as="font" type="font/woff2" crossorigin>
${styles.map((name) => `<link rel="stylesheet" href="${assetsPath}${name}">`).join('\n')}
${chunks.map((name) => `<link rel="modulepreload" href="${assetsPath}${name}">`).join('\n')}
<script type="module" src="${assetsPath}${main}"></script>
</head>
<body><div id="app"></div><noscript>${noScriptTexts[language]}</noscript></body>
</html>
`

/** The output of an entry point, and the chunks that it imports statically, its own first. */
function firstScripts({ outputs }: Metafile, entry: string): string[] {
  const [main] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)!
  const found = new Set([main])
  for (const path of found)
    for (const { path: to, kind } of outputs[path]!.imports) if (kind === 'import-statement') found.add(to)
  return [...found].map((path) => basename(path))
}

/** Builds one language in memory. `plugins` replace source files: tests build it with other texts. */
export async function bundleDashboard(
  language: DashboardLanguage = 'en',
  plugins: readonly Plugin[] = [],
): Promise<DashboardBundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: join(folder, 'main.tsx'),
      theme: join(folder, 'theme.ts'),
      icon: join(folder, 'style/icon.svg'),
    },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    charset: 'utf8',
    target: 'es2022',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: join(dist, 'assets'),
    publicPath: assetsPath,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [operationRows, ...plugins, wordsOf(language)],
  })
  const assets = outputFiles.map(({ path, contents }) => ({ path: `assets/${basename(path)}`, contents }))
  const named = (start: string, end: string) =>
    basename(assets.find(({ path }) => basename(path).startsWith(start) && path.endsWith(end))!.path)
  const first = {
    scripts: firstScripts(metafile, 'src/dashboard/window/main.tsx'),
    styles: [named('main-', '.css')],
  }
  const page = indexHtml({
    ...first,
    theme: named('theme-', '.js'),
    font: named('inter-latin-wght-normal', '.woff2'),
    icon: named('icon-', '.svg'),
    language,
  })
  return {
    files: [...assets, { path: `index.${language}.html`, contents: new TextEncoder().encode(page) }],
    metafile,
    first,
  }
}

function sourcesHash(): string {
  const sources = globSync(['src/dashboard/**/*', 'src/contract/**/*.ts', 'src/import/**/*.ts'], {
    cwd: root,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && !/\.(test|fixture)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256').update(bundlerVersion)
  for (const file of [...sources, import.meta.filename, join(root, 'package-lock.json')].sort())
    hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** Writes a file so that no reader sees a partial one. */
function put(path: string, contents: Uint8Array | string): void {
  const half = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(half, contents)
  renameSync(half, path)
}

const isText = (path: string) => /\.(js|css|svg|html)$/.test(path)

/** Builds the dashboard unless its sources have not changed since the last build. */
export async function buildDashboard(): Promise<void> {
  const stamp = join(dist, 'sources.txt')
  const sources = sourcesHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return
  process.stderr.write('Building the dashboard.\n')
  const languages = Object.keys(dashboardLanguages) as DashboardLanguage[]
  const bundles = await Promise.all(languages.map((language) => bundleDashboard(language)))
  // Files without words have the same name and content in each language.
  const files = [...new Map(bundles.flatMap((bundle) => bundle.files.map((file) => [file.path, file]))).values()]
  const kept = new Set(files.flatMap(({ path }) => [path, `${path}.gz`]))
  for (const { path, contents } of files) {
    if (isText(path)) put(join(dist, `${path}.gz`), gzipSync(contents, { level: 9 }))
    put(join(dist, path), contents)
  }
  for (const old of globSync(['assets/*', 'index*.html*'], { cwd: dist }))
    if (!kept.has(old)) rmSync(join(dist, old), { force: true })
  put(stamp, sources)
}
