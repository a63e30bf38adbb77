import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sitesIn } from './regexes/sites.ts'
import { faultsOf, rememberedIn } from './regexes/verdicts.ts'

/**
 * Checks every regular expression that may be applied to untrusted text: the time of a match must be linear in the length of
 * the input. An exception has a comment with the maximum length: `// ReDoS: at most 253 characters, a host name`. Verdicts
 * are cached in node_modules/.cache.
 */
const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.ts', 'test/vendors/*.ts', 'scripts/**/*.{ts,cjs}', 'bench/*.ts'], { cwd: root })
  .filter((file) => !/\.(test|suite|fixture)\.ts$/.test(file))
  .sort()

const remembered = rememberedIn(join(root, 'node_modules/.cache/aglet/regexes.json'))
const judging = files.map(async (file) => {
  const { sites, bounds } = sitesIn(file, readFileSync(join(root, file), 'utf8'))
  const faults = await faultsOf(sites, bounds, remembered.judge)
  return { count: sites.length, faults: faults.map((fault) => `${file}:${fault}`) }
})
const judged = await Promise.all(judging)
remembered.save()
const faults = judged.flatMap((file) => file.faults)
for (const fault of faults) console.error(fault)
const count = judged.reduce((sum, file) => sum + file.count, 0)
console.error(`${count} regular expressions in ${files.length} files, ${faults.length} of them not linear.`)
process.exit(faults.length > 0 ? 1 : 0)
