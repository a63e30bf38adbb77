import type { AdapterName } from '#contract/adapterNames.ts'
import type { AdapterOptions, AddAdapter } from './adapter.ts'
import { openAdapterHost } from './adapterHost.ts'
import type { PageGlobals } from './callWatch.ts'
import { openEventLog } from './eventLog.ts'

/** The browser functions that adapters need, and the tag's settings; empty in a build without a tag. */
type AdaptersDeps = {
  site: PageGlobals
  now(): number
  randomId(): string
  warn(sentence: string): void
  primary: string
  passEventId: string
}

/** Defines the function that starts an adapter, unless the page has it already. */
export function installAdapters({ site, now, randomId, warn, primary, passEventId }: AdaptersDeps): void {
  if (site.agletAddAdapter) return
  const options = (site.agletAdapters ?? {}) as AdapterOptions
  const started = new Set<string>()
  const log = openEventLog({
    now,
    randomId,
    primary: () => [options.primary ?? primary].find((name) => started.has(name)) as AdapterName | undefined,
  })
  const shared = { site, options, log, person: new Map(), passEventId, warn }
  const add: AddAdapter = (name, adapter) => {
    if (started.has(name)) return
    started.add(name)
    const host = openAdapterHost(name, adapter, shared)
    host.safely(() => adapter.start(host))
  }
  site.agletAddAdapter = add
}
