import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Preloaded before the tests: applies one change to one file when it is read. The file on disk is unchanged. */
const { file, start, end, text } = JSON.parse(process.env.MUTANT!) as {
  file: string
  start: number
  end: number
  text: string
}
const url = pathToFileURL(file).href

registerHooks({
  load(asked, context, next) {
    const loaded = next(asked, context)
    if (asked !== url) return loaded
    const code = String(loaded.source)
    return { ...loaded, source: code.slice(0, start) + text + code.slice(end) }
  },
})
