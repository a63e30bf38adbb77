import type { ChannelRow, ConsentMaps } from '#contract/edge.ts'
import type { ProviderSelection } from '#contract/event.ts'
import { allows } from './consent.ts'
import type { Body } from './outbox.ts'
import type { Kept } from './page.ts'

/** What a browser module is given when its channel may run in the page: the channel's row, its variables that are not secret. */
export type ModuleOn = ChannelRow & {
  userId(): string
  /** What the visitor has agreed to. */
  consent(): ConsentMaps | undefined
  /** The site's own storage. */
  kept: Kept
  /** Stores a key of the user. */
  user(key: string, value: string): void
  /** Loads a script of the vendor's. Rejects where it cannot be had. */
  load(url: string): Promise<void>
}

/** Is told of each event of the page that is meant for the channel, from when it started. */
export type Hear = (event: Body) => void

/** The part of a channel that runs in the page. It is started once, when there is consent for the channel's category. */
export type Module = { start(on: ModuleOn): Hear | undefined }

type On = Omit<ModuleOn, keyof ChannelRow> & {
  mayRun(provider: string, category: ChannelRow['category']): boolean | undefined
  /** Fetches the module of a channel that was not loaded with the SDK. */
  fetch(provider: string): Promise<void>
}

export type Modules = ReturnType<typeof openModules>

/** The browser modules that are loaded, and those of them that run. */
export function openModules({ mayRun, fetch, ...on }: On) {
  const loaded = new Map<string, Module>()
  const running = new Map<string, Hear>()
  const fetched = new Set<string>()

  return {
    add: (provider: string, module: Module) => void loaded.set(provider, module),

    /** Starts what may be started now. */
    start(rows: readonly ChannelRow[]) {
      for (const row of rows) {
        const { package: provider, category, inPage } = row
        const module = loaded.get(provider)
        if (module && !running.has(provider) && mayRun(provider, category)) {
          const hear = module.start({ ...row, ...on })
          running.set(provider, (event) => {
            if (allows(event.providers as ProviderSelection, provider) && mayRun(provider, category)) hear?.(event)
          })
        }
        if (module || !inPage || fetched.has(provider)) continue
        fetched.add(provider)
        fetch(provider).catch(() => fetched.delete(provider))
      }
    },

    hear(event: Body) {
      for (const hear of running.values()) hear(event)
    },
  }
}
