import type { ChannelRow } from '#contract/edge.ts'
import type { ProviderSelection } from '#contract/event.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { allows } from './consent.ts'
import type { Body } from './outbox.ts'
import type { Kept } from './page.ts'

/** What a browser module is given when its channel may run in the page. */
export type ModuleOn = {
  /** The channel's variables that are not secret. */
  variables: Record<string, string>
  /** The site's own storage. */
  kept: Kept
  /** Stores a key of the user. */
  user(key: string, value: string): void
  /** Loads a script of the vendor's. Rejects where it cannot be had. */
  load(url: string): Promise<void>
}

/** Is told of each event of the page that is meant for the channel, from when it started. */
export type Hear = (event: Body) => void

/** The part of a channel that runs in the page. It is started once, when there is consent for its category. */
export type Module = { category: ConsentCategory; start(on: ModuleOn): Hear | undefined }

type On = Omit<ModuleOn, 'variables'> & {
  mayRun(provider: string, category: ConsentCategory): boolean | undefined
  /** Fetches the module of a channel that was not loaded with the SDK. */
  fetch(provider: string): Promise<void>
}

export type Modules = ReturnType<typeof openModules>

/** The browser modules that are loaded, and those of them that run. */
export function openModules({ mayRun, fetch, ...on }: On) {
  const loaded = new Map<string, Module>()
  const running = new Map<string, Hear | undefined>()
  const fetched = new Set<string>()

  return {
    add: (provider: string, module: Module) => void loaded.set(provider, module),

    /** Starts what may be started now. `known` are the providers that have a module at all. */
    start(rows: readonly ChannelRow[], known: readonly string[]) {
      for (const { package: provider, variables } of rows) {
        const module = loaded.get(provider)
        if (module && !running.has(provider) && mayRun(provider, module.category))
          running.set(provider, module.start({ variables, ...on }))
        if (module || fetched.has(provider) || !known.includes(provider)) continue
        fetched.add(provider)
        fetch(provider).catch(() => fetched.delete(provider))
      }
    },

    hear(event: Body) {
      for (const [provider, hear] of running)
        if (allows(event.providers as ProviderSelection, provider) && mayRun(provider, loaded.get(provider)!.category))
          hear?.(event)
    },
  }
}
