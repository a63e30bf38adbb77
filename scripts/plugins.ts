// Writes src/plugins/index.ts from the files in that folder; with --check it only reports whether it is up to date.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../src/plugins')
const index = join(folder, 'index.ts')

const files = globSync('*.ts', { cwd: folder }).map((file) => file.slice(0, -'.ts'.length))
const names = files.filter((name) => name !== 'index' && !name.endsWith('.test')).sort()

const text = `// written by \`npm run plugins\`
import type { PluginCatalogue } from '#plugin/runPlugins.ts'
${names.map((name) => `import ${name} from './${name}.ts'`).join('\n')}

/** The plugins that this build has. */
export const plugins: PluginCatalogue = {
${names.map((name) => `  ${name},`).join('\n')}
}
`

if (!process.argv.includes('--check')) writeFileSync(index, text)
else if (readFileSync(index, 'utf8') !== text) {
  console.error('src/plugins/index.ts is stale: npm run plugins')
  process.exit(1)
}
