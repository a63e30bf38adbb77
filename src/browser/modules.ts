import type { BrowserChannel, ConsentMaps } from '#contract/edgeResponses.ts'
import type { ProviderSelection } from '#contract/event.ts'
import type { KeyValueStorage } from './browserPage.ts'
import { allows } from './consent.ts'
import type { CallBody } from './queue.ts'

/**
 * The context of a browser module: its channel's row, whose variables are not secret, and functions of the SDK.
 */
export type BrowserModuleContext = BrowserChannel & {
  userId(): string
  /** The consent of the visitor. */
  consent(): ConsentMaps | undefined
  /** The site's own storage. */
  storage: KeyValueStorage
  /** Stores a key of the user. */
  user(key: string, value: string): void
  /** Loads a script of the vendor. Rejects if it cannot be loaded. */
  load(url: string): Promise<void>
}

/** Called for each event of the page for the channel, from the start of the module. */
type EventListener = (event: CallBody) => void

/**
 * The part of a channel that runs in the page. It is started once, when consent for the channel's category is given.
 */
export type BrowserModule = { start(deps: BrowserModuleContext): EventListener | undefined }

type BrowserModulesDeps = Omit<BrowserModuleContext, keyof BrowserChannel> & {
  mayRun(provider: string, category: BrowserChannel['category']): boolean | undefined
  /** Fetches the module of a channel that was not loaded with the SDK. */
  fetch(provider: string): Promise<void>
}

/** The loaded browser modules and the running ones. */
export function openBrowserModules({ mayRun, fetch, ...context }: BrowserModulesDeps) {
  const loaded = new Map<string, BrowserModule>()
  const running = new Map<string, EventListener>()
  const fetched = new Set<string>()

  return {
    add: (provider: string, module: BrowserModule) => void loaded.set(provider, module),

    /** Starts every module that may run and is not running yet. */
    start(rows: readonly BrowserChannel[]) {
      for (const row of rows) {
        const { package: provider, category, inPage } = row
        const module = loaded.get(provider)
        if (module && !running.has(provider) && mayRun(provider, category)) {
          const listener = module.start({ ...row, ...context })
          running.set(provider, (event) => {
            if (allows(event.providers as ProviderSelection, provider) && mayRun(provider, category)) listener?.(event)
          })
        }
        if (module || !inPage || fetched.has(provider)) continue
        fetched.add(provider)
        fetch(provider).catch(() => fetched.delete(provider))
      }
    },

    notify(event: CallBody) {
      for (const listener of running.values()) listener(event)
    },
  }
}
