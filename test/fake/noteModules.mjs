// Records each file that a process loads: node --import, with MODULES_FILE.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.MODULES_FILE, `${url}\n`)
    return next(url, context)
  },
})
