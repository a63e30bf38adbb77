import type { Sdk } from '#browser/sdk.ts'
import { buildInfo } from './buildInfo.ts'

/** Before the SDK is loaded, the stub of the page stores its calls in `q`. */
type WaitingCall = [resolve: (answer: unknown) => void, call: Iterable<unknown>]
type AgletFunction = ((...call: unknown[]) => Promise<unknown>) & { q?: WaitingCall[]; version?: string }

const site: typeof globalThis & { aglet?: AgletFunction } = globalThis

/** Whether the page has already loaded the SDK. */
export const isLoaded = () => site.aglet?.version

/** Defines the global function `aglet(…)` for the page and the modules, and makes the waiting calls. */
export function installGlobal(sdk: Sdk): void {
  const waiting = site.aglet?.q ?? []
  const call: AgletFunction = async (name, ...rest) => {
    const method = sdk[name as keyof Sdk] as ((...rest: unknown[]) => Promise<unknown>) | undefined
    if (!method) throw Error(`aglet has no ${name}`)
    return method(...rest)
  }
  call.version = buildInfo.version
  site.aglet = call
  for (const [resolve, args] of waiting) resolve(call(...args))
}
