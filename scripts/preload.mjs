// Makes the start of every process and thread quicker. Typebox and the providers are loaded from one file each, where
// scripts/bundle.ts has joined them: the first is 700 files, the second 110. Imports of `#…`, which package.json maps to
// src/, are resolved without Node's search.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'

const root = new URL('../', import.meta.url)
const sources = new URL('src/', root)

/** When a file was last changed (epoch ms); undefined where there is none. */
const changedAt = (url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs

/** Whether the joined providers are there and younger than each of their sources. */
function areProvidersFresh() {
  const joinedAt = changedAt(new URL('dist/providers.mjs', root))
  if (joinedAt === undefined || !existsSync(sources)) return false
  return ['providers/', 'provider/vendors/'].every((name) => {
    const folder = new URL(name, sources)
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
    return files.every((file) => changedAt(new URL(file, folder)) < joinedAt)
  })
}

const replaced = new Map()
if (existsSync(new URL('dist/typebox.mjs', root)))
  for (const name of ['typebox', 'typebox/compile']) replaced.set(name, 'dist/typebox.mjs')
if (areProvidersFresh()) replaced.set('#providers/index.ts', 'dist/providers.mjs')

const isOwn = (url = '') => url.startsWith(root.href) && !url.includes('/node_modules/')

registerHooks({
  resolve(specifier, context, next) {
    const joined = replaced.get(specifier)
    if (joined) return { url: new URL(joined, root).href, format: 'module', shortCircuit: true }
    if (specifier.startsWith('#') && specifier.endsWith('.ts') && isOwn(context.parentURL))
      return { url: sources.href + specifier.slice(1), format: 'module-typescript', shortCircuit: true }
    return next(specifier, context)
  },
})
