// Writes src/providers/index.ts from the files in that folder; with --check it only reports whether it is up to date.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { providerIds } from '#contract/providerIds.ts'

const folder = join(import.meta.dirname, '../src/providers')
const index = join(folder, 'index.ts')

const files = globSync('*.ts', { cwd: folder }).map((file) => file.slice(0, -'.ts'.length))
const ids = files.filter((name) => name !== 'index' && !name.endsWith('.test')).sort((a, b) => a.localeCompare(b, 'en'))
const strangers = ids.filter((id) => !(providerIds as readonly string[]).includes(id))
if (strangers.length > 0) {
  console.error(`src/providers: ${strangers.join(', ')} is not a provider id. contract/providerIds.ts lists all ids.`)
  process.exit(1)
}

const text = `// written by \`npm run providers\`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
${ids.map((id) => `import ${id} from './${id}.ts'`).join('\n')}

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
${ids.map((id) => `  ${id},`).join('\n')}
}
`

if (!process.argv.includes('--check')) writeFileSync(index, text)
else if (readFileSync(index, 'utf8') !== text) {
  console.error('src/providers/index.ts is stale: npm run providers')
  process.exit(1)
}
