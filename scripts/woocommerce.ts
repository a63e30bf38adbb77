import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const plugin = 'aglet-for-woocommerce'
const folder = join(root, 'connectors/woocommerce')

/** Checks the syntax of every file and packs the plug-in for WordPress. Returns the path of the zip. */
export async function buildWooPlugin(into: string): Promise<string> {
  const files = globSync(`${plugin}/**/*.{php,txt}`, { cwd: folder }).sort()
  for (const file of files.filter((each) => each.endsWith('.php')))
    execFileSync('php', ['-l', join(folder, file)], { stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(into, { recursive: true })
  const zip = join(into, `${plugin}.zip`)
  rmSync(zip, { force: true })
  execFileSync('zip', ['-X', '-q', zip, ...files], { cwd: folder })
  return zip
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${await buildWooPlugin(join(root, 'release'))}\n`)
